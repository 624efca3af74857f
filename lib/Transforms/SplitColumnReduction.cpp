//===- SplitColumnReduction.cpp - Split sums down the columns ----------------===//
//
// The second idea of the project: with rows far more than cols, one workgroup a column
// block leaves a device idle, so the rows are split over workgroups, each writes
// partial sums, and a second kernel adds them (intel/torch-xpu-ops pull request 1880).
//
//===----------------------------------------------------------------------===//
#include "normc/Transforms/Passes.h"

#include "DecisionRemarks.h"
#include "SplitKernel.h"
#include "TargetOf.h"
#include "dialects/norm/Norm.h"
#include "normc/Analysis/KernelFacts.h"
#include "normc/Schedule/Tuned.h"
#include "normc/Tunings/Tunings.h"

using namespace mlir;

namespace normc {
#define GEN_PASS_DEF_SPLITCOLUMNREDUCTIONPASS
#include "normc/Transforms/Passes.h.inc"
} // namespace normc

using namespace normc;

static schedule::Strategy scheduleStrategy(row::Strategy strategy) {
  switch (strategy) {
  case row::Strategy::direct:
    return schedule::Strategy::Direct;
  case row::Strategy::partials:
    return schedule::Strategy::Partials;
  case row::Strategy::fission:
    return schedule::Strategy::Fission;
  case row::Strategy::cluster:
    return schedule::Strategy::Cluster;
  }
  llvm_unreachable("all strategies are handled");
}

/// Sums that no slot of partials takes yet; an error where some have one and some not.
static FailureOr<SmallVector<row::AccumulateOp>> unsplitSums(row::KernelOp kernel) {
  SmallVector<row::AccumulateOp> sums;
  row::AccumulateOp split;
  for (auto sum : kernel.getBodyBlock()->getOps<row::AccumulateOp>()) {
    if (sum.getSlot())
      split = sum;
    else
      sums.push_back(sum);
  }
  if (split && !sums.empty()) {
    InFlightDiagnostic diag = sums.front().emitOpError(
        "expected a slot, because a kernel writes all of its sums to partials or none");
    diag.attachNote(split.getLoc()) << "this sum has one";
    return diag;
  }
  for (row::AccumulateOp sum : sums)
    if (row::elementTypeOf(sum.getValue().getType()) != kernel.getAccumulatorType())
      return sum.emitOpError("expected a sum in ")
             << kernel.getAccumulatorType()
             << ", because the partials of a kernel have one type, but got "
             << row::elementTypeOf(sum.getValue().getType());
  return sums;
}

/// What the user asks for, by strategy or by a tiling that only one workgroup's sums go
/// with, what was measured, or what the model finds.
static FailureOr<schedule::Decision> decide(row::KernelOp kernel,
                                            const schedule::KernelFacts &facts,
                                            const schedule::TargetFacts &target,
                                            const Tunings &tunings) {
  std::optional<schedule::Strategy> asked;
  if (std::optional<row::Strategy> strategy = kernel.getStrategy())
    asked = scheduleStrategy(*strategy);
  else if (std::optional<row::TilingAttr> tiling = kernel.getTiling()) {
    if (schedule::checkTiling(facts, target, tiling->getValue()).empty())
      return schedule::decisionOf(facts, target, tiling->getValue());
    asked = schedule::Strategy::Partials;
  }
  if (!kernel.getTiling()) {
    std::string error;
    if (auto tuned = tunings.find(facts, target, error, asked))
      return *tuned;
    if (!error.empty())
      return kernel.emitOpError(error);
    if (!tunings.empty())
      remarkUntuned(kernel, schedule::factsKey(facts, target));
  }
  if (!asked) {
    schedule::Decision decision = schedule::choose(facts, target);
    if (decision.kernels.empty())
      return kernel.emitOpError(decision.bound);
    return decision;
  }
  std::string reason;
  std::optional<schedule::Decision> decision =
      schedule::chooseStrategy(facts, target, *asked, reason);
  if (!decision)
    return kernel.emitOpError(reason);
  return *decision;
}

/// Sets the tiling that the decision has for a kernel, or checks the user's.
static LogicalResult setTiling(row::KernelOp kernel, const schedule::KernelFacts &facts,
                               const schedule::TargetFacts &target,
                               const schedule::Decision &decision) {
  const schedule::KernelChoice &choice = decision.kernels.front();
  if (!kernel.getTiling()) {
    kernel.setTilingAttr(row::TilingAttr::get(kernel.getContext(), choice.tiling));
    remarkTiling(kernel, choice, decision.bound);
  }
  std::string broken =
      schedule::checkTiling(facts, target, kernel.getTiling()->getValue());
  return broken.empty() ? success() : kernel.emitOpError(broken);
}

static LogicalResult toPartials(row::KernelOp kernel, ArrayRef<row::AccumulateOp> sums,
                                const schedule::TargetFacts &target,
                                const schedule::Decision &decision) {
  auto [fused, finalize] = splitToPartials(kernel, sums);
  schedule::KernelFacts facts = row::computeKernelFacts(fused);
  if (failed(setTiling(fused, facts, target, decision)))
    return failure();
  // With the user's tiling there may be another number of partials than the decision's.
  schedule::KernelFacts last = row::computeKernelFacts(finalize);
  last.rows = schedule::rowWorkgroups(facts, target, fused.getTiling()->getValue());
  return setTiling(finalize, last, target, schedule::choose(last, target));
}

/// Splits one kernel; kernels that come of it and may need a split are added to `work`.
static LogicalResult split(row::KernelOp kernel, const Tunings &tunings,
                           SmallVectorImpl<row::KernelOp> &work) {
  FailureOr<SmallVector<row::AccumulateOp>> sums = unsplitSums(kernel);
  if (failed(sums))
    return failure();
  if (sums->empty())
    return success();
  FailureOr<schedule::TargetFacts> target = targetOf(kernel);
  if (failed(target))
    return failure();
  schedule::KernelFacts facts = row::computeKernelFacts(kernel);
  FailureOr<schedule::Decision> decision = decide(kernel, facts, *target, tunings);
  if (failed(decision))
    return failure();
  remarkStrategy(kernel, *decision);
  switch (decision->strategy) {
  case schedule::Strategy::Rows:
    llvm_unreachable("a kernel with sums has a strategy for them");
  case schedule::Strategy::Direct:
    kernel.setStrategy(row::Strategy::direct);
    return setTiling(kernel, facts, *target, *decision);
  case schedule::Strategy::Cluster:
    kernel.setStrategy(row::Strategy::cluster);
    return setTiling(kernel, facts, *target, *decision);
  case schedule::Strategy::Partials:
    return toPartials(kernel, *sums, *target, *decision);
  case schedule::Strategy::Fission: {
    auto [rows, columns] = splitByFission(kernel, decision->scalars_with_rows);
    if (decision->scalars_with_rows)
      work.push_back(rows);
    else if (failed(setTiling(rows, row::computeKernelFacts(rows), *target, *decision)))
      return failure();
    work.push_back(columns);
    return success();
  }
  }
  llvm_unreachable("all strategies are handled");
}

namespace {

struct SplitColumnReduction
    : normc::impl::SplitColumnReductionPassBase<SplitColumnReduction> {
  using SplitColumnReductionPassBase::SplitColumnReductionPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return table.read(tunings, context);
  }

  void runOnOperation() override {
    SmallVector<row::KernelOp> work;
    getOperation()->walk([&](row::KernelOp kernel) { work.push_back(kernel); });
    // `work` grows while it is walked.
    for (size_t index = 0; index < work.size(); ++index)
      if (failed(split(work[index], table, work)))
        return signalPassFailure();
  }

  Tunings table;
};

} // namespace
