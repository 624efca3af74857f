#!/usr/bin/env bash
# usage: exports.sh LIBRARY EXPECTED_LIST
set -euo pipefail
diff -u "$2" <(nm -D --defined-only --format=posix "$1" | awk '$2 != "A" {print $1}' |
  LC_ALL=C sort)
