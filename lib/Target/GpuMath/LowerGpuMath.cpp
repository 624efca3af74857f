//===- LowerGpuMath.cpp - Transcendental functions of a GPU -----------------===//
#include "dialects/norm/Norm.h"
#include "normc/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace normc {
#define GEN_PASS_DEF_LOWERGPUMATHPASS
#include "normc/Conversion/Passes.h.inc"
} // namespace normc

using namespace mlir;

namespace {

/// Functions that have a polynomial in f32.
bool hasPolynomial(StringRef function) {
  return function == math::TanhOp::getOperationName() ||
         function == math::ErfOp::getOperationName() ||
         function == math::LogOp::getOperationName();
}

bool isF32(Value value) { return getElementTypeOrSelf(value.getType()).isF32(); }

Value constantLike(OpBuilder &b, Location loc, Type type, double value) {
  TypedAttr attr = b.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(b, loc, type, attr);
}

/// Applies a scalar function to each element.
Value forEachElement(OpBuilder &b, Location loc, Value value,
                     llvm::function_ref<Value(Value)> function) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return function(value);
  SmallVector<Value> results;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    results.push_back(
        function(vector::ExtractOp::create(b, loc, value, ArrayRef<int64_t>{i})));
  return vector::FromElementsOp::create(b, loc, type, results);
}

/// Calls an intrinsic whose result has its first operand's type.
Value callIntrinsic(OpBuilder &b, Location loc, StringRef name, ValueRange args,
                    LLVM::FastmathFlags flags = LLVM::FastmathFlags::none) {
  return LLVM::CallIntrinsicOp::create(
             b, loc, TypeRange(args.front().getType()), b.getStringAttr(name), args,
             LLVM::FastmathFlagsAttr::get(b.getContext(), flags))
      .getResult(0);
}

/// The hardware's 2^x over the whole range: 2 ulp on NVIDIA's (CUDA C++ Programming
/// Guide 13.0, "Standard Functions"), 3 ulp in OpenCL (OpenCL SPIR-V Environment
/// Specification 3.0, "OpenCL Extended Instruction Set").
Value hardwareExp2(OpBuilder &b, Location loc, Value value) {
  return forEachElement(b, loc, value, [&](Value x) -> Value {
    return callIntrinsic(b, loc, "llvm.exp2", x, LLVM::FastmathFlags::afn);
  });
}

/// exp(x) = 2^t * 2^r with t = x*log2(e) rounded and r what the rounding left: without
/// r the error grows with |x|.
struct ExpLowering : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &b) const override {
    if (!isF32(op.getOperand()))
      return b.notifyMatchFailure(op, "expected f32");
    Location loc = op.getLoc();
    Value x = op.getOperand();
    Type type = x.getType();
    // log2(e) as the sum of two f32, and ln(2).
    Value high = constantLike(b, loc, type, 1.44269502162933349609375);
    Value low = constantLike(b, loc, type, 1.92596299112661746887e-8);
    Value ln2 = constantLike(b, loc, type, 0.693147182464599609375);
    Value t = arith::MulFOp::create(b, loc, x, high);
    Value rest = math::FmaOp::create(b, loc, x, high, arith::NegFOp::create(b, loc, t));
    rest = math::FmaOp::create(b, loc, x, low, rest);
    Value power = hardwareExp2(b, loc, t);
    Value scaled = arith::MulFOp::create(b, loc, rest, ln2);
    // An infinite power, or that of an infinity, stays what it is: rest may be NaN
    // there.
    Value corrected = math::FmaOp::create(b, loc, power, scaled, power);
    Value limit = constantLike(b, loc, type, 128.0);
    Value isFinite = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                           math::AbsFOp::create(b, loc, t), limit);
    b.replaceOpWithNewOp<arith::SelectOp>(op, isFinite, corrected, power);
    return success();
  }
};

struct Exp2Lowering : OpRewritePattern<math::Exp2Op> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::Exp2Op op, PatternRewriter &b) const override {
    if (!isF32(op.getOperand()))
      return b.notifyMatchFailure(op, "expected f32");
    b.replaceOp(op, hardwareExp2(b, op.getLoc(), op.getOperand()));
    return success();
  }
};

/// tanh(u) = sign(u) * (1 - e) * r with e = exp(-2|u|) and r = 1 / (1 + e), which the
/// derivative has too. It cancels for small |u|: below 0.1 three terms of the series
/// are exact to 6e-8 (the next is 17/315*u^6), at 0.1 the cancellation costs 4e-7.
struct TanhLowering : OpRewritePattern<math::TanhOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::TanhOp op, PatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value u = op.getOperand();
    if (!isF32(u) || bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::afn))
      return b.notifyMatchFailure(op, "expected f32 that may not be approximate");
    auto constant = [&](double value) {
      return constantLike(b, loc, u.getType(), value);
    };
    Value magnitude = math::AbsFOp::create(b, loc, u);
    Value doubled = arith::MulFOp::create(b, loc, magnitude, constant(-2));
    Value e = math::ExpOp::create(b, loc, doubled);
    Value one = constant(1);
    Value above = arith::AddFOp::create(b, loc, e, one);
    Value r = arith::DivFOp::create(b, loc, one, above, arith::FastMathFlags::arcp);
    Value square = arith::MulFOp::create(b, loc, u, u);
    Value series =
        math::FmaOp::create(b, loc, square, constant(2.0 / 15.0), constant(-1.0 / 3.0));
    Value cube = arith::MulFOp::create(b, loc, u, square);
    Value small = math::FmaOp::create(b, loc, cube, series, u);
    Value rest = arith::SubFOp::create(b, loc, one, e);
    Value large =
        math::CopySignOp::create(b, loc, arith::MulFOp::create(b, loc, rest, r), u);
    Value isSmall = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, magnitude,
                                          constant(0.1));
    b.replaceOpWithNewOp<arith::SelectOp>(op, isSmall, small, large);
    return success();
  }
};

/// tanh.approx.f32, 2^-11 relative, where the op allows it.
struct ApproximateTanhLowering : OpRewritePattern<math::TanhOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::TanhOp op, PatternRewriter &b) const override {
    bool allowed =
        arith::bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::afn);
    if (!allowed || !isF32(op.getOperand()))
      return b.notifyMatchFailure(op, "expected f32 and fastmath<afn>");
    Location loc = op.getLoc();
    b.replaceOp(op, forEachElement(b, loc, op.getOperand(), [&](Value x) -> Value {
                  return callIntrinsic(b, loc, "llvm.tanh", x,
                                       LLVM::FastmathFlags::afn);
                }));
    return success();
  }
};

/// A function that LLVM has under the same operands, on vectors too. Called by name:
/// convert-gpu-to-nvvm makes library calls of the math ops and of LLVM's own.
template <typename Source> struct IntrinsicLowering : OpRewritePattern<Source> {
  IntrinsicLowering(MLIRContext *context, StringRef intrinsic)
      : OpRewritePattern<Source>(context), intrinsic(intrinsic) {}
  LogicalResult matchAndRewrite(Source op, PatternRewriter &b) const override {
    b.replaceOp(op, callIntrinsic(b, op.getLoc(), intrinsic, op->getOperands()));
    return success();
  }
  StringRef intrinsic;
};

bool isOne(Value value) {
  FloatAttr scalar;
  DenseElementsAttr splat;
  if (matchPattern(value, m_Constant(&scalar)))
    return scalar.getValue().isExactlyValue(1.0);
  return matchPattern(value, m_Constant(&splat)) && splat.isSplat() &&
         splat.getElementType().isF32() &&
         splat.getSplatValue<APFloat>().isExactlyValue(1.0);
}

/// 1/sqrt(x) from the hardware's, which is 2^-22.9 relative on NVIDIA's and 2 ulp in
/// OpenCL, and a step of Newton's that makes it 1 ulp; the correctly rounded root and
/// quotient are two calls of a subroutine. Zero and infinity take the hardware's, exact
/// there: the step would make them NaN.
struct RsqrtLowering : OpRewritePattern<arith::DivFOp> {
  RsqrtLowering(MLIRContext *context, StringRef intrinsic)
      : OpRewritePattern(context), intrinsic(intrinsic) {}
  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &b) const override {
    auto root = op.getRhs().getDefiningOp<math::SqrtOp>();
    if (!root || !isF32(op.getResult()) || !isOne(op.getLhs()))
      return b.notifyMatchFailure(op, "expected 1 / sqrt of f32");
    Location loc = op.getLoc();
    Value x = root.getOperand();
    Type type = x.getType();
    Value guess = forEachElement(b, loc, x, [&](Value scalar) {
      return callIntrinsic(b, loc, intrinsic, scalar);
    });
    // guess + guess * (1 - x*guess^2) / 2, the difference without rounding x*guess^2.
    Value product = arith::MulFOp::create(b, loc, x, guess);
    Value rest = math::FmaOp::create(b, loc, arith::NegFOp::create(b, loc, product),
                                     guess, constantLike(b, loc, type, 1.0));
    Value half = arith::MulFOp::create(b, loc, guess, constantLike(b, loc, type, 0.5));
    Value better = math::FmaOp::create(b, loc, half, rest, guess);
    // False for zero and infinity, whose guess times x is NaN, and for NaN.
    Value isFinite =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, product, product);
    b.replaceOpWithNewOp<arith::SelectOp>(op, isFinite, better, guess);
    return success();
  }
  StringRef intrinsic;
};

/// 1/x by the hardware's, 1 ulp, where the op allows it: denormal values and results
/// are flushed.
struct ReciprocalLowering : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivFOp op, PatternRewriter &b) const override {
    bool allowed =
        arith::bitEnumContainsAny(op.getFastmath(), arith::FastMathFlags::arcp);
    if (!allowed || !isF32(op.getResult()) || !isOne(op.getLhs()))
      return b.notifyMatchFailure(op, "expected 1 / x of f32 and fastmath<arcp>");
    Location loc = op.getLoc();
    b.replaceOp(op, forEachElement(b, loc, op.getRhs(), [&](Value scalar) {
                  return callIntrinsic(b, loc, "llvm.nvvm.rcp.approx.ftz.f", scalar);
                }));
    return success();
  }
};

/// erf of f64, which LLVM has no intrinsic for that the SPIR-V back end knows: OpenCL's
/// function, under its mangled name, which that makes an extended instruction.
struct OpenclErfLowering : OpRewritePattern<math::ErfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::ErfOp op, PatternRewriter &b) const override {
    static constexpr StringLiteral kErf = "_Z3erfd";
    if (!getElementTypeOrSelf(op.getType()).isF64())
      return b.notifyMatchFailure(op, "expected f64");
    auto kernels = op->getParentOfType<gpu::GPUModuleOp>();
    if (!kernels.lookupSymbol(kErf)) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(kernels.getBody());
      auto function = LLVM::LLVMFuncOp::create(
          b, kernels.getLoc(), kErf,
          LLVM::LLVMFunctionType::get(b.getF64Type(), {b.getF64Type()}),
          LLVM::Linkage::External, /*dsoLocal=*/false, LLVM::CConv::SPIR_FUNC);
      function.setNoUnwind(true);
      function.setWillReturn(true);
    }
    b.replaceOp(
        op, forEachElement(b, op.getLoc(), op.getOperand(), [&](Value x) -> Value {
          auto call =
              LLVM::CallOp::create(b, op.getLoc(), TypeRange(b.getF64Type()), kErf, x);
          call.setCConv(LLVM::CConv::SPIR_FUNC);
          return call.getResult();
        }));
    return success();
  }
};

class LowerGpuMath : public normc::impl::LowerGpuMathPassBase<LowerGpuMath> {
public:
  using LowerGpuMathPassBase::LowerGpuMathPassBase;

  void runOnOperation() override {
    auto target = getOperation()->getAttrOfType<normc::norm::TargetAttr>("norm.target");
    const bool isSpirv =
        target && target.getFacts().backend == normc::schedule::Backend::LevelZero;
    for (auto kernels : getOperation().getOps<gpu::GPUModuleOp>()) {
      // First, while the roots are there: where some were lowered before the quotients
      // of them, rows that a lane has side by side would be rounded differently.
      RewritePatternSet roots(&getContext());
      roots.add<RsqrtLowering>(&getContext(),
                               isSpirv ? "llvm.spv.rsqrt" : "llvm.nvvm.rsqrt.approx.f");
      RewritePatternSet patterns(&getContext());
      patterns.add<TanhLowering>(&getContext(), /*benefit=*/2);
      patterns.add<ExpLowering, Exp2Lowering>(&getContext());
      if (isSpirv) {
        patterns.add<OpenclErfLowering>(&getContext());
      } else {
        patterns.add<ReciprocalLowering>(&getContext());
        patterns.add<ApproximateTanhLowering>(&getContext(), /*benefit=*/2);
      }
      patterns.add<IntrinsicLowering<math::FmaOp>>(&getContext(), "llvm.fma");
      patterns.add<IntrinsicLowering<math::SqrtOp>>(&getContext(), "llvm.sqrt");
      patterns.add<IntrinsicLowering<math::AbsFOp>>(&getContext(), "llvm.fabs");
      patterns.add<IntrinsicLowering<math::CopySignOp>>(&getContext(), "llvm.copysign");
      populateMathPolynomialApproximationPatterns(patterns, hasPolynomial);
      if (failed(applyPatternsGreedily(kernels, std::move(roots))) ||
          failed(applyPatternsGreedily(kernels, std::move(patterns))))
        return signalPassFailure();
    }
  }
};

} // namespace
