// The examples in the descriptions of plan.entry and plan-create-entries.
// RUN: norm-opt %s -plan-create-entries | FileCheck %s

// CHECK-LABEL: plan.entry @double symbols = 1
// CHECK: plan.launch @double_f32_n128
plan.entry @double symbols = 1
    params = [#plan.param<"x", in, f32,
                  shape = ()[s0, s1, s2, s3] -> (s0, 128),
                  contiguous_dims = 1>,
              #plan.param<"y", out, f32,
                  shape = ()[s0, s1, s2, s3] -> (s0, 128),
                  contiguous_dims = 1>] {
^bb0(%x: memref<?x128xf32>, %y: memref<?x128xf32>):
  plan.variant guards = [] {
    plan.launch @double_f32_n128
        grid = ()[s0, s1, s2, s3] -> (s0 ceildiv 64)
        workgroup_size = 8
        buffers(%x, %y : memref<?x128xf32>, memref<?x128xf32>)
        args = [#plan.arg<pointer, buffer = 0>, #plan.arg<pointer, buffer = 1>,
                #plan.arg<row_stride, buffer = 0, dim = 1>,
                #plan.arg<row_stride, buffer = 1, dim = 1>,
                #plan.arg<expr, expr = ()[s0, s1, s2, s3] -> (s0)>]
  }
}
// CHECK: func.func private @double_f32_n128
func.func private @double_f32_n128(memref<?x128xf32>, memref<?x128xf32>) attributes {plan.kernel}

// CHECK-LABEL: plan.entry @copy symbols = 1
// CHECK: plan.variant guards = [#plan.guard<collapsible, param = 0, value = 1>,
// CHECK-SAME: #plan.guard<collapsible, param = 1, value = 1>] collapsed
func.func @copy(%x: memref<?x8x16xf32> {norm.name = "x"},
                %y: memref<?x8x16xf32> {norm.name = "y"}) {
  row.kernel ins(%x : memref<?x8x16xf32>) outs(%y : memref<?x8x16xf32>)
      norm_dims = 1 attributes {kernel_name = "copy"} {
  ^bb0(%in: memref<?x8x16xf32>, %out: memref<?x8x16xf32>):
    %t = row.load %in : memref<?x8x16xf32> -> !row.tile<f32>
    row.store %t, %out : !row.tile<f32>, memref<?x8x16xf32>
  }
  return
}
