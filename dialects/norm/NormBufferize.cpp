//===- NormBufferize.cpp - From tensors to buffers --------------------------===//
#include "dialects/norm/Norm.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace normc::norm;

LogicalResult shared::bufferize(DestinationStyleOpInterface op, RewriterBase &rewriter,
                                const bufferization::BufferizationOptions &options,
                                bufferization::BufferizationState &state) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  SmallVector<Value> buffers;
  for (Value operand : op->getOperands()) {
    if (!isa<TensorType>(operand.getType())) {
      buffers.push_back(operand);
      continue;
    }
    FailureOr<Value> buffer =
        bufferization::getBuffer(rewriter, operand, options, state);
    if (failed(buffer))
      return failure();
    buffers.push_back(*buffer);
  }
  SmallVector<Value> inits;
  unsigned firstInit = buffers.size() - op.getNumDpsInits();
  for (OpResult result : op->getResults())
    inits.push_back(buffers[firstInit + result.getResultNumber()]);
  OperationState newOp(op.getLoc(), op->getName(), buffers, TypeRange(),
                       op->getAttrs());
  rewriter.create(newOp);
  bufferization::replaceOpWithBufferizedValues(rewriter, op, inits);
  return success();
}
