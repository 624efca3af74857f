// RUN: norm-opt %s -plan-create-entries -plan-outline-kernels | FileCheck %s

// Identical kernels of all entries share a function; what differs in more than its name
// has one of its own. Names fit C and profilers.

// CHECK-LABEL: plan.entry @a
// CHECK: plan.launch @copy_f32_n16 grid
// CHECK: plan.launch @copy_f32_n16 grid
// CHECK-LABEL: plan.entry @b
// CHECK: plan.launch @copy_f32_n16_0 grid
// CHECK-LABEL: plan.entry @c
// CHECK: plan.launch @row_kernel_f32_n16 grid
// CHECK: plan.launch @k_2_x_f32_n16 grid
// CHECK-LABEL: plan.entry @taken_f32_n16
// CHECK: plan.launch @taken_f32_n16_1 grid
// CHECK-COUNT-5: func.func private
// CHECK-NOT: func.func
module attributes {norm.target = #norm.target<"host:x86-64-v3">} {
func.func @a(%x: memref<?x16xf32>, %y: memref<?x16xf32>, %z: memref<?x16xf32>) {
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 attributes {kernel_name = "copy", tiling = #row.tiling<workgroup_size = 16, rows_per_workgroup = 32>} {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  row.kernel ins(%x : memref<?x16xf32>) outs(%z : memref<?x16xf32>) norm_dims = 1 attributes {kernel_name = "copy", tiling = #row.tiling<workgroup_size = 16, rows_per_workgroup = 32>} {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}
func.func @b(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 attributes {kernel_name = "copy", tiling = #row.tiling<workgroup_size = 16, rows_per_workgroup = 64>} {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}
func.func @c(%x: memref<?x16xf32>, %y: memref<?x16xf32>, %z: memref<?x16xf32>) {
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 attributes {tiling = #row.tiling<workgroup_size = 16, rows_per_workgroup = 32>} {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  row.kernel ins(%x : memref<?x16xf32>) outs(%z : memref<?x16xf32>) norm_dims = 1 attributes {kernel_name = "2-x", tiling = #row.tiling<workgroup_size = 16, rows_per_workgroup = 32>} {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}
func.func @taken_f32_n16(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 attributes {kernel_name = "taken", tiling = #row.tiling<workgroup_size = 16, rows_per_workgroup = 32>} {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}
}
