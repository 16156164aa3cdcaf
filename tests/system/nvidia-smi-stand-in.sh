#!/bin/sh
# Stands in for nvidia-smi in tests of sampling: two GPUs, in the formats of the real one.
# SMI_AGE: new | old (R470: no GPM, no -s e or t, no clocks_event_reasons) | hang | none | busy-child
age=${SMI_AGE:-new}
[ "$age" = hang ] && { sleep 600 & wait; }
[ "$age" = none ] && { echo "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running."; exit 9; }
uuid0=GPU-0b9e41c7-5528-4d1f-8d02-6a7b13cc9f40 uuid1=GPU-93c0d6aa-1f77-4e0b-b5b4-20d8e1f3a7c6
delay=1 count=0 set=puc options='' gpm='' fields='' loop=''
what=$1
for a; do
  case $prev in
    -d) delay=$a ;;
    -c) count=$a ;;
    -s) set=$a ;;
    -o) options=$a ;;
    -l) loop=$a ;;
    --gpm-metrics) gpm=$a ;;
  esac
  case $a in
    --query-gpu=*) what=query fields=${a#--query-gpu=} ;;
    --query-compute-apps=*) what=apps fields=${a#--query-compute-apps=} ;;
  esac
  prev=$a
done
refuse() { echo "$1"; exit 2; }
case $what in
  -L)
    echo "GPU 0: NVIDIA H100 80GB HBM3 (UUID: $uuid0)"
    echo "GPU 1: NVIDIA H100 80GB HBM3 (UUID: $uuid1)"
    ;;
  dmon)
    if [ "$age" = old ]; then
      [ -n "$gpm" ] && refuse 'Invalid combination of input arguments. Please run '"'nvidia-smi -h'"' for help.'
      case $set in *[et]*) refuse 'Unrecognized metric in -s option' ;; esac
      head='gpu   pwr gtemp mtemp    sm   mem   enc   dec  mclk  pclk' units='Idx     W     C     C     %     %     %     %   MHz   MHz'
      row0='0   150    44     -   100     1     0     0  5000  1590' row1='1    69    52     -    97    41     0     0  5000  1545'
    else
      head='gpu    pwr  gtemp  mtemp     sm    mem    enc    dec    jpg    ofa   mclk   pclk  rxpci  txpci' units='Idx      W      C      C      %      %      %      %      %      %    MHz    MHz   MB/s   MB/s'
      row0='0    148     44     52    100      1      0      0      0      0   2619   1980  11874   9962' row1='1    655     58     67    100     61      0      0      0      0   2619   1740     12     10'
      if [ -n "$gpm" ]; then
        head="$head  smutil   smocc  mmaact" units="$units   GPM:%   GPM:%   GPM:%" row0="$row0       7       4       0" row1="$row1      93      38      61"
      fi
    fi
    case $options in
      *D*T*) echo "#Date       Time        $head"; echo "#YYYYMMDD   HH:MM:SS     $units" ;;
      *T*) echo "#Time        $head"; echo "#HH:MM:SS     $units" ;;
      *) echo "# $head "; echo "# $units " ;;
    esac
    n=0
    while [ "$count" = 0 ] || [ "$n" -lt "$count" ]; do
      case $options in *D*T*) t=$(date '+ %Y%m%d   %H:%M:%S  ') ;; *T*) t=$(date '+ %H:%M:%S  ') ;; *) t='    ' ;; esac
      echo "$t   $row0 "
      echo "$t   $row1 "
      n=$((n + 1))
      [ "$n" = "$count" ] || sleep "$delay"
    done
    ;;
  pmon)
    [ "$age" = old ] && case $set in *m*) refuse 'Unrecognized metric in -s option' ;; esac
    echo '# gpu         pid   type     sm    mem    enc    dec    jpg    ofa    command '
    echo '# Idx           #    C/G      %      %      %      %      %      %    name '
    n=0
    while [ "$count" = 0 ] || [ "$n" -lt "$count" ]; do
      echo '    0    1840021     C       97      2      -      -      -      -    python3        '
      echo '    1    1840388     C       98     60      -      -      -      -    python3        '
      n=$((n + 1))
      [ "$n" = "$count" ] || sleep "$delay"
    done
    ;;
  query)
    if [ "$age" = old ]; then
      case $fields in *clocks_event_reasons*) refuse 'Field "clocks_event_reasons.active" is not a valid field to query.' ;; esac
    fi
    [ -n "$loop" ] || loop=1
    first=''
    IFS=,
    for f in $fields; do
      case $f in
        utilization.*) f="$f [%]" ;;
        power.*) f="$f [W]" ;;
        clocks.*) f="$f [MHz]" ;;
        memory.*) f="$f [MiB]" ;;
      esac
      first="$first${first:+, }$f"
    done
    echo "$first"
    while :; do
      for i in 0 1; do
        l=''
        for f in $fields; do
          case $f in
            timestamp) v=$(date '+%Y/%m/%d %H:%M:%S.123') ;;
            index) v=$i ;;
            uuid) if [ $i = 0 ]; then v=$uuid0; else v=$uuid1; fi ;;
            pci.bus_id) if [ $i = 0 ]; then v=00000000:19:00.0; else v=00000000:3B:00.0; fi ;;
            name) v='NVIDIA H100 80GB HBM3' ;;
            utilization.gpu) v='100 %' ;;
            utilization.memory) if [ $i = 0 ]; then v='1 %'; else v='61 %'; fi ;;
            power.draw) if [ $i = 0 ]; then v='148.10 W'; else v='655.20 W'; fi ;;
            power.limit | power.default_limit) v='700.00 W' ;;
            temperature.gpu) v=44 ;;
            clocks.sm) v='1980 MHz' ;;
            clocks.mem) v='2619 MHz' ;;
            clocks.max.sm) v='1980 MHz' ;;
            memory.used) v='61204 MiB' ;;
            memory.total) v='81559 MiB' ;;
            clocks_*) v=0x0000000000000000 ;;
            pcie.link.gen.*) v=5 ;;
            pcie.link.width.*) v=16 ;;
            *) v='0 %' ;;
          esac
          l="$l${l:+, }$v"
        done
        echo "$l"
      done
      sleep "$loop"
    done
    ;;
  apps)
    echo 'gpu_uuid, gpu_bus_id, pid, process_name, used_gpu_memory [MiB]'
    echo "$uuid0, 00000000:19:00.0, 1840021, /usr/bin/python3, 61190 MiB"
    echo "$uuid1, 00000000:3B:00.0, 1840388, /usr/bin/python3, 61190 MiB"
    ;;
  -q)
    cat <<Q

==============NVSMI LOG==============

Timestamp                                              : $(date '+%a %b %e %H:%M:%S %Y')
Driver Version                                         : 590.48.01
CUDA Version                                           : 13.1

Attached GPUs                                          : 2
GPU 00000000:19:00.0
    Clocks Event Reasons
        Idle                                           : Not Active
        SW Power Cap                                   : Not Active
    ECC Errors
        Volatile
            SRAM Correctable                           : 0
            DRAM Uncorrectable                         : 0
GPU 00000000:3B:00.0
    Clocks Event Reasons
        Idle                                           : Not Active
        SW Power Cap                                   : Active
Q
    ;;
  *) refuse 'Invalid combination of input arguments.' ;;
esac
