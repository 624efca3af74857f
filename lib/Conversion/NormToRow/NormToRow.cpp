//===- NormToRow.cpp - The pass convert-norm-to-row -------------------------===//
#include "Decompositions.h"
#include "normc/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

namespace normc {
#define GEN_PASS_DEF_CONVERTNORMTOROWPASS
#include "normc/Conversion/Passes.h.inc"
} // namespace normc

using namespace mlir;
using namespace normc;

/// f64 if any operand is f64, else f32.
static FloatType accumulatorOf(Operation *op) {
  for (Type type : op->getOperandTypes())
    if (cast<MemRefType>(type).getElementType().isF64())
      return Float64Type::get(op->getContext());
  return Float32Type::get(op->getContext());
}

static LogicalResult convert(norm::NormOpInterface op) {
  for (Type type : op->getOperandTypes())
    if (!isa<MemRefType>(type))
      return op->emitOpError("expected memrefs, because tensors are bufferized first "
                             "(norm-bufferize), but got ")
             << type;
  OpBuilder builder(op);
  KernelBuilder kernel(builder, op->getLoc(), accumulatorOf(op));
  TypeSwitch<Operation *>(op.getOperation())
      .Case<norm::LayerNormOp, norm::LayerNormBackwardOp, norm::RmsNormOp,
            norm::RmsNormBackwardOp, norm::DytOp, norm::DytBackwardOp>(
          [&](auto known) { decompose(known, kernel); });
  kernel.finish(op->getName().stripDialect(), op.getNormDims());
  op->erase();
  return success();
}

namespace {

struct ConvertNormToRowPass
    : normc::impl::ConvertNormToRowPassBase<ConvertNormToRowPass> {
  void runOnOperation() override {
    SmallVector<norm::NormOpInterface> ops;
    getOperation()->walk([&](norm::NormOpInterface op) { ops.push_back(op); });
    for (norm::NormOpInterface op : ops)
      if (failed(convert(op)))
        return signalPassFailure();
  }
};

} // namespace
