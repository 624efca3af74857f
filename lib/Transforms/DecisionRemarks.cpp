//===- DecisionRemarks.cpp - Saying what was decided, and why ----------------===//
#include "DecisionRemarks.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace normc;

StringRef normc::nameOf(row::KernelOp kernel) {
  return kernel.getKernelName().value_or("kernel");
}

static std::string textOf(std::optional<int64_t> count) {
  return count ? std::to_string(*count) : "dynamic";
}

void normc::remarkStrategy(row::KernelOp kernel, const schedule::Decision &decision) {
  remark::detail::InFlightRemark remark =
      remark::passed(kernel.getLoc(), remark::RemarkOpts::name("strategy")
                                          .category("row-split")
                                          .function(nameOf(kernel)));
  if (!remark)
    return;
  remark << remark::metric("Strategy", schedule::toString(decision.strategy).data());
  // The kernel before the finalize writes the partials.
  if (decision.kernels.size() > 1 && decision.kernels.back().role == "finalize") {
    const schedule::Cost &cost = decision.kernels[decision.kernels.size() - 2].cost;
    remark << remark::metric("Partials", textOf(cost.partials))
           << remark::metric("WorkspaceBytes", textOf(cost.workspace_bytes));
  }
  remark << remark::metric("Bound", decision.bound);
}

void normc::remarkTiling(row::KernelOp kernel, const schedule::KernelChoice &choice,
                         StringRef bound) {
  remark::detail::InFlightRemark remark =
      remark::passed(kernel.getLoc(), remark::RemarkOpts::name("tiling")
                                          .category("row-tiling")
                                          .function(nameOf(kernel)));
  if (!remark)
    return;
  remark << remark::metric("Tiling", Attribute(*kernel.getTiling()))
         << remark::metric("Workgroups", textOf(choice.cost.workgroups))
         << remark::metric("Bound", bound.str());
}

void normc::remarkUntuned(row::KernelOp kernel, const std::string &facts) {
  remark::detail::InFlightRemark remark =
      remark::missed(kernel.getLoc(), remark::RemarkOpts::name("no tuning")
                                          .category("row-tuning")
                                          .function(nameOf(kernel)));
  if (remark)
    remark << remark::metric("Facts", facts);
}
