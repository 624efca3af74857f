//===- RowTypes.td - Types and attributes of the row dialect ----------------===//
#ifndef NORMC_DIALECTS_ROW_ROWTYPES_TD
#define NORMC_DIALECTS_ROW_ROWTYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Row_Dialect : Dialect {
  let name = "row";
  let cppNamespace = "::normc::row";
  let summary = "Row programs: how a row is computed, and how it is tiled.";
  let description = [{
    One op, `row.kernel`, holds a row program: a DAG over values that are per element of
    the tile (`!row.tile<f32>`), per row (`!row.vec<rows, f32>`), per column
    (`!row.vec<cols, f32>`) or scalar. A program says nothing of threads, memory or order:
    `#row.tiling` says that, and any program takes any tiling that its target allows.

    | what | op |
    |---|---|
    | a buffer as one of those kinds, and back | `row.load`, `row.store` |
    | a scalar function, broadcast by kind | `row.map` |
    | a rounding in the middle | `row.round` |
    | the number of rows or columns | `row.dim` |
    | along each row | `row.reduce`, `row.moments` |
    | down the columns | `row.accumulate`, `row.finalize` |
    | between a split kernel and its finalize | `row.partials` |

    **Phases.** A value that needs a reduction's result is one phase later than the
    reduction; stores and accumulates sit in the earliest phase that their operands
    allow; all reductions of one phase share one exchange. From one phase to the next go
    loaded tiles, per-row values, and maps marked `keep`. Every other map is computed
    again.

    **Numbers.** Values are f32 or f64. A load widens exactly (f64 to f32 rounds), a store
    rounds once, to nearest even. Regions are evaluated as written: nothing is contracted
    or reassociated unless an op's own fast-math flags allow it. The order in which a
    reduction combines the elements of a row is fixed by columns, types and target.

    A new norm is a kernel of ten or twenty ops, written by a pass or by hand; the folder
    `examples/row` has softmax, l2 normalization and a residual addition with rms_norm.
    The constraints of each op have numbers, which the verifier's messages name:
    `row_map_c2` is (C2) of `row.map`.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect"];
}

def Row_Axis : I32EnumAttr<"Axis", "an axis of a tile",
    [I32EnumAttrCase<"rows", 0>, I32EnumAttrCase<"cols", 1>]> {
  let cppNamespace = "::normc::row";
  let genSpecializedAttr = 0;
}
def Row_AxisAttr : EnumAttr<Row_Dialect, Row_Axis, "axis"> {
  let assemblyFormat = "$value";
}

def Row_Sum : I32EnumAttr<"Sum", "what a sum over rows leaves",
    [I32EnumAttrCase<"cols", 0>, I32EnumAttrCase<"scalar", 1>]> {
  let cppNamespace = "::normc::row";
  let genSpecializedAttr = 0;
}
def Row_SumAttr : EnumAttr<Row_Dialect, Row_Sum, "sum"> {
  let assemblyFormat = "$value";
}

def Row_Strategy : I32EnumAttr<"Strategy", "how sums down the columns are made",
    [I32EnumAttrCase<"direct", 0>, I32EnumAttrCase<"partials", 1>,
     I32EnumAttrCase<"fission", 2>, I32EnumAttrCase<"cluster", 3>]> {
  let cppNamespace = "::normc::row";
  let genSpecializedAttr = 0;
}
def Row_StrategyAttr : EnumAttr<Row_Dialect, Row_Strategy, "strategy"> {
  let assemblyFormat = "`<` $value `>`";
}

class Row_Type<string name, string typeMnemonic> : TypeDef<Row_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Row_TileType : Row_Type<"Tile", "tile"> {
  let summary = "one value per element of the tile";
  let description = "The element type is f32 or f64, an accumulator type.";
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
  let genVerifyDecl = 1;
}

def Row_VecType : Row_Type<"Vec", "vec"> {
  let summary = "one value per row, or per column";
  let description = "The element type is f32 or f64, an accumulator type.";
  let parameters = (ins EnumParameter<Row_Axis>:$axis, "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $axis `,` $elementType `>`";
  let genVerifyDecl = 1;
}

def Row_AnyTile : Type<CPred<"::llvm::isa<::normc::row::TileType>($_self)">,
                                 "row.tile", "::normc::row::TileType">;
def Row_AnyRows : Type<
    CPred<"::llvm::isa<::normc::row::VecType>($_self) && "
          "::llvm::cast<::normc::row::VecType>($_self).getAxis() == ::normc::row::Axis::rows">,
    "row.vec over rows", "::normc::row::VecType">;
def Row_Value : Type<
    CPred<"::llvm::isa<::normc::row::TileType, ::normc::row::VecType>($_self) || "
          "$_self.isF32() || $_self.isF64()">,
    "row.tile, row.vec, f32 or f64">;

def Row_TilingAttr : AttrDef<Row_Dialect, "Tiling"> {
  let mnemonic = "tiling";
  let summary = "how a kernel is mapped to lanes, workgroups and loops";
  let description = [{
    Holds a `normc::schedule::Tiling`; that struct documents the knobs. Knobs with their
    default value are not printed: `#row.tiling<workgroup_size = 256, loop = persistent>`.
  }];
  let parameters = (ins
      AttrParameter<"::normc::schedule::Tiling", "the knobs">:$value);
  let hasCustomAssemblyFormat = 1;
}

#endif // NORMC_DIALECTS_ROW_ROWTYPES_TD
