//===- Passes.h - Passes from one level of the flow to the next -------------===//
#ifndef NORMC_CONVERSION_PASSES_H
#define NORMC_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace normc {

#define GEN_PASS_DECL
#include "normc/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "normc/Conversion/Passes.h.inc"

} // namespace normc

#endif // NORMC_CONVERSION_PASSES_H
