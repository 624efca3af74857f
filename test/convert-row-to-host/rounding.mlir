// A rounding in the middle of a program stays to the last pass, and f64 to bf16 goes
// through f32 rounded to odd.
// RUN: norm-opt %s --convert-row-to-host --canonicalize --cse | FileCheck %s --enable-var-scope

// CHECK-LABEL: llvm.func @round(
// CHECK: arith.truncf %{{.*}} : vector<8xf32> to vector<8xf16>
// CHECK: arith.extf %{{.*}} : vector<8xf16> to vector<8xf32>
func.func private @round(%x: memref<?x8xf32>, %y: memref<?x8xf32>)
    attributes {plan.kernel, plan.collapsed} {
  row.kernel ins(%x : memref<?x8xf32>) outs(%y : memref<?x8xf32>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 8, lanes_per_row = 8,
          rows_per_workgroup = 64, vector_elems = 8, loop = persistent>} {
  ^bb0(%in: memref<?x8xf32>, %out: memref<?x8xf32>):
    %t = row.load %in : memref<?x8xf32> -> !row.tile<f32>
    %h = row.round %t to f16 : !row.tile<f32>
    row.store %h, %out : !row.tile<f32>, memref<?x8xf32>
  }
  return
}

// CHECK-LABEL: llvm.func @odd(
// CHECK: %[[NEAREST:.*]] = arith.truncf %[[WIDE:.*]] : vector<4xf64> to vector<4xf32>
// CHECK: %[[BACK:.*]] = arith.extf %[[NEAREST]]
// CHECK: arith.cmpf one, %[[BACK]], %[[WIDE]]
// CHECK: arith.ori
// CHECK: arith.truncf %{{.*}} : vector<4xf32> to vector<4xbf16>
func.func private @odd(%x: memref<?x4xf64>, %y: memref<?x4xbf16>)
    attributes {plan.kernel, plan.collapsed} {
  row.kernel ins(%x : memref<?x4xf64>) outs(%y : memref<?x4xbf16>) norm_dims = 1
      attributes {tiling = #row.tiling<workgroup_size = 4, lanes_per_row = 4,
          rows_per_workgroup = 64, vector_elems = 4, loop = persistent>} {
  ^bb0(%in: memref<?x4xf64>, %out: memref<?x4xbf16>):
    %t = row.load %in : memref<?x4xf64> -> !row.tile<f64>
    row.store %t, %out : !row.tile<f64>, memref<?x4xbf16>
  }
  return
}
