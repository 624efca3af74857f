//===- Lowering.cpp - From row kernels to LLVM for SPIR-V -------------------===//
#include "normc/Conversion/Passes.h"
#include "normc/Target/Spirv.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToLLVMSPV/GPUToLLVMSPVPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace normc;

void spirv::buildLoweringPipeline(OpPassManager &pm,
                                  const schedule::TargetFacts &target) {
  pm.addPass(createConvertRowToGpuPass());
  pm.addPass(createLowerGpuMathPass());
  auto &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(createLowerOpenclMathPass());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = !target.has_bf16;
  kernels.addPass(arith::createArithExpandOpsPass(expand));
  // Folds the bf16 between two bitcasts away.
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  // While the loops are structured: it converts barriers and shuffles in their regions.
  ConvertGpuOpsToLLVMSPVOpsOptions toLlvm;
  toLlvm.use64bitIndex = true;
  kernels.addPass(createConvertGpuOpsToLLVMSPVOps(toLlvm));
  kernels.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}
