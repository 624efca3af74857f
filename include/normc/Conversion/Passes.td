//===- Passes.td - Passes from one level of the flow to the next ------------===//
#ifndef NORMC_CONVERSION_PASSES_TD
#define NORMC_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertNormToRowPass : Pass<"convert-norm-to-row"> {
  let summary = "replace each norm op on memrefs by a row.kernel";
  let description = [{
    Writes the row program of each op of the `norm` dialect: what the op defines, in the
    order and with the roundings that it defines, in its accumulator type C (f64 if any
    operand is f64, else f32). Nothing is decided here: the kernels have no tiling, and
    their sums down the columns go straight into the gradients.

    Only what an op asks for is computed, and a kernel has only the buffers that it uses:
    a backward that asks for dbias alone reads dy alone.

    Numerics: rstd is 1/sqrt with both correctly rounded, a product that is added to is
    one fma, and no operation may be contracted or reassociated. tanh carries `afn`,
    which lets a target use its hardware's, where the op's accuracy allows it. The
    backward of tanh comes from one exponential (see Dyt.cpp).

    The ops must be on memrefs; `norm-bufferize` takes tensors there.

    Example:

    ```mlir
    norm.rms_norm x(%x : memref<?x64xf32>) outs y(%y : memref<?x64xf32>)
        epsilon = 1.0e-5
    ```

    becomes

    ```mlir
    row.kernel ins(%x : memref<?x64xf32>) outs(%y : memref<?x64xf32>)
        norm_dims = 1 attributes {kernel_name = "rms_norm"} {
    ^bb0(%in: memref<?x64xf32>, %out: memref<?x64xf32>):
      %n = row.dim cols : f32
      %inverse = row.map ins(%n : f32) -> f32 {
      ^bb0(%e: f32):
        %one = arith.constant 1.0 : f32
        %r = arith.divf %one, %e : f32
        row.yield %r : f32
      }
      %t = row.load %in : memref<?x64xf32> -> !row.tile<f32>
      %sq = row.map ins(%t : !row.tile<f32>) -> !row.tile<f32> {
      ^bb0(%e: f32):
        %r = arith.mulf %e, %e : f32
        row.yield %r : f32
      }
      %sum = row.reduce ins(%sq : !row.tile<f32>) identities = [0.0 : f32]
          -> !row.vec<rows, f32> {
      ^bb0(%a: f32, %b: f32):
        %r = arith.addf %a, %b : f32
        row.yield %r : f32
      }
      %rstd = row.map ins(%sum, %inverse : !row.vec<rows, f32>, f32)
          -> !row.vec<rows, f32> {
      ^bb0(%s: f32, %i: f32):
        %eps = arith.constant 1.0e-5 : f32
        %one = arith.constant 1.0 : f32
        %v = math.fma %s, %i, %eps : f32
        %root = math.sqrt %v : f32
        %r = arith.divf %one, %root : f32
        row.yield %r : f32
      }
      %xh = row.map ins(%t, %rstd : !row.tile<f32>, !row.vec<rows, f32>)
          -> !row.tile<f32> {
      ^bb0(%e: f32, %s: f32):
        %r = arith.mulf %e, %s : f32
        row.yield %r : f32
      }
      row.store %xh, %out : !row.tile<f32>, memref<?x64xf32>
    }
    ```
  }];
  let dependentDialects = ["::normc::row::RowDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

#endif // NORMC_CONVERSION_PASSES_TD
