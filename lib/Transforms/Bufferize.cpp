//===- Bufferize.cpp - The pipeline from tensors to buffers -----------------===//
#include "normc/Compiler/Pipelines.h"
#include "normc/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void normc::buildBufferizationPipeline(OpPassManager &pm) {
  pm.addPass(createNameParametersPass());
  // Unused results go before they get buffers.
  pm.addPass(createCanonicalizerPass());

  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::IdentityLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));

  // Views of views fold, so that it is seen whose buffer a result is in.
  pm.addPass(createCanonicalizerPass());
  // A result that is in an argument's buffer is that argument; every other result
  // becomes one, in the place of its allocation.
  pm.addPass(createDropReturnedArgumentsPass());
  bufferization::BufferResultsToOutParamsPassOptions outParams;
  outParams.hoistStaticAllocs = true;
  outParams.hoistDynamicAllocs = true;
  outParams.modifyPublicFunctions = true;
  pm.addPass(bufferization::createBufferResultsToOutParamsPass(outParams));
  pm.addNestedPass<func::FuncOp>(createElideResultCopiesPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

void normc::registerBufferizationPipeline() {
  PassPipelineRegistration<>("norm-bufferize",
                             "Turn functions over tensors into functions over memrefs, "
                             "results into out-parameters.",
                             buildBufferizationPipeline);
}
