// RUN: norm-opt %s -plan-create-entries -plan-outline-kernels -split-input-file | FileCheck %s

// A block of rows a workgroup. The kernel moves to a function of its own arguments.

// CHECK-LABEL: plan.entry @blocks
// CHECK: plan.variant guards = [] collapsed {
// CHECK-NEXT: plan.launch @copy_f32_n16 grid = ()[s0, s1, s2, s3] -> (s0 ceildiv 32)
// CHECK-SAME: workgroup_size = 16 buffers(%{{.*}}, %{{.*}} : memref<?x16xf32>, memref<?x16xf32>)
// CHECK-SAME: args = [#plan.arg<pointer, buffer = 0>, #plan.arg<pointer, buffer = 1>,
// CHECK-SAME: #plan.arg<row_stride, buffer = 0, dim = 1>, #plan.arg<row_stride, buffer = 1, dim = 1>,
// CHECK-SAME: #plan.arg<expr, expr = ()[s0, s1, s2, s3] -> (s0)>]
// CHECK: func.func private @copy_f32_n16(%[[X:.*]]: memref<?x16xf32>, %[[Y:.*]]: memref<?x16xf32>) attributes {plan.collapsed, plan.kernel} {
// CHECK-NEXT: row.kernel ins(%[[X]] : memref<?x16xf32>) outs(%[[Y]] : memref<?x16xf32>) norm_dims = 1
// CHECK-SAME: tiling = #row.tiling<workgroup_size = 16, rows_per_workgroup = 32>
module attributes {norm.target = #norm.target<"host:x86-64-v3">} {
func.func @blocks(%x: memref<?x16xf32>, %y: memref<?x16xf32>) {
  row.kernel ins(%x : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 attributes {kernel_name = "copy", tiling = #row.tiling<workgroup_size = 16, rows_per_workgroup = 32>} {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}
}

// -----

// All rows in one workgroup; without rows there is nothing to launch. Columns that are
// dynamic are one more argument. Blocks of columns lie side by side.

// CHECK-LABEL: plan.entry @one_workgroup symbols = 2
// CHECK: plan.launch @copy_f32_bf16_n grid = ()[s0, s1, s2, s3, s4] -> (2, s0 * 2)
// CHECK-SAME: #plan.arg<expr, expr = ()[s0, s1, s2, s3, s4] -> (s0)>, #plan.arg<expr, expr = ()[s0, s1, s2, s3, s4] -> (s1)>]
module attributes {norm.target = #norm.target<"host:x86-64-v3">} {
func.func @one_workgroup(%x: memref<?x?xf32>, %y: memref<?x?xbf16>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xbf16>) norm_dims = 1 attributes {kernel_name = "copy", tiling = #row.tiling<workgroup_size = 16, col_blocks = 2>} {
  ^bb0(%in: memref<?x?xf32>, %out: memref<?x?xbf16>):
    %0 = row.load %in : memref<?x?xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x?xbf16>
  }
  return
}
}

// -----

// One row: no strides.

// CHECK-LABEL: plan.entry @one_row
// CHECK: plan.launch @copy_f32_n128 grid = ()[s0, s1, s2] -> (1)
// CHECK-SAME: args = [#plan.arg<pointer, buffer = 0>, #plan.arg<pointer, buffer = 1>, #plan.arg<expr, expr = ()[s0, s1, s2] -> (1)>]
module attributes {norm.target = #norm.target<"host:x86-64-v3">} {
func.func @one_row(%x: memref<128xf32>, %y: memref<128xf32>) {
  row.kernel ins(%x : memref<128xf32>) outs(%y : memref<128xf32>) norm_dims = 1 attributes {kernel_name = "copy", tiling = #row.tiling<workgroup_size = 16, rows_per_workgroup = 32>} {
  ^bb0(%in: memref<128xf32>, %out: memref<128xf32>):
    %0 = row.load %in : memref<128xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<128xf32>
  }
  return
}
}
