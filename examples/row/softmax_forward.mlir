// Softmax along the last dimension: y = exp(x - max(x)) / sum(exp(x - max(x))).
//
//   norm-run softmax_forward.mlir softmax_forward --check --in x=normal:0:1000x100
//
// A row program says what happens to one row. It does not say how many rows a workgroup
// takes, how a row is spread over lanes, or when lanes wait for each other: the compiler
// decides that. The phases of the kernel follow from the program: the maximum is known
// after phase 0, the sum after phase 1, and y is stored in phase 2.
func.func @softmax_forward(%x: memref<?x?xf32> {norm.name = "x"},
                           %y: memref<?x?xf32> {norm.name = "y"}) {
  // The region's arguments are the buffers. The last norm_dims dimensions are the columns.
  row.kernel ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>)
      norm_dims = 1 attributes {kernel_name = "softmax_forward"} {
  ^bb0(%in: memref<?x?xf32>, %out: memref<?x?xf32>):
    // One value for each element of the row.
    %t = row.load %in : memref<?x?xf32> -> !row.tile<f32>

    // A reduction needs an identity, here -inf: lanes without an element take part with
    // it. maximumf keeps a NaN, so that a row with one is NaN in all of y.
    %max = row.reduce ins(%t : !row.tile<f32>) identities = [0xFF800000 : f32]
        -> !row.vec<rows, f32> {
    ^bb0(%a: f32, %b: f32):
      %m = arith.maximumf %a, %b : f32
      row.yield %m : f32
    }

    // A map applies a scalar function to each element; the per-row maximum is broadcast.
    // `keep`: the exponentials are wanted in two phases and are dearer to compute than to
    // hold.
    %e = row.map keep ins(%t, %max : !row.tile<f32>, !row.vec<rows, f32>)
        -> !row.tile<f32> {
    ^bb0(%element: f32, %largest: f32):
      %d = arith.subf %element, %largest : f32
      %r = math.exp %d : f32
      row.yield %r : f32
    }
    %sum = row.reduce ins(%e : !row.tile<f32>) identities = [0.0 : f32]
        -> !row.vec<rows, f32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      row.yield %s : f32
    }

    // One division a row, then a multiplication an element.
    %inverse = row.map ins(%sum : !row.vec<rows, f32>) -> !row.vec<rows, f32> {
    ^bb0(%s: f32):
      %one = arith.constant 1.0 : f32
      %r = arith.divf %one, %s : f32
      row.yield %r : f32
    }
    %p = row.map ins(%e, %inverse : !row.tile<f32>, !row.vec<rows, f32>)
        -> !row.tile<f32> {
    ^bb0(%element: f32, %factor: f32):
      %r = arith.mulf %element, %factor : f32
      row.yield %r : f32
    }
    row.store %p, %out : !row.tile<f32>, memref<?x?xf32>
  }
  return
}
