#!/bin/sh
# Fails where an image of this change does not run on one of the nodes of pool.yaml.
# usage: image-gate.sh POOL IMAGE…     reports are written to ./reports
# CULPRIT is the program (in a clone: npx --no-install culprit), DOCKERFILE the build file, where there is one.
set -u
: "${CULPRIT:=culprit}"
if ! command -v "${CULPRIT%% *}" >/dev/null; then
  echo "image-gate.sh: there is no program $CULPRIT; set CULPRIT to it" >&2
  exit 4
fi
pool=$1
shift
mkdir -p reports
status=0
build=${DOCKERFILE:-Dockerfile}
if [ -n "${DOCKERFILE-}" ] || [ -e "$build" ]; then
  $CULPRIT image --dockerfile "$build" -f github || status=1
fi
$CULPRIT image "$@" --on "$pool" --fail-on does-not-run --quiet -f junit >reports/images.xml || status=1
$CULPRIT image "$@" --on "$pool" --fail-on does-not-run --quiet -f markdown >reports/images.md || status=1
exit $status
