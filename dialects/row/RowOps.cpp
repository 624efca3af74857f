//===- RowOps.cpp - Verifiers and effects of the row ops --------------------===//
#include "dialects/row/Row.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace normc::row;

#define GET_OP_CLASSES
#include "row/RowOps.cpp.inc"

FloatType KernelOp::getAccumulatorType() {
  bool wide = false;
  for (Operation &op : *getBodyBlock())
    for (Type type : op.getResultTypes())
      wide |= elementTypeOf(type).isF64();
  return wide ? FloatType(Float64Type::get(getContext()))
              : FloatType(Float32Type::get(getContext()));
}

void KernelOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand &operand : getInputsMutable())
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
  for (OpOperand &operand : getOutputsMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &operand);
}
LogicalResult KernelOp::verify() { return success(); }
LogicalResult LoadOp::verify() { return success(); }
LogicalResult StoreOp::verify() { return success(); }
LogicalResult RoundOp::verify() { return success(); }
LogicalResult MapOp::verify() { return success(); }
LogicalResult ReduceOp::verify() { return success(); }
LogicalResult AccumulateOp::verify() { return success(); }
LogicalResult FinalizeOp::verify() { return success(); }
