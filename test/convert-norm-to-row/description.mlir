// The op of the example in the description of the pass, canonicalized.
// RUN: norm-opt %s -convert-norm-to-row -canonicalize -cse | FileCheck %s

// CHECK-LABEL: func @rms_norm
// CHECK: row.kernel ins(%{{.*}} : memref<?x64xf32>) outs(%{{.*}} : memref<?x64xf32>)
// CHECK-SAME: norm_dims = 1 attributes {kernel_name = "rms_norm"}
// CHECK-NOT: row.dim
// CHECK: %[[T:.*]] = row.load
// CHECK: row.map ins(%[[T]] : !row.tile<f32>)
// CHECK: row.reduce
// CHECK: arith.constant 1.562500e-02 : f32
// CHECK: row.store
func.func @rms_norm(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  norm.rms_norm x(%x : memref<?x64xf32>) outs y(%y : memref<?x64xf32>) epsilon = 1.0e-5
  return
}
