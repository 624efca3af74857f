//===- RowVerify.cpp - Constraints of the ops in a kernel -------------------===//
//
// Each message names the constraint of the op's description that it checks.
//
//===----------------------------------------------------------------------===//
#include "dialects/row/Row.h"
#include "dialects/row/ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace normc;
using namespace normc::row;

static StringRef nameOf(Kind kind) {
  switch (kind) {
  case Kind::Scalar:
    return "a scalar";
  case Kind::Cols:
    return "per column";
  case Kind::Rows:
    return "per row";
  case Kind::Tile:
    return "a tile";
  }
  llvm_unreachable("all kinds are handled");
}

/// The index of a buffer of the kernel that holds the op, or nothing.
static std::optional<unsigned> bufferIndex(Operation *op, Value buffer) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!argument || !isa_and_nonnull<KernelOp>(op->getParentOp()) ||
      argument.getOwner() != op->getBlock())
    return std::nullopt;
  return argument.getArgNumber();
}

enum class Role { Any, Input, Output };

static LogicalResult verifyBuffer(Operation *op, Value buffer, Role role,
                                  StringRef constraint) {
  std::optional<unsigned> index = bufferIndex(op, buffer);
  if (!index)
    return op->emitOpError(
               "expected the buffer to be a region argument of the enclosing "
               "row.kernel, because a program reaches memory only through "
               "its kernel's operands (")
           << constraint << ")";
  bool isOutput = cast<KernelOp>(op->getParentOp()).isOutputBuffer(*index);
  if (role == Role::Output && !isOutput)
    return op->emitOpError("expected an output of the kernel, because inputs are never "
                           "written, but got input ")
           << *index << " (" << constraint << ")";
  if (role == Role::Input && isOutput)
    return op->emitOpError("expected an input of the kernel, because outputs are never "
                           "read, but got region argument ")
           << *index << ", an output (" << constraint << ")";
  return success();
}

LogicalResult LoadOp::verify() {
  // That no output is read is the kernel's constraint (row_kernel_c4).
  return verifyBuffer(*this, getBuffer(), Role::Any, "row_load_c1");
}

LogicalResult StoreOp::verify() {
  if (failed(verifyBuffer(*this, getBuffer(), Role::Output, "row_store_c1")))
    return failure();
  Kind kind = kindOf(getValue().getType());
  if (kind != Kind::Tile && kind != Kind::Rows)
    return emitOpError(
               "expected a tile or a per-row value, because sums down the columns "
               "leave through row.accumulate, but got ")
           << getValue().getType() << " (row_store_c2)";
  return success();
}

LogicalResult DimOp::verify() {
  if (!isa_and_nonnull<KernelOp>((*this)->getParentOp()))
    return emitOpError("expected to stand in the body of a row.kernel, because only a "
                       "kernel has rows and columns (row_dim_c1)");
  return success();
}

LogicalResult RoundOp::verify() {
  auto to = cast<FloatType>(getTo());
  Type element = elementTypeOf(getValue().getType());
  if ((to.isF16() || to.isBF16() || to.isF32()) &&
      to.getWidth() <= element.getIntOrFloatBitWidth())
    return success();
  return emitOpError(
             "expected to round to f16, bf16 or f32 and not to a wider type than ")
         << element << ", because the result is a value of the narrower type, but got "
         << to << " (row_round_c1)";
}

/// Which types a scalar may have; `converts` as in ScalarOp.
static bool isScalar(Type type, bool converts) {
  if (type.isF16() || type.isBF16())
    return converts;
  return type.isF32() || type.isF64() || type.isInteger(1) || type.isInteger(8) ||
         type.isInteger(16) || type.isInteger(32) || type.isInteger(64);
}

/// Checks the types of one op of a scalar region.
static LogicalResult verifyScalarTypes(Operation &op, bool converts,
                                       StringRef constraint) {
  for (Type type : llvm::concat<Type>(op.getOperandTypes(), op.getResultTypes())) {
    if (isScalar(type, converts))
      continue;
    if (type.isF16() || type.isBF16())
      return op.emitOpError("expected f32 or f64, because f16 and bf16 are types to "
                            "convert from and to, but got ")
             << type << " (" << constraint << ")";
    return op.emitOpError("expected scalars of f32, f64, i1, i8, i16, i32 or i64, "
                          "because the region is a scalar function, but got ")
           << type << " (" << constraint << ")";
  }
  return success();
}

/// Checks the ops of the scalar region of a map or a reduce.
static LogicalResult verifyScalarOps(Block &block, StringRef constraint) {
  for (Operation &op : block.without_terminator()) {
    const ScalarOp *known = findScalarOp(op.getName().getStringRef());
    bool isConstant = isa<arith::ConstantOp>(op);
    if (!known && !isConstant)
      return op.emitOpError("expected a constant or one of the scalar ops that row.map "
                            "lists, because every target has those (")
             << constraint << ")";
    if (op.hasAttr("roundingmode"))
      return op.emitOpError("expected no roundingmode, because a row program rounds to "
                            "nearest even (")
             << constraint << ")";
    if (failed(verifyScalarTypes(op, isConstant || known->converts, constraint)))
      return failure();
  }
  return success();
}

/// Checks that a list of types is the expected one; `what` names it in the message.
static LogicalResult verifyTypes(Operation *op, TypeRange got, TypeRange expected,
                                 StringRef what, StringRef constraint) {
  if (got == expected)
    return success();
  InFlightDiagnostic diag = op->emitOpError("expected ") << what << " (";
  llvm::interleaveComma(expected, diag);
  diag << "), but got (";
  llvm::interleaveComma(got, diag);
  return diag << ") (" << constraint << ")";
}

LogicalResult MapOp::verifyRegions() {
  Block &block = getBody().front();
  SmallVector<Type> elements =
      llvm::map_to_vector(getInputs().getTypes(), elementTypeOf);
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield)
    return emitOpError("expected the region to end in row.yield (row_map_c1)");
  if (failed(verifyTypes(*this, block.getArgumentTypes(), elements,
                         "region arguments of the inputs' element types",
                         "row_map_c1")) ||
      failed(verifyTypes(*this, yield.getOperandTypes(), elementTypeOf(getType()),
                         "the region to yield one value of the result's element type",
                         "row_map_c1")) ||
      failed(verifyScalarOps(block, "row_map_c2")))
    return failure();
  Kind kind = Kind::Scalar;
  for (Type type : getInputs().getTypes())
    kind = join(kind, kindOf(type));
  if (kind != kindOf(getType()))
    return emitOpError("expected a result that is ")
           << nameOf(kind)
           << ", because that is the join of the inputs' kinds, but got " << getType()
           << " (row_map_c3)";
  return success();
}

LogicalResult ReduceOp::verify() {
  size_t count = getInputs().size();
  if (count == 0)
    return emitOpError(
        "expected at least one input, because there is nothing to reduce "
        "(row_reduce_c1)");
  if (getIdentities().size() != count || getResults().size() != count)
    return emitOpError("expected one identity and one result an input, but got ")
           << count << " inputs, " << getIdentities().size() << " identities and "
           << getResults().size() << " results (row_reduce_c1)";
  for (auto [input, identity, result] :
       llvm::zip(getInputs(), getIdentities(), getResults())) {
    Type element = elementTypeOf(input.getType());
    auto number = dyn_cast<FloatAttr>(identity);
    if (!number || number.getType() != element)
      return emitOpError(
                 "expected identities of the inputs' element types, because a lane "
                 "without an element takes part with one, but got ")
             << identity << " for " << input.getType() << " (row_reduce_c1)";
    if (elementTypeOf(result.getType()) != element)
      return emitOpError("expected results of the inputs' element types, but got ")
             << result.getType() << " for " << input.getType() << " (row_reduce_c1)";
  }
  return success();
}

LogicalResult ReduceOp::verifyRegions() {
  Block &block = getBody().front();
  SmallVector<Type> side = llvm::map_to_vector(getInputs().getTypes(), elementTypeOf);
  SmallVector<Type> both(side);
  both.append(side);
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield)
    return emitOpError("expected the region to end in row.yield (row_reduce_c2)");
  if (failed(verifyTypes(*this, block.getArgumentTypes(), both,
                         "region arguments of the inputs' element types, once a side",
                         "row_reduce_c2")) ||
      failed(verifyTypes(*this, yield.getOperandTypes(), side,
                         "the region to yield values of the inputs' element types",
                         "row_reduce_c2")))
    return failure();
  return verifyScalarOps(block, "row_reduce_c3");
}

LogicalResult MomentsOp::verify() {
  Type element = elementTypeOf(getValue().getType());
  if (elementTypeOf(getMean().getType()) == element &&
      elementTypeOf(getM2().getType()) == element)
    return success();
  return emitOpError("expected results of the value's element type ")
         << element << ", but got " << getMean().getType() << " and "
         << getM2().getType() << " (row_moments_c1)";
}

/// Whether the type is that of partials: two-dimensional, of f32 or f64.
static bool isPartials(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getRank() == 2 &&
         (memref.getElementType().isF32() || memref.getElementType().isF64());
}

LogicalResult AccumulateOp::verify() {
  if (failed(verifyBuffer(*this, getBuffer(), Role::Output, "row_accumulate_c1")))
    return failure();
  Kind kind = kindOf(getValue().getType());
  if (kind != Kind::Tile && (getTo() == Sum::cols || kind != Kind::Rows))
    return emitOpError("expected ")
           << (getTo() == Sum::cols ? "a tile" : "a tile or a per-row value")
           << ", because the sum runs over the rows, but got " << getValue().getType()
           << " (row_accumulate_c2)";
  if (!getSlot())
    return success();
  Type buffer = getBuffer().getType(), element = elementTypeOf(getValue().getType());
  if (!isPartials(buffer) || cast<MemRefType>(buffer).getElementType() != element)
    return emitOpError("expected partials, a two-dimensional memref of ")
           << element << ", because a slot is a segment of a partial, but got "
           << buffer << " (row_accumulate_c3)";
  return success();
}

LogicalResult FinalizeOp::verify() {
  if (failed(verifyBuffer(*this, getPartials(), Role::Input, "row_finalize_c1")) ||
      failed(verifyBuffer(*this, getBuffer(), Role::Output, "row_finalize_c1")))
    return failure();
  if (!isPartials(getPartials().getType()))
    return emitOpError(
               "expected partials, a two-dimensional memref of f32 or f64, but got ")
           << getPartials().getType() << " (row_finalize_c2)";
  int64_t slot = getSlot(), slots = getNumColsSlots();
  if (slot < 0 || slots < 0 || (getTo() == Sum::cols && slot >= slots))
    return emitOpError("expected a slot of at least 0, and of kind cols less than ")
           << slots << ", because a partial has that many segments of columns, but got "
           << slot << " (row_finalize_c3)";
  return success();
}

LogicalResult PartialsOp::verify() {
  if (isPartials(getType()))
    return success();
  return emitOpError("expected a two-dimensional memref of f32 or f64, but got ")
         << getType() << " (row_partials_c1)";
}
