// RUN: norm-opt %s | norm-opt | FileCheck %s
// RUN: norm-opt %s --mlir-print-op-generic | norm-opt | FileCheck %s
// RUN: norm-opt %s --emit-bytecode | norm-opt | FileCheck %s

// CHECK-LABEL: plan.entry @all symbols = 2
// CHECK-SAME: #plan.param<"x", in, bf16, shape = ()[s0, s1, s2, s3, s4] -> (s0, s1 * 2, 128), contiguous_dims = 1>
// CHECK-SAME: #plan.param<"y", out, f32, shape = ()[s0, s1, s2, s3, s4] -> (s0, s1), contiguous_dims = 2>
// CHECK-SAME: requirements = [#plan.requirement<"cols", expr = ()[s0, s1, s2, s3, s4] -> (s1), at_least = 1>]
plan.entry @all symbols = 2
    params = [#plan.param<"x", in, bf16, shape = ()[s0, s1, s2, s3, s4] -> (s0, s1 * 2, 128), contiguous_dims = 1>,
              #plan.param<"y", out, f32, shape = ()[s0, s1, s2, s3, s4] -> (s0, s1), contiguous_dims = 2>]
    requirements = [#plan.requirement<"cols", expr = ()[s0, s1, s2, s3, s4] -> (s1), at_least = 1>] {
^bb0(%x: memref<?x?x128xbf16>, %y: memref<?x?xf32>):
  // CHECK: plan.variant guards = [#plan.guard<collapsible, param = 0, value = 1>,
  // CHECK-SAME: #plan.guard<aligned, param = 1, value = 16>,
  // CHECK-SAME: #plan.guard<at_least, value = 4, expr = ()[s0, s1, s2, s3, s4] -> (s0 ceildiv s2)>,
  // CHECK-SAME: #plan.guard<at_most, value = 9, expr = ()[s0, s1, s2, s3, s4] -> (s1)>] collapsed
  plan.variant guards = [#plan.guard<collapsible, param = 0, value = 1>,
                         #plan.guard<aligned, param = 1, value = 16>,
                         #plan.guard<at_least, value = 4, expr = ()[s0, s1, s2, s3, s4] -> (s0 ceildiv s2)>,
                         #plan.guard<at_most, value = 9, expr = ()[s0, s1, s2, s3, s4] -> (s1)>]
      collapsed {
    // CHECK: %[[W:.*]] = plan.workspace bytes = ()[s0, s1, s2, s3, s4] -> (s0 * s1) : memref<?xf32>
    %w = plan.workspace bytes = ()[s0, s1, s2, s3, s4] -> (s0 * s1) : memref<?xf32>
    // CHECK: plan.launch @kernel grid = ()[s0, s1, s2, s3, s4] -> (s0 ceildiv 8, s2 * s3)
    // CHECK-SAME: workgroup_size = 256 buffers(%{{.*}}, %[[W]] : memref<?x?x128xbf16>, memref<?xf32>)
    // CHECK-SAME: #plan.arg<pointer, buffer = 0>, #plan.arg<pointer, buffer = 1>
    // CHECK-SAME: #plan.arg<row_stride, buffer = 0, dim = 1>, #plan.arg<stride, buffer = 0, dim = 1>
    // CHECK-SAME: #plan.arg<expr, expr = ()[s0, s1, s2, s3, s4] -> (s0)>
    // CHECK-SAME: {cluster_size = 2 : i64, dynamic_shared_bytes = 1024 : i64}
    plan.launch @kernel grid = ()[s0, s1, s2, s3, s4] -> (s0 ceildiv 8, s2 * s3)
        workgroup_size = 256 buffers(%x, %w : memref<?x?x128xbf16>, memref<?xf32>)
        args = [#plan.arg<pointer, buffer = 0>, #plan.arg<pointer, buffer = 1>,
                #plan.arg<row_stride, buffer = 0, dim = 1>, #plan.arg<stride, buffer = 0, dim = 1>,
                #plan.arg<expr, expr = ()[s0, s1, s2, s3, s4] -> (s0)>]
        {cluster_size = 2 : i64, dynamic_shared_bytes = 1024 : i64}
  }
  // CHECK: plan.variant guards = [] attributes {note = "last"}
  plan.variant guards = [] attributes {note = "last"} {
  }
}
func.func private @kernel(memref<?x?x128xbf16>, memref<?xf32>)
