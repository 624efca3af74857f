// RUN: norm-opt %s -norm-attach-target=target=host:x86-64-v4 | FileCheck %s

// Numbers that differ from the table's are the user's, and stay.
// CHECK: norm.target = #norm.target<"host:x86-64-v4", l1_bytes = 49152>
module attributes {norm.target = #norm.target<"host:x86-64-v4", l1_bytes = 49152>} {
}
