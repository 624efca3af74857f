// RUN: norm-opt %s -plan-create-entries | FileCheck %s

// Names, directions, one symbol for each distinct dynamic dimension, static sizes where
// any operand of a kernel has one, and no function left.

// CHECK-NOT: func.func

// CHECK-LABEL: plan.entry @names symbols = 1
// CHECK-SAME: #plan.param<"x", in, bf16, shape = ()[s0, s1, s2, s3] -> (s0, 128), contiguous_dims = 1>
// CHECK-SAME: #plan.param<"arg1", in, f32, shape = ()[s0, s1, s2, s3] -> (128), contiguous_dims = 1>
// CHECK-SAME: #plan.param<"y", out, f32, shape = ()[s0, s1, s2, s3] -> (s0, 128), contiguous_dims = 1>
// CHECK-SAME: #plan.param<"r", out, f64, shape = ()[s0, s1, s2, s3] -> (s0), contiguous_dims = 0>
// CHECK-NOT: requirements
// CHECK: ^bb0(%[[X:.*]]: memref<?x128xbf16>, %[[W:.*]]: memref<128xf32>, %[[Y:.*]]: memref<?x128xf32>, %[[R:.*]]: memref<?xf64>):
// CHECK: plan.variant guards = [] collapsed {
// CHECK-NEXT: row.kernel ins(%[[X]], %[[W]] : {{.*}}) outs(%[[Y]], %[[R]] :
// CHECK-NOT: plan.variant
func.func @names(%x: memref<?x128xbf16> {norm.name = "x"}, %w: memref<128xf32>,
                 %y: memref<?x128xf32> {norm.name = "y", norm.out},
                 %r: memref<?xf64> {norm.name = "r"}) {
  row.kernel ins(%x, %w : memref<?x128xbf16>, memref<128xf32>)
      outs(%y, %r : memref<?x128xf32>, memref<?xf64>) norm_dims = 1 {
  ^bb0(%in: memref<?x128xbf16>, %scale: memref<128xf32>, %out: memref<?x128xf32>, %rows: memref<?xf64>):
    %0 = row.load %in : memref<?x128xbf16> -> !row.tile<f32>
    %1 = row.load %scale : memref<128xf32> -> !row.vec<cols, f32>
    %2 = row.map ins(%0, %1 : !row.tile<f32>, !row.vec<cols, f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      %m = arith.mulf %a, %b : f32
      row.yield %m : f32
    }
    row.store %2, %out : !row.tile<f32>, memref<?x128xf32>
    %mean, %m2 = row.moments %0 : !row.tile<f32> -> !row.vec<rows, f32>, !row.vec<rows, f32>
    row.store %mean, %rows : !row.vec<rows, f32>, memref<?xf64>
  }
  return
}

// Static sizes win, whoever has them; dynamic columns must be at least one.

// CHECK-LABEL: plan.entry @static_wins symbols = 1
// CHECK-SAME: #plan.param<"arg0", in, f32, shape = ()[s0, s1, s2, s3] -> (64, s0), contiguous_dims = 1>
// CHECK-SAME: #plan.param<"arg1", out, f32, shape = ()[s0, s1, s2, s3] -> (64, s0), contiguous_dims = 1>
// CHECK-SAME: requirements = [#plan.requirement<"cols", expr = ()[s0, s1, s2, s3] -> (s0), at_least = 1>]
func.func @static_wins(%x: memref<?x?xf32>, %y: memref<64x?xf32>) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<64x?xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x?xf32>, %out: memref<64x?xf32>):
    %0 = row.load %in : memref<?x?xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<64x?xf32>
  }
  return
}

// A cast to a static size is a demand on the parameter; an unused parameter has symbols
// of its own.

// CHECK-LABEL: plan.entry @cast symbols = 2
// CHECK-SAME: #plan.param<"arg0", in, f32, shape = ()[s0, s1, s2, s3, s4] -> (s0), contiguous_dims = 0>
// CHECK-SAME: #plan.param<"arg1", in, f32, shape = ()[s0, s1, s2, s3, s4] -> (s1, 8), contiguous_dims = 1>
// CHECK-SAME: #plan.param<"arg2", out, f32, shape = ()[s0, s1, s2, s3, s4] -> (s1, 8), contiguous_dims = 1>
func.func @cast(%unused: memref<?xf32>, %x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %c = memref.cast %x : memref<?x?xf32> to memref<?x8xf32>
  row.kernel ins(%c : memref<?x8xf32>) outs(%y : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x8xf32>, %out: memref<?x?xf32>):
    %0 = row.load %in : memref<?x8xf32> -> !row.tile<f32>
    row.store %0, %out : !row.tile<f32>, memref<?x?xf32>
  }
  return
}

// CHECK-LABEL: plan.entry @scalar symbols = 1
// CHECK-SAME: #plan.param<"arg0", in, f32, shape = ()[s0, s1, s2, s3] -> (), contiguous_dims = 0>
// CHECK-SAME: #plan.param<"arg1", in, f32, shape = ()[s0, s1, s2, s3] -> (s0, 4), contiguous_dims = 1>
func.func @scalar(%a: memref<f32>, %x: memref<?x4xf32>, %y: memref<?x4xf32>) {
  row.kernel ins(%a, %x : memref<f32>, memref<?x4xf32>) outs(%y : memref<?x4xf32>) norm_dims = 1 {
  ^bb0(%in: memref<f32>, %in2: memref<?x4xf32>, %out: memref<?x4xf32>):
    %0 = row.load %in : memref<f32> -> f32
    %1 = row.load %in2 : memref<?x4xf32> -> !row.tile<f32>
    %2 = row.map ins(%0, %1 : f32, !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%l: f32, %r: f32):
      %m = arith.mulf %l, %r : f32
      row.yield %m : f32
    }
    row.store %2, %out : !row.tile<f32>, memref<?x4xf32>
  }
  return
}
