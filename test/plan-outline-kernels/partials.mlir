// RUN: norm-opt %s -plan-create-entries -plan-outline-kernels -split-input-file | FileCheck %s

// One row of partials for each block of rows, padded to 16 bytes; the second kernel has
// as many rows as there are partials.

// CHECK-LABEL: plan.entry @dynamic symbols = 2
// CHECK: %[[P:.*]] = plan.workspace bytes = ()[s0, s1, s2, s3, s4] -> (((s0 ceildiv 32) * ((s1 ceildiv 4) * 4)) * 4) : memref<?x?xf32>
// CHECK-NEXT: plan.launch @sums_f32_n grid = ()[s0, s1, s2, s3, s4] -> (s0 ceildiv 32)
// CHECK-SAME: buffers(%{{.*}}, %[[P]] :
// CHECK-NEXT: plan.launch @sums_finalize_f32_n grid = ()[s0, s1, s2, s3, s4] -> (3)
// CHECK-SAME: buffers(%[[P]], %{{.*}} :
// CHECK-SAME: args = [#plan.arg<pointer, buffer = 0>, #plan.arg<pointer, buffer = 1>, #plan.arg<expr, expr = ()[s0, s1, s2, s3, s4] -> (s0 ceildiv 32)>, #plan.arg<expr, expr = ()[s0, s1, s2, s3, s4] -> (s1)>]
module attributes {norm.target = #norm.target<"host:x86-64-v3">} {
func.func @dynamic(%x: memref<?x?xf32>, %g: memref<?xf32>) {
  %p = row.partials : memref<?x?xf32>
  row.kernel ins(%x : memref<?x?xf32>) outs(%p : memref<?x?xf32>) norm_dims = 1 attributes {kernel_name = "sums", tiling = #row.tiling<workgroup_size = 16, rows_per_workgroup = 32>} {
  ^bb0(%in: memref<?x?xf32>, %out: memref<?x?xf32>):
    %0 = row.load %in : memref<?x?xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols slot 0 : !row.tile<f32>, memref<?x?xf32>
  }
  row.kernel ins(%p : memref<?x?xf32>) outs(%g : memref<?xf32>) norm_dims = 1 attributes {kernel_name = "sums_finalize", tiling = #row.tiling<workgroup_size = 16, col_blocks = 3>} {
  ^bb0(%in: memref<?x?xf32>, %out: memref<?xf32>):
    row.finalize %in, %out to cols slot 0 of 1 : memref<?x?xf32>, memref<?xf32>
  }
  return
}
}

// -----

// Two sums of columns and one scalar in f64: 2 * 7 + 1 elements, padded to 16.

// CHECK-LABEL: plan.entry @mixed symbols = 1
// CHECK: plan.workspace bytes = ()[s0, s1, s2, s3] -> ((s0 ceildiv 32) * 128) : memref<?x?xf64>
module attributes {norm.target = #norm.target<"host:x86-64-v3">} {
func.func @mixed(%x: memref<?x7xf64>, %g: memref<7xf64>, %h: memref<7xf64>, %a: memref<f64>) {
  %p = row.partials : memref<?x?xf64>
  row.kernel ins(%x : memref<?x7xf64>) outs(%p : memref<?x?xf64>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 16, rows_per_workgroup = 32>} {
  ^bb0(%in: memref<?x7xf64>, %out: memref<?x?xf64>):
    %0 = row.load %in : memref<?x7xf64> -> !row.tile<f64>
    row.accumulate %0, %out to cols slot 0 : !row.tile<f64>, memref<?x?xf64>
    row.accumulate %0, %out to cols slot 1 : !row.tile<f64>, memref<?x?xf64>
    row.accumulate %0, %out to scalar slot 0 : !row.tile<f64>, memref<?x?xf64>
  }
  row.kernel ins(%p : memref<?x?xf64>) outs(%g, %h, %a : memref<7xf64>, memref<7xf64>, memref<f64>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 16>} {
  ^bb0(%in: memref<?x?xf64>, %out0: memref<7xf64>, %out1: memref<7xf64>, %out2: memref<f64>):
    row.finalize %in, %out0 to cols slot 0 of 2 : memref<?x?xf64>, memref<7xf64>
    row.finalize %in, %out1 to cols slot 1 of 2 : memref<?x?xf64>, memref<7xf64>
    row.finalize %in, %out2 to scalar slot 0 of 2 : memref<?x?xf64>, memref<f64>
  }
  return
}
}

// -----

// All rows in one workgroup: one row of partials, also without rows, so that the sums
// become zero.

// CHECK-LABEL: plan.entry @one_partial
// CHECK: plan.workspace bytes = ()[s0, s1, s2, s3] -> (64) : memref<?x?xf32>
// CHECK: plan.launch @sums_f32_n16 grid = ()[s0, s1, s2, s3] -> (1)
// CHECK: plan.launch @sums_finalize_f32_n16
// CHECK-SAME: #plan.arg<expr, expr = ()[s0, s1, s2, s3] -> (1)>]
module attributes {norm.target = #norm.target<"host:x86-64-v3">} {
func.func @one_partial(%x: memref<?x16xf32>, %g: memref<16xf32>) {
  %p = row.partials : memref<?x?xf32>
  row.kernel ins(%x : memref<?x16xf32>) outs(%p : memref<?x?xf32>) norm_dims = 1 attributes {kernel_name = "sums", tiling = #row.tiling<workgroup_size = 16>} {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x?xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols slot 0 : !row.tile<f32>, memref<?x?xf32>
  }
  row.kernel ins(%p : memref<?x?xf32>) outs(%g : memref<16xf32>) norm_dims = 1 attributes {kernel_name = "sums_finalize", tiling = #row.tiling<workgroup_size = 16, col_blocks = 3>} {
  ^bb0(%in: memref<?x?xf32>, %out: memref<16xf32>):
    row.finalize %in, %out to cols slot 0 of 1 : memref<?x?xf32>, memref<16xf32>
  }
  return
}
}

// -----

// A kernel that stores its sums itself runs whatever the number of rows.

// CHECK-LABEL: plan.entry @direct
// CHECK: plan.launch @sums_f32_n16 grid = ()[s0, s1, s2, s3] -> (4)
module attributes {norm.target = #norm.target<"host:x86-64-v3">} {
func.func @direct(%x: memref<?x16xf32>, %g: memref<16xf32>) {
  row.kernel ins(%x : memref<?x16xf32>) outs(%g : memref<16xf32>) norm_dims = 1 attributes {kernel_name = "sums", tiling = #row.tiling<workgroup_size = 16, col_blocks = 4>} {
  ^bb0(%in: memref<?x16xf32>, %out: memref<16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<16xf32>
  }
  return
}
}

// -----

// CHECK-LABEL: plan.entry @direct_static
// CHECK: plan.launch @sums_f32_n16 grid = ()[s0, s1, s2] -> (1)
module attributes {norm.target = #norm.target<"host:x86-64-v3">} {
func.func @direct_static(%x: memref<32x16xf32>, %g: memref<16xf32>) {
  row.kernel ins(%x : memref<32x16xf32>) outs(%g : memref<16xf32>) norm_dims = 1 attributes {kernel_name = "sums", tiling = #row.tiling<workgroup_size = 16, rows_per_workgroup = 32>} {
  ^bb0(%in: memref<32x16xf32>, %out: memref<16xf32>):
    %0 = row.load %in : memref<32x16xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols : !row.tile<f32>, memref<16xf32>
  }
  return
}
}
