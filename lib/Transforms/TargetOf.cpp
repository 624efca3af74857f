//===- TargetOf.cpp - The target around an op --------------------------------===//
#include "TargetOf.h"

#include "dialects/norm/Norm.h"

using namespace mlir;

FailureOr<normc::schedule::TargetFacts> normc::targetOf(Operation *op) {
  for (Operation *scope = op; scope; scope = scope->getParentOp()) {
    // The dialect verifies that it is nothing else.
    auto target = scope->getAttrOfType<norm::TargetAttr>(kTargetAttr);
    if (target)
      return target.getFacts();
  }
  return op->emitOpError("expected a norm.target attribute on an op around it, because "
                         "a decision depends on the machine, but got none; run "
                         "norm-attach-target first");
}
