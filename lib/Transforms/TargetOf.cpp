//===- TargetOf.cpp - The target around an op --------------------------------===//
#include "TargetOf.h"

#include "dialects/norm/Norm.h"

using namespace mlir;

FailureOr<normc::schedule::TargetFacts> normc::targetOf(Operation *op) {
  for (Operation *scope = op; scope; scope = scope->getParentOp()) {
    Attribute attribute = scope->getAttr(kTargetAttr);
    if (!attribute)
      continue;
    auto target = dyn_cast<norm::TargetAttr>(attribute);
    if (target && target.getFacts().backend == schedule::Backend::Host)
      return target.getFacts();
    if (target)
      return op->emitOpError(
                 "expected a target with the host backend, because no other "
                 "machine's limits are known, but got ")
             << attribute;
    return op->emitOpError("expected the attribute norm.target to be a #norm.target, "
                           "because it holds the machine's numbers, but got ")
           << attribute;
  }
  return op->emitOpError("expected a norm.target attribute on an op around it, because "
                         "a decision depends on the machine, but got none; run "
                         "norm-attach-target first");
}
