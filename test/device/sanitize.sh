#!/bin/sh
# Runs a few cases under NVIDIA's memcheck and racecheck, after it was seen that racecheck
# finds kernels whose barriers, or whose waits for copies, are missing. The last line is
# `N passed, N failed, N skipped`, of four checks; what is skipped is said before.
# usage: [NORMC_SANITIZE_SECONDS=N] sanitize [compute-sanitizer]
# N: how long each tool may take for each part of the cases, of which there are two.
here="$(cd "$(dirname "$0")" && pwd)"
tool="${1:-compute-sanitizer}"
limit="${NORMC_SANITIZE_SECONDS:-120}"
passed=0 failed=0 skipped=0
finish() {
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
  exit
}
left_out() {
  echo "left out: $1"
  skipped=$((skipped + $2))
}
if ! "$tool" --version >/dev/null 2>&1; then
  for place in /usr/local/cuda/bin /opt/nvidia/*/bin; do
    [ -x "$place/compute-sanitizer" ] && [ $# -eq 0 ] && tool="$place/compute-sanitizer"
  done
fi
if ! "$tool" --version >/dev/null 2>&1; then
  left_out "memcheck and racecheck: \"$tool\" is not there" 4
  finish
fi
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$here"

# check TOOL ARCHIVE FILTER: the cases in one process; 9 for what the tool finds. Calls
# that the driver refuses are no errors of a kernel: the runtime asks it for parameters
# until there is no other.
check() {
  timeout "$limit" "$tool" --tool "$1" --report-api-errors no --error-exitcode 9 "$here/norm-device-suite" \
    "$here/$2" --first 0 --step 1 --filter "$3" >"$work/log" 2>&1
}

# A tool that starts no program says so, or never ends a case.
check memcheck cases.bin strategies/partials/rms_norm_backward
status=$?
if ! grep -q '^end ' "$work/log"; then
  why="$(grep -m1 'Error\|error\|driver' "$work/log" || echo "it ended with $status")"
  left_out "memcheck and racecheck: \"$tool\" starts no program here: $why" 4
  finish
fi

# planted ARCHIVE FILTER WHAT: racecheck must find what is missing there.
planted() {
  check racecheck "$1" "$2"
  if [ $? -eq 9 ] || grep -q 'hazard' "$work/log"; then
    echo "racecheck finds $3: $(grep -c 'hazard' "$work/log") lines of hazards"
    passed=$((passed + 1))
    return 0
  fi
  tail -3 "$work/log"
  return 1
}
if ! planted races.bin strategies/partials/layer_norm_backward "missing barriers"; then
  echo "FAIL: racecheck finds nothing in kernels without barriers"
  failed=$((failed + 1))
fi
# Not every version sees copies by the bulk engine.
planted waits.bin "copies/workgroup_size = 256, lanes_per_row = 256" "missing waits" ||
  left_out "waits for copies: racecheck finds nothing in kernels without them" 1

for name in memcheck racecheck; do
  verdict=0
  for filter in strategies/ reduced/; do
    check "$name" cases.bin "$filter"
    status=$?
    [ "$status" -eq 124 ] && left_out "$name of $filter: the rest, after $limit s" 0
    echo "$name, $filter: $(grep -c '^end ' "$work/log") cases, $(grep 'SUMMARY' "$work/log" | tail -1)"
    # What ran until then must have ended, and without a finding.
    if [ "$status" -eq 124 ] && grep -q '^end ' "$work/log" &&
      ! grep -q 'hazard\|Invalid\|Misaligned\|out of bounds' "$work/log"; then
      status=0
    fi
    if [ "$status" -ne 0 ]; then
      verdict=1
      echo "FAIL: $name ended with $status"
      grep -v '^begin\|^end [0-9]* [0-9]* [0-9]* $' "$work/log" | head -40
    fi
  done
  passed=$((passed + 1 - verdict)) failed=$((failed + verdict))
done
finish
