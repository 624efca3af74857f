//===- SelectRowTiling.cpp - Choose a tiling for each row.kernel -------------===//
#include "normc/Transforms/Passes.h"

#include "DecisionRemarks.h"
#include "TargetOf.h"
#include "dialects/norm/Norm.h"
#include "normc/Analysis/KernelFacts.h"
#include "normc/Schedule/Tuned.h"
#include "normc/Tunings/Tunings.h"

using namespace mlir;

namespace normc {
#define GEN_PASS_DEF_SELECTROWTILINGPASS
#include "normc/Transforms/Passes.h.inc"
} // namespace normc

using namespace normc;

/// Checks the tiling that is there.
static LogicalResult check(row::KernelOp kernel, const schedule::KernelFacts &facts,
                           const schedule::TargetFacts &target) {
  std::string broken =
      schedule::checkTiling(facts, target, kernel.getTiling()->getValue());
  return broken.empty() ? success() : kernel.emitOpError(broken);
}

static LogicalResult select(row::KernelOp kernel, const Tunings &tunings) {
  FailureOr<schedule::TargetFacts> target = targetOf(kernel);
  if (failed(target))
    return failure();
  schedule::KernelFacts facts = row::computeKernelFacts(kernel);
  if (kernel.getTiling())
    return check(kernel, facts, *target);
  std::string reason;
  const schedule::Strategy strategy = schedule::strategyAsIs(facts);
  std::optional<schedule::Decision> decision =
      tunings.find(facts, *target, reason, strategy);
  if (!reason.empty())
    return kernel.emitOpError(reason);
  if (!decision) {
    if (!tunings.empty())
      remarkUntuned(kernel, schedule::factsKey(facts, *target));
    decision = schedule::chooseStrategy(facts, *target, strategy, reason);
  }
  if (!decision)
    return kernel.emitOpError(reason) << "; run row-split-column-reduction first";
  kernel.setTilingAttr(
      row::TilingAttr::get(kernel.getContext(), decision->kernels.front().tiling));
  remarkTiling(kernel, decision->kernels.front(), decision->bound);
  return success();
}

namespace {

struct SelectRowTiling : normc::impl::SelectRowTilingPassBase<SelectRowTiling> {
  using SelectRowTilingPassBase::SelectRowTilingPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return table.read(tunings, context);
  }

  void runOnOperation() override {
    WalkResult result = getOperation()->walk([&](row::KernelOp kernel) {
      return failed(select(kernel, table)) ? WalkResult::interrupt()
                                           : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  Tunings table;
};

} // namespace
