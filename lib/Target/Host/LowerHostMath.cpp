//===- LowerHostMath.cpp - Transcendental functions of the processor --------===//
#include "FastMath.h"
#include "RoundBf16.h"
#include "normc/Conversion/Passes.h"

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace normc {
#define GEN_PASS_DEF_LOWERHOSTMATHPASS
#include "normc/Conversion/Passes.h.inc"
} // namespace normc

using namespace mlir;

namespace {

/// Functions that have a polynomial in f32; every other one is the C library's.
bool hasPolynomial(StringRef function) {
  return function == math::ExpOp::getOperationName() ||
         function == math::TanhOp::getOperationName() ||
         function == math::ErfOp::getOperationName() ||
         function == math::LogOp::getOperationName();
}

class LowerHostMath : public normc::impl::LowerHostMathPassBase<LowerHostMath> {
public:
  using LowerHostMathPassBase::LowerHostMathPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    // First, since they look for exponentials that are still ops.
    RewritePatternSet functions(context);
    normc::host::populateTanhPatterns(functions);
    if (failed(applyPatternsGreedily(module, std::move(functions))))
      return signalPassFailure();

    RewritePatternSet polynomials(context);
    populateMathPolynomialApproximationPatterns(polynomials, hasPolynomial);
    normc::host::populateFastMathPatterns(polynomials);
    normc::host::populateRoundBf16Patterns(polynomials);
    if (failed(applyPatternsGreedily(module, std::move(polynomials))))
      return signalPassFailure();

    RewritePatternSet calls(context);
    populateMathToLibmConversionPatterns(calls);
    ConversionTarget target(*context);
    target.addLegalDialect<BuiltinDialect, func::FuncDialect, vector::VectorDialect,
                           arith::ArithDialect, LLVM::LLVMDialect>();
    target.addIllegalDialect<math::MathDialect>();
    // The processor has these itself.
    target
        .addLegalOp<math::FmaOp, math::SqrtOp, math::RsqrtOp, math::AbsFOp,
                    math::CopySignOp, math::FloorOp, math::CeilOp, math::TruncOp,
                    math::RoundEvenOp, math::AbsIOp, math::IsNaNOp, math::IsFiniteOp>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(module, target, std::move(calls))))
      signalPassFailure();
  }
};

} // namespace
