//===- Passes.h - Passes that keep the level of the flow --------------------===//
#ifndef NORMC_TRANSFORMS_PASSES_H
#define NORMC_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace normc {

#define GEN_PASS_DECL
#include "normc/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "normc/Transforms/Passes.h.inc"

} // namespace normc

#endif // NORMC_TRANSFORMS_PASSES_H
