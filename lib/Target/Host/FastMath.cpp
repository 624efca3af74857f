//===- FastMath.cpp - Functions of f32 that know more than MLIR's polynomials -===//
#include "FastMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace {

/// Emits arithmetic on f32, or on vectors of it, beside an op.
class Emitter {
public:
  Emitter(Operation *op, PatternRewriter &rewriter)
      : b(op->getLoc(), rewriter), type(op->getResult(0).getType()) {}

  Value constant(double value) { return splat(type, b.getF32FloatAttr(value)); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value subtract(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value multiply(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value divide(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value fma(Value x, Value y, Value z) { return math::FmaOp::create(b, x, y, z); }
  /// Horner's scheme; the highest coefficient comes first.
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value result = constant(coefficients.front());
    for (double each : coefficients.drop_front())
      result = fma(result, x, constant(each));
    return result;
  }
  /// x, but not less or not more than the bound. A NaN stays: it compares as false.
  Value bounded(Value x, double bound, arith::CmpFPredicate isBeyond) {
    Value limit = constant(bound);
    Value beyond = arith::CmpFOp::create(b, isBeyond, x, limit);
    return arith::SelectOp::create(b, beyond, limit, x);
  }
  /// The float whose exponent bits are the last eight bits of `word`, a float.
  Value exponentFrom(Value word) {
    Type wide = b.getI32Type();
    if (auto vector = dyn_cast<VectorType>(type))
      wide = vector.clone(wide);
    Value bits = arith::BitcastOp::create(b, wide, word);
    Value shift = splat(wide, b.getI32IntegerAttr(23));
    bits = arith::ShLIOp::create(b, bits, shift);
    return arith::BitcastOp::create(b, type, bits);
  }

private:
  Value splat(Type to, TypedAttr attr) {
    if (auto vector = dyn_cast<ShapedType>(to))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(b, to, attr);
  }

  ImplicitLocOpBuilder b;
  Type type;
};

bool isF32(Operation *op) {
  return getElementTypeOrSelf(op->getResult(0).getType()).isF32();
}

/// x P(x^2) / Q(x^2) up to 5, off by at most 9.1e-5, which is 2^-13.4: a minimax
/// approximation of the relative error (Lawson's iteration), scaled so that it is
/// exactly 1 at 5, and so beyond, where tanh is 1 - 9.1e-5 and more. SEMANTICS of the
/// ops allow 2^-11.
struct ApproximateTanh : OpRewritePattern<math::TanhOp> {
  // Before MLIR's own, which knows nothing of `afn`.
  explicit ApproximateTanh(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::TanhOp op,
                                PatternRewriter &rewriter) const override {
    if (!isF32(op) || !bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn))
      return rewriter.notifyMatchFailure(op, "expected f32 that may be approximate");
    Emitter e(op, rewriter);
    Value x = e.bounded(op.getOperand(), 5, arith::CmpFPredicate::OGT);
    x = e.bounded(x, -5, arith::CmpFPredicate::OLT);
    Value square = e.multiply(x, x);
    Value above = e.multiply(
        x, e.polynomial(square, {0x1.5f9568p-11, 0x1.a384f6p-4, 0x1.fffe4cp-1}));
    Value below = e.polynomial(square, {0x1.a4151ep-7, 0x1.bde208p-2, 1});
    rewriter.replaceOp(op, e.divide(above, below));
    return success();
  }
};

/// Whether the value is -c * |u|, as the backward of tanh has it.
bool isNeverPositive(Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product)
    return false;
  auto isNegative = [](Value v) {
    APFloat factor(0.0F);
    return matchPattern(v, m_ConstantFloat(&factor)) && factor.isNegative() &&
           factor.isFinite();
  };
  auto isAbs = [](Value v) { return v.getDefiningOp<math::AbsFOp>() != nullptr; };
  return (isNegative(product.getLhs()) && isAbs(product.getRhs())) ||
         (isNegative(product.getRhs()) && isAbs(product.getLhs()));
}

/// exp where nothing overflows: 2^n e^r, n the nearest integer to x / ln 2 and r what
/// is left, in two parts of ln 2 (Cody and Waite); e^r by the polynomial of Cephes'
/// expf, as in MLIR's. Below -126.5 ln 2, half of the smallest normal value and less,
/// it is zero.
struct ExpOfNegative : OpRewritePattern<math::ExpOp> {
  explicit ExpOfNegative(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    if (!isF32(op) || !isNeverPositive(op.getOperand()))
      return rewriter.notifyMatchFailure(op, "expected an operand -c*|u| in f32");
    Emitter e(op, rewriter);
    // -127 ln 2: 2^n has exponent bits 0 there.
    Value x = e.bounded(op.getOperand(), -0x1.601e68p+6, arith::CmpFPredicate::OLT);
    // Adding 1.5 * 2^23 rounds to an integer, and with 127 the last bits of the sum are
    // the biased exponent.
    Value magic = e.constant(0x1.8p+23 + 127);
    Value sum = e.fma(x, e.constant(0x1.715476p+0), magic);
    Value n = e.subtract(sum, magic);
    Value r = e.fma(n, e.constant(-0x1.63p-1), x);
    r = e.fma(n, e.constant(0x1.bd0106p-13), r);
    Value tail = e.polynomial(r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3,
                                  4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1});
    Value power = e.add(e.fma(tail, e.multiply(r, r), r), e.constant(1));
    rewriter.replaceOp(op, e.multiply(power, e.exponentFrom(sum)));
    return success();
  }
};

} // namespace

void normc::host::populateFastMathPatterns(RewritePatternSet &patterns) {
  patterns.add<ApproximateTanh, ExpOfNegative>(patterns.getContext());
}
