# Shared by the scripts of this folder: where the project is, how it is configured and
# built, and how progress is shown. Sourced, not run.
set -euo pipefail

NORMC_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
NORMC_BUILD="${NORMC_BUILD_DIR:-$NORMC_ROOT/build}"

# Where scripts/setup puts the assembler of CUDA kernels when the machine has none.
NORMC_CUDA="$NORMC_ROOT/.cache/cuda"
# Where it puts the libraries of Intel's OpenCL runtime.
NORMC_OPENCL="$NORMC_ROOT/.cache/opencl"

step() { printf '==> %s\n' "$*"; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Installs what is missing, and lets what follows find what was put in .cache/.
normc_setup() {
  "$NORMC_ROOT/scripts/setup"
  if ! command -v ptxas >/dev/null && [ -x "$NORMC_CUDA/bin/ptxas" ]; then
    export PATH="$PATH:$NORMC_CUDA/bin"
  fi
}

# Runs a command quietly: its output goes to a log, whose end is shown when it fails.
quietly() {
  local log="$1"
  shift
  mkdir -p "$(dirname "$log")"
  if ! "$@" >"$log" 2>&1 </dev/null; then
    tail -n 60 "$log" >&2
    fail "'$*' failed; the whole output is in $log"
  fi
}

# Configures build/ once; CMake's own rule reruns it when a CMake file changes.
normc_configure() {
  [ -f "$NORMC_BUILD/build.ninja" ] && return
  step "configuring ${NORMC_BUILD#"$NORMC_ROOT"/} (Release, clang-22)"
  quietly "$NORMC_BUILD/configure.log" cmake -S "$NORMC_ROOT" -B "$NORMC_BUILD" \
    -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=clang-22 \
    -DCMAKE_CXX_COMPILER=clang++-22
}

# Builds the named targets (default: everything), with Ninja's progress.
normc_build() {
  normc_configure
  step "building ${*:-everything} (the first time takes several minutes)"
  NINJA_STATUS='[%f/%t %es] ' ninja -C "$NORMC_BUILD" "$@" </dev/null
}
