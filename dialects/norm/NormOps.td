//===- NormOps.td - The norm dialect: what to compute -----------------------===//
#ifndef NORMC_DIALECTS_NORM_NORMOPS_TD
#define NORMC_DIALECTS_NORM_NORMOPS_TD

include "dialects/norm/NormTypes.td"
include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Norm_Buffer : AnyTypeOf<[TensorRankOf<[F16, BF16, F32, F64], [0, 1, 2, 3, 4, 5, 6, 7, 8]>,
                             MemRefRankOf<[F16, BF16, F32, F64], [0, 1, 2, 3, 4, 5, 6, 7, 8]>],
                            "ranked tensor or memref of f16, bf16, f32 or f64, rank at most 8">;

def Norm_OpInterface : OpInterface<"NormOpInterface"> {
  let cppNamespace = "::normc::norm";
  let description = [{
    What all ops of the dialect have in common. The first `getNumIns()` operands are
    read, the rest are inits; result i is tied to init i.
  }];
  let methods = [
    InterfaceMethod<"The input whose shape is [outer..., inner...].",
                    "::mlir::Value", "getX">,
    InterfaceMethod<"Trailing dimensions that are normalized.", "uint64_t", "getNormDims">,
    InterfaceMethod<"The operands that are read, in order.",
                    "::llvm::SmallVector<::mlir::Value>", "getIns">,
    InterfaceMethod<"The inits that are present, in order.",
                    "::llvm::SmallVector<::mlir::Value>", "getInits">,
  ];
}

class Norm_Op<string mnemonic, list<Trait> traits = []>
    : Op<Norm_Dialect, mnemonic, !listconcat([
          AttrSizedOperandSegments, DestinationStyleOpInterface,
          DeclareOpInterfaceMethods<Norm_OpInterface, ["getIns", "getInits"]>,
          DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
          DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface>,
          DeclareOpInterfaceMethods<BufferizableOpInterface,
              ["bufferizesToMemoryRead", "bufferizesToMemoryWrite", "bufferize",
               "getAliasingValues"]>], traits)> {
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable();
  }];
}

//===----------------------------------------------------------------------===//
// layer_norm
//===----------------------------------------------------------------------===//

def Norm_LayerNormOp : Norm_Op<"layer_norm"> {
  let summary = "layer normalization";
  let description = [{
    mu = sum(x)/n; v = sum((x-mu)^2)/n; rstd = 1/sqrt(v+epsilon); xh = (x-mu)*rstd;
    y = xh*(o+w) + b, with o = weight_offset.
  }];
  let arguments = (ins Norm_Buffer:$x, Optional<Norm_Buffer>:$weight,
      Optional<Norm_Buffer>:$bias, Optional<Norm_Buffer>:$y_init,
      Optional<Norm_Buffer>:$mean_init, Optional<Norm_Buffer>:$rstd_init,
      F64Attr:$epsilon, DefaultValuedAttr<I64Attr, "1">:$norm_dims,
      DefaultValuedAttr<F64Attr, "0.0">:$weight_offset);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `x` `(` $x `:` type($x) `)` (`weight` `(` $weight^ `:` type($weight) `)`)?
    (`bias` `(` $bias^ `:` type($bias) `)`)? `outs`
    (`y` `(` $y_init^ `:` type($y_init) `)`)?
    (`mean` `(` $mean_init^ `:` type($mean_init) `)`)?
    (`rstd` `(` $rstd_init^ `:` type($rstd_init) `)`)?
    `epsilon` `=` $epsilon attr-dict (`->` type($results)^)?
  }];
}

def Norm_LayerNormBackwardOp : Norm_Op<"layer_norm_backward"> {
  let summary = "gradients of layer normalization";
  let description = [{
    g = dy*(o+w); dx = rstd*(g - sum(g)/n - xh*sum(g*xh)/n); dweight = sum over rows of
    dy*xh; dbias = sum over rows of dy.
  }];
  let arguments = (ins Norm_Buffer:$dy, Norm_Buffer:$x, Norm_Buffer:$mean,
      Norm_Buffer:$rstd, Optional<Norm_Buffer>:$weight, Optional<Norm_Buffer>:$dx_init,
      Optional<Norm_Buffer>:$dweight_init, Optional<Norm_Buffer>:$dbias_init,
      DefaultValuedAttr<I64Attr, "1">:$norm_dims,
      DefaultValuedAttr<F64Attr, "0.0">:$weight_offset);
  let results = (outs Variadic<AnyRankedTensor>:$results);
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
    rstd = 1/sqrt(sum(x^2)/n + epsilon); xh = x*rstd; cast = after_weight: y = xh*(o+w);
    cast = before_weight: y = round_Tx(xh)*(o+w).
  }];
  let arguments = (ins Norm_Buffer:$x, Optional<Norm_Buffer>:$weight,
      Optional<Norm_Buffer>:$y_init, Optional<Norm_Buffer>:$rstd_init,
      F64Attr:$epsilon, DefaultValuedAttr<I64Attr, "1">:$norm_dims,
      DefaultValuedAttr<F64Attr, "0.0">:$weight_offset,
      DefaultValuedAttr<Norm_CastAttr, "::normc::norm::Cast::after_weight">:$cast);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `x` `(` $x `:` type($x) `)` (`weight` `(` $weight^ `:` type($weight) `)`)? `outs`
    (`y` `(` $y_init^ `:` type($y_init) `)`)?
    (`rstd` `(` $rstd_init^ `:` type($rstd_init) `)`)?
    `epsilon` `=` $epsilon attr-dict (`->` type($results)^)?
  }];
}

def Norm_RmsNormBackwardOp : Norm_Op<"rms_norm_backward"> {
  let summary = "gradients of root mean square normalization";
  let description = [{
    g = dy*(o+w); dx = rstd*(g - xh*sum(g*xh)/n) with xh not rounded; dweight = sum over
    rows of dy*xh, with cast = before_weight of dy*round_Tx(xh).
  }];
  let arguments = (ins Norm_Buffer:$dy, Norm_Buffer:$x, Norm_Buffer:$rstd,
      Optional<Norm_Buffer>:$weight, Optional<Norm_Buffer>:$dx_init,
      Optional<Norm_Buffer>:$dweight_init,
      DefaultValuedAttr<I64Attr, "1">:$norm_dims,
      DefaultValuedAttr<F64Attr, "0.0">:$weight_offset,
      DefaultValuedAttr<Norm_CastAttr, "::normc::norm::Cast::after_weight">:$cast);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `dy` `(` $dy `:` type($dy) `)` `x` `(` $x `:` type($x) `)`
    `rstd` `(` $rstd `:` type($rstd) `)`
    (`weight` `(` $weight^ `:` type($weight) `)`)? `outs`
    (`dx` `(` $dx_init^ `:` type($dx_init) `)`)?
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
    u = alpha*x + s; y = f(u)*w + b; f is tanh (s = 0) or erf (s = shift, 0 if absent).
  }];
  let arguments = (ins Norm_Buffer:$x, Norm_Buffer:$alpha, Optional<Norm_Buffer>:$shift,
      Optional<Norm_Buffer>:$weight, Optional<Norm_Buffer>:$bias,
      Optional<Norm_Buffer>:$y_init, DefaultValuedAttr<I64Attr, "1">:$norm_dims,
      DefaultValuedAttr<Norm_ActivationAttr, "::normc::norm::Activation::tanh">:$activation,
      DefaultValuedAttr<Norm_AccuracyAttr, "::normc::norm::Accuracy::automatic">:$accuracy);
  let results = (outs Variadic<AnyRankedTensor>:$results);
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
    g = dy*w*f'(u); dx = g*alpha; dalpha = sum of g*x; dshift = sum of g; dweight = sum
    over rows of dy*f(u); dbias = sum over rows of dy.
  }];
  let arguments = (ins Norm_Buffer:$dy, Norm_Buffer:$x, Norm_Buffer:$alpha,
      Optional<Norm_Buffer>:$shift, Optional<Norm_Buffer>:$weight,
      Optional<Norm_Buffer>:$dx_init, Optional<Norm_Buffer>:$dalpha_init,
      Optional<Norm_Buffer>:$dshift_init, Optional<Norm_Buffer>:$dweight_init,
      Optional<Norm_Buffer>:$dbias_init, DefaultValuedAttr<I64Attr, "1">:$norm_dims,
      DefaultValuedAttr<Norm_ActivationAttr, "::normc::norm::Activation::tanh">:$activation,
      DefaultValuedAttr<Norm_AccuracyAttr, "::normc::norm::Accuracy::automatic">:$accuracy);
  let results = (outs Variadic<AnyRankedTensor>:$results);
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
