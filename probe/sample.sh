#!/bin/sh
# culprit's sampling: watches the GPUs of one machine or container for a while. Reads only; see README.md for the format.
# Runs in dash, busybox sh, mksh and bash; needs no root, no temporary file.
# A && B || C: C is to run as well where B fails.
# shellcheck disable=SC2015
# `nap` belongs to the guard that sets it; each guard is a process of its own.
# shellcheck disable=SC2030,SC2031
LC_ALL=C
export LC_ALL
umask 077
root='' pid='' seconds=30 every=1000
while [ $# -gt 0 ]; do
  case $1 in
    --root) root=$2; shift ;;
    --pid) pid=$2; shift ;;
    --for) seconds=$2; shift ;;
    --every-ms) every=$2; shift ;;
    *) echo "sample.sh: unknown option: $1 (known: --for SECONDS, --every-ms N, --pid N)" >&2; exit 2 ;;
  esac
  [ $# -gt 0 ] && shift
done
case $pid in *[!0-9]*) echo "sample.sh: --pid takes a number" >&2; exit 2 ;; esac
case $seconds in '' | *[!0-9]* | 0) echo "sample.sh: --for takes whole seconds" >&2; exit 2 ;; esac
case $every in '' | *[!0-9]* | 0) echo "sample.sh: --every-ms takes milliseconds" >&2; exit 2 ;; esac

if [ -n "${KSH_VERSION:-}" ]; then
  # shellcheck disable=SC3059,SC2218
  put() { print -r -- "$1"; }
else
  put() { printf '%s\n' "$1"; }
fi
has() { command -v "$1" >/dev/null 2>&1; }
value() {
  v=
  IFS= read -r v 2>/dev/null <"$1" || [ -n "$v" ]
}
tab='	'
session='' shown=''
has setsid && session=setsid

# One program whose lines come as they are printed, each with a tag before it, so that several may run at once:
#   watch TAG SECONDS MARK PROGRAM ARGUMENTS…     true where it printed what MARK begins, or ended well
# The program is no child of this shell: one that hangs in the driver cannot be killed, and nobody may wait for it. Its
# guard kills it with all that it started when the time is up.
watch() {
  tag=$1 most=$2 mark=$3
  shift 3
  put "%$tag @ ${shown:-$*}"
  (
    (
      ${session:+"$session"} "$@" </dev/null 2>&1 &
      child=$!
      (
        trap 'kill -9 "-$child" "$child" "$nap"; exit' TERM
        sleep "$most" &
        nap=$!
        wait "$nap"
        echo '@over'
        kill -9 "-$child" "$child"
      ) 2>/dev/null </dev/null &
      guard=$!
      wait "$child"
      code=$?
      kill "$guard"
      echo "@$code"
    ) 2>/dev/null &
  ) | tagged
}
tagged() {
  good=1 n=0
  while IFS= read -r l || [ -n "$l" ]; do
    case $l in
      # A loop has no end of its own: its time being up is one.
      @over) if [ "$good" = 0 ]; then put "%$tag @= exit=0 ms=0"; else put "%$tag @= exit=timeout ms=0"; fi; return "$good" ;;
      @[0-9] | @[0-9][0-9] | @[0-9][0-9][0-9]) put "%$tag @= exit=${l#@} ms=0"; [ "$l" = @0 ] && good=0; return "$good" ;;
      *"$mark"*) good=0 ;;
    esac
    n=$((n + 1))
    [ "$n" -le 200000 ] && put "%$tag |$l"
  done
  put "%$tag @= exit=timeout ms=0"
  return "$good"
}
skip() { put "%$1 @ $2"; put "%$1 @= exit=$3 ms=0${4:+ why=$4}"; }

delay=$(((every + 999) / 1000))
count=$((seconds / delay))
[ "$count" -gt 0 ] || count=1
limit=$((seconds + 4))

# Old drivers know fewer letters and options: from the fullest question to the plainest.
dmon() {
  for set in '-s pucvmet -o DT --gpm-metrics 2,3,5,10,11,12,13' '-s pucvmet -o DT' '-s pucvmt -o DT' '-s pucm -o DT' '-s pucvmet' '-s puc' ''; do
    # shellcheck disable=SC2086
    watch dmon "$limit" 'gpu ' nvidia-smi dmon $set -d "$delay" -c "$count" && return
    watched && return
  done
}
pmon() {
  for set in '-s um -o DT' '-s u -o DT' '-s u' ''; do
    # shellcheck disable=SC2086
    watch pmon "$limit" 'gpu ' nvidia-smi pmon $set -d "$delay" -c "$count" && return
    watched && return
  done
}
query() {
  loop="-l $delay"
  [ $((every % 1000)) -eq 0 ] || loop="-lms $every"
  base=timestamp,index,uuid,pci.bus_id,name,utilization.gpu,utilization.memory,power.draw,temperature.gpu,clocks.sm,clocks.mem,memory.used,memory.total
  more=power.limit,power.default_limit,clocks.max.sm,pcie.link.gen.current,pcie.link.gen.max,pcie.link.width.current,pcie.link.width.max
  # One field that a driver does not know makes it refuse them all.
  for fields in "$base,$more,clocks_event_reasons.active,utilization.encoder,utilization.decoder" "$base,$more,clocks_throttle_reasons.active" \
    "$base,clocks_throttle_reasons.active" "$base" timestamp,index,uuid,utilization.gpu,memory.used,power.draw; do
    # shellcheck disable=SC2086
    watch query "$seconds" 'timestamp,' nvidia-smi "--query-gpu=$fields" --format=csv $loop && return
    watched && return
  done
}
profiling() {
  has dcgmi || return
  for fields in 203,1001,1002,1003,1004,1005,1006,1007,1008,1009,1010,1011,1012 203,1001,1004,1005,1009,1010; do
    watch dcgmi "$limit" '#Entity' dcgmi dmon -e "$fields" -d "$((delay * 1000))" -c "$count" && return
    watched && return
  done
}
# True once the time is up: what failed late is not tried again.
watched() {
  now
  [ "$t" -ge "$ends" ]
}
now() { # hundredths of a second since boot, without a process
  t=0
  if read -r up rest 2>/dev/null </proc/uptime; then t=${up%.*}${up#*.}; fi
  case $t in '' | *[!0-9]*) t=0 ;; esac
}

blocks() {
  for what in PERFORMANCE,ECC,POWER,CLOCK,TEMPERATURE,UTILIZATION,MEMORY PERFORMANCE,ECC,POWER,CLOCK; do
    watch "$1" 8 'NVSMI LOG' nvidia-smi -q -d "$what" && return
    watched && return
  done
}
apps() { watch "$1" 8 'pid' nvidia-smi --query-compute-apps=gpu_uuid,gpu_bus_id,pid,process_name,used_gpu_memory --format=csv; }

# Who the processes on the GPUs belong to: those that hold a GPU open, with user and control group.
owners() {
  put '%owners @ ps -o pid,user,comm,cgroup'
  last='' p=''
  # shellcheck disable=SC2012
  ls -l /proc/[0-9]*/fd 2>/dev/null | while IFS= read -r l; do
    case $l in
      /proc/*/fd:) p=${l#/proc/} p=${p%/fd:} ;;
      *' -> /dev/nvidia'[0-9]*)
        [ "$p" = "$last" ] && continue
        last=$p
        owner "$p"
        ;;
    esac
  done
  put '%owners @= exit=0 ms=0'
}
owner() {
  value "/proc/$1/comm" || return
  l="$1 $v" uid=''
  while IFS="$tab" read -r k v rest; do [ "$k" = Uid: ] && uid=$v; done 2>/dev/null <"/proc/$1/status"
  if [ -n "$uid" ]; then
    l="$l uid=$uid"
    while IFS=: read -r k rest v rest; do [ "$v" = "$uid" ] && l="$l user=$k" && break; done 2>/dev/null </etc/passwd
  fi
  value "/proc/$1/cgroup" && l="$l cgroup=$v"
  put "%owners |$l"
}

log() {
  messages='NVRM|Xid|SXid|NVLink|oom-kill|Out of memory|Killed process|AER:|blocked for more than'
  said() { { dmesg -T 2>/dev/null || dmesg 2>/dev/null || echo 'dmesg: read kernel buffer failed: Operation not permitted'; } | grep -E "$messages|not permitted" | tail -n 300; }
  has dmesg && has grep && has tail || return
  session='' shown="dmesg -T | grep -E 'NVRM|Xid'"
  watch log 8 '' said
}

all() {
  now
  ends=$((t + seconds * 100))
  if [ -n "$root" ]; then
    skip nvidia-smi 'nvidia-smi dmon' skipped foreign-root
    return
  fi
  if ! has nvidia-smi; then
    skip nvidia-smi 'nvidia-smi -L' absent
    profiling
    return
  fi
  if ! has sleep; then
    skip nvidia-smi 'nvidia-smi -L' skipped no-sleep
    return
  fi
  # Where this fails or hangs, everything else would.
  watch list 10 'GPU ' nvidia-smi -L || return
  now
  ends=$((t + seconds * 100))
  dmon &
  pmon &
  query &
  profiling &
  (apps apps-before; blocks state-before) &
  tick=0
  # Nobody may be reading any more: then the writing fails, and with it this shell.
  while [ "$tick" -lt "$seconds" ]; do
    sleep 1
    tick=$((tick + 1))
    put "%tick $tick" || exit
  done
  wait
  ends=$((t + 1000000000))
  apps apps-after
  blocks state-after
  owners
  log
}

time=$(date -u +%Y-%m-%dT%H:%M:%SZ 2>/dev/null)
put "@culprit-probe 1 ${time:--} root=${root:-/} pid=${pid:--} gate=no"
all 2>/dev/null
put "@culprit-end sections=0 ms=0"
