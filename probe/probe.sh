#!/bin/sh
# culprit's probe: says what a machine, container or process has of the GPU stack. Reads only; see README.md for the format.
# Runs in dash, busybox sh, mksh and bash; needs no root, no temporary file.
# Functions are called through `limited`, which shellcheck does not see:
# shellcheck disable=SC2317
# A && B || C: C is to run as well where B fails.
# shellcheck disable=SC2015
# `nap` belongs to the guard that sets it; each guard is a process of its own.
# shellcheck disable=SC2030,SC2031
# `ls` lists open files of processes, whose own names are numbers.
# shellcheck disable=SC2010
LC_ALL=C
export LC_ALL
umask 077
root=
pid=
gate=no
budget=8
while [ $# -gt 0 ]; do
  case $1 in
    --root) root=${2%/}; shift ;;
    --pid) pid=$2; shift ;;
    --gate) gate=yes ;;
    --budget) budget=$2; shift ;;
    *) echo "probe.sh: unknown option: $1 (known: --root DIR, --pid N, --gate, --budget SECONDS)" >&2; exit 2 ;;
  esac
  [ $# -gt 0 ] && shift
done
case $pid in *[!0-9]*) echo "probe.sh: --pid takes a number" >&2; exit 2 ;; esac
case $budget in '' | *[!0-9]*) echo "probe.sh: --budget takes whole seconds" >&2; exit 2 ;; esac
if [ -n "$root" ] && [ ! -d "$root" ]; then echo "probe.sh: --root: no such folder: $root" >&2; exit 2; fi
if [ -n "$pid" ] && [ ! -d "/proc/$pid" ]; then echo "probe.sh: --pid: no such process: $pid" >&2; exit 2; fi

# Files of the subject stand below $F, kernel views in $P and $S, devices in $D, the process in $SELF.
F=$root P=$root/proc S=$root/sys D=$root/dev SELF=$root/proc/self live=yes
[ -n "$root" ] && live=no
if [ -n "$pid" ]; then
  F=/proc/$pid/root P=/proc S=/sys SELF=/proc/$pid
  D=/proc/$pid/root/dev
fi
# Files of a process of somebody else may be closed: then nothing of it is known to be absent.
closed=no printed=no
if [ -n "$pid" ] && [ ! -d "$F/." ]; then closed=yes; fi
# Folders of another root too.
views=open
if [ -n "$root" ]; then
  for d in usr etc lib; do
    if [ -d "$F/$d" ] && [ ! -x "$F/$d" ]; then closed=yes; fi
  done
  if [ -d "$P" ] && [ ! -x "$P" ]; then closed=yes views=closed; fi
fi
# One line, as it is. The Korn shell's printf is a program of its own.
if [ -n "${KSH_VERSION:-}" ]; then
  # shellcheck disable=SC3059,SC2218
  put() { print -r -- "$1"; }
else
  put() { printf '%s\n' "$1"; }
fi
sections=0
tab='	'
nl='
'
# A path of another root with its links followed, folders too: absolute ones begin at that root, where the kernel would
# take them from ours, and none leads out of it. Leaves the path in $real and the links that it met in $links.
links=
inside() {
  real=$1
  if [ -n "$F" ]; then case $1 in "$F" | "$F"/*) walk "$1" ;; esac fi
}
walk() {
  to=${1#"$F"}/ real=$F hops=0
  while [ -n "$to" ]; do
    part=${to%%/*} to=${to#*/}
    case $part in
      '' | .) continue ;;
      ..) if [ "$real" != "$F" ]; then real=${real%/*}; fi; continue ;;
    esac
    if [ ! -h "$real/$part" ]; then real=$real/$part; continue; fi
    hops=$((hops + 1))
    if [ "$hops" -gt 20 ]; then return 1; fi
    link=$(ls -ld "$real/$part" 2>/dev/null)
    link=${link##* -> }
    case $nl$links in *"$nl$real/$part$nl"*) ;; *) links="$links$real/$part$nl" ;; esac
    case $link in
      '' | *"$nl"*) return 1 ;;
      /*) real=$F to=$link/$to ;;
      *) to=$link/$to ;;
    esac
  done
}

now() { # hundredths of a second since boot, without a process
  t=0
  if read -r up rest 2>/dev/null </proc/uptime; then t=${up%.*}${up#*.}; fi
  case $t in '' | *[!0-9]*) t=0 ;; esac
}
spent() { now; ms=$(((t - $1) * 10)); }
begin() {
  sections=$((sections + 1)) printed=no
  name=$1
  shift
  case $* in *"$nl"*) set -- "cat a file whose name has a line break" ;; esac
  put "@ $name $*"
  now
  began=$t
}
# One line of an observation; no file name may look like the end of one.
say() {
  printed=yes
  case $1 in
    *"$nl"*) echo '|(a name with a line break)' ;;
    *) put "|$1" ;;
  esac
}
finish() {
  spent "$began"
  if [ "$closed$printed" = yesno ]; then
    case $views,$name,$1 in
      # Views of the kernel are open to all.
      open,proc-* | open,sys-* | open,kernel-* | open,modules,* | open,pci-* | open,mig-* | open,infiniband,* | open,rollout,* | open,daemons,*) ;;
      *,absent | *,0) put "@= exit=denied ms=$ms"; return ;;
    esac
  fi
  put "@= exit=$1 ms=$ms${2:+ $2}"
}
skip() { begin "$1" "$2"; finish skipped "why=$3"; }
over() { now; [ $((t - started)) -ge $((budget * 100 - 20)) ]; }

# A small file, read by the shell: show SOURCE FILE [MOST LINES]
show() {
  begin "$1" "cat ${2#"$F"}"
  if [ ! -e "$2" ] && [ ! -h "$2" ]; then finish absent; return 1; fi
  if ! inside "$2"; then finish skipped why=outside; return 1; fi
  if [ ! -e "$real" ]; then finish absent; return 1; fi
  # A pipe or a device would wait for ever.
  if [ ! -f "$real" ]; then finish skipped why=no-file; return 1; fi
  if [ ! -r "$real" ]; then finish denied; return 1; fi
  lines "$real" "${3:-200}"
  if [ "$cut" = yes ]; then finish 0 truncated=1; else finish 0; fi
}
lines() {
  n=0 cut=no
  [ -f "$1" ] || return 0
  # The last line may lack its end.
  while IFS= read -r l || [ -n "$l" ]; do
    n=$((n + 1))
    if [ "$n" -gt "$2" ]; then cut=yes; break; fi
    put "|$l" && printed=yes
  done 2>/dev/null <"$1"
}
value() {
  v=
  real=$1
  if [ -n "$root" ]; then inside "$1" || return 1; fi
  [ -f "$real" ] || return 1
  # Of a setting of the kernel dash gets one byte and no line end.
  IFS= read -r v 2>/dev/null <"$real" || [ -n "$v" ]
}
has() { command -v "$1" >/dev/null 2>&1; }

# A program with a time limit: limited SECONDS SOURCE MOST-LINES PROGRAM ARGUMENTS…   ($shown: what to say was run)
# The program is no child of this shell: one that hangs in the driver cannot be killed, and nobody may wait for it. When
# the time is up its guard says so in its place, and whatever still hangs is left alone.
limited() {
  limit=$1 source=$2 most=$3
  shift 3
  piped=${shown:-$*}
  begin "$source" "$piped"
  shown='' printed=yes
  program=$1
  if [ "$1" = setsid ]; then program=$2; fi
  if ! has "$program"; then finish absent; return 1; fi
  if over; then finish skipped why=budget; return 1; fi
  # Without a timer nothing is run that may hang; without grep that nothing is printed would mean nothing.
  if [ "$timer" = no ]; then finish skipped why=no-sleep; return 1; fi
  case $piped in *'| grep '* | 'grep '*) if ! has grep; then finish skipped why=no-grep; return 1; fi ;; esac
  (
    (
      "$@" </dev/null 2>&1 &
      child=$!
      (
        trap 'kill "$nap"; exit' TERM
        sleep "$limit" &
        nap=$!
        wait "$nap"
        # Said first: what waits for the program would say that it was killed.
        echo '@timeout'
        kill -9 "-$child" "$child"
      ) 2>/dev/null </dev/null &
      guard=$!
      wait "$child"
      code=$?
      kill "$guard"
      echo "@$code"
    ) 2>/dev/null &
  ) | (
    n=0 cut=
    while IFS= read -r l || [ -n "$l" ]; do
      case $l in
        @timeout | @denied | @[0-9] | @[0-9][0-9] | @[0-9][0-9][0-9]) finish "${l#@}" "$cut"; exit ;;
      esac
      n=$((n + 1))
      if [ "$n" -le "$most" ]; then put "|$l"; else cut=truncated=1; fi
    done
    finish timeout "$cut"
  )
}

# --- what is looked at ---------------------------------------------------------------------------------------------

system() {
  show os-release "$F/etc/os-release" 12
  if [ "$live" = yes ]; then limited 1 uname 2 uname -a; fi
  show kernel "$P/version" 1
  begin kernel-cmdline "tr ' ' '\\n' < /proc/cmdline | grep -E 'iommu|nvidia|nouveau|pci|blacklist|hugepage|numa'"
  if value "$P/cmdline"; then
    set -f
    for w in $v; do
      case $w in *iommu* | *nvidia* | *nouveau* | pci* | *blacklist* | *hugepage* | *numa*) say "$w" ;; esac
    done
    set +f
    finish 0
  else finish absent; fi
  begin machine "cat /sys/class/dmi/id/product_name /proc/device-tree/model"
  for f in "$S/class/dmi/id/sys_vendor" "$S/class/dmi/id/product_name" "$P/device-tree/model"; do
    if value "$f" && [ -n "$v" ]; then say "${f#"$F"}: $v"; fi
  done
  finish 0
  begin marks "ls -d /.dockerenv /run/.containerenv /dev/dxg /dev/nvmap"
  for f in /.dockerenv /run/.containerenv /run/systemd/container /dev/dxg /usr/lib/wsl/lib /dev/nvmap /dev/nvhost-ctrl-gpu /dev/nvgpu \
    /etc/NIXOS /System/Library/CoreServices/SystemVersion.plist /opt/nvidia/nvidia_entrypoint.sh; do
    inside "$F$f" && [ -e "$real" ] && say "$f"
  done
  [ "$live" = yes ] && [ -z "$pid" ] && [ -n "${KUBERNETES_SERVICE_HOST:-}" ] && echo '|KUBERNETES_SERVICE_HOST is set'
  finish 0
  [ -e "$F/etc/nv_tegra_release" ] && show nv-tegra-release "$F/etc/nv_tegra_release" 2
  if [ -e "$S/fs/selinux/enforce" ]; then show selinux "$S/fs/selinux/enforce" 1; fi
  secure_boot
  chosen self-status "$SELF/status" Cpus_allowed_list: Mems_allowed_list: CapEff: NoNewPrivs: Seccomp:
  [ "$gate" = no ] && chosen meminfo "$P/meminfo" MemTotal: MemAvailable: HugePages_Total: HugePages_Free: Hugepagesize:
}
# Lines of a small file by their first word: chosen SOURCE FILE WORD…
chosen() {
  file=$2 source=$1
  shift 2
  begin "$source" "grep -E '$(old=$IFS; IFS='|'; put "$*"; IFS=$old)' ${file#"$F"}"
  if [ ! -e "$file" ] && [ ! -h "$file" ]; then finish absent; return; fi
  if ! inside "$file"; then finish skipped why=outside; return; fi
  if [ ! -f "$real" ]; then finish absent; return; fi
  if [ ! -r "$real" ]; then finish denied; return; fi
  while IFS= read -r l; do
    for w; do case $l in "$w"*) say "$l" ;; esac done
  done 2>/dev/null <"$real"
  finish 0
}
# The fifth byte of the firmware's variable; mokutil reads the same.
secure_boot() {
  [ -e "$S/firmware/efi" ] || return
  variable=$S/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c
  if [ -f "$variable" ] && [ -r "$variable" ] && has od; then
    state() { case $(od -A n -t u1 -j 4 -N 1 "$variable") in *1) echo 'SecureBoot enabled' ;; *0) echo 'SecureBoot disabled' ;; *) return 1 ;; esac; }
    shown="mokutil --sb-state" limited 1 secure-boot 1 state
  elif [ "$live" = yes ]; then limited 1 secure-boot 4 mokutil --sb-state; fi
}

module() {
  show proc-driver-version "$P/driver/nvidia/version" 4
  show sys-module-version "$S/module/nvidia/version" 1
  show proc-driver-params "$P/driver/nvidia/params" 80
  begin modules "lsmod | grep -E 'nvidia|nouveau|gdrdrv|mlx5|ib_'"
  if [ -r "$P/modules" ] && [ -f "$P/modules" ]; then
    while IFS= read -r l; do
      case $l in nvidia* | nouveau* | nvgpu* | nvmap* | gdrdrv* | nv_peer* | mlx5_* | ib_* | nova_* | vfio_pci*) say "$l" ;; esac
    done <"$P/modules"
    finish 0
  else finish absent; fi
  begin runfile-marks "ls /usr/bin/nvidia-uninstall /usr/bin/nvidia-installer /var/log/nvidia-installer.log"
  state=absent
  for f in /usr/bin/nvidia-uninstall /usr/bin/nvidia-installer /var/log/nvidia-installer.log; do
    if inside "$F$f" && [ -e "$real" ]; then state=0; say "$f"; fi
  done
  finish "$state"
  begin module-files "find /lib/modules -name 'nvidia.ko*'"
  state=absent
  for f in "$F"/lib/modules/*/updates/dkms/nvidia.ko* "$F"/lib/modules/*/kernel/drivers/video/nvidia.ko* \
    "$F"/lib/modules/*/extra/nvidia.ko* "$F"/lib/modules/*/extra/nvidia/nvidia.ko* "$F"/lib/modules/*/weak-updates/nvidia/nvidia.ko* \
    "$F"/lib/modules/*/kernel/nvidia-*/nvidia.ko* "$F"/lib/modules/*/updates/nvidia.ko* "$F"/lib/modules/*/nvidia.ko*; do
    if [ -e "$f" ] && inside "$f" && [ -f "$real" ]; then state=0; say "${f#"$F"}"; fi
  done
  finish "$state"
  begin dkms "ls -d /var/lib/dkms/nvidia*/*/*/*"
  if [ -d "$F/var/lib/dkms" ]; then
    for f in "$F"/var/lib/dkms/nvidia*/*/*/*; do
      if [ -d "$f" ] && [ ! -h "$f" ] && inside "$f" && [ -d "$real" ]; then say "${f#"$F"}"; fi
    done
    finish 0
  else finish absent; fi
  if [ "$live" = yes ] && [ "$gate" = no ]; then limited 1 modinfo 30 modinfo nvidia; fi
}

gpus() {
  begin pci-devices "lspci -Dnn -d 10de: -k -vv"
  if [ ! -d "$S" ]; then finish absent; else
  for d in "$S"/bus/pci/devices/*; do
    value "$d/vendor"
    [ "$v" = 0x10de ] || continue
    value "$d/class"; class=$v
    case $class in 0x03* | 0x0680* | 0x0604*) ;; *) continue ;; esac
    a=${d##*/} l="class=$class" driver=none
    for k in device numa_node current_link_speed max_link_speed current_link_width max_link_width enable; do
      if value "$d/$k" && [ -n "$v" ]; then l="$l $k=${v%% *}"; fi
    done
    for k in nvidia nouveau vfio-pci nova_core nvidia-nvswitch; do
      [ -e "$S/bus/pci/drivers/$k/$a" ] && driver=$k
    done
    say "$a $l driver=$driver"
  done
  finish 0
  fi
  for d in "$P"/driver/nvidia/gpus/*/information; do
    [ -e "$d" ] && show proc-gpu-information "$d" 20
  done
  begin device-nodes "ls -l /dev/nvidia*"
  set -- "$D"/nvidia*
  if [ -e "$1" ]; then
    if has ls; then finish_of "$(ls -ln "$@" 2>/dev/null)"; else
      for f; do say "${f#"$F"}"; done
      finish 0
    fi
  else
    # A folder that can be read and has none: that is seen, not missed.
    [ -d "$D" ] && [ -r "$D" ] && [ -x "$D" ] && say "ls: cannot access '/dev/nvidia*': No such file or directory"
    finish absent
  fi
  begin mig-capabilities "ls -d /proc/driver/nvidia/capabilities/gpu*/mig/gi*/ci*"
  if [ -d "$P/driver/nvidia/capabilities" ]; then
    for f in "$P"/driver/nvidia/capabilities/gpu*/mig/gi*/ci*; do if [ -e "$f" ]; then say "${f#"$F"}"; fi done
    finish 0
  else finish absent; fi
  # Opening a node of a loaded module loads nothing; the control node wakes no GPU.
  if [ "$live" = yes ] && [ -e "$S/module/nvidia" ] && [ -z "$pid" ] && [ -c "$D/nvidiactl" ]; then
    for f in nvidiactl nvidia-uvm; do
      if [ -c "$D/$f" ]; then shown=": < /dev/$f" limited 1 device-access 4 opens "/dev/$f"; fi
    done
  fi
}
# Opening says what the control group of devices permits; nothing is asked of the device.
opens() { (: <"$1") 2>&1 && echo opens; }
# An observation whose text is there already; paths lose what stands before the root.
finish_of() {
  if [ -n "$1" ]; then printed=yes; put "$1" | stripped; fi
  finish 0
}
stripped() {
  while IFS= read -r l; do
    if [ -n "$F" ]; then
      case $l in *" $F/"*) l="${l%%" $F/"*} /${l#*" $F/"}" ;; "$F/"*) l=${l#"$F"} ;; esac
    fi
    put "|$l"
  done
}

# nvidia-smi may not make the system load a module, and not meet a driver that is being changed.
smi() {
  session=
  if has setsid; then session=setsid; fi
  why=
  if [ "$gate" = yes ]; then why=gate
  elif [ "$live" = no ] || [ -n "$pid" ]; then why=foreign-root
  elif [ -e "$D/dxg" ] && has nvidia-smi; then why=
  elif [ ! -e "$S/module/nvidia" ] && [ ! -e "$P/driver/nvidia/version" ]; then why=no-module
  elif [ ! -e "$D/nvidiactl" ] || ! ls "$D"/nvidia[0-9]* >/dev/null 2>&1; then why=no-device
  elif rollout; then why=rollout
  fi
  if [ -n "$why" ]; then skip nvidia-smi-q "nvidia-smi -q" "$why"; else 
    # In a session of its own whatever it started ends with it.
    shown="nvidia-smi -q"
    limited 3 nvidia-smi-q 6000 ${session:+"$session"} nvidia-smi -q
  fi
}
# What lasts no longer than the change does: the `nvidia-driver` of a driver container lives as long as its driver.
rollout() {
  for f in "$S"/module/nvidia*/initstate; do
    if value "$f"; then case $v in coming | going) return 0 ;; esac fi
  done
  for f in "$P"/[0-9]*/comm; do
    value "$f" || continue
    case $v in nvidia-installe* | nvidia-uninstal* | dkms | modprobe | insmod | rmmod | depmod | dracut) return 0 ;; esac
  done
  return 1
}

# Signs that a driver is being changed, and how long the machine is up: a gate holds back then.
changes() {
  begin rollout "cat /proc/uptime /sys/module/nvidia*/initstate; echo /run/nvidia/validations/*; ps -eo pid,comm"
  value "$P/uptime" && say "uptime ${v%% *}"
  for f in "$S"/module/nvidia*/initstate; do value "$f" && say "${f#"$F"} $v"; done
  if [ -d "$F/run/nvidia/validations" ]; then
    say /run/nvidia/validations
    for f in "$F"/run/nvidia/validations/* "$F"/run/nvidia/validations/.[!.]*; do [ -e "$f" ] && say "${f#"$F"}"; done
  fi
  for f in "$P"/[0-9]*/comm; do
    value "$f" || continue
    case $v in
      dkms | depmod | modprobe | insmod | rmmod | nvidia-installe* | nvidia-uninstal* | dpkg | apt | apt-get | rpm | dnf | yum | zypper | \
        transactional* | rpm-ostree | dracut | update-initramf* | mkinitramfs) p=${f%/comm}; say "${p##*/} $v" ;;
    esac
  done
  finish 0
}

# The loader's cache as `ldconfig -p` prints it, from the file itself: nothing of another root may be run.
loader_cache() {
  cache=$F/etc/ld.so.cache file=
  if inside "$cache" && [ -f "$real" ] && [ -r "$real" ] && has od && has awk && has tr; then file=$real; fi
  if [ -n "$file" ]; then
    cached() {
      # awk takes the backslashes of a variable for its own.
      { od -A n -v -t u4 -N 2000000 "$file"; echo text; tr '\000\n' '\n ' <"$file"; } 2>/dev/null | WANTED=$wanted awk "$decode" ||
        { [ -z "$F" ] && ldconfig -p 2>&1 | grep -E "$wanted"; }
    }
    shown="ldconfig -p${F:+ -C /etc/ld.so.cache} | grep -E 'cuda|nvidia|nccl|cudnn'" limited 1 ldconfig 400 cached
  elif [ "$live" = yes ] && [ -z "$pid" ] && has ldconfig; then
    cached() { ldconfig -p 2>&1 | grep -E "$wanted"; }
    shown="ldconfig -p | grep -E 'cuda|nvidia|nccl|cudnn'" limited 1 ldconfig 400 cached
  else
    begin ldconfig "ldconfig -p${F:+ -C /etc/ld.so.cache} | grep -E 'cuda|nvidia|nccl|cudnn'"
    if [ ! -e "$cache" ] && [ ! -h "$cache" ]; then finish absent
    elif ! inside "$cache"; then finish skipped why=outside
    elif [ ! -f "$real" ]; then finish absent
    elif [ ! -r "$real" ]; then finish denied
    else finish skipped why=no-awk; fi
  fi
}
# Words of four bytes, then the file's strings, one a line. glibc 2.x writes "glibc-ld.so.cache1.1", behind the old
# "ld.so-1.7.0" as a rule of its time; offsets count from the new header. An offset may point into another's string. The dollars are awk's.
# shellcheck disable=SC2016
decode='
  !text && $1 != "text" { if (words < 500000) for (i = 1; i <= NF; i++) word[words++] = $i; next }
  $1 == "text" && !text {
    text = 1; at = 0; base = 0
    if (word[0] == 1932420204 && word[1] == 774974831) base = int((16 + 12 * word[3] + 7) / 8) * 2
    if (word[base] != 1651076199 || word[base + 1] != 1684811107 || word[base + 4] != 825110885) { bad = 1; exit }
    next
  }
  { if ($0 ~ ENVIRON["WANTED"] && substr($0, 1, 1) == "/") path[at] = $0; else if ($0 ~ ENVIRON["WANTED"]) name[at] = $0; at += length($0) + 1 }
  END {
    if (!text || bad) exit 4
    for (i = 0; i < word[base + 5]; i++) {
      e = base + 12 + i * 6
      if (e + 5 >= words) exit 4
      to = word[e + 2] + base * 4; key = word[e + 1] + base * 4
      if (!(to in path)) continue
      own = path[to]; sub(/.*\//, "", own)
      if (key != to + length(path[to]) - length(own) && (key in name)) own = name[key]
      kind = word[e] == 771 ? "libc6,x86-64" : word[e] == 2563 ? "libc6,AArch64" : word[e] == 1283 ? "libc6,64bit" : "libc6"
      print "\t" own " (" kind ") => " path[to]
    }
  }'

libraries() {
  wanted='libcuda\.so|libnvidia-ml|libnvidia-ptxjit|libcudart|libcudnn|libnccl|libnvJitLink|libcublas|libnvrtc|libcufft|libcusparse|libcusolver|libtorch_cuda|libmpi\.so|libucp|libgdrapi|libcufile|libnvinfer'
  loader_cache
  begin ld-so-conf "cat /etc/ld.so.conf /etc/ld.so.conf.d/*.conf"
  for f in "$F/etc/ld.so.conf" "$F"/etc/ld.so.conf.d/*.conf; do
    inside "$f" && [ -f "$real" ] && [ -r "$real" ] || continue
    say "# ${f#"$F"}"
    lines "$real" 30
  done
  finish 0
  # Every place where a loader would look, and where copies are usually found.
  set --
  old=$IFS
  IFS=:
  for d in $LIBPATH; do
    case $d in /*) set -- "$@" "$F$d" ;; esac
  done
  IFS=$old
  for d in "$F"/usr/lib/*-linux-gnu "$F"/lib/*-linux-gnu "$F/usr/lib64" "$F/lib64" "$F/usr/lib" "$F/lib" "$F/usr/local/lib" \
    "$F/usr/lib/wsl/lib" "$F/run/opengl-driver/lib" "$F"/run/nvidia/driver/usr/lib/*-linux-gnu "$F/run/nvidia/driver/usr/lib64" \
    "$F/usr/local/nvidia/lib64" "$F/usr/local/nvidia/lib" "$F/home/kubernetes/bin/nvidia/lib64" "$F/usr/lib/nvidia" "$F"/usr/lib/nvidia-* \
    "$F"/usr/lib/*-linux-gnu/nvidia/current "$F"/usr/lib/*-linux-gnu/tegra "$F"/usr/local/cuda*/compat "$F"/usr/local/cuda*/compat/lib \
    "$F"/usr/local/cuda*/compat/lib.real "$F"/usr/local/cuda*/lib64 "$F"/usr/local/cuda*/lib64/stubs "$F"/usr/local/cuda*/targets/*/lib \
    "$F"/usr/local/cuda*/targets/*/lib/stubs "$F"/opt/conda/lib; do
    if [ -d "$d" ] || [ -h "$d" ]; then set -- "$@" "$d"; fi
  done
  for d in $PYTHONROOTS "$F"/opt/conda/envs/*; do
    case $d in "$F"/opt/conda/envs/*) ;; /*) d=$F$d ;; *) continue ;; esac
    set -- "$@" "$d/lib"
  done
  begin library-files "ls -l */libcuda.so* */libnvidia-ml.so* */libcudart.so* */libcudnn*.so* */libnccl.so* …"
  names='' found='' links=''
  for d; do
    case $d in *"$nl"*) continue ;; esac
    walk "$d" && d=$real && [ -d "$d" ] || continue
    case $names in *"|$d|"*) continue ;; esac
    names="$names|$d|"
    for f in "$d"/libcuda.so* "$d"/libnvidia-ml.so* "$d"/libcudart.so* "$d"/libcudnn.so* "$d"/libcudnn_ops*.so* "$d"/libnccl.so* \
      "$d"/libnccl-net*.so* "$d"/libnvJitLink.so* "$d"/libcublas.so* "$d"/libcublasLt.so* "$d"/libnvrtc.so* "$d"/libnvinfer.so*; do
      case $f in *"$nl"*) continue ;; esac
      if [ -e "$f" ] || [ -h "$f" ]; then found="$found$f$nl"; fi
    done
  done
  # Links of folders say what other names these have; Debian's of files lead through its alternatives.
  found=$found$links
  for f in "$F"/etc/alternatives/*libcuda.so* "$F"/etc/alternatives/*libnvidia-ml.so* "$F"/etc/alternatives/*libcudnn*; do
    case $f in *"$nl"*) ;; *) if [ -h "$f" ]; then found="$found$f$nl"; fi ;; esac
  done
  if [ -n "$found" ]; then
    old=$IFS
    IFS='
'
    set -f
    # One process for all of them; the list is cut at line ends only.
    # shellcheck disable=SC2086
    if has ls; then out=$(ls -lnd $found 2>/dev/null); else out=$found; fi
    set +f
    IFS=$old
    put "$out" | stripped
    printed=yes
  fi
  finish 0
}

environment() {
  begin environment "env | grep -E '^(CUDA|NVIDIA|NCCL|LD_|PATH|…)'"
  if [ -n "$pid" ] || [ "$live" = no ]; then
    if [ ! -f "$SELF/environ" ]; then finish skipped why=foreign-root
    elif [ -r "$SELF/environ" ]; then
      printed=yes
      tr '\000\n' '\n ' <"$SELF/environ" | named
      finish 0
    else finish denied; fi
  elif ! has env; then finish absent
  else
    env | named
    finish 0
  fi
}
# What the container was started with: a shell that is put into it has the variables of the image, not those that the
# image's entrypoint set for its program.
container_start() {
  inside "$F/opt/nvidia/nvidia_entrypoint.sh" && [ -e "$real" ] || return
  begin container-start "cat /proc/1/comm; tr '\\0' '\\n' < /proc/1/environ | grep -E '^_CUDA_COMPAT' # /opt/nvidia/nvidia_entrypoint.sh"
  if [ ! -r "$P/1/environ" ]; then finish denied; return; fi
  value "$P/1/comm" && say "$v"
  tr '\000\n' '\n ' <"$P/1/environ" | while IFS= read -r l; do
    case $l in _CUDA_COMPAT_*) say "$l" ;; esac
  done
  finish 0
}
# Variables by name: an environment holds secrets.
named() {
  while IFS= read -r l; do
    case ${l%%=*} in
      *TOKEN* | *SECRET* | *PASSWORD* | *KEY* | *CREDENTIAL*) ;;
      CUDA_* | NVIDIA_* | NCCL_* | LD_* | PATH | PYTHONPATH | VIRTUAL_ENV | CONDA_PREFIX | CONDA_DEFAULT_ENV | UCX_* | OMPI_MCA_* | \
        FI_* | GLOO_* | TORCH_* | PYTORCH_* | XLA_* | TF_* | JAX_* | CUBLAS_* | CUDNN_* | OMP_NUM_THREADS | VLLM_* | RANK | \
        WORLD_SIZE | LOCAL_RANK | MASTER_ADDR | MASTER_PORT | SLURM_JOB_ID | SLURM_STEP_GPUS | SLURM_JOB_GPUS | SLURM_LOCALID | \
        SLURM_PROCID | SLURM_JOB_NUM_NODES | GPU_DEVICE_ORDINAL | ROCR_VISIBLE_DEVICES | _CUDA_COMPAT_*) say "$l" ;;
    esac
  done
}

# Lines of a file that hold a pattern: picked SOURCE PATTERN FILE
picked() {
  begin "$1" "grep -E '$2' ${3#"$F"}"
  if ! has grep || ! has sed; then finish skipped why=no-grep
  elif ! inside "$3" || [ ! -f "$real" ]; then finish skipped why=no-file
  elif [ ! -r "$real" ]; then finish denied
  else
    printed=yes
    grep -E "$2" "$real" 2>/dev/null | sed -e 400q -e 's/^/|/'
    finish 0
  fi
}

# Limits of the subject's control groups. Inside a container their root is mounted as its own.
groups() {
  two='' memory='' devices=''
  while IFS= read -r l; do
    case $l in
      0::*) two=${l#*::} ;;
      *:memory:*) memory=${l##*:} ;;
      *:devices:*) devices=${l##*:} ;;
    esac
  done 2>/dev/null <"$SELF/cgroup"
  # The second version says nothing of devices that can be read; opening them does.
  for f in "memory-limit /sys/fs/cgroup${two%/}/memory.max /sys/fs/cgroup/memory.max" \
    "memory-events /sys/fs/cgroup${two%/}/memory.events /sys/fs/cgroup/memory.events" \
    "memory-limit /sys/fs/cgroup/memory${memory%/}/memory.limit_in_bytes /sys/fs/cgroup/memory/memory.limit_in_bytes" \
    "cpu-limit /sys/fs/cgroup${two%/}/cpu.max /sys/fs/cgroup/cpu.max" \
    "device-rules /sys/fs/cgroup/devices${devices%/}/devices.list /sys/fs/cgroup/devices/devices.list"; do
    a=${f%% *} f=${f#* }
    # Only the subject's own group says something of another process.
    if [ -f "${f% *}" ]; then show "$a" "${f% *}" 40
    elif [ -z "$pid" ] && [ -f "${f#* }" ]; then show "$a" "${f#* }" 40; fi
  done
}

container() {
  begin mountinfo "grep -E 'nvidia|cuda|/dev/shm|libcuda| / ' /proc/self/mountinfo"
  if [ -r "$SELF/mountinfo" ] && [ -f "$SELF/mountinfo" ]; then
    while IFS= read -r l; do
      case $l in *nvidia* | *cuda* | *nvcr* | */dev/shm* | *' / / '* | *' / '*overlay*) say "$l" ;; esac
    done <"$SELF/mountinfo"
    finish 0
  else finish absent; fi
  [ -e "$SELF/cgroup" ] && show cgroup "$SELF/cgroup" 20
  [ -e "$SELF/limits" ] && show limits "$SELF/limits" 20
  if [ "$live" = yes ] && [ -z "$pid" ]; then
    [ -d /dev/shm ] && limited 1 shm 3 df -k /dev/shm
  fi
  [ "$live" = yes ] && groups
  [ -e "$F/etc/nvidia-container-runtime/config.toml" ] && show container-toolkit-config "$F/etc/nvidia-container-runtime/config.toml" 120
  for f in "$F/etc/docker/daemon.json" "$F/etc/containerd/config.toml" "$F"/etc/containerd/conf.d/*.toml \
    "$F/var/lib/rancher/k3s/agent/etc/containerd/config.toml" "$F/var/lib/rancher/rke2/agent/etc/containerd/config.toml" \
    "$F/etc/crio/crio.conf" "$F"/etc/crio/crio.conf.d/*.conf; do
    [ -e "$f" ] || continue
    if [ "${f##*.}" = json ]; then show runtime-config "$f" 80; else picked runtime-config 'nvidia|untime|cdi|CDI|SystemdCgroup|cgroup' "$f"; fi
  done
  for f in "$F"/etc/cdi/*.yaml "$F"/etc/cdi/*.json "$F"/var/run/cdi/*.yaml "$F"/var/run/cdi/*.json "$F"/run/cdi/*.yaml "$F"/run/cdi/*.json; do
    [ -e "$f" ] || continue
    # As a rule one of these folders is a link to the other.
    case $f in "$F"/var/run/*) if [ -h "$F/var/run" ]; then continue; fi ;; esac
    picked cdi-spec 'cdiVersion|kind|name:|libcuda|libnvidia-ml|/dev/nvidia|NVIDIA_' "$f"
  done
  if [ "$live" = yes ] && [ "$gate" = no ]; then
    has nvidia-container-cli && limited 1 nvidia-container-cli 8 nvidia-container-cli --version
    has nvidia-ctk && limited 1 nvidia-ctk 4 nvidia-ctk --version
  fi
}

# Entries of dpkg's status file as `dpkg -l` shows them.
rows() {
  p='' a='' w='' c=''
  while IFS= read -r l || [ -n "$l" ]; do
    case $l in
      'Package: '*) p=${l#*: } a='' w='' c='' ;;
      'Status: install ok installed') c=ii ;;
      'Status: hold ok installed') c=hi ;;
      'Status: '*half-configured) c=iF ;;
      'Status: '*unpacked) c=iU ;;
      'Status: '*config-files) c=rc ;;
      'Architecture: '*) a=${l#*: } ;;
      'Version: '*) w=${l#*: } ;;
      '') if [ -n "$p" ] && [ -n "$c" ]; then say "$c  $p $w $a"; fi; p='' ;;
    esac
  done
  if [ -n "$p" ] && [ -n "$c" ]; then say "$c  $p $w $a"; fi
}

software() {
  begin toolkits "cat /usr/local/cuda*/version.json"
  for d in "$F"/usr/local/cuda "$F"/usr/local/cuda-[0-9]* "$F"/opt/cuda "$F"/opt/cuda-[0-9]*; do
    for f in version.json version.txt; do
      inside "$d/$f" && [ -f "$real" ] && [ -r "$real" ] || continue
      say "# ${d#"$F"}/$f"
      # cuda, cudart and nvcc stand at the beginning.
      lines "$real" 400
    done
  done
  finish 0
  roots="$F/usr/lib/python3 $F/usr/lib/python3* $F/usr/local/lib/python3* $F/usr/lib64/python3* $F/opt/conda/lib/python3* $F/opt/conda/envs/*/lib/python3*
    $F/opt/venv/lib/python3* $F/venv/lib/python3* $F/opt/*/lib/python3* $F/app/.venv/lib/python3* $F/workspace/.venv/lib/python3* $F/root/.venv/lib/python3*"
  for d in $PYTHONROOTS; do
    case $d in /*) roots="$roots $F$d/lib/python3*" ;; esac
  done
  names='' askers='' asking=0
  for r in $roots; do
    for d in "$r/site-packages" "$r/dist-packages"; do
      [ -d "$d" ] && inside "$d" && [ -d "$real" ] || continue
      d=$real
      case $names in *"|$d|"*) continue ;; esac
      names="$names|$d|"
      set --
      for f in "$d"/torch-*.dist-info "$d"/torch[av]*-*.dist-info "$d"/nvidia_*.dist-info "$d"/jax*.dist-info "$d"/tensorflow*.dist-info \
        "$d"/cupy*.dist-info "$d"/vllm-*.dist-info "$d"/triton*.dist-info "$d"/flash_attn*.dist-info "$d"/xformers*.dist-info \
        "$d"/bitsandbytes*.dist-info "$d"/onnxruntime*.dist-info "$d"/tensorrt*.dist-info "$d"/transformer_engine*.dist-info \
        "$d"/deepspeed*.dist-info "$d"/sglang*.dist-info "$d"/numba-*.dist-info "$d"/cuda_*.dist-info "$d"/torch-*.egg-info; do
        [ -e "$f" ] && set -- "$@" "${f##*/}"
      done
      [ $# -gt 0 ] || continue
      begin python-packages "ls ${d#"$F"}"
      say "# ${d#"$F"}"
      for f; do say "$f"; done
      if inside "$d/torch/version.py" && [ -f "$real" ] && [ -r "$real" ]; then
        while IFS= read -r l; do
          case $l in __version__* | cuda* | hip*) say "torch/version.py: $l" ;; esac
        done <"$real"
      fi
      for f in "$d"/nvidia/*/lib/lib*.so* "$d"/torch/lib/libcud*.so* "$d"/torch/lib/libnccl*.so* "$d"/nvidia/cu1*/lib/lib*.so*; do
        [ -e "$f" ] && say "${f#"$d/"}"
      done
      finish 0
      # The first of an environment are those that load the rest.
      for f in "$d"/torch/lib/libtorch_global_deps.so "$d"/torch/lib/libtorch_cuda.so "$d"/nvidia/cu[1s]*/lib/libcusparse.so.1[0-9] \
        "$d"/nvidia/cudnn/lib/libcudnn.so.[0-9]* "$d"/jax_plugins/xla_cuda*/xla_cuda_plugin.so "$d"/jaxlib/xla_extension.so \
        "$d"/tensorflow/libtensorflow_cc.so.[0-9]* "$d"/tensorflow/libtensorflow_framework.so.[0-9]* \
        "$d"/onnxruntime/capi/libonnxruntime_providers_cuda.so "$d"/cupy_backends/cuda/libs/cudnn.*.so "$d"/vllm/_C.*so \
        "$d"/flash_attn_2_cuda.*.so "$d"/xformers/_C*.so "$d"/tensorrt_libs/libnvinfer.so.[0-9]* "${d%/lib*/python3*}"/bin/python3; do
        case $f in *"$nl"*) continue ;; esac
        if [ "$asking" -lt 16 ] && inside "$f" && [ -f "$real" ] && [ -r "$real" ]; then
          asking=$((asking + 1)) askers="$askers$real$tab${f#"$F"}$nl"
        fi
      done
    done
  done
  library_tags
  for d in "$F"/opt/conda/conda-meta "$F"/opt/conda/envs/*/conda-meta ${CONDA_PREFIX:+"$F$CONDA_PREFIX/conda-meta"}; do
    [ -d "$d" ] && inside "$d" && [ -d "$real" ] || continue
    d=$real
    begin conda-packages "ls ${d#"$F"}"
    for f in "$d"/pytorch*.json "$d"/libtorch*.json "$d"/cuda*.json "$d"/cudnn*.json "$d"/nccl*.json "$d"/libcu*.json "$d"/jax*.json "$d"/tensorflow*.json "$d"/cupy*.json; do
      [ -e "$f" ] && say "${f##*/}"
    done
    finish 0
  done
}

# Where a framework's own libraries look for others, as `readelf -d` prints it; od reads a few KB of a file of any size.
tags() {
  for f; do
    put "File: ${f#*"$tab"}"
    tag "${f%%"$tab"*}" || put '(not read)'
  done
}
# 64 bits and little-endian: file header, program headers, dynamic section, and of its strings two at most. Numbers of od
# are cut into words on purpose.
# shellcheck disable=SC2046,SC2086
tag() {
  library=$1
  set -- $(od -A n -v -t u4 -N 64 "$library")
  [ "${1:-}" = 1179403647 ] && [ $(($2 % 65536)) = 258 ] && [ "${10}" = 0 ] || return 1
  parts=$((${15} % 65536))
  [ $((${14} / 65536)) = 56 ] && [ "$parts" -gt 0 ] && [ "$parts" -lt 65 ] && small "$9" || return 1
  set -- $(od -A n -v -t u4 -j "$9" -N $((parts * 56)) "$library")
  loads='' dynamic=''
  while [ $# -ge 14 ]; do
    case $1 in
      1) if small "$3" && small "$5" && small "$9"; then loads="$loads $5 $9 $3"; fi ;;
      2) if small "$3" && small "$9"; then dynamic="$3 $9"; fi ;;
    esac
    shift 14
  done
  [ -n "$dynamic" ] || return 1
  size=${dynamic#* }
  if [ "$size" -gt 8192 ]; then size=8192; fi
  set -- $(od -A n -v -t u4 -j "${dynamic% *}" -N "$size" "$library")
  strings='' found=''
  while [ $# -ge 4 ]; do
    case $1 in
      0) break ;;
      5) strings=$3 ;;
      15) found="$found RPATH $3" ;;
      29) found="$found RUNPATH $3" ;;
    esac
    shift 4
  done
  [ -n "$found" ] || return 0
  small "$strings" || return 1
  # Addresses in memory to places in the file.
  set -- $loads
  while [ $# -ge 3 ]; do
    if [ "$strings" -ge "$1" ] && [ "$strings" -lt $(($1 + $2)) ]; then strings=$((strings - $1 + $3)); break; fi
    shift 3
  done
  [ $# -ge 3 ] || return 1
  set -- $found
  while [ $# -ge 2 ]; do
    small "$2" || return 1
    l=$(od -A n -v -t c -j $((strings + $2)) -N 4096 "$library" | tr -d '\n' | sed -e 's/  \\0.*//' -e 's/   \(.\)/\1/g')
    if [ "$1" = RPATH ]; then put " 0x000000000000000f (RPATH)              Library rpath: [$l]"; else put " 0x000000000000001d (RUNPATH)            Library runpath: [$l]"; fi
    shift 2
  done
}
# A number that every shell can reckon with: the Korn shell has 32 bits.
small() { case $1 in '' | ???????????* | 2[1-9]???????? | [3-9]?????????) return 1 ;; esac; }
library_tags() {
  set -f
  old=$IFS
  IFS=$nl
  # The list is cut at line ends only.
  # shellcheck disable=SC2086
  set -- $askers
  IFS=$old
  set +f
  [ $# -gt 0 ] || return
  if ! has od || ! has tr || ! has sed; then skip library-tags "readelf -d libtorch_cuda.so" no-od; return; fi
  shown="readelf -d libtorch_cuda.so libcusparse.so.12 … | grep -E '^File|RPATH|RUNPATH'" limited 1 library-tags 120 tags "$@"
}

packages() {
  if [ "$live" = no ] && inside "$F/var/lib/dpkg/status" && [ -f "$real" ] && [ -r "$real" ]; then
    begin dpkg "dpkg -l '*nvidia*' '*cuda*' '*nccl*' '*cudnn*'"
    sed -n -E '/^Package: .*(nvidia|cuda|cudnn|nccl|datacenter-gpu)/,/^$/p' "$real" 2>/dev/null | sed 3000q | rows
    finish 0
  fi
  if [ "$live" = no ]; then
    for f in var/log/dpkg.log var/log/apt/history.log var/log/dnf.rpm.log; do
      [ -e "$F/$f" ] && picked package-history 'nvidia|libcuda|linux-image|kernel|Start-Date' "$F/$f"
    done
    # The database of rpm is no text, and rpm may write where it reads.
    if [ -e "$F/var/lib/rpm" ] || [ -e "$F/usr/lib/sysimage/rpm" ]; then skip rpm "rpm -qa | grep -iE 'nvidia|cuda|nccl|cudnn'" foreign-root; fi
  fi
  [ "$live" = yes ] && [ -z "$pid" ] && [ "$gate" = no ] || return
  if has dpkg-query; then
    listed() {
      dpkg-query -W -f '${db:Status-Abbrev} ${Package} ${Version} ${Architecture}\n' 'nvidia-*' 'libnvidia-*' 'libcuda*' 'cuda-*' 'libcudnn*' 'libnccl*' 'linux-modules-nvidia-*' 'linux-objects-nvidia-*' 'datacenter-gpu-manager*' 'xserver-xorg-video-nvidia*' 2>/dev/null | grep -v '^un'
    }
    shown="dpkg -l '*nvidia*' '*cuda*' '*nccl*' '*cudnn*'" limited 2 dpkg 300 listed
  elif has rpm; then
    listed() { rpm -qa 2>/dev/null | grep -iE 'nvidia|cuda|nccl|cudnn|kmod-nv|datacenter-gpu'; }
    shown="rpm -qa | grep -iE 'nvidia|cuda|nccl|cudnn'" limited 2 rpm 300 listed
  fi
  for f in /var/log/dpkg.log /var/log/dnf.rpm.log; do
    [ -f "$f" ] && [ -r "$f" ] || continue
    history() { tail -n 4000 "$f" | grep -E 'nvidia|libcuda|linux-image|kernel' | tail -n 60; }
    shown="grep -E 'nvidia|libcuda|linux-image' $f | tail -n 60" limited 1 package-history 60 history
  done
}

services() {
  [ "$live" = yes ] && [ -z "$pid" ] || return
  if [ -d /run/systemd/system ]; then
    shown="systemctl show -p Id,LoadState,ActiveState,SubState,Result nvidia-fabricmanager nvidia-imex nvidia-persistenced nvidia-cdi-refresh nvidia-dcgm"
    limited 1 services 60 systemctl show -p Id,LoadState,ActiveState,SubState,Result nvidia-fabricmanager nvidia-imex nvidia-persistenced nvidia-cdi-refresh nvidia-dcgm
  fi
  begin daemons "ps -eo comm | grep -E 'nvidia-persiste|nv-fabricmanager|nvidia-imex|nvidia-cuda-mps|nv-hostengine'"
  for f in /proc/[0-9]*/comm; do
    value "$f" || continue
    case $v in nvidia-persiste* | nv-fabricmanag* | nvidia-imex* | nvidia-cuda-mp* | nv-hostengine | nvidia-device-p* | nvidia-gridd) p=${f%/comm}; say "${p##*/} $v" ;; esac
  done
  finish 0
  [ "$gate" = no ] || return
  has nv-fabricmanager && limited 1 fabricmanager-version 2 nv-fabricmanager --version
  has nvidia-imex && limited 1 imex-version 2 nvidia-imex --version
}

ports() {
  [ -z "$pid" ] || return
  begin infiniband "cat /sys/class/infiniband/*/ports/*/{state,phys_state,rate,link_layer}"
  for d in "$S"/class/infiniband/*/ports/*; do
    [ -e "$d/state" ] || continue
    a=${d#"$S/class/infiniband/"}
    l=${a%%/*}/${a##*/}
    for k in state phys_state rate link_layer; do value "$d/$k" && l="$l, $k: $v"; done
    say "$l"
  done
  finish 0
}

processes() {
  [ "$gate" = no ] || return
  if [ "$closed" = yes ]; then
    begin maps "grep -E 'libcuda|libnvidia-ml|libcudart|libcudnn|libnccl' /proc/$pid/maps"
    finish denied
    return
  fi
  if [ -n "$pid" ]; then
    mapped() { grep -E "r-xp.*($wanted)" "/proc/$pid/maps"; }
    shown="grep -E 'libcuda|libnvidia-ml|libcudart|libcudnn|libnccl' /proc/$pid/maps" limited 1 maps 80 mapped
    return
  fi
  [ "$live" = yes ] || return
  # What belongs to others cannot be read without rights; with hidepid they are not even to be seen.
  begin foreign-processes "ls /proc/*/fd"
  state=0
  [ -d /proc/1 ] || state=denied
  for f in /proc/[0-9]*/fd; do
    if [ -d "$f" ] && [ ! -r "$f" ]; then state=denied; break; fi
  done
  finish "$state"
  mapped() { grep -sE 'r-xp.*/(libcuda\.so|libnvidia-ml\.so|libcudart|libcudnn|libnccl|libnvJitLink|libcublas)' /proc/[0-9]*/maps; }
  shown="grep -E 'libcuda|libnvidia-ml|libcudart|libcudnn|libnccl' /proc/*/maps" limited 1 maps-of-all 300 mapped
  opened() { ls -ln /proc/[0-9]*/fd 2>/dev/null | grep -E '^/proc|/dev/nvidia' | grep -B1 /dev/nvidia; }
  shown="ls -l /proc/*/fd | grep /dev/nvidia" limited 1 holders 300 opened
  # Who they are.
  begin holder-processes "ps -o pid,user,comm,cgroup"
  if ls /dev/nvidia[0-9]* >/dev/null 2>&1; then
    for p in $(opened 2>/dev/null | sed -n 's|^/proc/\([0-9]*\)/fd:.*|\1|p'); do
      value "/proc/$p/comm" || continue
      l="$p $v"
      while IFS="$tab" read -r k v rest; do [ "$k" = Uid: ] && l="$l uid=$v"; done 2>/dev/null <"/proc/$p/status"
      value "/proc/$p/cgroup" && l="$l cgroup=$v"
      say "$l"
    done
  fi
  finish 0
}

kernel_log() {
  messages='NVRM|Xid|SXid|nvidia|nouveau|NVLink|nvlink|oom-kill|Out of memory|Killed process|AER:|hung_task|blocked for more than|DMAR|IOMMU|apparmor="DENIED".*nvidia|avc: *denied.*nvidia'
  if [ "$live" = no ]; then
    for f in "$F/var/log/dmesg" "$F/var/log/kern.log" "$F/var/log/messages"; do
      inside "$f" && [ -f "$real" ] && [ -r "$real" ] || continue
      begin kernel-log "grep -E 'NVRM|Xid' ${f#"$F"} | tail -n 200"
      grep -E "$messages" "$real" 2>/dev/null | tail -n 200 | sed 's/^/|/'
      finish 0
    done
    return
  fi
  [ -z "$pid" ] || return
  log=
  if has dmesg; then
    restricted=0
    value /proc/sys/kernel/dmesg_restrict && restricted=$v
    if [ "$restricted" = 0 ] || [ "$(id -u 2>/dev/null)" = 0 ]; then log=dmesg; fi
  fi
  if [ "$log" = dmesg ]; then
    said() { { dmesg 2>/dev/null || echo '@denied'; } | grep -E "$messages|^@denied$" | tail -n 200; }
    shown="dmesg | grep -E 'NVRM|Xid|oom-kill' | tail -n 200" limited 1 kernel-log 200 said
  elif has journalctl && [ "$gate" = no ]; then
    # Who may not read the journal gets an empty one, and a remark.
    said() {
      { journalctl -k -b --no-pager -o short-iso 2>&1 || echo '@denied'; } | sed 's/^No journal files were .*/@denied/' |
        grep -E "$messages|^@denied$" | tail -n 200
    }
    shown="journalctl -k -b | grep -E 'NVRM|Xid|oom-kill' | tail -n 200" limited 1 kernel-log 200 said
  else
    begin kernel-log "dmesg"
    if has dmesg; then finish denied; else finish absent; fi
  fi
}

# The search path and Python of the subject. Within the budget too: a file of /proc may not come back.
subject() {
  LIBPATH=${LD_LIBRARY_PATH:-} PYTHONROOTS="${VIRTUAL_ENV:-} ${CONDA_PREFIX:-}"
  if [ "$live" = no ]; then LIBPATH='' PYTHONROOTS=''; fi
  if [ -n "$pid" ] || { [ "$live" = no ] && inside "$SELF/environ" && [ -f "$SELF/environ" ] && [ -r "$SELF/environ" ]; }; then
    LIBPATH=$(tr '\000' '\n' 2>/dev/null <"$SELF/environ" | sed -n 's/^LD_LIBRARY_PATH=//p')
    PYTHONROOTS=$(tr '\000' '\n' 2>/dev/null <"$SELF/environ" | sed -n -e 's/^VIRTUAL_ENV=//p' -e 's/^CONDA_PREFIX=//p' | tr '\n' ' ')
  fi
  if [ -n "$pid" ]; then
    p=$(ls -l "/proc/$pid/exe" 2>/dev/null)
    case ${p##* -> } in /*/bin/python*) p=${p##* -> }; PYTHONROOTS="$PYTHONROOTS ${p%/bin/*}" ;; esac
  fi
  if [ "$live" = yes ] && [ -z "$pid" ] && p=$(command -v python3); then PYTHONROOTS="$PYTHONROOTS ${p%/bin/*}"; fi
}

timer=yes
if ! has sleep; then timer=no; fi
now
started=$t
all() {
  stamp=$(date -u +%Y-%m-%dT%H:%M:%SZ 2>/dev/null)
  put "@culprit-probe 1 ${stamp:--} root=${root:-/} pid=${pid:--} gate=$gate"
  subject
  system
  module
  changes
  gpus
  container
  [ "$live" = yes ] && [ -z "$pid" ] && [ "$gate" = no ] && container_start
  environment
  services
  ports
  kernel_log
  libraries
  if [ "$gate" = no ]; then
    smi
    software
    processes
    packages
  fi
  spent "$started"
  put "@culprit-end sections=$sections ms=$ms"
}

# When the time is up the guard ends the output in place of the probe, wherever that hangs. Who waits for these pipes to
# close may not wait for what hangs: it gets none of them. The Korn shell keeps copies of what it redirects, so that the
# real output stands aside in a number of its own, which only the last part of the pipe has.
exec 3>&1 >/dev/null 2>&1
(
  exec 3>&-
  (
    # The process of this part of the shell, which $$ does not name.
    me=
    read -r me rest </proc/self/stat
    (
      trap 'kill "$nap"; exit' TERM
      [ "$timer" = yes ] || exit
      sleep "$budget" &
      nap=$!
      wait "$nap"
      echo "@culprit-end stopped=budget"
      # What reads a file without an end would go on for nobody.
      case $me in '' | *[!0-9]*) ;; *) kill -9 "$me" ;; esac
    ) 2>/dev/null </dev/null &
    guard=$!
    all 2>/dev/null
    kill "$guard" 2>/dev/null
  ) 2>/dev/null </dev/null &
) | while IFS= read -r l || [ -n "$l" ]; do
  put "$l" >&3
  case $l in '@culprit-end '*) exit ;; esac
done
