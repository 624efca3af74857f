//===- Lowering.cpp - From row kernels to the LLVM dialect ------------------===//
#include "normc/Conversion/Passes.h"
#include "normc/Target/Host.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace normc;

void host::buildLoweringPipeline(OpPassManager &pm, const schedule::TargetFacts &) {
  pm.addPass(createConvertRowToHostPass());
  pm.addPass(createLowerHostMathPass());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true; // the processor's own conversion flushes denormals
  pm.addNestedPass<LLVM::LLVMFuncOp>(arith::createArithExpandOpsPass(expand));
  pm.addNestedPass<LLVM::LLVMFuncOp>(createCSEPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addNestedPass<LLVM::LLVMFuncOp>(createSCFToControlFlowPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}
