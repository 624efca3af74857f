//===- RowCanonicalize.cpp - Folds and canonical forms of the row ops -------===//
#include "dialects/row/Row.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace normc;
using namespace normc::row;

Operation *RowDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                           Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

OpFoldResult DimOp::fold(FoldAdaptor) {
  // A builder may fold before the op stands in its kernel.
  auto kernel = dyn_cast_or_null<KernelOp>((*this)->getParentOp());
  std::optional<int64_t> size = kernel ? kernel.getStaticSize(getAxis()) : std::nullopt;
  if (!size)
    return {};
  return FloatAttr::get(getType(), double(*size));
}

OpFoldResult RoundOp::fold(FoldAdaptor) {
  if (getTo() == elementTypeOf(getValue().getType()))
    return getValue();
  auto inner = getValue().getDefiningOp<RoundOp>();
  return inner && inner.getTo() == getTo() ? inner.getResult() : OpFoldResult();
}

/// The operands whose buffer the program does not use are dropped.
LogicalResult KernelOp::canonicalize(KernelOp op, PatternRewriter &rewriter) {
  BitVector unused(op.getNumBuffers());
  for (BlockArgument buffer : op.getBody().getArguments())
    if (buffer.use_empty() && !op.isOutputBuffer(buffer.getArgNumber()))
      unused.set(buffer.getArgNumber());
  if (unused.none())
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    op.getBody().front().eraseArguments(unused);
    for (int index = int(unused.size()) - 1; index >= 0; --index)
      if (unused.test(index))
        op.getInputsMutable().erase(index);
  });
  return success();
}

namespace {

/// The kind of a map with only the inputs that are not in `dropped`.
Kind kindWithout(MapOp op, const BitVector &dropped) {
  Kind kind = Kind::Scalar;
  for (auto [index, type] : llvm::enumerate(op.getInputs().getTypes()))
    if (!dropped.test(index))
      kind = join(kind, kindOf(type));
  return kind;
}

/// Drops second mentions of a value and inputs that the region does not use.
struct DropMapInputs : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MapOp op, PatternRewriter &rewriter) const override {
    Block &block = op.getBody().front();
    bool changed = false;
    for (auto [index, input] : llvm::enumerate(op.getInputs())) {
      unsigned first = llvm::find(op.getInputs(), input).getIndex();
      if (first == index || block.getArgument(index).use_empty())
        continue;
      rewriter.replaceAllUsesWith(block.getArgument(index), block.getArgument(first));
      changed = true;
    }
    BitVector dropped(op.getInputs().size());
    for (unsigned index = 0; index < dropped.size(); ++index) {
      if (!block.getArgument(index).use_empty())
        continue;
      dropped.set(index);
      // The input stays where the result would lose its rows or its columns.
      if (kindWithout(op, dropped) != kindOf(op.getType()))
        dropped.reset(index);
    }
    if (!changed && dropped.none())
      return rewriter.notifyMatchFailure(op, "every input is used, and once");
    rewriter.modifyOpInPlace(op, [&] {
      block.eraseArguments(dropped);
      for (int index = int(dropped.size()) - 1; index >= 0; --index)
        if (dropped.test(index))
          op.getInputsMutable().erase(index);
    });
    return success();
  }
};

/// Takes a constant scalar into the region.
struct FoldMapConstants : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MapOp op, PatternRewriter &rewriter) const override {
    Block &block = op.getBody().front();
    bool changed = false;
    for (auto [index, input] : llvm::enumerate(op.getInputs())) {
      BlockArgument argument = block.getArgument(index);
      TypedAttr value;
      if (argument.use_empty() || !matchPattern(input, m_Constant(&value)))
        continue;
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(&block);
      Value constant = arith::ConstantOp::create(rewriter, op.getLoc(), value);
      rewriter.replaceAllUsesWith(argument, constant);
      changed = true;
    }
    if (!changed)
      return rewriter.notifyMatchFailure(op, "no input is a constant");
    // The inputs are unused now, and the other pattern drops them.
    return success();
  }
};

/// Replaces a map that yields one of its inputs, or a constant scalar, by that.
struct FoldTrivialMap : OpRewritePattern<MapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MapOp op, PatternRewriter &rewriter) const override {
    Value yielded = op.getBody().front().getTerminator()->getOperand(0);
    if (auto argument = dyn_cast<BlockArgument>(yielded)) {
      Value input = op.getInputs()[argument.getArgNumber()];
      if (input.getType() != op.getType())
        return rewriter.notifyMatchFailure(op, "the input is broadcast");
      rewriter.replaceOp(op, input);
      return success();
    }
    TypedAttr value;
    if (kindOf(op.getType()) != Kind::Scalar ||
        !matchPattern(yielded, m_Constant(&value)))
      return rewriter.notifyMatchFailure(op, "the map computes something");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, value);
    return success();
  }
};

} // namespace

void MapOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<DropMapInputs, FoldMapConstants, FoldTrivialMap>(context);
}
