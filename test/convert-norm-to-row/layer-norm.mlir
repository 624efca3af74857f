// RUN: norm-opt %s -convert-norm-to-row -split-input-file | FileCheck %s

// Every operand and result: parameters per column in f32, statistics per row.
// CHECK-LABEL: func @all
// CHECK-SAME: (%[[X:.*]]: memref<?x128xbf16>, %[[W:.*]]: memref<128xf16>, %[[B:.*]]: memref<128xf32>, %[[Y:.*]]: memref<?x128xbf16>, %[[M:.*]]: memref<?xf32>, %[[R:.*]]: memref<?xf32>)
func.func @all(%x: memref<?x128xbf16>, %w: memref<128xf16>, %b: memref<128xf32>,
               %y: memref<?x128xbf16>, %mean: memref<?xf32>, %rstd: memref<?xf32>) {
  // CHECK: row.kernel ins(%[[X]], %[[W]], %[[B]] : {{.*}}) outs(%[[Y]], %[[M]], %[[R]] :
  // CHECK-SAME: norm_dims = 1 attributes {kernel_name = "layer_norm"}
  // CHECK: ^bb0(%[[BX:.*]]: memref<?x128xbf16>, %[[BW:.*]]: memref<128xf16>, %[[BB:.*]]: memref<128xf32>, %[[BY:.*]]: memref<?x128xbf16>, %[[BM:.*]]: memref<?xf32>, %[[BR:.*]]: memref<?xf32>):
  // CHECK: %[[T:.*]] = row.load %[[BX]] : memref<?x128xbf16> -> !row.tile<f32>
  // CHECK: %[[MEAN:.*]], %[[M2:.*]] = row.moments %[[T]]
  // CHECK: %[[N:.*]] = row.dim cols : f32
  // CHECK: %[[I:.*]] = row.map ins(%[[N]] : f32) -> f32
  // CHECK: arith.divf
  // CHECK: %[[RSTD:.*]] = row.map ins(%[[M2]], %[[I]] : !row.vec<rows, f32>, f32) -> !row.vec<rows, f32>
  // CHECK-NEXT: ^bb0(%[[S:.*]]: f32, %[[J:.*]]: f32):
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
  // CHECK-DAG: %[[EPS:.*]] = arith.constant 9.99999974E-6 : f32
  // CHECK: %[[V:.*]] = math.fma %[[S]], %[[J]], %[[EPS]] : f32
  // CHECK-NEXT: %[[ROOT:.*]] = math.sqrt %[[V]] : f32
  // CHECK-NEXT: arith.divf %[[ONE]], %[[ROOT]] : f32
  // CHECK: %[[LW:.*]] = row.load %[[BW]] : memref<128xf16> -> !row.vec<cols, f32>
  // CHECK: %[[LB:.*]] = row.load %[[BB]] : memref<128xf32> -> !row.vec<cols, f32>
  // CHECK: %[[XH:.*]] = row.map ins(%[[T]], %[[MEAN]], %[[RSTD]] :
  // CHECK: arith.subf
  // CHECK-NEXT: arith.mulf
  // CHECK: %[[YV:.*]] = row.map ins(%[[XH]], %[[LW]], %[[LB]] :
  // CHECK: math.fma
  // CHECK: row.store %[[YV]], %[[BY]]
  // CHECK: row.store %[[MEAN]], %[[BM]]
  // CHECK: row.store %[[RSTD]], %[[BR]]
  // CHECK-NOT: norm.
  norm.layer_norm x(%x : memref<?x128xbf16>) weight(%w : memref<128xf16>)
    bias(%b : memref<128xf32>) outs y(%y : memref<?x128xbf16>)
    mean(%mean : memref<?xf32>) rstd(%rstd : memref<?xf32>) epsilon = 1.0e-5
  return
}

// -----

// The offset is added in C, per column, before anything is multiplied.
// CHECK-LABEL: func @offset
func.func @offset(%x: memref<?x?xbf16>, %w: memref<?xbf16>, %y: memref<?x?xbf16>) {
  // CHECK: %[[W:.*]] = row.load %{{.*}} : memref<?xbf16> -> !row.vec<cols, f32>
  // CHECK-NEXT: %[[OW:.*]] = row.map ins(%[[W]] : !row.vec<cols, f32>) -> !row.vec<cols, f32>
  // CHECK: arith.addf
  // CHECK: row.map ins(%{{.*}}, %[[OW]] : !row.tile<f32>, !row.vec<cols, f32>)
  // CHECK: arith.mulf
  // CHECK: row.store
  norm.layer_norm x(%x : memref<?x?xbf16>) weight(%w : memref<?xbf16>)
    outs y(%y : memref<?x?xbf16>) epsilon = 1.0e-5 {weight_offset = 1.0 : f64}
  return
}

// -----

// The mean alone: no root, no dim.
// CHECK-LABEL: func @mean_only
func.func @mean_only(%x: memref<?x?xf32>, %w: memref<?xf32>, %m: memref<?xf32>) {
  // CHECK: row.kernel ins(%{{[^,]*}} : memref<?x?xf32>) outs(%{{[^,]*}} : memref<?xf32>)
  // CHECK: row.moments
  // CHECK-NEXT: row.store
  // CHECK-NEXT: }
  norm.layer_norm x(%x : memref<?x?xf32>) weight(%w : memref<?xf32>)
    outs mean(%m : memref<?xf32>) epsilon = 1.0e-5
  return
}

// -----

// One f64 operand makes every value f64, epsilon too; two normalized dimensions.
// CHECK-LABEL: func @wide
func.func @wide(%x: memref<4x?x8x16xf32>, %b: memref<8x16xf64>, %y: memref<4x?x8x16xbf16>) {
  // CHECK: norm_dims = 2
  // CHECK: row.load %{{.*}} : memref<4x?x8x16xf32> -> !row.tile<f64>
  // CHECK: row.moments %{{.*}} : !row.tile<f64>
  // CHECK: arith.constant 1.000000e-05 : f64
  // CHECK: row.load %{{.*}} : memref<8x16xf64> -> !row.vec<cols, f64>
  // CHECK: row.map ins(%{{.*}}, %{{.*}} : !row.tile<f64>, !row.vec<cols, f64>) -> !row.tile<f64>
  // CHECK: arith.addf
  // CHECK: row.store %{{.*}}, %{{.*}} : !row.tile<f64>, memref<4x?x8x16xbf16>
  norm.layer_norm x(%x : memref<4x?x8x16xf32>) bias(%b : memref<8x16xf64>)
    outs y(%y : memref<4x?x8x16xbf16>) epsilon = 1.0e-5 {norm_dims = 2 : i64}
  return
}

// -----

// The two sums of a row are one reduction; the sums down the columns stand beside it.
// CHECK-LABEL: func @backward
func.func @backward(%dy: memref<?x?xf32>, %x: memref<?x?xf32>, %m: memref<?xf32>,
                    %r: memref<?xf32>, %w: memref<?xf32>, %dx: memref<?x?xf32>,
                    %dw: memref<?xf32>, %db: memref<?xf32>) {
  // CHECK: kernel_name = "layer_norm_backward"
  // CHECK: %[[DY:.*]] = row.load
  // CHECK: %[[X:.*]] = row.load
  // CHECK: %[[M:.*]] = row.load {{.*}} -> !row.vec<rows, f32>
  // CHECK: %[[R:.*]] = row.load {{.*}} -> !row.vec<rows, f32>
  // CHECK: %[[XH:.*]] = row.map ins(%[[X]], %[[M]], %[[R]] :
  // CHECK: %[[W:.*]] = row.load {{.*}} -> !row.vec<cols, f32>
  // CHECK: %[[G:.*]] = row.map ins(%[[DY]], %[[W]] :
  // CHECK: %[[GXH:.*]] = row.map ins(%[[G]], %[[XH]] :
  // CHECK: %[[SUMS:.*]]:2 = row.reduce ins(%[[G]], %[[GXH]] :
  // CHECK-SAME: identities = [0.000000e+00 : f32, 0.000000e+00 : f32]
  // CHECK: row.map ins(%[[SUMS]]#0, %[[I:.*]] : !row.vec<rows, f32>, f32)
  // CHECK: row.map ins(%[[SUMS]]#1, %[[I]] : !row.vec<rows, f32>, f32)
  // CHECK: %[[DX:.*]] = row.map ins(%[[G]], %[[XH]], %[[R]],
  // CHECK: row.store %[[DX]]
  // CHECK: %[[P:.*]] = row.map ins(%[[DY]], %[[XH]] :
  // CHECK: row.accumulate %[[P]], %{{.*}} to cols
  // CHECK: row.accumulate %[[DY]], %{{.*}} to cols
  norm.layer_norm_backward dy(%dy : memref<?x?xf32>) x(%x : memref<?x?xf32>)
    mean(%m : memref<?xf32>) rstd(%r : memref<?xf32>) weight(%w : memref<?xf32>)
    outs dx(%dx : memref<?x?xf32>) dweight(%dw : memref<?xf32>) dbias(%db : memref<?xf32>)
  return
}

// -----

// dweight alone reads no weight and reduces no row.
// CHECK-LABEL: func @dweight_only
func.func @dweight_only(%dy: memref<?x?xf32>, %x: memref<?x?xf32>, %m: memref<?xf32>,
                        %r: memref<?xf32>, %w: memref<?xf32>, %dw: memref<?xf32>) {
  // CHECK: row.kernel ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : memref<?x?xf32>, memref<?x?xf32>, memref<?xf32>, memref<?xf32>) outs(%{{.*}} : memref<?xf32>)
  // CHECK-NOT: row.reduce
  // CHECK-NOT: row.dim
  // CHECK: row.accumulate
  norm.layer_norm_backward dy(%dy : memref<?x?xf32>) x(%x : memref<?x?xf32>)
    mean(%m : memref<?xf32>) rstd(%r : memref<?xf32>) weight(%w : memref<?xf32>)
    outs dweight(%dw : memref<?xf32>)
  return
}

// -----

// dbias alone reads dy alone.
// CHECK-LABEL: func @dbias_only
// CHECK-SAME: (%[[DY:[^:]*]]: memref<?x?xf32>,
func.func @dbias_only(%dy: memref<?x?xf32>, %x: memref<?x?xf32>, %m: memref<?xf32>,
                      %r: memref<?xf32>, %db: memref<?xf32>) {
  // CHECK: row.kernel ins(%[[DY]] : memref<?x?xf32>) outs(%{{.*}} : memref<?xf32>)
  // CHECK: row.load
  // CHECK-NEXT: row.accumulate
  // CHECK-NEXT: }
  norm.layer_norm_backward dy(%dy : memref<?x?xf32>) x(%x : memref<?x?xf32>)
    mean(%m : memref<?xf32>) rstd(%r : memref<?xf32>) outs dbias(%db : memref<?xf32>)
  return
}
