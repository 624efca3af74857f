#!/bin/sh
# usage: run [cells | peers | tune] [options]
# Without a word: cells, then peers, which begins no cell after LIMIT seconds. Results go to
# $OUT where that is set, and to results/ beside this script, where peers finds those of an
# earlier run. DEVICE is cuda:0 where it is not set, LIMIT 280; CELLS names some of what
# cells measures: bf16, y_alone, softmax, f32_f16.
here="$(cd "$(dirname "$0")" && pwd)"
out="$here/results" device="${DEVICE:-cuda:0}" limit="${LIMIT:-280}"
mkdir -p "$out"
work="$(mktemp -d)"
finish() {
  rm -rf "$work"
  [ -z "$OUT" ] || { mkdir -p "$OUT" && cp "$out"/* "$OUT/"; }
}
trap finish EXIT
tar -C "$work" -xzf "$here/packages.tar.gz" || exit 1
export LD_LIBRARY_PATH="$here${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

cells() {
  for name in ${CELLS:-$(ls "$work/packages")}; do
    timeout "$limit" "$here/norm-bench" --device "$device" --packages "$work/packages/$name" \
      --json "$out/$name.json" --plot "$out/$name.svg" "$@" >"$out/$name.txt" 2>"$out/$name.log"
    code=$?
    cat "$out/$name.txt"
    [ "$code" = 0 ] || echo "$name: exit status $code: $(tail -n 1 "$out/$name.log")"
  done
}
peers() {
  [ -f "$out/bf16.json" ] || CELLS=bf16 cells >/dev/null
  python3 "$here/peers.py" "$out/bf16.json" --device "$device" --limit "$limit" \
    --json "$out/peers.json" "$@" 2>"$out/peers.log" >"$out/peers.txt"
  code=$?
  cat "$out/peers.txt"
  [ "$code" = 0 ] || tail -n 1 "$out/peers.log"
}

case "$1" in
'') cells && peers ;;
cells) shift; cells "$@" ;;
peers) shift; peers "$@" ;;
tune)
  shift
  timeout "$limit" "$here/norm-bench" tune --device "$device" --packages "$work/tune" \
    -o "$out/tunings.json" --json "$out/tuned.json" "$@" >"$out/tune.txt" 2>"$out/tune.log"
  code=$?
  cat "$out/tune.txt"
  [ "$code" = 0 ] || tail -n 1 "$out/tune.log"
  ;;
*) echo "error: expected cells, peers or tune, but got \"$1\"" >&2; exit 2 ;;
esac
