//===- Spirv.h - Code for Intel's GPUs --------------------------------------===//
#ifndef NORMC_TARGET_SPIRV_H
#define NORMC_TARGET_SPIRV_H

#include "normc/Schedule/Facts.h"
#include "normc/Target/SpirvToolkit.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <string>

namespace normc::spirv {

/// Adds the passes from kernel functions (`plan.kernel`, each with one scheduled
/// row.kernel) to kernels in the LLVM dialect inside one gpu.module.
void buildLoweringPipeline(mlir::OpPassManager &pm,
                           const schedule::TargetFacts &target);

/// Compiles the kernels of `module` to a SPIR-V module: version 1.4, Kernel,
/// Physical64. Needs no tool but this library.
mlir::LogicalResult serializeToSpirv(mlir::ModuleOp module,
                                     llvm::SmallVectorImpl<char> &spirv);

/// The same as text.
mlir::LogicalResult serializeToText(mlir::ModuleOp module, std::string &text);

/// "pvc" of the target "spirv:pvc"; "" of "spirv", any device that can run it.
std::string architectureOf(const schedule::TargetFacts &target);

} // namespace normc::spirv

#endif // NORMC_TARGET_SPIRV_H
