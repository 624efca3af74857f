//===- NormTypes.td - Attributes of the norm dialect ------------------------===//
#ifndef NORMC_DIALECTS_NORM_NORMTYPES_TD
#define NORMC_DIALECTS_NORM_NORMTYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Norm_Dialect : Dialect {
  let name = "norm";
  let cppNamespace = "::normc::norm";
  let summary = "Normalization layers, forward and backward: what to compute.";
  let useDefaultAttributePrinterParser = 1;
  let description = [{
    Ops come in forward and backward pairs and in destination style: every result has an
    init, the presence of an init asks for its result. They stand on tensors and on
    memrefs alike. An op's constraints are numbered; the verifier names the number.

    Attributes of the dialect on other ops:
    - `norm.target`, on a module or any op around kernels: a `#norm.target`.
    - `norm.name`, on arguments and results of a function: the parameter's name, an
      identifier.
    - `norm.out`, on arguments and results of a function: a unit attribute, the parameter
      is written.
  }];
  let hasCanonicalizer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
  let extraClassDeclaration = [{ void registerAttributes(); }];
}

def Norm_Cast : I32EnumAttr<"Cast", "where rms_norm rounds to x's type",
    [I32EnumAttrCase<"after_weight", 0>, I32EnumAttrCase<"before_weight", 1>]> {
  let cppNamespace = "::normc::norm";
  let genSpecializedAttr = 0;
}
def Norm_CastAttr : EnumAttr<Norm_Dialect, Norm_Cast, "cast"> {
  let assemblyFormat = "`<` $value `>`";
}

def Norm_Activation : I32EnumAttr<"Activation", "the function of a dyt",
    [I32EnumAttrCase<"tanh", 0>, I32EnumAttrCase<"erf", 1>]> {
  let cppNamespace = "::normc::norm";
  let genSpecializedAttr = 0;
}
def Norm_ActivationAttr : EnumAttr<Norm_Dialect, Norm_Activation, "activation"> {
  let assemblyFormat = "`<` $value `>`";
}

def Norm_Accuracy : I32EnumAttr<"Accuracy", "how exact tanh must be",
    [I32EnumAttrCase<"automatic", 0, "auto">, I32EnumAttrCase<"approximate", 1>,
     I32EnumAttrCase<"exact", 2>]> {
  let cppNamespace = "::normc::norm";
  let genSpecializedAttr = 0;
}
def Norm_AccuracyAttr : EnumAttr<Norm_Dialect, Norm_Accuracy, "accuracy"> {
  let summary = "auto: the hardware's tanh for a forward result of f16 or bf16";
  let assemblyFormat = "`<` $value `>`";
}

def Norm_TargetAttr : AttrDef<Norm_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "the numbers of one chip";
  let description = [{
    Holds a `normc::schedule::TargetFacts`, expanded from a name by a table that cites
    its sources: `#norm.target<"host">`. Prints the name alone where the numbers are the
    table's, and the numbers that differ behind it.
  }];
  let parameters = (ins
      AttrParameter<"::normc::schedule::TargetFacts", "the numbers">:$facts);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // NORMC_DIALECTS_NORM_NORMTYPES_TD
