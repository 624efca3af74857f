// y = x / max(|x|, epsilon), |x| the Euclidean norm of a row: torch's
// nn.functional.normalize with p = 2 and its epsilon, 1e-12. bf16 in and out; the
// arithmetic is in f32, and the result is rounded once, by the store.
//
//   norm-run l2_normalize.mlir l2_normalize --check --in x=normal:0:1000x100
func.func @l2_normalize(%x: memref<?x?xbf16> {norm.name = "x"},
                        %y: memref<?x?xbf16> {norm.name = "y"},
                        %norm: memref<?xf32> {norm.name = "norm"}) {
  row.kernel ins(%x : memref<?x?xbf16>) outs(%y, %norm : memref<?x?xbf16>, memref<?xf32>)
      norm_dims = 1 attributes {kernel_name = "l2_normalize"} {
  ^bb0(%in: memref<?x?xbf16>, %out: memref<?x?xbf16>, %out_norm: memref<?xf32>):
    // The load widens: values of a program are f32 or f64.
    %t = row.load %in : memref<?x?xbf16> -> !row.tile<f32>
    %square = row.map ins(%t : !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%e: f32):
      %r = arith.mulf %e, %e : f32
      row.yield %r : f32
    }
    %sum = row.reduce ins(%square : !row.tile<f32>) identities = [0.0 : f32]
        -> !row.vec<rows, f32> {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      row.yield %s : f32
    }
    %length = row.map ins(%sum : !row.vec<rows, f32>) -> !row.vec<rows, f32> {
    ^bb0(%s: f32):
      %r = math.sqrt %s : f32
      row.yield %r : f32
    }
    %inverse = row.map ins(%length : !row.vec<rows, f32>) -> !row.vec<rows, f32> {
    ^bb0(%s: f32):
      %one = arith.constant 1.0 : f32
      %epsilon = arith.constant 1.0e-12 : f32
      // maximumf, not maxnumf: a NaN must not become epsilon.
      %divisor = arith.maximumf %s, %epsilon : f32
      %r = arith.divf %one, %divisor : f32
      row.yield %r : f32
    }
    %scaled = row.map ins(%t, %inverse : !row.tile<f32>, !row.vec<rows, f32>)
        -> !row.tile<f32> {
    ^bb0(%e: f32, %factor: f32):
      %r = arith.mulf %e, %factor : f32
      row.yield %r : f32
    }
    row.store %scaled, %out : !row.tile<f32>, memref<?x?xbf16>
    // A value a row leaves in the same kernel, for a backward.
    row.store %length, %out_norm : !row.vec<rows, f32>, memref<?xf32>
  }
  return
}
