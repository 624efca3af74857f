// RUN: norm-opt %s -norm-attach-target=target=host:x86-64-v4 | FileCheck %s
// RUN: norm-opt %s -norm-attach-target=target=host:x86-64-v4 -norm-attach-target=target=host:x86-64-v4 | FileCheck %s

// CHECK: module attributes {norm.target = #norm.target<"host:x86-64-v4">}
module {
}
