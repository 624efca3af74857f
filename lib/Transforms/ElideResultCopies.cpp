//===- ElideResultCopies.cpp - Reshaped results in place --------------------===//
#include "normc/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

namespace normc {
#define GEN_PASS_DEF_ELIDERESULTCOPIESPASS
#include "normc/Transforms/Passes.h.inc"
} // namespace normc

using namespace mlir;
using namespace normc;

namespace {
/// The ops from an allocation to the value that is copied, outermost first.
struct Chain {
  memref::AllocOp alloc;
  SmallVector<Operation *> views;
};

FailureOr<Chain> findChain(Value source) {
  Chain chain;
  while (Operation *op = source.getDefiningOp()) {
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      chain.alloc = alloc;
      return chain;
    }
    if (!isa<memref::ExpandShapeOp, memref::CollapseShapeOp, memref::CastOp>(op))
      return failure();
    chain.views.push_back(op);
    source = op->getOperand(0);
  }
  return failure();
}

/// The sizes of what `collapse` makes `outer` of; fewer where one does not follow.
SmallVector<OpFoldResult> sizesBehind(OpBuilder &builder,
                                      memref::CollapseShapeOp collapse, Value outer) {
  auto sourceType = cast<MemRefType>(collapse.getSrc().getType());
  SmallVector<OpFoldResult> sizes;
  for (auto [group, dims] : llvm::enumerate(collapse.getReassociationIndices()))
    for (int64_t dim : dims) {
      if (!sourceType.isDynamicDim(dim))
        sizes.push_back(builder.getIndexAttr(sourceType.getDimSize(dim)));
      else if (dims.size() == 1)
        sizes.push_back(
            memref::getMixedSize(builder, collapse.getLoc(), outer, int64_t(group)));
    }
  return sizes;
}

/// The value that is to `outer` what the view's source is to its result.
Value invert(OpBuilder &builder, Operation *view, Value outer, memref::AllocOp alloc,
             bool isLast) {
  Location loc = view->getLoc();
  auto sourceType = cast<MemRefType>(view->getOperand(0).getType());
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(view))
    return memref::CollapseShapeOp::create(builder, loc, outer,
                                           expand.getReassociationIndices());
  if (isa<memref::CastOp>(view))
    return memref::CastOp::create(builder, loc, sourceType, outer);
  auto collapse = cast<memref::CollapseShapeOp>(view);
  // The sizes of a dynamic source are known to its allocation, or are those of `outer`
  // where they are not collapsed with others.
  SmallVector<OpFoldResult> sizes;
  if (isLast)
    sizes = alloc.getMixedSizes();
  else
    sizes = sizesBehind(builder, collapse, outer);
  if (int64_t(sizes.size()) != sourceType.getRank())
    return {};
  return memref::ExpandShapeOp::create(builder, loc, sourceType, outer,
                                       collapse.getReassociationIndices(), sizes);
}

/// Puts the allocation of what `copy` copies into the copy's target.
void elide(memref::CopyOp copy, RewriterBase &rewriter) {
  auto target = dyn_cast<BlockArgument>(copy.getTarget());
  if (!target || !target.hasOneUse() || !target.getOwner()->isEntryBlock() ||
      target.getType() != copy.getSource().getType())
    return;
  // The buffer must not change once it is copied; one-shot bufferization and the pass
  // for out-parameters put the copies at the end.
  for (Operation *op = copy->getNextNode(); op; op = op->getNextNode())
    if (!isa<memref::CopyOp>(op) && !op->hasTrait<OpTrait::IsTerminator>())
      return;
  FailureOr<Chain> chain = findChain(copy.getSource());
  if (failed(chain) || chain->views.empty() ||
      chain->alloc->getBlock() != copy->getBlock())
    return;
  rewriter.setInsertionPoint(chain->alloc);
  Value value = target;
  SmallVector<Operation *> made;
  for (auto [i, view] : llvm::enumerate(chain->views)) {
    value = invert(rewriter, view, value, chain->alloc, i + 1 == chain->views.size());
    if (value)
      made.push_back(value.getDefiningOp());
    if (value && value.getType() == view->getOperand(0).getType())
      continue;
    for (Operation *op : llvm::reverse(made))
      rewriter.eraseOp(op);
    return;
  }
  rewriter.eraseOp(copy);
  rewriter.replaceOp(chain->alloc, value);
}

struct ElideResultCopiesPass
    : normc::impl::ElideResultCopiesPassBase<ElideResultCopiesPass> {
  using Base::Base;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<memref::CopyOp> copies;
    getOperation().walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    for (memref::CopyOp copy : copies)
      elide(copy, rewriter);
  }
};
} // namespace
