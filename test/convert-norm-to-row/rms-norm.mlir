// RUN: norm-opt %s -convert-norm-to-row -split-input-file | FileCheck %s

// The squares are of the widened values: f16 does not overflow.
// CHECK-LABEL: func @after_weight
func.func @after_weight(%x: memref<?x?xf16>, %w: memref<?xf16>, %y: memref<?x?xf16>,
                        %r: memref<?xf32>) {
  // CHECK: kernel_name = "rms_norm"
  // CHECK: %[[X:.*]] = row.load %{{.*}} : memref<?x?xf16> -> !row.tile<f32>
  // CHECK: %[[SQ:.*]] = row.map ins(%[[X]] : !row.tile<f32>)
  // CHECK: %[[SUM:.*]] = row.reduce ins(%[[SQ]] : !row.tile<f32>) identities = [0.000000e+00 : f32]
  // CHECK: %[[R:.*]] = row.map ins(%[[SUM]], %{{.*}} : !row.vec<rows, f32>, f32)
  // CHECK: %[[W:.*]] = row.load {{.*}} -> !row.vec<cols, f32>
  // CHECK: %[[XH:.*]] = row.map ins(%[[X]], %[[R]] :
  // CHECK-NOT: row.round
  // CHECK: %[[Y:.*]] = row.map ins(%[[XH]], %[[W]] :
  // CHECK: row.store %[[Y]]
  // CHECK: row.store %[[R]]
  norm.rms_norm x(%x : memref<?x?xf16>) weight(%w : memref<?xf16>)
    outs y(%y : memref<?x?xf16>) rstd(%r : memref<?xf32>) epsilon = 1.0e-6
  return
}

// -----

// CHECK-LABEL: func @before_weight
func.func @before_weight(%x: memref<?x?xbf16>, %w: memref<?xf32>, %y: memref<?x?xf32>) {
  // CHECK: %[[H:.*]] = row.round %{{.*}} to bf16 : !row.tile<f32>
  // CHECK-NEXT: row.map ins(%[[H]], %{{.*}} : !row.tile<f32>, !row.vec<cols, f32>)
  norm.rms_norm x(%x : memref<?x?xbf16>) weight(%w : memref<?xf32>)
    outs y(%y : memref<?x?xf32>) epsilon = 1.0e-6 {cast = #norm.cast<before_weight>}
  return
}

// -----

// x's type is C: nothing to round. It is not, where another operand is f64.
// CHECK-LABEL: func @same_type
func.func @same_type(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %z: memref<?x?xf64>) {
  // CHECK: row.kernel
  // CHECK-NOT: row.round
  // CHECK: row.kernel
  // CHECK: row.round %{{.*}} to f32 : !row.tile<f64>
  norm.rms_norm x(%x : memref<?x?xf32>) outs y(%y : memref<?x?xf32>) epsilon = 1.0e-6
    {cast = #norm.cast<before_weight>}
  norm.rms_norm x(%x : memref<?x?xf32>) outs y(%z : memref<?x?xf64>) epsilon = 1.0e-6
    {cast = #norm.cast<before_weight>}
  return
}

// -----

// In the backward dweight takes the rounded value, dx the other.
// CHECK-LABEL: func @backward
func.func @backward(%dy: memref<?x?xbf16>, %x: memref<?x?xbf16>, %r: memref<?xf32>,
                    %w: memref<?xbf16>, %dx: memref<?x?xbf16>, %dw: memref<?xbf16>) {
  // CHECK: kernel_name = "rms_norm_backward"
  // CHECK: %[[DY:.*]] = row.load
  // CHECK: %[[XH:.*]] = row.map ins(%{{.*}}, %{{.*}} : !row.tile<f32>, !row.vec<rows, f32>)
  // CHECK: %[[G:.*]] = row.map ins(%[[DY]],
  // CHECK: row.map ins(%[[G]], %[[XH]] :
  // CHECK: row.reduce
  // CHECK: row.map ins(%[[G]], %[[XH]], %{{.*}}, %{{.*}} :
  // CHECK: row.store
  // CHECK: %[[H:.*]] = row.round %[[XH]] to bf16
  // CHECK: row.map ins(%[[DY]], %[[H]] :
  // CHECK: row.accumulate
  norm.rms_norm_backward dy(%dy : memref<?x?xbf16>) x(%x : memref<?x?xbf16>)
    rstd(%r : memref<?xf32>) weight(%w : memref<?xbf16>) outs dx(%dx : memref<?x?xbf16>)
    dweight(%dw : memref<?xbf16>) {cast = #norm.cast<before_weight>}
  return
}

// -----

// An absent weight is no multiplication.
// CHECK-LABEL: func @no_weight
func.func @no_weight(%dy: memref<?x?xf32>, %x: memref<?x?xf32>, %r: memref<?xf32>,
                     %dx: memref<?x?xf32>) {
  // CHECK: row.kernel ins(%{{.*}}, %{{.*}}, %{{.*}} : memref<?x?xf32>, memref<?x?xf32>, memref<?xf32>)
  // CHECK: %[[DY:.*]] = row.load
  // CHECK: %[[XH:.*]] = row.map
  // CHECK: row.map ins(%[[DY]], %[[XH]] :
  // CHECK: row.map ins(%[[DY]], %[[XH]], %{{.*}}, %{{.*}} :
  // CHECK: row.store
  norm.rms_norm_backward dy(%dy : memref<?x?xf32>) x(%x : memref<?x?xf32>)
    rstd(%r : memref<?xf32>) outs dx(%dx : memref<?x?xf32>)
  return
}
