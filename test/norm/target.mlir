// #norm.target prints its name alone where the numbers are the table's, and the numbers
// that differ behind it.
// RUN: norm-opt %s | FileCheck %s
// RUN: norm-opt %s --emit-bytecode | norm-opt | FileCheck %s

// CHECK-LABEL: func private @known()
// CHECK-SAME: norm.target = #norm.target<"host:x86-64-v3">
func.func private @known() attributes {norm.target = #norm.target<"host:x86-64-v3">}

// CHECK-LABEL: func private @host()
// CHECK-SAME: norm.target = #norm.target<"host">
func.func private @host() attributes {norm.target = #norm.target<"host">}

// A number that is the table's is not printed, whoever wrote it.
// CHECK-LABEL: func private @same_number()
// CHECK-SAME: norm.target = #norm.target<"host:x86-64-v3">
func.func private @same_number() attributes {
    norm.target = #norm.target<"host:x86-64-v3", subgroup_size = 8>}

// Every type of number; order is the table's.
// CHECK-LABEL: func private @other_numbers()
// CHECK-SAME: #norm.target<"host:x86-64-v3", subgroup_size = 4, async_copy = bulk,
// CHECK-SAME: bytes_per_s = 1.250000e+10, has_bf16 = true, features = "+avx2,+f16c">
func.func private @other_numbers() attributes {
    norm.target = #norm.target<"host:x86-64-v3", features = "+avx2,+f16c",
    has_bf16 = true, async_copy = bulk, bytes_per_s = 12.5e9, subgroup_size = 4>}

// A double that needs all of its digits.
// CHECK-LABEL: func private @digits()
// CHECK-SAME: launch_ns = 0.10000000000000002>
func.func private @digits() attributes {
    norm.target = #norm.target<"host:x86-64-v3", launch_ns = 0.10000000000000002>}
