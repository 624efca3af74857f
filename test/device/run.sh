#!/bin/sh
# Tests normc's CUDA kernels and runtime on a GPU. Prints what ran, failed and was left out,
# and why; the last line is `N passed, N failed, N skipped`. Ends with 0 where all passed.
# usage: run [--device cuda:N] [--filter TEXT] [--jobs N]
# --filter: only cases whose name contains it, and not the runtime's tests. A bundle that
# was made with a filter has no others.
here="$(cd "$(dirname "$0")" && pwd)"
device=cuda:0 filter="" jobs="$(nproc)" chosen=""
[ ! -f "$here/filter" ] || filter="$(cat "$here/filter")"
while [ $# -gt 0 ]; do
  case "$1" in
    --device) device="$2"; shift ;;
    --filter) filter="$2" chosen=yes; shift ;;
    --jobs) jobs="$2"; shift ;;
    *) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 2 ;;
  esac
  shift
done
export LD_LIBRARY_PATH="$here"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
began="$(date +%s)"
command -v nvidia-smi >/dev/null &&
  nvidia-smi --query-gpu=name,driver_version,compute_cap --format=csv,noheader

# suite NAME COMMAND...: what a suite prints, kept for the summary.
suite() {
  name="$1"
  shift
  echo "== $name"
  { "$@" 2>&1; echo "$?" >"$work/$name.status"; } | tee "$work/$name.txt"
  echo "   $(($(date +%s) - began)) s since the beginning"
}

suite kernels "$here/norm-device-suite" "$here/cases.bin" --device "$device" \
  --filter "$filter" --jobs "$jobs"
# The options that the programs were compiled with are more words than one.
# shellcheck disable=SC2046
suite numerics "$here/norm-device-numerics" $(cat "$here/numerics.args") \
  --packages="$here/numerics.bin" --device="$device" --filter="$filter" --jobs="$jobs"
if [ -n "$chosen" ]; then
  suite runtime echo "left out: the runtime's tests: --filter names cases"
elif [ "$device" != cuda:0 ]; then
  suite runtime echo "left out: the runtime's tests: they run on cuda:0"
else
  suite runtime "$here/normrt-cuda-gpu-tests"
fi
suite sanitizers env NORMC_SANITIZE_SECONDS=20 "$here/sanitize"

# A suite's closing line; GoogleTest's lines are counted, which a crash leaves out.
closing() {
  if [ "$1" != runtime ]; then
    grep -E '^[0-9]+ passed, ' "$work/$1.txt" | tail -1
    return
  fi
  ran="$(grep -c '^\[ RUN  ' "$work/runtime.txt")"
  good="$(grep -c '^\[       OK \]' "$work/runtime.txt")"
  left="$(grep -c '^\[  SKIPPED \] .* ms)' "$work/runtime.txt")"
  echo "$good passed, $((ran - good - left)) failed, $left skipped"
}

echo "== summary"
passed=0 failed=0 skipped=0 bad=""
for name in kernels numerics runtime sanitizers; do
  line="$(closing "$name")"
  echo "$name: ${line:-no closing line}"
  # shellcheck disable=SC2086
  set -- ${line:-0 passed, 1 failed, 0 skipped}
  passed=$((passed + $1)) failed=$((failed + $3)) skipped=$((skipped + $5))
  # 77: what the runtime's tests end with where there is no device. A filter may leave a
  # suite nothing.
  case "$name $(cat "$work/$name.status") ${filter:+filtered} $1$3$5" in
    *" 0 "* | "runtime 77 "* | *" filtered 000") ;;
    *) bad="$bad $name" ;;
  esac
done
grep -h 'host cost of a launch' "$work/runtime.txt"
grep -h 'left out: ' "$work"/*.txt | sed 's/^ *//' | sort -u
awk '/^\[ RUN/ { name = $4 }
     /^needs cuda/ { print "left out: the runtime on a GPU: " $0 }
     /Skipped$/ && name { getline; print "left out: " name ": " $0 }' "$work/runtime.txt"
[ -z "$bad" ] || echo "ended with a failure:$bad"
echo "$(($(date +%s) - began)) s"
echo "$passed passed, $failed failed, $skipped skipped"
[ -z "$bad" ] && [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
