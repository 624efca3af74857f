//===- Nvvm.h - Code for NVIDIA's GPUs --------------------------------------===//
#ifndef NORMC_TARGET_NVVM_H
#define NORMC_TARGET_NVVM_H

#include "normc/Schedule/Facts.h"
#include "normc/Target/NvvmToolkit.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <string>

namespace normc::nvvm {

/// Adds the passes from kernel functions (`plan.kernel`, each with one scheduled
/// row.kernel) to kernels in the LLVM and NVVM dialects inside one gpu.module.
void buildLoweringPipeline(mlir::OpPassManager &pm,
                           const schedule::TargetFacts &target);

/// Compiles the kernels of `module` to PTX for the target's architecture. Needs no tool
/// but this library, and the toolkit's libdevice for what f64 has no instructions for.
/// `threads` kernels at a time: 0 is as many as the process may run on, 1 starts none.
mlir::LogicalResult serializeToPtx(mlir::ModuleOp module,
                                   const schedule::TargetFacts &target,
                                   const Toolkit &toolkit, unsigned threads,
                                   std::string &ptx);

/// "sm_90" of the target "cuda:sm_90".
std::string architectureOf(const schedule::TargetFacts &target);

} // namespace normc::nvvm

#endif // NORMC_TARGET_NVVM_H
