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

def ConvertRowToHostPass : Pass<"convert-row-to-host", "::mlir::ModuleOp"> {
  let summary = "lower scheduled kernels to functions of the processor";
  let description = [{
    Replaces every `plan.kernel` function, which holds one `row.kernel` with a tiling, by
    an `llvm.func` of the same name that takes the flat arguments of the kernel
    (normc/Plan/KernelAbi.h) as an array of 64-bit integers, and a workgroup's number.
    A workgroup is a block of consecutive rows.

    Vectors lie along the columns, or across rows with `lanes_per_row = 1`. Rows are
    walked in tiles; a tile stays in registers between its passes where `residency` says
    so and is read again from cache otherwise.

    Numerics: a row is summed in an order that depends on its columns, `vector_elems` and
    `vectors_in_flight` alone. Moments are taken of x - x0, x0 the row's first value, in
    two passes. f64 to f16 or bf16 goes through f32 rounded to odd.
  }];
  let dependentDialects = [
      "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
      "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
      "::mlir::LLVM::LLVMDialect"];
}

def ConvertRowToGpuPass : Pass<"convert-row-to-gpu", "::mlir::ModuleOp"> {
  let summary = "lower scheduled kernels to kernels of a GPU";
  let description = [{
    Replaces every `plan.kernel` function, which holds one `row.kernel` with a tiling, by
    a `gpu.func` of the same name in one `gpu.module`. It takes the flat arguments of the
    kernel (normc/Plan/KernelAbi.h): pointers to global memory and 64-bit integers. The
    launches of the kernel learn how much workgroup memory it needs.

    Numerics: a row is summed over the elements of a lane, over lanes by shuffles, over
    subgroups through workgroup memory; columns, types and tiling fix the order. Moments
    are taken in two passes in a lane, with the mean corrected, and merged by their
    counts. There are no atomics.
  }];
  let dependentDialects = [
      "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
      "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
      "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect",
      "::mlir::NVVM::NVVMDialect"];
}

def LowerHostMathPass : Pass<"lower-host-math", "::mlir::ModuleOp"> {
  let summary = "lower math functions to polynomials and calls of the C library";
  let description = [{
    exp, tanh, erf and log in f32 become MLIR's polynomial approximations, on whole
    vectors, but tanh with `afn` a shorter quotient, and exp of -c*|u| what needs no
    check for overflow; every other function, and all in f64, becomes a call of the C
    math library for each lane. What the processor has as an instruction is left alone.
    f32 is rounded to bf16 by integers.

    Numerics: docs/numerics.md states the largest errors in ulp.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::vector::VectorDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def LowerGpuMathPass : Pass<"lower-gpu-math", "::mlir::ModuleOp"> {
  let summary = "lower math functions of f32 to what a GPU has";
  let description = [{
    In every gpu.module: exp and exp2 become the hardware's 2^x, exp with what rounding
    x*log2(e) left put back; tanh with `afn` becomes the hardware's, which is 2^-11
    relative, on NVIDIA's GPUs; other tanh, erf and log become MLIR's polynomial
    approximations.

    Numerics: docs/numerics.md states the largest errors in ulp.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerOpenclMathPass : Pass<"lower-opencl-math", "::mlir::gpu::GPUModuleOp"> {
  let summary = "call OpenCL's functions that LLVM has no intrinsics for";
  let description = [{
    acosh, asinh, atanh, cbrt and erfc become calls of OpenCL's functions, of which the
    SPIR-V back end makes extended instructions.

    Numerics: 2 ulp for cbrt, 4 for acosh and asinh, 5 for atanh and 16 for erfc at most
    (OpenCL C Specification 3.0, "Relative Error as ULPs").
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::vector::VectorDialect"];
}

#endif // NORMC_CONVERSION_PASSES_TD
