//===- RowOps.td - The row dialect: how a row is computed -------------------===//
#ifndef NORMC_DIALECTS_ROW_ROWOPS_TD
#define NORMC_DIALECTS_ROW_ROWOPS_TD

include "dialects/row/RowTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Row_Op<string mnemonic, list<Trait> traits = []>
    : Op<Row_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

def Row_KernelOp : Row_Op<"kernel", [IsolatedFromAbove, SingleBlock, NoTerminator,
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let hasCanonicalizeMethod = 1;
  let hasRegionVerifier = 1;
  let summary = "one kernel over the rows of its buffers";
  let description = [{
    Holds a row program: a DAG over values that are per element of the tile
    (`!row.tile<f32>`), per row (`!row.vec<rows, f32>`), per column
    (`!row.vec<cols, f32>`) or scalar (`f32`). The region has one argument for each
    operand, inputs first, of the operand's type.

    The last `norm_dims` dimensions of a buffer that is read or written as a tile are its
    columns, flattened in row-major order; the ones before are its rows. A buffer used
    as `rows` has only the outer dimensions, one used as `cols` only the inner ones, a
    scalar has one element. A buffer of partials is `memref<?x?xC>`.

    Phases are not written down: a value that needs a reduction's result is one phase
    later, an accumulate sits in the earliest phase that its operands allow.

    `strategy` says how the sums down the columns are made: by one workgroup (`direct`) or
    one cluster of workgroups (`cluster`), through partials, or in a kernel of their own
    (`fission`). It is set by
    `row-split-column-reduction`, or by the user.

    `kernel_name` names the kernel for profilers. `tiling` is set by
    `row-select-tiling`, or by the user, whose choice is validated and kept. `max_rows`
    says that there are at most so many rows where their number is dynamic: whoever runs
    the kernel sees to it, a variant by its guard.

    Constraints:
    - (C1) every region argument has its operand's type.
    - (C2) all buffers used as tiles, rows and cols agree on the outer and on the inner
      dimensions wherever both are static; a scalar has one element.
    - (C3) each buffer is used, and with one extent only.
    - (C4) each output is written exactly once a segment, no input is written, no
      output is read. The slots of the segments of one kind are 0, 1, ... without gaps.
    - (C5) `norm_dims` is at least 0 and at most the rank of every tile.
    - (C6) the inner dimensions of a tile, and a buffer of one value a column, are
      contiguous as far as their type says; what it does not say is checked at launch.
    - (C7) the elements of every buffer are f16, bf16, f32 or f64; it is in the default
      memory space.
    - (C8) the body holds ops of this dialect and arith.constant only. A kernel with a
      finalize holds finalizes only.
    - (C9) the static dimensions of a buffer multiply to at most 2^48, more elements than
      a process can address: sizes in bytes then fit in 64 bits.

    Canonicalization drops the inputs that no op of the body reads.

    Example:

    ```mlir
    row.kernel ins(%x : memref<?x128xf32>) outs(%y : memref<?x128xf32>)
        norm_dims = 1 attributes {kernel_name = "double"} {
    ^bb0(%in: memref<?x128xf32>, %out: memref<?x128xf32>):
      %0 = row.load %in : memref<?x128xf32> -> !row.tile<f32>
      %1 = row.map ins(%0 : !row.tile<f32>) -> !row.tile<f32> {
      ^bb0(%e: f32):
        %s = arith.addf %e, %e : f32
        row.yield %s : f32
      }
      row.store %1, %out : !row.tile<f32>, memref<?x128xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyMemRef>:$inputs, Variadic<AnyMemRef>:$outputs,
                       I64Attr:$norm_dims, OptionalAttr<StrAttr>:$kernel_name,
                       OptionalAttr<Row_TilingAttr>:$tiling,
                       OptionalAttr<Row_StrategyAttr>:$strategy,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$max_rows);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    (`outs` `(` $outputs^ `:` type($outputs) `)`)?
    `norm_dims` `=` $norm_dims attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The region argument of operand `index`, and the other way round.
    ::mlir::BlockArgument getBuffer(unsigned index) { return getBody().getArgument(index); }
    unsigned getNumBuffers() { return getBody().getNumArguments(); }
    bool isOutputBuffer(unsigned index) { return index >= getInputs().size(); }
    ::mlir::Block *getBodyBlock() { return &getBody().front(); }
    /// f64 if any value or partial of the program is f64, else f32.
    ::mlir::FloatType getAccumulatorType();
    /// The number of rows or columns, where the type of any buffer says it.
    ::std::optional<int64_t> getStaticSize(::normc::row::Axis axis);
  }];
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

def Row_LoadOp : Row_Op<"load", [Pure]> {
  let summary = "reads a buffer as a tile, per row, per column or as a scalar";
  let description = [{
    The kind of the result says how the buffer is indexed. The element is converted to
    the result's element type (f32 or f64); narrowing f64 to f32 rounds to nearest even.
    Constraint: (C1) the buffer is a region argument of the enclosing kernel. (The types
    of values hold f32 and f64 only.)
  }];
  let arguments = (ins AnyMemRef:$buffer);
  let results = (outs Row_Value:$result);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer) `->` type($result)";
  let hasVerifier = 1;
}

def Row_StoreOp : Row_Op<"store", []> {
  let summary = "writes a tile or a per-row value to a buffer";
  let description = [{
    The element is rounded once, to nearest even, to the buffer's element type.
    Constraints: (C1) the buffer is an output of the enclosing kernel; (C2) the value is
    a tile or per row (sums down the columns leave through `row.accumulate`).
  }];
  let arguments = (ins Row_Value:$value, AnyMemRef:$buffer);
  let assemblyFormat = "$value `,` $buffer attr-dict `:` type($value) `,` type($buffer)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

def Row_DimOp : Row_Op<"dim", [Pure]> {
  let summary = "the number of rows or columns, as a floating-point scalar";
  let description = [{
    Constraint: (C1) the op stands in the body of a kernel. Folds to a constant where the
    type of a buffer says the size.
  }];
  let arguments = (ins Row_AxisAttr:$axis);
  let results = (outs AnyTypeOf<[F32, F64]>:$result);
  let assemblyFormat = "`` $axis attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Row_RoundOp : Row_Op<"round", [Pure, SameOperandsAndResultType]> {
  let summary = "rounds to the nearest even value of a narrower type";
  let description = [{
    The one rounding that may stand in the middle of a program. It lowers without
    fast-math flags, because canonicalization folds an extension of a truncation where
    both carry `contract`. Constraint: (C1) `to` is f16, bf16 or f32 and not wider than
    the value's element type.
  }];
  let arguments = (ins Row_Value:$value, TypeAttrOf<AnyFloat>:$to);
  let results = (outs Row_Value:$result);
  let assemblyFormat = "$value `to` $to attr-dict `:` type($value)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Row_MapOp : Row_Op<"map", [Pure, IsolatedFromAbove, SingleBlock]> {
  let summary = "a scalar function of values, broadcast by kind";
  let description = [{
    The region holds arith and math ops on scalars and yields one. The result's kind is
    the join of the operands': per row with per column gives a tile. `keep` asks that
    the value be kept from one phase to the next instead of computed again.

    The ops of a region, beside constants:
    - arith on numbers: addf, subf, mulf, divf, remf, negf, maximumf, minimumf, maxnumf,
      minnumf, cmpf, select;
    - arith on integers: addi, subi, muli, addui_extended, mulsi_extended,
      mului_extended, andi, ori, xori, shli, shrsi, shrui, maxsi, maxui, minsi, minui,
      cmpi, extsi, extui, trunci. A division would end the process where it is by zero;
    - arith from one to the other: sitofp, uitofp, fptosi, fptoui, extf, truncf, bitcast;
    - math: absf, absi, acos, acosh, asin, asinh, atan, atan2, atanh, cbrt, ceil,
      copysign, cos, cosh, erf, erfc, exp, exp2, expm1, floor, fma, isfinite,
      isnan, log, log10, log1p, log2, powf, round, roundeven, rsqrt, sin, sinh, sqrt,
      tan, tanh, trunc.

    Numbers are f32 and f64, integers i1, i8, i16, i32 and i64; extf, truncf, bitcast and
    constants know f16 and bf16 as well.

    Constraints: (C1) the region's arguments are the operands' element types, its yield
    the result's; (C2) every op of the region is a constant or one of the list, on those
    types, and rounds to nearest even; (C3) the result's kind is the join of the operands'
    kinds.

    Canonicalization drops unused inputs (where the kind stays) and second mentions of
    one, takes constants into the region, and replaces a map that yields an input, or
    nothing but a constant, by that.
  }];
  let arguments = (ins Variadic<Row_Value>:$inputs, UnitAttr:$keep);
  let results = (outs Row_Value:$result);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`keep` $keep^)? (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `->` type($result) attr-dict-with-keyword $body
  }];
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
}

def Row_YieldOp : Row_Op<"yield", [Pure, Terminator,
    ParentOneOf<["MapOp", "ReduceOp"]>]> {
  let summary = "ends the scalar region of a map or a reduce";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

def Row_ReduceOp : Row_Op<"reduce", [Pure, IsolatedFromAbove, SingleBlock,
    SameVariadicOperandSize]> {
  let summary = "reduces tiles along each row";
  let description = [{
    Reduces N tiles to N per-row values with one combining function of 2N scalars: the
    first N are one side, the last N the other. The order of combination is fixed by
    columns, types and target alone. For each identity, combine(identity, identity) is
    the identity, so that lanes without an element may take part.

    Constraints: (C1) as many identities as inputs and results, of the inputs' element
    types; (C2) the region has 2N arguments of those types and yields N; (C3) every op
    of the region is one that `row.map` admits.
  }];
  let arguments = (ins Variadic<Row_AnyTile>:$inputs, ArrayAttr:$identities);
  let results = (outs Variadic<Row_AnyRows>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `ins` `(` $inputs `:` type($inputs) `)` `identities` `=` $identities
    `->` type($results) attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Row_MomentsOp : Row_Op<"moments", [Pure]> {
  let summary = "mean and centered sum of squares of each row";
  let description = [{
    mean = sum(x) / cols and m2 = sum((x - mean)^2), computed without cancellation: a
    row of one repeated finite value has exactly that mean and an m2 of zero.
    Constraint: (C1) the results have the value's element type.
  }];
  let arguments = (ins Row_AnyTile:$value);
  let results = (outs Row_AnyRows:$mean, Row_AnyRows:$m2);
  let assemblyFormat =
      "$value attr-dict `:` qualified(type($value)) `->` qualified(type($mean)) `,` "
      "qualified(type($m2))";
  let hasVerifier = 1;
  let hasVerifier = 1;
}

def Row_AccumulateOp : Row_Op<"accumulate", []> {
  let summary = "sums down the columns, or to a scalar, into an output";
  let description = [{
    `to cols` adds the rows of a tile, one result a column; `to scalar` adds all of a
    tile or of a per-row value. The sum is in the value's element type and rounded once
    to the buffer's.

    With `slot`, the buffer holds partials, [workgroups, W]: this workgroup's sum goes to
    its own row. W is the number of `cols` slots times cols, then one element for each
    `scalar` slot, padded to 16 bytes; slots count the sums of each kind from 0.

    Constraints: (C1) the buffer is an output of the kernel; (C2) `cols` takes a tile,
    `scalar` a tile or a per-row value; (C3) with `slot`, the buffer is a two-dimensional
    memref of the value's element type.
  }];
  let arguments = (ins Row_Value:$value, AnyMemRef:$buffer, Row_SumAttr:$to,
                       OptionalAttr<I64Attr>:$slot);
  let assemblyFormat = [{
    $value `,` $buffer `to` `` $to (`slot` $slot^)? attr-dict
    `:` type($value) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def Row_FinalizeOp : Row_Op<"finalize", []> {
  let summary = "adds partials down the columns and stores one segment";
  let description = [{
    Adds rows of the partials in a fixed order and stores the segment `slot` of kind `to`
    in the output's own type. `num_cols_slots` is how many segments of kind `cols` a
    partial has before its scalars. A kernel of finalizes has no other ops.

    Constraints: (C1) the partials are an input and the buffer an output of the enclosing
    kernel; (C2) the partials are a two-dimensional memref of f32 or f64; (C3) a slot of
    kind `cols` is at least 0 and less than `num_cols_slots`, one of kind `scalar` at
    least 0.
  }];
  let arguments = (ins AnyMemRef:$partials, AnyMemRef:$buffer, Row_SumAttr:$to,
                       I64Attr:$slot, I64Attr:$num_cols_slots);
  let assemblyFormat = [{
    $partials `,` $buffer `to` `` $to `slot` $slot `of` $num_cols_slots attr-dict
    `:` type($partials) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def Row_PartialsOp : Row_Op<"partials", [MemoryEffects<[MemAlloc]>]> {
  let summary = "the scratch buffer between a split kernel and its finalize";
  let description = [{
    [workgroups of the kernel that writes it, W]. Its sizes are known once that kernel
    has a tiling; the plan turns it into a part of the workspace. Constraint: (C1) the
    result is a two-dimensional memref of f32 or f64.
  }];
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // NORMC_DIALECTS_ROW_ROWOPS_TD
