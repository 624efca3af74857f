//===- NormOps.td - The norm dialect: what to compute -----------------------===//
#ifndef NORMC_DIALECTS_NORM_NORMOPS_TD
#define NORMC_DIALECTS_NORM_NORMOPS_TD

include "dialects/norm/NormInterfaces.td"
include "dialects/norm/NormTypes.td"
include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Norm_Buffer
    : AnyTypeOf<[RankedTensorOf<[F16, BF16, F32, F64]>, MemRefOf<[F16, BF16, F32, F64]>],
                "ranked tensor or memref of f16, bf16, f32 or f64",
                "::mlir::ShapedType">;

// Everything but the operands and the verifier of what is the op's own is shared: the
// methods of the interfaces are functions over the named operands (NormDetail.h).
class Norm_Op<string mnemonic>
    : Op<Norm_Dialect, mnemonic, [
          AttrSizedOperandSegments, DeclareOpInterfaceMethods<Norm_OpInterface>,
          DestinationStyleOpInterface, MemoryEffectsOpInterface,
          ReifyRankedShapedTypeOpInterface, BufferizableOpInterface]> {
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return ::normc::norm::shared::initRange(*this);
    }
    void getEffects(::llvm::SmallVectorImpl<::mlir::SideEffects::EffectInstance<
                        ::mlir::MemoryEffects::Effect>> &effects) {
      ::normc::norm::shared::addEffects(*this, effects);
    }
    ::llvm::LogicalResult reifyResultShapes(
        ::mlir::OpBuilder &builder, ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      return ::normc::norm::shared::reifyShapes(builder, *this, shapes);
    }
    bool bufferizesToMemoryRead(::mlir::OpOperand &operand,
                                const ::mlir::bufferization::AnalysisState &) {
      return !isDpsInit(&operand);
    }
    bool bufferizesToMemoryWrite(::mlir::OpOperand &operand,
                                 const ::mlir::bufferization::AnalysisState &) {
      return isDpsInit(&operand);
    }
    ::mlir::bufferization::AliasingValueList
    getAliasingValues(::mlir::OpOperand &operand,
                      const ::mlir::bufferization::AnalysisState &) {
      if (!isDpsInit(&operand))
        return {};
      return {{getTiedOpResult(&operand),
               ::mlir::bufferization::BufferRelation::Equivalent}};
    }
    ::llvm::LogicalResult bufferize(
        ::mlir::RewriterBase &rewriter,
        const ::mlir::bufferization::BufferizationOptions &options,
        ::mlir::bufferization::BufferizationState &state) {
      return ::normc::norm::shared::bufferize(*this, rewriter, options, state);
    }
  }];
}

//===----------------------------------------------------------------------===//
// layer_norm
//===----------------------------------------------------------------------===//

def Norm_LayerNormOp : Norm_Op<"layer_norm"> {
  let summary = "layer normalization";
  let description = [{
    With n normalized elements in a row:

    ```
    mu = sum(x)/n; v = sum((x-mu)^2)/n; rstd = 1/sqrt(v+epsilon); xh = (x-mu)*rstd
    y  = xh*(weight_offset+weight) + bias
    ```

    An absent weight means ones, an absent bias zeros. `mean` and `rstd` are what
    `norm.layer_norm_backward` takes.

    ```mlir
    %y, %mean, %rstd = norm.layer_norm x(%x : tensor<?x1024xbf16>)
        weight(%w : tensor<1024xf32>) bias(%b : tensor<1024xf32>)
        outs y(%yi : tensor<?x1024xbf16>) mean(%mi : tensor<?xf32>)
             rstd(%ri : tensor<?xf32>)
        epsilon = 1.000000e-05
        -> tensor<?x1024xbf16>, tensor<?xf32>, tensor<?xf32>
    ```

    Constraints:
    - (layer_norm_c1) `norm_dims` is at least 1 and at most the rank of `x`.
    - (layer_norm_c2) At least one init is present.
    - (layer_norm_c3) All operands are tensors without an encoding, or all are memrefs in
      the default memory space.
    - (layer_norm_c4) The result types are those of the tensor inits, in order; memrefs:
      no result.
    - (layer_norm_c5) `y` is of the shape of `x`.
    - (layer_norm_c6) `weight` and `bias` are of the shape of the normalized dimensions.
    - (layer_norm_c7) No normalized dimension is statically 0: cols is at least 1.
    - (layer_norm_c8) The normalized dimensions of a memref are contiguous, so far as
      its type says.
    - (layer_norm_c9) On memrefs, no init is the value of another operand.
    - (layer_norm_c10) `mean` and `rstd` are of the shape of `x` without the normalized
      dimensions.
    - (layer_norm_c11) `mean` and `rstd` are of element type f64 where `x` has it, else
      f32.
    - (layer_norm_c12) `epsilon`, rounded to the accumulator's type, is finite and >= 0.
    - (layer_norm_c13) `weight_offset`, rounded to the accumulator's type, is
      finite, and 0 where `weight` is absent.
  }];
  let arguments = (ins Norm_Buffer:$x, Optional<Norm_Buffer>:$weight,
      Optional<Norm_Buffer>:$bias, Optional<Norm_Buffer>:$y_init,
      Optional<Norm_Buffer>:$mean_init, Optional<Norm_Buffer>:$rstd_init,
      F64Attr:$epsilon, DefaultValuedAttr<I64Attr, "1">:$norm_dims,
      DefaultValuedAttr<F64Attr, "0.0">:$weight_offset);
  let assemblyFormat = [{
    `x` `(` $x `:` type($x) `)` (`weight` `(` $weight^ `:` type($weight) `)`)?
    (`bias` `(` $bias^ `:` type($bias) `)`)? `outs`
    (`y` `(` $y_init^ `:` type($y_init) `)`)?
    (`mean` `(` $mean_init^ `:` type($mean_init) `)`)?
    (`rstd` `(` $rstd_init^ `:` type($rstd_init) `)`)? `epsilon` `=` $epsilon
    attr-dict (`->` type($results)^)?
  }];
}

def Norm_LayerNormBackwardOp : Norm_Op<"layer_norm_backward"> {
  let summary = "gradients of layer normalization";
  let description = [{
    With xh = (x-mean)*rstd and n normalized elements in a row:

    ```
    g  = dy*(weight_offset+weight); dx = rstd*(g - sum(g)/n - xh*sum(g*xh)/n)
    dweight = sum over rows of dy*xh; dbias = sum over rows of dy
    ```

    Only the gradients whose init is present are computed. An absent weight means ones;
    dweight and dbias may be asked for all the same.

    ```mlir
    norm.layer_norm_backward dy(%dy : memref<64x24xf32>) x(%x : memref<64x24xf32>)
        mean(%mean : memref<64xf32>) rstd(%rstd : memref<64xf32>)
        weight(%w : memref<24xf32>)
        outs dx(%dx : memref<64x24xf32>) dweight(%dw : memref<24xf32>)
    ```

    Constraints:
    - (layer_norm_backward_c1) `norm_dims` is at least 1 and at most the rank of `x`.
    - (layer_norm_backward_c2) At least one init is present.
    - (layer_norm_backward_c3) All operands are tensors without an encoding, or all are memrefs in
      the default memory space.
    - (layer_norm_backward_c4) The result types are those of the tensor inits, in order;
      memrefs: no result.
    - (layer_norm_backward_c5) `dy` and `dx` are of the shape of `x`.
    - (layer_norm_backward_c6) `weight`, `dweight` and `dbias` are of the shape of the
      normalized dimensions.
    - (layer_norm_backward_c7) No normalized dimension is statically 0: cols is at least
      1.
    - (layer_norm_backward_c8) The normalized dimensions of a memref are contiguous, so
      far as its type says.
    - (layer_norm_backward_c9) On memrefs, no init is the value of another operand.
    - (layer_norm_backward_c10) `mean` and `rstd` are of the shape of `x` without the
      normalized dimensions.
    - (layer_norm_backward_c11) `mean` and `rstd` are of element type f64 where `x` has
      it, else f32.
    - (layer_norm_backward_c12) `weight_offset`, rounded to the accumulator's type, is
      finite, and 0 where `weight` is absent.
  }];
  let arguments = (ins Norm_Buffer:$dy, Norm_Buffer:$x, Norm_Buffer:$mean,
      Norm_Buffer:$rstd, Optional<Norm_Buffer>:$weight, Optional<Norm_Buffer>:$dx_init,
      Optional<Norm_Buffer>:$dweight_init, Optional<Norm_Buffer>:$dbias_init,
      DefaultValuedAttr<I64Attr, "1">:$norm_dims,
      DefaultValuedAttr<F64Attr, "0.0">:$weight_offset);
  let assemblyFormat = [{
    `dy` `(` $dy `:` type($dy) `)` `x` `(` $x `:` type($x) `)`
    `mean` `(` $mean `:` type($mean) `)` `rstd` `(` $rstd `:` type($rstd) `)`
    (`weight` `(` $weight^ `:` type($weight) `)`)? `outs`
    (`dx` `(` $dx_init^ `:` type($dx_init) `)`)?
    (`dweight` `(` $dweight_init^ `:` type($dweight_init) `)`)?
    (`dbias` `(` $dbias_init^ `:` type($dbias_init) `)`)?
    attr-dict (`->` type($results)^)?
  }];
}

//===----------------------------------------------------------------------===//
// rms_norm
//===----------------------------------------------------------------------===//

def Norm_RmsNormOp : Norm_Op<"rms_norm"> {
  let summary = "root mean square normalization";
  let description = [{
    With n normalized elements in a row, and o = weight_offset:

    ```
    rstd = 1/sqrt(sum(x^2)/n + epsilon); xh = x*rstd
    cast = after_weight:  y = xh*(o+weight)
    cast = before_weight: y = h*(o+weight), h = xh rounded to the element type of x
    ```

    `after_weight` is what PyTorch and Gemma do, `before_weight` is Hugging Face's Llama.
    An absent weight means ones.

    ```mlir
    %y = norm.rms_norm x(%x : tensor<8x4096xbf16>) weight(%w : tensor<4096xbf16>)
        outs y(%yi : tensor<8x4096xbf16>) epsilon = 1.000000e-06
        {cast = #norm.cast<before_weight>} -> tensor<8x4096xbf16>
    ```

    Constraints:
    - (rms_norm_c1) `norm_dims` is at least 1 and at most the rank of `x`.
    - (rms_norm_c2) At least one init is present.
    - (rms_norm_c3) All operands are tensors without an encoding, or all are memrefs in
      the default memory space.
    - (rms_norm_c4) The result types are those of the tensor inits, in order; memrefs:
      no result.
    - (rms_norm_c5) `y` is of the shape of `x`.
    - (rms_norm_c6) `weight` is of the shape of the normalized dimensions.
    - (rms_norm_c7) No normalized dimension is statically 0: cols is at least 1.
    - (rms_norm_c8) The normalized dimensions of a memref are contiguous, so far as its
      type says.
    - (rms_norm_c9) On memrefs, no init is the value of another operand.
    - (rms_norm_c10) `rstd` is of the shape of `x` without the normalized dimensions.
    - (rms_norm_c11) `rstd` is of element type f64 where `x` has it, else f32.
    - (rms_norm_c12) `epsilon`, rounded to the accumulator's type, is finite and >= 0.
    - (rms_norm_c13) `weight_offset`, rounded to the accumulator's type, is
      finite, and 0 where `weight` is absent.
  }];
  let arguments = (ins Norm_Buffer:$x, Optional<Norm_Buffer>:$weight,
      Optional<Norm_Buffer>:$y_init, Optional<Norm_Buffer>:$rstd_init, F64Attr:$epsilon,
      DefaultValuedAttr<I64Attr, "1">:$norm_dims,
      DefaultValuedAttr<F64Attr, "0.0">:$weight_offset,
      DefaultValuedAttr<Norm_CastAttr, "::normc::norm::Cast::after_weight">:$cast);
  let assemblyFormat = [{
    `x` `(` $x `:` type($x) `)` (`weight` `(` $weight^ `:` type($weight) `)`)? `outs`
    (`y` `(` $y_init^ `:` type($y_init) `)`)?
    (`rstd` `(` $rstd_init^ `:` type($rstd_init) `)`)? `epsilon` `=` $epsilon
    attr-dict (`->` type($results)^)?
  }];
}

def Norm_RmsNormBackwardOp : Norm_Op<"rms_norm_backward"> {
  let summary = "gradients of root mean square normalization";
  let description = [{
    With xh = x*rstd, n normalized elements in a row, and o = weight_offset:

    ```
    g = dy*(o+weight); dx = rstd*(g - xh*sum(g*xh)/n), with xh not rounded
    cast = after_weight:  dweight = sum over rows of dy*xh
    cast = before_weight: dweight = sum over rows of dy*h, h = xh rounded to x's type
    ```

    The rounding has gradient 1. Hugging Face and Liger round g as well: this op does
    not. Only the gradients whose init is present are computed.

    ```mlir
    norm.rms_norm_backward dy(%dy : memref<?x24xf32>) x(%x : memref<?x24xf32>)
        rstd(%rstd : memref<?xf32>) weight(%w : memref<24xf32>)
        outs dx(%dx : memref<?x24xf32>) {weight_offset = 1.000000e+00 : f64}
    ```

    Constraints:
    - (rms_norm_backward_c1) `norm_dims` is at least 1 and at most the rank of `x`.
    - (rms_norm_backward_c2) At least one init is present.
    - (rms_norm_backward_c3) All operands are tensors without an encoding, or all are memrefs in
      the default memory space.
    - (rms_norm_backward_c4) The result types are those of the tensor inits, in order;
      memrefs: no result.
    - (rms_norm_backward_c5) `dy` and `dx` are of the shape of `x`.
    - (rms_norm_backward_c6) `weight` and `dweight` are of the shape of the normalized
      dimensions.
    - (rms_norm_backward_c7) No normalized dimension is statically 0: cols is at least
      1.
    - (rms_norm_backward_c8) The normalized dimensions of a memref are contiguous, so
      far as its type says.
    - (rms_norm_backward_c9) On memrefs, no init is the value of another operand.
    - (rms_norm_backward_c10) `rstd` is of the shape of `x` without the normalized
      dimensions.
    - (rms_norm_backward_c11) `rstd` is of element type f64 where `x` has it, else f32.
    - (rms_norm_backward_c12) `weight_offset`, rounded to the accumulator's type, is
      finite, and 0 where `weight` is absent.
  }];
  let arguments = (ins Norm_Buffer:$dy, Norm_Buffer:$x, Norm_Buffer:$rstd,
      Optional<Norm_Buffer>:$weight, Optional<Norm_Buffer>:$dx_init,
      Optional<Norm_Buffer>:$dweight_init, DefaultValuedAttr<I64Attr, "1">:$norm_dims,
      DefaultValuedAttr<F64Attr, "0.0">:$weight_offset,
      DefaultValuedAttr<Norm_CastAttr, "::normc::norm::Cast::after_weight">:$cast);
  let assemblyFormat = [{
    `dy` `(` $dy `:` type($dy) `)` `x` `(` $x `:` type($x) `)`
    `rstd` `(` $rstd `:` type($rstd) `)` (`weight` `(` $weight^ `:` type($weight) `)`)?
    `outs` (`dx` `(` $dx_init^ `:` type($dx_init) `)`)?
    (`dweight` `(` $dweight_init^ `:` type($dweight_init) `)`)?
    attr-dict (`->` type($results)^)?
  }];
}

//===----------------------------------------------------------------------===//
// dyt
//===----------------------------------------------------------------------===//

def Norm_DytOp : Norm_Op<"dyt"> {
  let summary = "dynamic tanh, or dynamic erf";
  let description = [{
    ```
    u = alpha*x + s; y = f(u)*weight + bias
    activation = tanh: f = tanh, s = 0
    activation = erf:  f = erf, s = shift (0 where absent)
    ```

    An absent weight means ones, an absent bias zeros. `accuracy` says which tanh:
    `auto` takes the hardware's (2^-11 relative) for a result of f16 or bf16,
    `approximate` takes it always, `exact` never.

    ```mlir
    %y = norm.dyt x(%x : tensor<?x768xf32>) alpha(%a : tensor<1xf32>)
        weight(%w : tensor<768xf32>) bias(%b : tensor<768xf32>)
        outs y(%yi : tensor<?x768xf32>) -> tensor<?x768xf32>
    ```

    Constraints:
    - (dyt_c1) `norm_dims` is at least 1 and at most the rank of `x`.
    - (dyt_c2) At least one init is present.
    - (dyt_c3) All operands are tensors without an encoding, or all are memrefs in
      the default memory space.
    - (dyt_c4) The result types are those of the tensor inits, in order; memrefs: no
      result.
    - (dyt_c5) `y` is of the shape of `x`.
    - (dyt_c6) `weight` and `bias` are of the shape of the normalized dimensions.
    - (dyt_c7) No normalized dimension is statically 0: cols is at least 1.
    - (dyt_c8) The normalized dimensions of a memref are contiguous, so far as its type
      says.
    - (dyt_c9) On memrefs, no init is the value of another operand.
    - (dyt_c10) `alpha` and `shift` have one element: rank 0, or [1].
    - (dyt_c11) `shift` is present with `activation` = erf only.
  }];
  let arguments = (ins Norm_Buffer:$x, Norm_Buffer:$alpha, Optional<Norm_Buffer>:$shift,
      Optional<Norm_Buffer>:$weight, Optional<Norm_Buffer>:$bias,
      Optional<Norm_Buffer>:$y_init, DefaultValuedAttr<I64Attr, "1">:$norm_dims,
      DefaultValuedAttr<Norm_ActivationAttr, "::normc::norm::Activation::tanh">:$activation,
      DefaultValuedAttr<Norm_AccuracyAttr, "::normc::norm::Accuracy::automatic">:$accuracy);
  let assemblyFormat = [{
    `x` `(` $x `:` type($x) `)` `alpha` `(` $alpha `:` type($alpha) `)`
    (`shift` `(` $shift^ `:` type($shift) `)`)?
    (`weight` `(` $weight^ `:` type($weight) `)`)?
    (`bias` `(` $bias^ `:` type($bias) `)`)? `outs`
    (`y` `(` $y_init^ `:` type($y_init) `)`)? attr-dict (`->` type($results)^)?
  }];
}

def Norm_DytBackwardOp : Norm_Op<"dyt_backward"> {
  let summary = "gradients of dynamic tanh, or dynamic erf";
  let description = [{
    With u and f as in `norm.dyt`, f' = 1-tanh(u)^2 or (2/sqrt(pi))*exp(-u^2):

    ```
    g = dy*weight*f'(u); dx = g*alpha
    dalpha = sum of g*x; dshift = sum of g
    dweight = sum over rows of dy*f(u); dbias = sum over rows of dy
    ```

    Only the gradients whose init is present are computed. An absent weight means ones,
    an absent shift 0; their gradients may be asked for all the same. `accuracy` =
    `approximate` asks for the hardware's tanh, and 1-t*t of it, which is off by 9% at
    u = 2 to 3 and by more beyond; `auto` and `exact` do not.

    ```mlir
    norm.dyt_backward dy(%dy : memref<64x24xf32>) x(%x : memref<64x24xf32>)
        alpha(%a : memref<f32>) weight(%w : memref<24xf32>)
        outs dalpha(%da : memref<f32>) dbias(%db : memref<24xf32>)
    ```

    Constraints:
    - (dyt_backward_c1) `norm_dims` is at least 1 and at most the rank of `x`.
    - (dyt_backward_c2) At least one init is present.
    - (dyt_backward_c3) All operands are tensors without an encoding, or all are memrefs in
      the default memory space.
    - (dyt_backward_c4) The result types are those of the tensor inits, in order;
      memrefs: no result.
    - (dyt_backward_c5) `dy` and `dx` are of the shape of `x`.
    - (dyt_backward_c6) `weight`, `dweight` and `dbias` are of the shape of the
      normalized dimensions.
    - (dyt_backward_c7) No normalized dimension is statically 0: cols is at least 1.
    - (dyt_backward_c8) The normalized dimensions of a memref are contiguous, so far as
      its type says.
    - (dyt_backward_c9) On memrefs, no init is the value of another operand.
    - (dyt_backward_c10) `alpha`, `shift`, `dalpha` and `dshift` have one element: rank
      0, or [1].
    - (dyt_backward_c11) `shift` and `dshift` are present with `activation` = erf only.
    - (dyt_backward_c12) `dalpha` has the rank of `alpha`, `dshift` that of `shift`
      where it is present.
  }];
  let arguments = (ins Norm_Buffer:$dy, Norm_Buffer:$x, Norm_Buffer:$alpha,
      Optional<Norm_Buffer>:$shift, Optional<Norm_Buffer>:$weight,
      Optional<Norm_Buffer>:$dx_init, Optional<Norm_Buffer>:$dalpha_init,
      Optional<Norm_Buffer>:$dshift_init, Optional<Norm_Buffer>:$dweight_init,
      Optional<Norm_Buffer>:$dbias_init, DefaultValuedAttr<I64Attr, "1">:$norm_dims,
      DefaultValuedAttr<Norm_ActivationAttr, "::normc::norm::Activation::tanh">:$activation,
      DefaultValuedAttr<Norm_AccuracyAttr, "::normc::norm::Accuracy::automatic">:$accuracy);
  let assemblyFormat = [{
    `dy` `(` $dy `:` type($dy) `)` `x` `(` $x `:` type($x) `)`
    `alpha` `(` $alpha `:` type($alpha) `)` (`shift` `(` $shift^ `:` type($shift) `)`)?
    (`weight` `(` $weight^ `:` type($weight) `)`)? `outs`
    (`dx` `(` $dx_init^ `:` type($dx_init) `)`)?
    (`dalpha` `(` $dalpha_init^ `:` type($dalpha_init) `)`)?
    (`dshift` `(` $dshift_init^ `:` type($dshift_init) `)`)?
    (`dweight` `(` $dweight_init^ `:` type($dweight_init) `)`)?
    (`dbias` `(` $dbias_init^ `:` type($dbias_init) `)`)?
    attr-dict (`->` type($results)^)?
  }];
}

#endif // NORMC_DIALECTS_NORM_NORMOPS_TD
