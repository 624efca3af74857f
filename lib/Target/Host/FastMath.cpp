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
  /// Estrin's scheme: half as long a chain of operations. An even number of them.
  Value polynomialByPairs(Value x, ArrayRef<double> coefficients) {
    Value square = multiply(x, x), result;
    for (size_t i = 0; i < coefficients.size(); i += 2) {
      Value pair = fma(x, constant(coefficients[i]), constant(coefficients[i + 1]));
      result = result ? fma(result, square, pair) : pair;
    }
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

/// A value that is never positive, as scale * v.
struct NeverPositive {
  Value v;
  double scale;
};

/// The exponents k of scales 2^k whose sixth powers, which scale the exponential's
/// polynomial, are far from overflow and underflow.
constexpr int kMaxScaleExponent = 16;

/// |u| where the value is -2^k |u| for a small k, and -2^k; null elsewhere.
std::pair<Value, double> magnitudeOf(Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product)
    return {};
  for (auto [x, y] : {std::pair(product.getLhs(), product.getRhs()),
                      std::pair(product.getRhs(), product.getLhs())}) {
    APFloat factor(0.0F);
    auto abs = x.getDefiningOp<math::AbsFOp>();
    if (!abs || !matchPattern(y, m_ConstantFloat(&factor)) || !factor.isNegative())
      continue;
    const int exponent = factor.getExactLog2Abs();
    if (-kMaxScaleExponent <= exponent && exponent <= kMaxScaleExponent)
      return {abs.getResult(), factor.convertToDouble()};
  }
  return {};
}

/// The value as the backward of tanh (-2 |u|) and of erf (-u^2) have it.
std::optional<NeverPositive> neverPositive(Value value, ImplicitLocOpBuilder &b) {
  if (auto [abs, factor] = magnitudeOf(value); abs)
    return NeverPositive{arith::NegFOp::create(b, abs), -factor};
  auto negated = value.getDefiningOp<arith::NegFOp>();
  auto square =
      negated ? negated.getOperand().getDefiningOp<arith::MulFOp>() : arith::MulFOp();
  if (square && square.getLhs() == square.getRhs())
    return NeverPositive{value, 1};
  return std::nullopt;
}

/// e^x = power + scaled * slope for x <= 0, where nothing overflows.
struct Exponential {
  /// 2^n, n the nearest integer to x / ln 2; 2^n r for r = x - n ln 2, in units of the
  /// argument; (e^r - 1) / r. The power is zero from -126.5 ln 2 down, where 2^n is
  /// half of the smallest normal value.
  Value power, scaled, slope;

  /// ln 2 in one part: it is off by 1.9e-9, and r by at most 127 times of it, 2.4e-7.
  /// The polynomial is (e^r - 1) / r with a first coefficient of exactly 1 and the
  /// others minimax in relative error (Lawson's iteration), 1.4e-8 with the rounding of
  /// its coefficients.
  Exponential(Emitter &e, NeverPositive argument) {
    const double c = argument.scale;
    // -127 ln 2: 2^n has exponent bits 0 there.
    Value v = e.bounded(argument.v, -0x1.601e68p+6 / c, arith::CmpFPredicate::OLT);
    // Adding 1.5 * 2^23 rounds to an integer, and with 127 the last bits of the sum are
    // the biased exponent.
    Value magic = e.constant(0x1.8p+23 + 127);
    Value sum = e.fma(v, e.constant(c * 0x1.715476p+0), magic);
    Value n = e.subtract(sum, magic);
    Value r = e.fma(n, e.constant(-0x1.62e43p-1 / c), v);
    SmallVector<double> coefficients = {0x1.6bebfep-10, 0x1.1227b0p-7, 0x1.555674p-5,
                                        0x1.5554b0p-3,  0x1.fffffep-2, 1};
    double power = 1;
    for (double &each : llvm::reverse(coefficients))
      each *= (power *= c);
    slope = e.polynomialByPairs(r, coefficients);
    this->power = e.exponentFrom(sum);
    scaled = e.multiply(this->power, r);
  }

  Value value(Emitter &e) const { return e.fma(scaled, slope, power); }
  /// e^x - 1, rounded once.
  Value lessOne(Emitter &e) const {
    return e.fma(scaled, slope, e.subtract(power, e.constant(1)));
  }
};

struct ExpOfNegative : OpRewritePattern<math::ExpOp> {
  explicit ExpOfNegative(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    std::optional<NeverPositive> x;
    if (!isF32(op) || !(x = neverPositive(op.getOperand(), b)))
      return rewriter.notifyMatchFailure(op, "expected -2^k |u| or -u^2 in f32");
    Emitter e(op, rewriter);
    Exponential factors(e, *x);
    rewriter.replaceOp(op, factors.value(e));
    return success();
  }
};

/// Whether exp(-2 |u|) is computed as well, as it is for the derivative of tanh.
bool hasExponential(Value u) {
  for (Operation *abs : u.getUsers())
    if (isa<math::AbsFOp>(abs))
      for (Operation *product : abs->getUsers())
        if (auto scaled = dyn_cast<arith::MulFOp>(product);
            scaled && magnitudeOf(scaled).second == -2 &&
            llvm::any_of(scaled->getUsers(), llvm::IsaPred<math::ExpOp>))
          return true;
  return false;
}

/// tanh where e^(-2|u|) and 1 / (1 + e^(-2|u|)) are known anyway: (1 - e) / (1 + e),
/// with e - 1 = (2^n - 1) + 2^n (e^r - 1) rounded once, so that nothing cancels.
struct TanhBesideExponential : OpRewritePattern<math::TanhOp> {
  explicit TanhBesideExponential(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/3) {}

  LogicalResult matchAndRewrite(math::TanhOp op,
                                PatternRewriter &rewriter) const override {
    Value u = op.getOperand();
    if (!isF32(op) || bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn) ||
        !hasExponential(u))
      return rewriter.notifyMatchFailure(op, "expected exp(-2 |u|) beside it, in f32");
    Emitter e(op, rewriter);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value abs = math::AbsFOp::create(b, u);
    Exponential factors(e, {arith::NegFOp::create(b, abs), 2});
    Value one = e.constant(1);
    Value r = e.divide(one, e.add(factors.value(e), one));
    Value magnitude = e.multiply(factors.lessOne(e), r);
    rewriter.replaceOpWithNewOp<math::CopySignOp>(op, magnitude, u);
    return success();
  }
};

} // namespace

void normc::host::populateFastMathPatterns(RewritePatternSet &patterns) {
  patterns.add<ApproximateTanh, ExpOfNegative>(patterns.getContext());
}

void normc::host::populateTanhPatterns(RewritePatternSet &patterns) {
  patterns.add<TanhBesideExponential>(patterns.getContext());
}
