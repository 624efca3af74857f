//===- PlanTypes.td - Attributes of the plan dialect ------------------------===//
#ifndef NORMC_DIALECTS_PLAN_PLANTYPES_TD
#define NORMC_DIALECTS_PLAN_PLANTYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let cppNamespace = "::normc::plan";
  let summary = "Launch plans: which kernels run, where, with which arguments.";
  let description = [{
    The plan of a package as IR, so that package and manifest only print it. An entry
    has parameters and variants; a variant has guards, scratch buffers and launches in
    order. Sizes, strides, grids and conditions are affine maps without dimensions over
    the entry's symbols; products of symbols are allowed.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def Plan_Direction : I32EnumAttr<"Direction", "whether a parameter is read or written",
    [I32EnumAttrCase<"in", 0>, I32EnumAttrCase<"out", 1>]> {
  let cppNamespace = "::normc::plan";
  let genSpecializedAttr = 0;
}

def Plan_ParamAttr : AttrDef<Plan_Dialect, "Param"> {
  let mnemonic = "param";
  let summary = "one parameter of an entry";
  let description = [{
    `shape` has one result for each dimension, over the entry's symbols. The last
    `contiguous_dims` dimensions must be contiguous, the others have any strides.
  }];
  let parameters = (ins StringRefParameter<"name">:$name,
      EnumParameter<Plan_Direction>:$direction, "::mlir::Type":$element_type,
      "::mlir::AffineMap":$shape, "int64_t":$contiguous_dims);
  let assemblyFormat = [{
    `<` $name `,` $direction `,` $element_type `,` `shape` `=` $shape `,`
    `contiguous_dims` `=` $contiguous_dims `>`
  }];
}

def Plan_GuardKind : I32EnumAttr<"GuardKind", "what a guard asks",
    [I32EnumAttrCase<"collapsible", 0>, I32EnumAttrCase<"aligned", 1>,
     I32EnumAttrCase<"at_least", 2>, I32EnumAttrCase<"at_most", 3>]> {
  let cppNamespace = "::normc::plan";
  let genSpecializedAttr = 0;
}

def Plan_GuardAttr : AttrDef<Plan_Dialect, "Guard"> {
  let mnemonic = "guard";
  let summary = "a condition on shapes, strides and alignments";
  let description = [{
    collapsible: parameter `param` but for its last `value` dimensions walks with one
    stride. aligned: base and outer strides of `param` are multiples of `value` bytes.
    at_least, at_most: the one result of `expr` against `value`. A kind has only the
    fields that it names: `#plan.guard<collapsible, param = 0, value = 1>`.
  }];
  let parameters = (ins EnumParameter<Plan_GuardKind>:$kind,
      DefaultValuedParameter<"int64_t", "-1">:$param, "int64_t":$value,
      OptionalParameter<"::mlir::AffineMap">:$expr);
  let assemblyFormat = "`<` $kind `,` struct($param, $value, $expr) `>`";
  let genVerifyDecl = 1;
}

def Plan_ArgKind : I32EnumAttr<"ArgKind", "what an argument of a kernel is",
    [I32EnumAttrCase<"pointer", 0>, I32EnumAttrCase<"expr", 1>,
     I32EnumAttrCase<"stride", 2>, I32EnumAttrCase<"row_stride", 3>]> {
  let cppNamespace = "::normc::plan";
  let genSpecializedAttr = 0;
}

def Plan_ArgAttr : AttrDef<Plan_Dialect, "Arg"> {
  let mnemonic = "arg";
  let summary = "one flat argument of a launch";
  let description = [{
    pointer: to launch operand `buffer`. expr: the one result of `expr`. stride: of
    dimension `dim` of `buffer`, in elements. row_stride: `buffer` but for its last `dim`
    dimensions walks with one stride: this is it, in elements. A kind has only the
    fields that it names: `#plan.arg<row_stride, buffer = 0, dim = 1>`.
  }];
  let parameters = (ins EnumParameter<Plan_ArgKind>:$kind,
      DefaultValuedParameter<"int64_t", "-1">:$buffer,
      DefaultValuedParameter<"int64_t", "-1">:$dim,
      OptionalParameter<"::mlir::AffineMap">:$expr);
  let assemblyFormat = "`<` $kind `,` struct($buffer, $dim, $expr) `>`";
  let genVerifyDecl = 1;
}

def Plan_RequirementAttr : AttrDef<Plan_Dialect, "Requirement"> {
  let mnemonic = "requirement";
  let summary = "a demand on an entry's shapes";
  let description = [{
    The one result of `expr` is at least `at_least`; a launch that breaks it is refused
    before anything runs. `what` names `expr` to the caller ("cols").
  }];
  let parameters = (ins StringRefParameter<"what">:$what, "::mlir::AffineMap":$expr,
      "int64_t":$at_least);
  let assemblyFormat = [{
    `<` $what `,` `expr` `=` $expr `,` `at_least` `=` $at_least `>`
  }];
}

#endif // NORMC_DIALECTS_PLAN_PLANTYPES_TD
