// The residual addition and the norm after it, in one pass over memory, with both
// results: sum = x + residual, y = sum / rms(sum) * weight, as it stands before each
// block of a transformer.
//
//   norm-run add_rms_norm.mlir add_rms_norm --check \
//       --in x=normal:0:1000x768 residual=normal:1 weight=normal:2
//
// The sum is stored in bf16 and read again by the next block. What is normalized is that
// stored value, not the wider one: row.round says so, and y is then the same as if two
// kernels had done it.
func.func @add_rms_norm(%x: memref<?x?xbf16> {norm.name = "x"},
                        %residual: memref<?x?xbf16> {norm.name = "residual"},
                        %weight: memref<?xbf16> {norm.name = "weight"},
                        %sum: memref<?x?xbf16> {norm.name = "sum"},
                        %y: memref<?x?xbf16> {norm.name = "y"}) {
  row.kernel ins(%x, %residual, %weight : memref<?x?xbf16>, memref<?x?xbf16>, memref<?xbf16>)
      outs(%sum, %y : memref<?x?xbf16>, memref<?x?xbf16>)
      norm_dims = 1 attributes {kernel_name = "add_rms_norm"} {
  ^bb0(%in_x: memref<?x?xbf16>, %in_residual: memref<?x?xbf16>, %in_weight: memref<?xbf16>,
       %out_sum: memref<?x?xbf16>, %out_y: memref<?x?xbf16>):
    %a = row.load %in_x : memref<?x?xbf16> -> !row.tile<f32>
    %b = row.load %in_residual : memref<?x?xbf16> -> !row.tile<f32>
    // One value a column, broadcast over the rows.
    %w = row.load %in_weight : memref<?xbf16> -> !row.vec<cols, f32>
    %wide = row.map ins(%a, %b : !row.tile<f32>, !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      row.yield %s : f32
    }
    %t = row.round %wide to bf16 : !row.tile<f32>
    row.store %t, %out_sum : !row.tile<f32>, memref<?x?xbf16>

    %square = row.map ins(%t : !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%e: f32):
      %r = arith.mulf %e, %e : f32
      row.yield %r : f32
    }
    %squares = row.reduce ins(%square : !row.tile<f32>) identities = [0.0 : f32]
        -> !row.vec<rows, f32> {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      row.yield %s : f32
    }
    // The number of columns is known at launch only; with static columns this folds.
    %cols = row.dim cols : f32
    %inverse_cols = row.map ins(%cols : f32) -> f32 {
    ^bb0(%n: f32):
      %one = arith.constant 1.0 : f32
      %r = arith.divf %one, %n : f32
      row.yield %r : f32
    }
    %rstd = row.map ins(%squares, %inverse_cols : !row.vec<rows, f32>, f32)
        -> !row.vec<rows, f32> {
    ^bb0(%s: f32, %i: f32):
      %epsilon = arith.constant 1.0e-6 : f32
      %one = arith.constant 1.0 : f32
      %v = math.fma %s, %i, %epsilon : f32
      %root = math.sqrt %v : f32
      %r = arith.divf %one, %root : f32
      row.yield %r : f32
    }
    // Element, row and column in one map.
    %scaled = row.map ins(%t, %rstd, %w : !row.tile<f32>, !row.vec<rows, f32>,
                          !row.vec<cols, f32>) -> !row.tile<f32> {
    ^bb0(%e: f32, %s: f32, %g: f32):
      %n = arith.mulf %e, %s : f32
      %r = arith.mulf %n, %g : f32
      row.yield %r : f32
    }
    row.store %scaled, %out_y : !row.tile<f32>, memref<?x?xbf16>
  }
  return
}
