//===- AttachTarget.cpp - Say which machine the kernels are for --------------===//
#include "normc/Transforms/Passes.h"

#include "TargetOf.h"
#include "dialects/norm/Norm.h"

using namespace mlir;

namespace normc {
#define GEN_PASS_DEF_ATTACHTARGETPASS
#include "normc/Transforms/Passes.h.inc"
} // namespace normc

using namespace normc;

namespace {

struct AttachTarget : normc::impl::AttachTargetPassBase<AttachTarget> {
  using AttachTargetPassBase::AttachTargetPassBase;

  void runOnOperation() override {
    Operation *op = getOperation();
    std::string error;
    std::optional<schedule::TargetFacts> facts = schedule::lookupTarget(target, error);
    if (!facts) {
      op->emitError(error);
      return signalPassFailure();
    }
    Attribute present = op->getAttr(kTargetAttr);
    if (!present) {
      op->setAttr(kTargetAttr, norm::TargetAttr::get(&getContext(), *facts));
      return;
    }
    auto kept = dyn_cast<norm::TargetAttr>(present);
    if (kept && kept.getFacts().name == facts->name)
      return;
    op->emitError("expected norm.target to name ")
        << facts->name << ", because that is the target asked for, but got " << present;
    signalPassFailure();
  }
};

} // namespace
