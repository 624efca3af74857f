// RUN: norm-opt %s -plan-create-entries -split-input-file | FileCheck %s

// A collapsed parameter must be contiguous; the product gives the other's size.

// CHECK-LABEL: plan.entry @collapse symbols = 1
// CHECK-SAME: #plan.param<"arg0", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 8, 16), contiguous_dims = 3>
// CHECK-SAME: #plan.param<"arg1", out, f32, shape = ()[s0, s1, s2, s3] -> (s0 * 8, 16), contiguous_dims = 1>
// CHECK-NOT: requirements
// CHECK: plan.variant guards = [] collapsed
// CHECK-NOT: plan.variant
func.func @collapse(%x: memref<?x8x16xf32>, %y: memref<?x16xf32>) {
  %c = memref.collapse_shape %x [[0, 1], [2]] : memref<?x8x16xf32> into memref<?x16xf32>
  row.kernel ins(%c : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// -----

// The other way round, the size must be a multiple: a requirement.

// CHECK-LABEL: plan.entry @collapse_into symbols = 1
// CHECK-SAME: #plan.param<"arg0", out, f32, shape = ()[s0, s1, s2, s3] -> (s0, 16), contiguous_dims = 1>
// CHECK-SAME: #plan.param<"arg1", in, f32, shape = ()[s0, s1, s2, s3] -> (s0 floordiv 8, 8, 16), contiguous_dims = 3>
// CHECK-SAME: requirements = [#plan.requirement<"-(arg0.shape[0] mod 8) (a reshape)", expr = ()[s0, s1, s2, s3] -> (-(s0 mod 8)), at_least = 0>]
func.func @collapse_into(%y: memref<?x16xf32>, %x: memref<?x8x16xf32>) {
  %c = memref.collapse_shape %x [[0, 1], [2]] : memref<?x8x16xf32> into memref<?x16xf32>
  row.kernel ins(%c : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// -----

// A size that is a product of symbols.

// CHECK-LABEL: plan.entry @product symbols = 3
// CHECK-SAME: shape = ()[s0, s1, s2, s3, s4, s5] -> (s0, s1, 16)
// CHECK-SAME: shape = ()[s0, s1, s2, s3, s4, s5] -> (s0 * s1, 16)
// CHECK-SAME: shape = ()[s0, s1, s2, s3, s4, s5] -> (s2)
func.func @product(%x: memref<?x?x16xf32>, %y: memref<?x16xf32>, %u: memref<?xf32>) {
  %c = memref.collapse_shape %x [[0, 1], [2]] : memref<?x?x16xf32> into memref<?x16xf32>
  row.kernel ins(%c : memref<?x16xf32>) outs(%y : memref<?x16xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x16xf32>, %out: memref<?x16xf32>):
    %0 = row.load %in : memref<?x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x16xf32>
  }
  return
}

// -----

// CHECK-LABEL: plan.entry @expand symbols = 2
// CHECK-SAME: shape = ()[s0, s1, s2, s3, s4] -> (s0), contiguous_dims = 1
// CHECK-SAME: shape = ()[s0, s1, s2, s3, s4] -> (s1, s0 floordiv s1), contiguous_dims = 1
// CHECK-SAME: requirements = [#plan.requirement<"-(arg0.shape[0] mod arg1.shape[0]) (a reshape)", expr = ()[s0, s1, s2, s3, s4] -> (-(s0 mod s1)), at_least = 0>, #plan.requirement<"cols"
func.func @expand(%x: memref<?xf32>, %y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %y, %c0 : memref<?x?xf32>
  %n = memref.dim %y, %c1 : memref<?x?xf32>
  %e = memref.expand_shape %x [[0, 1]] output_shape [%m, %n] : memref<?xf32> into memref<?x?xf32>
  row.kernel ins(%e : memref<?x?xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x?xf32>, %out: memref<?x?xf32>):
    %0 = row.load %in : memref<?x?xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// -----

// Row and column sums of a row program that was split by hand.

// CHECK-LABEL: plan.entry @split symbols = 2
// CHECK-SAME: shape = ()[s0, s1, s2, s3, s4] -> (s0, s1), contiguous_dims = 1
// CHECK-SAME: shape = ()[s0, s1, s2, s3, s4] -> (s1), contiguous_dims = 1
func.func @split(%x: memref<?x?xf32>, %g: memref<?xf32>) {
  %p = row.partials : memref<?x?xf32>
  row.kernel ins(%x : memref<?x?xf32>) outs(%p : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x?xf32>, %out: memref<?x?xf32>):
    %0 = row.load %in : memref<?x?xf32> -> !row.tile<f32>
    row.accumulate %0, %out to cols slot 0 : !row.tile<f32>, memref<?x?xf32>
  }
  row.kernel ins(%p : memref<?x?xf32>) outs(%g : memref<?xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x?xf32>, %out: memref<?xf32>):
    row.finalize %in, %out to cols slot 0 of 1 : memref<?x?xf32>, memref<?xf32>
  }
  return
}

// -----

// A size that a reshape rounds down is compared with the one that it came from.

// CHECK-LABEL: plan.entry @rounded symbols = 1
// CHECK-SAME: requirements = [#plan.requirement<"(arg0.shape[0] floordiv 4) * 4 - arg0.shape[0] (a reshape)", expr = ()[s0, s1, s2, s3] -> ((s0 floordiv 4) * 4 - s0), at_least = 0>] {
func.func @rounded(%x: memref<?x16xf32>, %y: memref<?x4x16xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = memref.dim %x, %c0 : memref<?x16xf32>
  %m = arith.divui %n, %c4 : index
  %e = memref.expand_shape %x [[0, 1], [2]] output_shape [%m, 4, 16] : memref<?x16xf32> into memref<?x4x16xf32>
  row.kernel ins(%e : memref<?x4x16xf32>) outs(%y : memref<?x4x16xf32>) norm_dims = 2 {
  ^bb0(%in: memref<?x4x16xf32>, %out: memref<?x4x16xf32>):
    %0 = row.load %in : memref<?x4x16xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x4x16xf32>
  }
  return
}
