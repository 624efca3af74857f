// Softmax with one exchange instead of two: maximum and sum are reduced together
// (Milakov and Gimelshein, Online normalizer calculation for softmax, 2018).
//
//   norm-run softmax_online.mlir softmax_online --check --in x=normal:0:1000x100
//
// A reduction may carry several values. Here each side is a maximum and the sum of the
// exponentials relative to it; to combine two sides, each sum is scaled to the larger
// maximum.
func.func @softmax_online(%x: memref<?x?xf32> {norm.name = "x"},
                          %y: memref<?x?xf32> {norm.name = "y"}) {
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>)
      norm_dims = 1 attributes {kernel_name = "softmax_online"} {
  ^bb0(%in: memref<?x?xf32>, %out: memref<?x?xf32>):
    %t = row.load %in : memref<?x?xf32> -> !row.tile<f32>
    // An element alone is its own maximum, and its sum is exp(0) = 1. The input of this
    // map is not used, but says that the result has a value for each element.
    %one = row.map ins(%t : !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%element: f32):
      %c = arith.constant 1.0 : f32
      row.yield %c : f32
    }

    // Of the identities it is asked that combine(identity, identity) = identity. With
    // exp(m - max) alone that fails: -inf - (-inf) is NaN. The side that has the maximum
    // is not scaled at all, so it is selected before the difference matters.
    %max, %sum = row.reduce ins(%t, %one : !row.tile<f32>, !row.tile<f32>)
        identities = [0xFF800000 : f32, 0.0 : f32]
        -> !row.vec<rows, f32>, !row.vec<rows, f32> {
    ^bb0(%max_a: f32, %sum_a: f32, %max_b: f32, %sum_b: f32):
      %unit = arith.constant 1.0 : f32
      %m = arith.maximumf %max_a, %max_b : f32
      %diff_a = arith.subf %max_a, %m : f32
      %exp_a = math.exp %diff_a : f32
      %is_a = arith.cmpf oeq, %max_a, %m : f32
      %scale_a = arith.select %is_a, %unit, %exp_a : f32
      %diff_b = arith.subf %max_b, %m : f32
      %exp_b = math.exp %diff_b : f32
      %is_b = arith.cmpf oeq, %max_b, %m : f32
      %scale_b = arith.select %is_b, %unit, %exp_b : f32
      %scaled_b = arith.mulf %sum_b, %scale_b : f32
      %s = math.fma %sum_a, %scale_a, %scaled_b : f32
      row.yield %m, %s : f32, f32
    }

    %inverse = row.map ins(%sum : !row.vec<rows, f32>) -> !row.vec<rows, f32> {
    ^bb0(%s: f32):
      %unit = arith.constant 1.0 : f32
      %r = arith.divf %unit, %s : f32
      row.yield %r : f32
    }
    %p = row.map ins(%t, %max, %inverse : !row.tile<f32>, !row.vec<rows, f32>,
                     !row.vec<rows, f32>) -> !row.tile<f32> {
    ^bb0(%element: f32, %largest: f32, %factor: f32):
      %d = arith.subf %element, %largest : f32
      %e = math.exp %d : f32
      %r = arith.mulf %e, %factor : f32
      row.yield %r : f32
    }
    row.store %p, %out : !row.tile<f32>, memref<?x?xf32>
  }
  return
}
