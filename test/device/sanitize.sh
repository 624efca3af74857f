#!/bin/sh
# Runs a few cases under NVIDIA's memcheck and racecheck, after it was seen that racecheck
# finds kernels whose barriers are missing.
# usage: sanitize [compute-sanitizer [FILTER]]
here="$(cd "$(dirname "$0")" && pwd)"
tool="${1:-compute-sanitizer}"
filter="${2:-strategies/}"
if ! "$tool" --version >/dev/null 2>&1; then
  echo "left out: memcheck and racecheck, because \"$tool\" does not start"
  exit 0
fi
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$here"
gzip -dc "$here/cases.bin.gz" >"$work/cases.bin" || exit 1
gzip -dc "$here/races.bin.gz" >"$work/races.bin" || exit 1

# check TOOL ARCHIVE FILTER: the cases in one process; 9 for what the tool finds.
check() {
  "$tool" --tool "$1" --error-exitcode 9 "$here/norm-device-suite" "$work/$2" \
    --first 0 --step 1 --filter "$3" >"$work/log" 2>&1
}

check racecheck races.bin strategies/partials/layer_norm_backward
status=$?
if grep -q 'before first instrumented API call\|NVIDIA driver' "$work/log"; then
  echo "left out: memcheck and racecheck, because \"$tool\" starts no program here:"
  grep 'Error' "$work/log" | head -2
  exit 0
fi
if [ "$status" -ne 9 ]; then
  echo "FAIL: racecheck finds nothing in kernels without barriers"
  tail -5 "$work/log"
  exit 1
fi
echo "racecheck finds the missing barriers: $(grep -c 'hazard' "$work/log") lines of hazards"
failed=0
for name in memcheck racecheck; do
  check "$name" cases.bin "$filter"
  status=$?
  echo "$name: $(grep -c '^end ' "$work/log") cases, $(grep 'SUMMARY' "$work/log" | tail -1)"
  if [ "$status" -ne 0 ]; then
    failed=1
    echo "FAIL: $name ended with $status"
    grep -v '^begin\|^end [0-9]* [0-9]* $' "$work/log" | head -40
  fi
done
exit "$failed"
