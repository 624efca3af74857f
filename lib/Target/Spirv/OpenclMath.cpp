//===- OpenclMath.cpp - Functions that only OpenCL's library has -------------===//
#include "normc/Conversion/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace normc {
#define GEN_PASS_DEF_LOWEROPENCLMATHPASS
#include "normc/Conversion/Passes.h.inc"
} // namespace normc

using namespace mlir;

namespace {

/// The function of that name and of one operand, declared where it is not yet.
void declare(OpBuilder &b, gpu::GPUModuleOp kernels, StringRef name, Type type) {
  if (kernels.lookupSymbol(name))
    return;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(kernels.getBody());
  auto function = LLVM::LLVMFuncOp::create(
      b, kernels.getLoc(), name, LLVM::LLVMFunctionType::get(type, {type}),
      LLVM::Linkage::External, /*dsoLocal=*/false, LLVM::CConv::SPIR_FUNC);
  function.setNoUnwind(true);
  function.setWillReturn(true);
}

/// A call of OpenCL's function of the op's own name, mangled as the Itanium C++ ABI has
/// it, which the SPIR-V back end makes an extended instruction.
template <typename Op> struct OpenclCall : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &b) const override {
    Type type = getElementTypeOrSelf(op.getType());
    if (!type.isF32() && !type.isF64())
      return b.notifyMatchFailure(op, "expected f32 or f64");
    StringRef function = Op::getOperationName();
    function.consume_front("math.");
    const std::string name = "_Z" + std::to_string(function.size()) + function.str() +
                             (type.isF32() ? "f" : "d");
    declare(b, op->template getParentOfType<gpu::GPUModuleOp>(), name, type);
    Location loc = op.getLoc();
    auto call = [&](Value x) -> Value {
      auto result = LLVM::CallOp::create(b, loc, TypeRange(type), name, x);
      result.setCConv(LLVM::CConv::SPIR_FUNC);
      return result.getResult();
    };
    auto vector = dyn_cast<VectorType>(op.getType());
    if (!vector) {
      b.replaceOp(op, call(op.getOperand()));
      return success();
    }
    SmallVector<Value> results;
    for (int64_t i = 0; i < vector.getNumElements(); ++i)
      results.push_back(call(
          vector::ExtractOp::create(b, loc, op.getOperand(), ArrayRef<int64_t>{i})));
    b.replaceOp(op, vector::FromElementsOp::create(b, loc, vector, results));
    return success();
  }
};

class LowerOpenclMath : public normc::impl::LowerOpenclMathPassBase<LowerOpenclMath> {
public:
  using LowerOpenclMathPassBase::LowerOpenclMathPassBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<OpenclCall<math::AcoshOp>, OpenclCall<math::AsinhOp>,
                 OpenclCall<math::AtanhOp>, OpenclCall<math::CbrtOp>,
                 OpenclCall<math::ErfcOp>>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
