//===- RowOps.cpp - Queries and effects of the row ops ----------------------===//
#include "dialects/row/Row.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace normc;
using namespace normc::row;

#define GET_OP_CLASSES
#include "row/RowOps.cpp.inc"

static schedule::Extent extentOfKind(Kind kind) {
  switch (kind) {
  case Kind::Scalar:
    return schedule::Extent::Scalar;
  case Kind::Cols:
    return schedule::Extent::Cols;
  case Kind::Rows:
    return schedule::Extent::Rows;
  case Kind::Tile:
    return schedule::Extent::Tile;
  }
  llvm_unreachable("all kinds are handled");
}

static schedule::Extent extentOfSum(Sum to) {
  return to == Sum::cols ? schedule::Extent::Cols : schedule::Extent::Scalar;
}

std::optional<schedule::Extent> normc::row::extentOf(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto load = dyn_cast<LoadOp>(user))
    return extentOfKind(kindOf(load.getType()));
  if (auto store = dyn_cast<StoreOp>(user))
    return extentOfKind(kindOf(store.getValue().getType()));
  if (auto accumulate = dyn_cast<AccumulateOp>(user))
    return accumulate.getSlot() ? schedule::Extent::Partials
                                : extentOfSum(accumulate.getTo());
  if (auto finalize = dyn_cast<FinalizeOp>(user))
    return use.get() == finalize.getPartials() ? schedule::Extent::Partials
                                               : extentOfSum(finalize.getTo());
  return std::nullopt;
}

schedule::Extent normc::row::extentOf(BlockArgument buffer) {
  return *extentOf(*buffer.use_begin());
}

bool normc::row::isWrite(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto finalize = dyn_cast<FinalizeOp>(user))
    return use.get() == finalize.getBuffer();
  return isa<StoreOp, AccumulateOp>(user);
}

std::optional<int64_t> normc::row::staticProduct(ArrayRef<int64_t> shape) {
  int64_t product = 1;
  for (int64_t size : shape) {
    if (ShapedType::isDynamic(size) || llvm::MulOverflow(product, size, product))
      return std::nullopt;
  }
  return product;
}

FloatType KernelOp::getAccumulatorType() {
  bool wide = false;
  for (Operation &op : *getBodyBlock()) {
    for (Type type : op.getResultTypes())
      wide |= elementTypeOf(type).isF64();
    if (auto finalize = dyn_cast<FinalizeOp>(op))
      wide |=
          cast<MemRefType>(finalize.getPartials().getType()).getElementType().isF64();
  }
  return wide ? FloatType(Float64Type::get(getContext()))
              : FloatType(Float32Type::get(getContext()));
}

/// The dimensions of a buffer that lie along one axis; nothing where it has none.
static std::optional<ArrayRef<int64_t>>
dimsAlong(MemRefType type, schedule::Extent extent, Axis axis, size_t normDims) {
  ArrayRef<int64_t> shape = type.getShape();
  if (extent == schedule::Extent::Tile && normDims <= shape.size())
    return axis == Axis::rows ? shape.drop_back(normDims) : shape.take_back(normDims);
  if (extent == schedule::Extent::Rows && axis == Axis::rows)
    return shape;
  if (extent == schedule::Extent::Cols && axis == Axis::cols)
    return shape;
  return std::nullopt;
}

std::optional<int64_t> KernelOp::getStaticSize(Axis axis) {
  for (BlockArgument buffer : getBody().getArguments()) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    if (!type || buffer.use_empty())
      continue;
    std::optional<schedule::Extent> extent = extentOf(*buffer.use_begin());
    if (!extent)
      continue;
    if (auto dims = dimsAlong(type, *extent, axis, getNormDims()))
      if (auto size = staticProduct(*dims))
        return size;
  }
  return std::nullopt;
}

void KernelOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand &operand : getInputsMutable())
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
  for (OpOperand &operand : getOutputsMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &operand);
}
