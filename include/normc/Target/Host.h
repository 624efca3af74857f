//===- Host.h - Machine code for the processor ------------------------------===//
#ifndef NORMC_TARGET_HOST_H
#define NORMC_TARGET_HOST_H

#include "normc/Schedule/Facts.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace normc::host {

/// Adds the passes from kernel functions (`plan.kernel`, each with one scheduled
/// row.kernel) to `llvm.func`s that take (const int64_t *args, int64_t workgroup).
void buildLoweringPipeline(mlir::OpPassManager &pm,
                           const schedule::TargetFacts &target);

/// Compiles the llvm.funcs of `module` to an ELF shared object that exports them,
/// `threads` of them at a time: 0 is as many as the process may run on, 1 starts none.
mlir::LogicalResult serializeToSharedObject(mlir::ModuleOp module,
                                            const schedule::TargetFacts &target,
                                            unsigned threads,
                                            llvm::SmallVectorImpl<char> &object);

/// Compiles the llvm.funcs of `module` to assembly text.
mlir::LogicalResult serializeToAssembly(mlir::ModuleOp module,
                                        const schedule::TargetFacts &target,
                                        std::string &text);

/// The machine that code is made for: "x86_64" or "aarch64".
llvm::StringRef architecture();

} // namespace normc::host

#endif // NORMC_TARGET_HOST_H
