//===- Registration.cpp - Every pass of normc that a tool can name ----------===//
#include "normc/Registration.h"

#include "normc/Compiler/Pipelines.h"
#include "normc/Conversion/Passes.h"
#include "normc/Plan/Passes.h"
#include "normc/Transforms/Passes.h"

void normc::registerAllPasses() {
  registerNormcConversionPasses();
  plan::registerPlanPasses();
  registerNormcTransformsPasses();
  registerBufferizationPipeline();
}
