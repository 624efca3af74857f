// RUN: norm-opt %s -norm-attach-target=target=cuda:sm_90 -plan-create-entries \
// RUN:   -row-select-tiling -plan-outline-kernels | FileCheck %s

// Kernels that may access 16 bytes at once are functions of their own; a kernel to which
// alignment is nothing is shared.

// CHECK-LABEL: plan.entry @chain
// CHECK: plan.variant guards = [#plan.guard<aligned
// CHECK: plan.launch @first_f32_n16 grid
// CHECK: plan.launch @second_f32_n16 grid
// CHECK: plan.variant guards = [] collapsed
// CHECK: plan.launch @first_f32_n16_unaligned grid
// CHECK: plan.launch @second_f32_n16_unaligned grid
func.func @chain(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %x, %c0 : memref<?x16xf32>
  %between = memref.alloc(%rows) : memref<?x16xf32>
  row.kernel ins(%x : memref<?x16xf32>) outs(%between : memref<?x16xf32>) norm_dims = 1
      attributes {kernel_name = "first"} {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  row.kernel ins(%between : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1
      attributes {kernel_name = "second"} {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// With a dynamic number of columns nothing says that rows of the workspace are aligned;
// the parameters' are.
// CHECK-LABEL: plan.entry @dynamic
// CHECK: plan.launch @load_f32_n_unaligned grid
// CHECK: plan.launch @rows_f32_n grid
// CHECK: plan.variant guards = [] collapsed
// CHECK: plan.launch @load_f32_n_unaligned grid
// CHECK: plan.launch @rows_f32_n_unaligned grid
func.func @dynamic(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %z: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = memref.dim %x, %c0 : memref<?x?xf32>
  %cols = memref.dim %x, %c1 : memref<?x?xf32>
  %between = memref.alloc(%rows, %cols) : memref<?x?xf32>
  row.kernel ins(%x : memref<?x?xf32>) outs(%between : memref<?x?xf32>) norm_dims = 1
      attributes {kernel_name = "load"} {
  ^bb0(%in: memref<?x?xf32>, %out: memref<?x?xf32>):
    %0 = row.load %in : memref<?x?xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x?xf32>
  }
  row.kernel ins(%y : memref<?x?xf32>) outs(%z : memref<?x?xf32>) norm_dims = 1
      attributes {kernel_name = "rows"} {
  ^bb0(%in: memref<?x?xf32>, %out: memref<?x?xf32>):
    %0 = row.load %in : memref<?x?xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// The row of a single value is accessed alone: there is one kernel, and one variant.
// CHECK-LABEL: plan.entry @values
// CHECK-NOT: aligned
// CHECK: plan.launch @copy_f32_n1 grid
// CHECK: func.func private @first_f32_n16({{.*}}plan.aligned
// CHECK: func.func private @first_f32_n16_unaligned
// CHECK-NOT: plan.aligned
// CHECK: row.kernel
func.func @values(%x: memref<?xf32>, %y: memref<?xf32>) {
  row.kernel ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) norm_dims = 1
      attributes {kernel_name = "copy"} {
  ^bb0(%in: memref<?xf32>, %out: memref<?xf32>):
    %0 = row.load %in : memref<?xf32> -> !row.vec<rows, f32>
    row.store %0, %out : !row.vec<rows, f32>, memref<?xf32>
  }
  return
}
