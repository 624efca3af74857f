//===- Pipelines.cpp - From norm IR to kernels, as pass pipelines -----------===//
#include "normc/Compiler/Pipelines.h"

#include "normc/Plan/Passes.h"
#include "normc/Target/Host.h"
#include "normc/Target/Nvvm.h"
#include "normc/Target/Spirv.h"
#include "normc/Transforms/Passes.h"

#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace normc {

void buildRowToEntriesPipeline(OpPassManager &pm, StringRef target, StringRef tunings) {
  AttachTargetPassOptions attach;
  attach.target = target.str();
  pm.addPass(createAttachTargetPass(attach));
  plan::PlanCreateEntriesPassOptions entries;
  entries.tunings = tunings.str();
  pm.addPass(plan::createPlanCreateEntriesPass(entries));
}

void buildEntriesToScheduledPipeline(OpPassManager &pm, StringRef tunings) {
  SplitColumnReductionPassOptions split;
  split.tunings = tunings.str();
  pm.addPass(createSplitColumnReductionPass(split));
  SelectRowTilingPassOptions select;
  select.tunings = tunings.str();
  pm.addPass(createSelectRowTilingPass(select));
}

void buildRowToScheduledPipeline(OpPassManager &pm, StringRef target,
                                 StringRef tunings) {
  buildRowToEntriesPipeline(pm, target, tunings);
  buildEntriesToScheduledPipeline(pm, tunings);
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
  Option<std::string> tunings{*this, "tunings",
                              llvm::cl::desc("table of decisions that were measured"),
                              llvm::cl::init("")};
};
} // namespace

static void buildNormToScheduled(OpPassManager &pm, const TargetOption &options) {
  buildNormToRowPipeline(pm);
  buildRowToScheduledPipeline(pm, options.target, options.tunings);
}

/// Ends before the lowering where the target is not known: the pass that attaches it
/// says so when the pipeline runs.
static void buildNormToLlvm(OpPassManager &pm, const TargetOption &options) {
  buildNormToScheduled(pm, options);
  std::string error;
  if (auto facts = schedule::lookupTarget(options.target.getValue(), error))
    buildScheduledToLlvmPipeline(pm, *facts);
}

void registerNormcPipelines() {
  PassPipelineRegistration<>("norm-to-row",
                             "norm IR on tensors or memrefs to row programs",
                             buildNormToRowPipeline);
  PassPipelineRegistration<TargetOption>(
      "norm-to-scheduled", "norm IR to entries whose kernels have a tiling",
      buildNormToScheduled);
  PassPipelineRegistration<TargetOption>(
      "norm-to-llvm", "norm IR to launches and kernels in the LLVM dialect",
      buildNormToLlvm);
}

} // namespace normc
