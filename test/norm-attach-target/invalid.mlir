// RUN: not norm-opt %s -norm-attach-target=target=host:z80 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not norm-opt %s -norm-attach-target 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not norm-opt %s -norm-attach-target=target=host:x86-64-v4 -norm-attach-target=target=host:x86-64-v3 2>&1 | FileCheck %s --check-prefix=OTHER

// UNKNOWN: error: expected a target that is known (host, host:x86-64-v4, host:x86-64-v3, host:aarch64{{.*}}), but got host:z80
// EMPTY: error: expected a target that is known ({{.*}}), but got an empty name
// OTHER: error: expected norm.target to name host:x86-64-v3, because that is the target asked for, but got #norm.target<"host:x86-64-v4">
module {
}
