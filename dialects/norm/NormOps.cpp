//===- NormOps.cpp - Operands, effects and shapes of the norm ops -----------===//
#include "dialects/norm/Norm.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace normc::norm;

#include "norm/NormInterfaces.cpp.inc"
#define GET_OP_CLASSES
#include "norm/NormOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Named operands
//===----------------------------------------------------------------------===//

namespace {
/// Collects the operands of an op in segment order; absent ones count and are left out.
class OperandList {
public:
  OperandList &in(StringRef name, Role role, Value value) {
    return add(name, role, false, value);
  }
  OperandList &init(StringRef name, Role role, Value value) {
    return add(name, role, true, value);
  }
  operator SmallVector<NamedOperand>() { return std::move(operands); }

private:
  OperandList &add(StringRef name, Role role, bool isInit, Value value) {
    if (value)
      operands.push_back({name, role, isInit, segment, value});
    ++segment;
    return *this;
  }
  SmallVector<NamedOperand> operands;
  unsigned segment = 0;
};
} // namespace

SmallVector<NamedOperand> LayerNormOp::getNamedOperands() {
  return OperandList()
      .in("x", Role::Tile, getX())
      .in("weight", Role::Cols, getWeight())
      .in("bias", Role::Cols, getBias())
      .init("y", Role::Tile, getYInit())
      .init("mean", Role::Rows, getMeanInit())
      .init("rstd", Role::Rows, getRstdInit());
}

SmallVector<NamedOperand> LayerNormBackwardOp::getNamedOperands() {
  return OperandList()
      .in("dy", Role::Tile, getDy())
      .in("x", Role::Tile, getX())
      .in("mean", Role::Rows, getMean())
      .in("rstd", Role::Rows, getRstd())
      .in("weight", Role::Cols, getWeight())
      .init("dx", Role::Tile, getDxInit())
      .init("dweight", Role::Cols, getDweightInit())
      .init("dbias", Role::Cols, getDbiasInit());
}

SmallVector<NamedOperand> RmsNormOp::getNamedOperands() {
  return OperandList()
      .in("x", Role::Tile, getX())
      .in("weight", Role::Cols, getWeight())
      .init("y", Role::Tile, getYInit())
      .init("rstd", Role::Rows, getRstdInit());
}

SmallVector<NamedOperand> RmsNormBackwardOp::getNamedOperands() {
  return OperandList()
      .in("dy", Role::Tile, getDy())
      .in("x", Role::Tile, getX())
      .in("rstd", Role::Rows, getRstd())
      .in("weight", Role::Cols, getWeight())
      .init("dx", Role::Tile, getDxInit())
      .init("dweight", Role::Cols, getDweightInit());
}

SmallVector<NamedOperand> DytOp::getNamedOperands() {
  return OperandList()
      .in("x", Role::Tile, getX())
      .in("alpha", Role::Scalar, getAlpha())
      .in("shift", Role::Scalar, getShift())
      .in("weight", Role::Cols, getWeight())
      .in("bias", Role::Cols, getBias())
      .init("y", Role::Tile, getYInit());
}

SmallVector<NamedOperand> DytBackwardOp::getNamedOperands() {
  return OperandList()
      .in("dy", Role::Tile, getDy())
      .in("x", Role::Tile, getX())
      .in("alpha", Role::Scalar, getAlpha())
      .in("shift", Role::Scalar, getShift())
      .in("weight", Role::Cols, getWeight())
      .init("dx", Role::Tile, getDxInit())
      .init("dalpha", Role::Scalar, getDalphaInit())
      .init("dshift", Role::Scalar, getDshiftInit())
      .init("dweight", Role::Cols, getDweightInit())
      .init("dbias", Role::Cols, getDbiasInit());
}

SmallVector<Value> shared::selectOperands(ArrayRef<NamedOperand> operands, bool inits) {
  SmallVector<Value> selected;
  for (const NamedOperand &operand : operands)
    if (operand.is_init == inits)
      selected.push_back(operand.value);
  return selected;
}

MutableOperandRange shared::initRange(Operation *op) {
  auto operands = cast<NormOpInterface>(op).getNamedOperands();
  unsigned inits = llvm::count_if(operands, [](auto &o) { return o.is_init; });
  return MutableOperandRange(op, op->getNumOperands() - inits, inits);
}

//===----------------------------------------------------------------------===//
// Effects and shapes
//===----------------------------------------------------------------------===//

void shared::addEffects(DestinationStyleOpInterface op, Effects &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    MemoryEffects::Effect *effect = MemoryEffects::Read::get();
    if (op.isDpsInit(&operand))
      effect = MemoryEffects::Write::get();
    effects.emplace_back(effect, &operand, /*stage=*/0, /*effectOnFullRegion=*/true,
                         SideEffects::DefaultResource::get());
  }
}

LogicalResult shared::reifyShapes(OpBuilder &builder, DestinationStyleOpInterface op,
                                  ReifiedRankedShapedTypeDims &shapes) {
  for (OpResult result : op->getResults()) {
    Value init = op.getTiedOpOperand(result)->get();
    shapes.push_back(tensor::getMixedSizes(builder, op.getLoc(), init));
  }
  return success();
}
