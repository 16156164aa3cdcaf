#!/bin/sh
# Prolog of slurm.conf, as root on the node, before a job's first task. A prolog that fails drains the node (Slurm gives
# the reason "Prolog error") and requeues the job; slurm-health-check.sh then writes the real reason. No Slurm command is called
# here, and the gate keeps its time.
culprit=${CULPRIT:-/usr/local/sbin/culprit}
folder=${CULPRIT_FOLDER:-/etc/culprit}
state=${CULPRIT_STATE:-/var/lib/culprit}
[ -x "$culprit" ] || exit 0
# shellcheck disable=SC2086
line=$("$culprit" check --gate --budget "${CULPRIT_BUDGET:-1}" --policy "$folder/policy.json" --state "$state/gate.json" ${CULPRIT_FLAGS:-})
status=$?
case $line in 'culprit: ok:'*) ;; *) logger -t culprit -- "$line" 2>/dev/null ;; esac
# Only 1 is an answer; what else may be wrong is not the node's fault.
[ "$status" = 1 ] || exit 0
if [ -d "$state" ]; then printf '%s\n' "$line" >"$state/drain-reason"; fi
exit 1
