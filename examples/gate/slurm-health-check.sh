#!/bin/sh
# HealthCheckProgram of slurm.conf, as root on the node, every HealthCheckInterval seconds, with HealthCheckNodeState=ANY.
# Slurm does nothing with its exit status: it sets the state itself. It drains, and names the reason of a prolog that failed;
# it never brings a node back and never touches what somebody else has drained.
culprit=${CULPRIT:-/usr/local/sbin/culprit}
folder=${CULPRIT_FOLDER:-/etc/culprit}
state=${CULPRIT_STATE:-/var/lib/culprit}
node=${SLURMD_NODENAME:-$(hostname -s)}
[ -x "$culprit" ] || exit 0
# shellcheck disable=SC2086
line=$("$culprit" check --gate --budget "${CULPRIT_BUDGET:-1}" --policy "$folder/policy.json" --state "$state/gate.json" ${CULPRIT_FLAGS:-})
status=$?
[ "$status" = 1 ] || exit 0
shown=$(timeout 10 scontrol show node "$node" -o 2>/dev/null) || exit 0
case $shown in
  *' State='*DRAIN*' Reason=Prolog error'*) ;;
  *' State='*DRAIN* | *' State='*DOWN* | *' State='*FAIL*) exit 0 ;;
esac
timeout 10 scontrol update NodeName="$node" State=DRAIN Reason="$line"
