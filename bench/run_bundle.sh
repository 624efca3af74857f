#!/bin/sh
# usage: run [cells | peers | tune] [options]
# Without a word: cells, then peers. Results go to $OUT, or beside this script. DEVICE is
# cuda:0 where it is not set; each part ends in the seconds that LIMIT says (280).
here="$(cd "$(dirname "$0")" && pwd)"
out="${OUT:-$here/results}" device="${DEVICE:-cuda:0}" limit="${LIMIT:-280}"
mkdir -p "$out"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
tar -C "$work" -xzf "$here/packages.tar.gz" || exit 1
export LD_LIBRARY_PATH="$here${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

cells() {
  for folder in "$work"/packages/*; do
    name="$(basename "$folder")"
    timeout "$limit" "$here/norm-bench" --device "$device" --packages "$folder" \
      --json "$out/$name.json" --plot "$out/$name.svg" "$@" >"$out/$name.txt" 2>"$out/$name.log"
    code=$?
    cat "$out/$name.txt"
    [ "$code" = 0 ] || echo "$name: exit status $code: $(tail -n 1 "$out/$name.log")"
  done
}
peers() {
  [ -f "$out/bf16.json" ] || cells >/dev/null
  python3 "$here/peers.py" "$out/bf16.json" --device "${device%:*}" --limit "$limit" \
    --json "$out/peers.json" "$@" 2>"$out/peers.log" | tee "$out/peers.txt"
}

case "$1" in
'') cells && peers ;;
cells) shift; cells "$@" ;;
peers) shift; peers "$@" ;;
tune)
  shift
  timeout "$limit" "$here/norm-bench" tune --device "$device" --packages "$work/tune" \
    -o "$out/tunings.json" --json "$out/tuned.json" "$@" 2>"$out/tune.log" | tee "$out/tune.txt"
  ;;
*) echo "error: expected cells, peers or tune, but got \"$1\"" >&2; exit 2 ;;
esac
