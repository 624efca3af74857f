// The gradient of softmax: dx = y * (dy - sum(dy * y)), from the result y of the forward.
//
//   norm-run softmax_backward.mlir softmax_backward --check \
//       --in dy=normal:0:1000x100 y=uniform:1
func.func @softmax_backward(%dy: memref<?x?xf32> {norm.name = "dy"},
                            %y: memref<?x?xf32> {norm.name = "y"},
                            %dx: memref<?x?xf32> {norm.name = "dx"}) {
  row.kernel ins(%dy, %y : memref<?x?xf32>, memref<?x?xf32>) outs(%dx : memref<?x?xf32>)
      norm_dims = 1 attributes {kernel_name = "softmax_backward"} {
  ^bb0(%in_dy: memref<?x?xf32>, %in_y: memref<?x?xf32>, %out: memref<?x?xf32>):
    %g = row.load %in_dy : memref<?x?xf32> -> !row.tile<f32>
    %p = row.load %in_y : memref<?x?xf32> -> !row.tile<f32>
    %product = row.map ins(%g, %p : !row.tile<f32>, !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      %r = arith.mulf %a, %b : f32
      row.yield %r : f32
    }
    %dot = row.reduce ins(%product : !row.tile<f32>) identities = [0.0 : f32]
        -> !row.vec<rows, f32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      row.yield %s : f32
    }
    // The loaded tiles are read again in this phase: from registers, from workgroup
    // memory or from the cache, whichever the tiling says.
    %d = row.map ins(%g, %p, %dot : !row.tile<f32>, !row.tile<f32>, !row.vec<rows, f32>)
        -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32, %s: f32):
      %centered = arith.subf %a, %s : f32
      %r = arith.mulf %b, %centered : f32
      row.yield %r : f32
    }
    row.store %d, %out : !row.tile<f32>, memref<?x?xf32>
  }
  return
}
