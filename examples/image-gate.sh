#!/bin/sh
# Fails where an image of this change does not run on one of the nodes of pool.yaml.
# usage: image-gate.sh POOL IMAGE…     reports are written to ./reports
set -u
pool=$1
shift
mkdir -p reports
status=0
culprit image --dockerfile "${DOCKERFILE:-Dockerfile}" -f github || status=1
culprit image "$@" --on "$pool" --fail-on does-not-run --quiet -f junit >reports/images.xml || status=1
culprit image "$@" --on "$pool" --fail-on does-not-run --quiet -f markdown >reports/images.md || status=1
exit $status
