//===- RowPipeline.cpp - From norm IR to row programs -----------------------===//
//
// Beside no other pipeline: a program that makes row programs and compiles none is
// linked without the targets.
//
//===----------------------------------------------------------------------===//
#include "normc/Compiler/Pipelines.h"
#include "normc/Conversion/Passes.h"

#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace normc {

void buildNormToRowPipeline(OpPassManager &pm) {
  buildBufferizationPipeline(pm);
  pm.addPass(createConvertNormToRowPass());
  pm.addPass(createCanonicalizerPass());
}

} // namespace normc
