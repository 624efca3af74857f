//===- NormCanonicalize.cpp - Rewrites that hold on every norm op -----------===//
#include "dialects/norm/Norm.h"
#include "dialects/norm/NormDetail.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace normc::norm;

namespace {
/// A result of a tensor op that nobody reads need not be computed: its init goes, and
/// the result with it. An op without any used result is dead already.
struct DropUnusedResults : OpInterfaceRewritePattern<NormOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(NormOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (op->use_empty() || llvm::none_of(op->getResults(), isUnused))
      return rewriter.notifyMatchFailure(op, "every result is used, or none");
    constexpr StringLiteral segmentsName = "operandSegmentSizes";
    auto segmentsAttr = op->getAttrOfType<DenseI32ArrayAttr>(segmentsName);
    SmallVector<int32_t> segments(segmentsAttr.asArrayRef());
    SmallVector<Value> operands;
    SmallVector<Type> types;
    SmallVector<OpResult> kept;
    unsigned nextResult = 0;
    for (const NamedOperand &operand : op.getNamedOperands()) {
      if (operand.is_init) {
        OpResult result = op->getResult(nextResult++);
        if (isUnused(result)) {
          segments[operand.segment] = 0;
          continue;
        }
        types.push_back(result.getType());
        kept.push_back(result);
      }
      operands.push_back(operand.value);
    }
    NamedAttrList attributes(op->getAttrs());
    attributes.set(segmentsName, rewriter.getDenseI32ArrayAttr(segments));
    OperationState state(op->getLoc(), op->getName(), operands, types, attributes);
    Operation *newOp = rewriter.create(state);
    for (auto [oldResult, newResult] : llvm::zip_equal(kept, newOp->getResults()))
      rewriter.replaceAllUsesWith(oldResult, newResult);
    rewriter.eraseOp(op);
    return success();
  }

  static bool isUnused(OpResult result) { return result.use_empty(); }
};

/// Takes the source of a memref.cast that knows more. A cast that would show a program
/// to be wrong stays: the error is found at launch, where values are known. (On tensors
/// the tensor dialect does this for every destination style op.)
struct FoldMemRefCasts : OpInterfaceRewritePattern<NormOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(NormOpInterface op,
                                PatternRewriter &rewriter) const override {
    bool changed = false;
    for (OpOperand &operand : op->getOpOperands()) {
      auto cast = operand.get().getDefiningOp<memref::CastOp>();
      if (!cast || !memref::CastOp::canFoldIntoConsumerOp(cast))
        continue;
      if (!staysValid(op, operand, cast.getSource()))
        continue;
      rewriter.modifyOpInPlace(op, [&] { operand.set(cast.getSource()); });
      changed = true;
    }
    return success(changed);
  }

  /// Asks the verifier, quietly.
  static bool staysValid(Operation *op, OpOperand &operand, Value source) {
    Value before = operand.get();
    ScopedDiagnosticHandler quiet(op->getContext(),
                                  [](Diagnostic &) { return success(); });
    operand.set(source);
    bool valid = succeeded(op->getName().verifyInvariants(op));
    operand.set(before);
    return valid;
  }
};
} // namespace

void shared::populateCanonicalizationPatterns(RewritePatternSet &patterns) {
  patterns.add<DropUnusedResults, FoldMemRefCasts>(patterns.getContext());
}
