#!/usr/bin/env bash
# usage: check.sh CMAKE BUILD_FOLDER SOURCE_FOLDER C_COMPILER CXX_COMPILER LIBDIR
set -euo pipefail
cmake="$1" build="$2" source="$3" compiler="$4" cxx_compiler="$5" libdir="$6"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
prefix="$work/prefix"
"$cmake" --install "$build" --prefix "$prefix" >"$work/install.log"

# The installed runtime loads without LLVM.
libraries="$(ldd "$prefix/$libdir/libnormrt.so")"
if grep -E 'LLVM|MLIR|not found' <<<"$libraries"; then
  echo "expected libnormrt.so to need neither LLVM nor anything missing, but got:"
  echo "$libraries"
  exit 1
fi

# Nothing in the installed tools points back into the build.
for tool in normc norm-run norm-opt; do
  if readelf -d "$prefix/bin/$tool" | grep -E 'R(UN)?PATH' | grep -F "$build"; then
    echo "expected $tool to find its libraries beside itself, but its run path names the build"
    exit 1
  fi
  env -u LD_LIBRARY_PATH "$prefix/bin/$tool" --version
done

"$prefix/bin/normc" compile "$prefix/share/normc/examples/layer_norm.mlir" \
  --target=host -o "$work/layer_norm.nrmk"
"$prefix/bin/norm-run" "$work/layer_norm.nrmk" layer_norm --check \
  --in x=normal:0:8x1024 weight=normal:1:1024 bias=normal:2:1024

"$cmake" -G Ninja -S "$source/examples/c" -B "$work/c" -DCMAKE_C_COMPILER="$compiler" \
  -DCMAKE_PREFIX_PATH="$prefix" >"$work/configure.log"
"$cmake" --build "$work/c" >"$work/build.log" || { cat "$work/build.log"; exit 1; }
"$work/c/layer_norm" "$work/layer_norm.nrmk"

# The embedded compiler, from C and from C++.
"$cmake" -G Ninja -S "$source/examples/embed" -B "$work/embed" \
  -DCMAKE_C_COMPILER="$compiler" -DCMAKE_CXX_COMPILER="$cxx_compiler" \
  -DCMAKE_PREFIX_PATH="$prefix" >"$work/configure.log"
"$cmake" --build "$work/embed" >"$work/build.log" || { cat "$work/build.log"; exit 1; }
for program in embed_c embed_cpp; do
  said="$(XDG_CACHE_HOME="$work/cache" "$work/embed/$program")"
  if [ "$said" != "0.848528 1.131371" ]; then
    echo "expected $program to print (3, 4)/sqrt(12.5), but got: $said"
    exit 1
  fi
done
