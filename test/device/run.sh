#!/bin/sh
# Runs every case on cuda:0; --filter, --device and --jobs as norm-device-suite has them.
here="$(cd "$(dirname "$0")" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
gzip -dc "$here/cases.bin.gz" >"$work/cases.bin" || exit 1
LD_LIBRARY_PATH="$here" "$here/norm-device-suite" "$work/cases.bin" "$@"
