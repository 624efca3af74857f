//===- Pipelines.cpp - From norm IR to kernels, as pass pipelines -----------===//
#include "normc/Compiler/Pipelines.h"

#include "normc/Conversion/Passes.h"
#include "normc/Plan/Passes.h"
#include "normc/Target/Host.h"
#include "normc/Target/Nvvm.h"
#include "normc/Target/Spirv.h"
#include "normc/Transforms/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace normc {

void buildNormToRowPipeline(OpPassManager &pm) {
  buildBufferizationPipeline(pm);
  pm.addPass(createConvertNormToRowPass());
  pm.addPass(createCanonicalizerPass());
}

void buildRowToEntriesPipeline(OpPassManager &pm, StringRef target) {
  AttachTargetPassOptions attach;
  attach.target = target.str();
  pm.addPass(createAttachTargetPass(attach));
  pm.addPass(plan::createPlanCreateEntriesPass());
}

void buildEntriesToScheduledPipeline(OpPassManager &pm) {
  pm.addPass(createSplitColumnReductionPass());
  pm.addPass(createSelectRowTilingPass());
}

void buildRowToScheduledPipeline(OpPassManager &pm, StringRef target) {
  buildRowToEntriesPipeline(pm, target);
  buildEntriesToScheduledPipeline(pm);
}

void buildScheduledToLlvmPipeline(OpPassManager &pm,
                                  const schedule::TargetFacts &target) {
  pm.addPass(plan::createPlanOutlineKernelsPass());
  switch (target.backend) {
  case schedule::Backend::Host:
    return host::buildLoweringPipeline(pm, target);
  case schedule::Backend::Cuda:
    return nvvm::buildLoweringPipeline(pm, target);
  case schedule::Backend::LevelZero:
    return spirv::buildLoweringPipeline(pm, target);
  }
}

namespace {
struct TargetOption : PassPipelineOptions<TargetOption> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("name of the target: host, ..."),
                             llvm::cl::init("host")};
};
} // namespace

static void buildNormToScheduled(OpPassManager &pm, StringRef target) {
  buildNormToRowPipeline(pm);
  buildRowToScheduledPipeline(pm, target);
}

/// Ends before the lowering where the target is not known: the pass that attaches it
/// says so when the pipeline runs.
static void buildNormToLlvm(OpPassManager &pm, StringRef target) {
  buildNormToScheduled(pm, target);
  std::string error;
  if (auto facts = schedule::lookupTarget({target.data(), target.size()}, error))
    buildScheduledToLlvmPipeline(pm, *facts);
}

void registerNormcPipelines() {
  PassPipelineRegistration<>("norm-to-row",
                             "norm IR on tensors or memrefs to row programs",
                             buildNormToRowPipeline);
  PassPipelineRegistration<TargetOption>(
      "norm-to-scheduled", "norm IR to entries whose kernels have a tiling",
      [](OpPassManager &pm, const TargetOption &options) {
        buildNormToScheduled(pm, options.target);
      });
  PassPipelineRegistration<TargetOption>(
      "norm-to-llvm", "norm IR to launches and kernels in the LLVM dialect",
      [](OpPassManager &pm, const TargetOption &options) {
        buildNormToLlvm(pm, options.target);
      });
}

} // namespace normc
