//===- Target.h - The numbers of a target that this build compiles for ------===//
#ifndef NORMC_LIB_COMPILER_TARGET_H
#define NORMC_LIB_COMPILER_TARGET_H

#include "normc/Schedule/Facts.h"

#include "mlir/IR/BuiltinOps.h"

namespace normc {

/// The numbers of the target of that name; an error at `module` for one that is not
/// known, or that this build makes no code for.
llvm::FailureOr<schedule::TargetFacts> findTarget(mlir::ModuleOp module,
                                                  llvm::StringRef name);

} // namespace normc

#endif // NORMC_LIB_COMPILER_TARGET_H
