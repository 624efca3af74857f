//===- RoundBf16.cpp - f32 to bf16 in integer instructions ------------------===//
#include "RoundBf16.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace {

/// Adds just under half a unit in the last place, and the last bit that stays, so that
/// a tie goes to the even neighbour; the carry runs into the exponent and on to
/// infinity. A NaN would carry into its sign: all its bits are set, which costs one
/// instruction less than to select a NaN among the halves.
struct RoundBf16 : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Type from = op.getIn().getType(), to = op.getType();
    if (!getElementTypeOrSelf(from).isF32() || !getElementTypeOrSelf(to).isBF16())
      return rewriter.notifyMatchFailure(op, "not from f32 to bf16");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto like = [&](Type element) -> Type {
      auto vector = dyn_cast<VectorType>(from);
      return vector ? Type(vector.clone(element)) : element;
    };
    Type wide = like(b.getI32Type());
    auto constant = [&](int32_t value) -> Value {
      TypedAttr attr = b.getI32IntegerAttr(value);
      if (auto vector = dyn_cast<VectorType>(wide))
        attr = DenseElementsAttr::get(vector, Attribute(attr));
      return arith::ConstantOp::create(b, wide, attr);
    };
    Value half = constant(16);
    Value bits = arith::BitcastOp::create(b, wide, op.getIn());
    Value last = arith::ShRUIOp::create(b, bits, half);
    last = arith::AndIOp::create(b, last, constant(1));
    Value rounded = arith::AddIOp::create(b, bits, constant(0x7fff));
    rounded = arith::AddIOp::create(b, rounded, last);
    Value isNan =
        arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, op.getIn(), op.getIn());
    Value ones = arith::ExtSIOp::create(b, wide, isNan);
    rounded = arith::OrIOp::create(b, rounded, ones);
    Value high = arith::ShRUIOp::create(b, rounded, half);
    Value narrow = arith::TruncIOp::create(b, like(b.getI16Type()), high);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, to, narrow);
    return success();
  }
};

} // namespace

void normc::host::populateRoundBf16Patterns(RewritePatternSet &patterns) {
  patterns.add<RoundBf16>(patterns.getContext());
}
