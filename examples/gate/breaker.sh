#!/bin/sh
# Writes the breaker file from what the controller of Slurm knows; run it there every minute (cron, a timer), and bring the
# file to the nodes (a share mounted read-only, or your configuration management). Usage: breaker.sh FILE PERCENT
file=$1
percent=${2:-3}
all=$(sinfo -h -N -o '%N' | sort -u | wc -l) || exit 1
[ "$all" -gt 0 ] || exit 1
out=$(sinfo -h -N -o '%N|%E' | grep -E '\|(culprit: |Prolog error)' | sort -u | wc -l)
most=$(((all * percent + 99) / 100))
printf '{"schema":"culprit/gate-breaker@1","at":"%s","enforced":%s,"most":%s}\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$out" "$most" >"$file.new" &&
  mv "$file.new" "$file"
