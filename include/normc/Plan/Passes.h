//===- Passes.h - From functions to launch plans ----------------------------===//
#ifndef NORMC_PLAN_PASSES_H
#define NORMC_PLAN_PASSES_H

#include "mlir/Pass/Pass.h"

namespace normc::plan {

#define GEN_PASS_DECL
#include "normc/Plan/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "normc/Plan/Passes.h.inc"

} // namespace normc::plan

#endif // NORMC_PLAN_PASSES_H
