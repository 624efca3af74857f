// RUN: norm-opt %s -plan-create-entries -plan-outline-kernels -split-input-file | FileCheck %s

// One stride where the guards ensure it, else a stride for each outer dimension.

// CHECK-LABEL: plan.entry @rank3
// CHECK: plan.variant guards = [#plan.guard<collapsible, param = 0, value = 1>, #plan.guard<collapsible, param = 1, value = 1>] collapsed {
// CHECK-NEXT: plan.launch @copy_f32_n16 grid = ()[s0, s1, s2, s3, s4] -> ((s0 * s1) ceildiv 32)
// CHECK-SAME: #plan.arg<row_stride, buffer = 0, dim = 1>, #plan.arg<row_stride, buffer = 1, dim = 1>,
// CHECK-SAME: #plan.arg<expr, expr = ()[s0, s1, s2, s3, s4] -> (s0 * s1)>]
// CHECK: plan.variant guards = [] {
// CHECK-NEXT: plan.launch @copy_f32_n16_strided grid = ()[s0, s1, s2, s3, s4] -> ((s0 * s1) ceildiv 32)
// CHECK-SAME: args = [#plan.arg<pointer, buffer = 0>, #plan.arg<pointer, buffer = 1>,
// CHECK-SAME: #plan.arg<stride, buffer = 0, dim = 0>, #plan.arg<stride, buffer = 0, dim = 1>,
// CHECK-SAME: #plan.arg<stride, buffer = 1, dim = 0>, #plan.arg<stride, buffer = 1, dim = 1>,
// CHECK-SAME: #plan.arg<expr, expr = ()[s0, s1, s2, s3, s4] -> (s1)>, #plan.arg<expr, expr = ()[s0, s1, s2, s3, s4] -> (s0 * s1)>]
// CHECK: func.func private @copy_f32_n16({{.*}}) attributes {plan.collapsed, plan.kernel}
// CHECK: func.func private @copy_f32_n16_strided({{.*}}) attributes {plan.kernel}
module attributes {norm.target = #norm.target<"host:x86-64-v3">} {
func.func @rank3(%x: memref<?x?x16xf32>, %y: memref<?x?x16xf32>) {
  row.kernel ins(%x : memref<?x?x16xf32>) outs(%y : memref<?x?x16xf32>) norm_dims = 1 attributes {kernel_name = "copy", tiling = #row.tiling<workgroup_size = 16, rows_per_workgroup = 32>} {
  ^bb0(%in: memref<?x?x16xf32>, %out: memref<?x?x16xf32>):
    %0 = row.load %in : memref<?x?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x?x16xf32>
  }
  return
}
}

// -----

// A scratch buffer is compact: its strides are products of its sizes. A kernel that
// walks over compact buffers alone is collapsed in every variant, and shared by them.

// CHECK-LABEL: plan.entry @chain
// CHECK: plan.variant guards = [#plan.guard{{.*}}] collapsed {
// CHECK-NEXT: %[[A:.*]] = plan.workspace bytes = ()[s0, s1, s2, s3, s4] -> ((s0 * s1) * 64) : memref<?x?x16xf32>
// CHECK-NEXT: %[[B:.*]] = plan.workspace bytes = ()[s0, s1, s2, s3, s4] -> ((s0 * s1) * 64) : memref<?x?x16xf32>
// CHECK-NEXT: plan.launch @first_f32_n16 {{.*}} buffers(%{{.*}}, %[[A]] :
// CHECK-SAME: #plan.arg<row_stride, buffer = 0, dim = 1>, #plan.arg<expr, expr = ()[s0, s1, s2, s3, s4] -> (16)>,
// CHECK-NEXT: plan.launch @middle_f32_n16 {{.*}} buffers(%[[A]], %[[B]] :
// CHECK-SAME: #plan.arg<expr, expr = ()[s0, s1, s2, s3, s4] -> (16)>, #plan.arg<expr, expr = ()[s0, s1, s2, s3, s4] -> (16)>,
// CHECK-NEXT: plan.launch @last_f32_n16 {{.*}} buffers(%[[B]], %{{.*}} :
// CHECK: plan.variant guards = [] {
// CHECK: plan.launch @first_f32_n16_strided
// CHECK-SAME: #plan.arg<stride, buffer = 0, dim = 0>, #plan.arg<stride, buffer = 0, dim = 1>,
// CHECK-SAME: #plan.arg<expr, expr = ()[s0, s1, s2, s3, s4] -> (s1 * 16)>, #plan.arg<expr, expr = ()[s0, s1, s2, s3, s4] -> (16)>,
// CHECK: plan.launch @middle_f32_n16 {{.*}}
// CHECK: plan.launch @last_f32_n16_strided
// CHECK-COUNT-1: func.func private @middle
// CHECK-NOT: func.func private @middle
module attributes {norm.target = #norm.target<"host:x86-64-v3">} {
func.func @chain(%x: memref<?x?x16xf32>, %y: memref<?x?x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = memref.dim %x, %c0 : memref<?x?x16xf32>
  %d1 = memref.dim %x, %c1 : memref<?x?x16xf32>
  %a = memref.alloc(%d0, %d1) : memref<?x?x16xf32>
  %b = memref.alloc(%d0, %d1) : memref<?x?x16xf32>
  row.kernel ins(%x : memref<?x?x16xf32>) outs(%a : memref<?x?x16xf32>) norm_dims = 1 attributes {kernel_name = "first", tiling = #row.tiling<workgroup_size = 16, rows_per_workgroup = 32>} {
  ^bb0(%in: memref<?x?x16xf32>, %out: memref<?x?x16xf32>):
    %0 = row.load %in : memref<?x?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x?x16xf32>
  }
  row.kernel ins(%a : memref<?x?x16xf32>) outs(%b : memref<?x?x16xf32>) norm_dims = 1 attributes {kernel_name = "middle", tiling = #row.tiling<workgroup_size = 16, rows_per_workgroup = 32>} {
  ^bb0(%in: memref<?x?x16xf32>, %out: memref<?x?x16xf32>):
    %0 = row.load %in : memref<?x?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x?x16xf32>
  }
  row.kernel ins(%b : memref<?x?x16xf32>) outs(%y : memref<?x?x16xf32>) norm_dims = 1 attributes {kernel_name = "last", tiling = #row.tiling<workgroup_size = 16, rows_per_workgroup = 32>} {
  ^bb0(%in: memref<?x?x16xf32>, %out: memref<?x?x16xf32>):
    %0 = row.load %in : memref<?x?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x?x16xf32>
  }
  return
}
}

// -----

// A parameter seen through a reshape must be contiguous, so its strides follow from its
// shape; the launch takes the parameter itself.

// CHECK-LABEL: plan.entry @reshaped
// CHECK: plan.launch @copy_f32_n16 grid = ()[s0, s1, s2, s3] -> ((s0 * 8) ceildiv 32)
// CHECK-SAME: buffers(%{{.*}}, %{{.*}} : memref<?x8x16xf32>, memref<?x16xf32>)
// CHECK-SAME: #plan.arg<expr, expr = ()[s0, s1, s2, s3] -> (16)>, #plan.arg<row_stride, buffer = 1, dim = 1>,
// CHECK-SAME: #plan.arg<expr, expr = ()[s0, s1, s2, s3] -> (s0 * 8)>]
// CHECK-NOT: collapse_shape
// CHECK: func.func private @copy_f32_n16(%{{.*}}: memref<?x16xf32>, %{{.*}}: memref<?x16xf32>)
module attributes {norm.target = #norm.target<"host:x86-64-v3">} {
func.func @reshaped(%x: memref<?x8x16xf32>, %y: memref<?x16xf32>) {
  %c = memref.collapse_shape %x [[0, 1], [2]] : memref<?x8x16xf32> into memref<?x16xf32>
  row.kernel ins(%c : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 attributes {kernel_name = "copy", tiling = #row.tiling<workgroup_size = 16, rows_per_workgroup = 32>} {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}
}
