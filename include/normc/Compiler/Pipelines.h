//===- Pipelines.h - Sequences of passes with a name ------------------------===//
#ifndef NORMC_COMPILER_PIPELINES_H
#define NORMC_COMPILER_PIPELINES_H

#include "normc/Schedule/Facts.h"

#include "mlir/Pass/PassManager.h"

namespace normc {

/// norm-bufferize: turns functions over tensors into functions over memrefs, in place.
/// Arguments keep their positions; results that no argument holds already become
/// out-parameters behind them, in order, marked `norm.out`. Every parameter has a
/// `norm.name` afterwards. What is neither an argument nor returned is a memref.alloc.
/// Tensors at function boundaries become memrefs without gaps (identity layout).
void buildBufferizationPipeline(mlir::OpPassManager &pm);

/// Registers norm-bufferize for textual pipelines.
void registerBufferizationPipeline();

/// norm-to-row: from norm IR on tensors or memrefs to row programs on memrefs. Depends
/// on no target.
void buildNormToRowPipeline(mlir::OpPassManager &pm);

/// From row programs to entries with their variants for the target of that name, and
/// from those to kernels with a strategy and a tiling. `tunings` is the path of a table
/// of decisions that were measured, or "".
void buildRowToEntriesPipeline(mlir::OpPassManager &pm, llvm::StringRef target,
                               llvm::StringRef tunings = "");
void buildEntriesToScheduledPipeline(mlir::OpPassManager &pm,
                                     llvm::StringRef tunings = "");

/// Both of them.
void buildRowToScheduledPipeline(mlir::OpPassManager &pm, llvm::StringRef target,
                                 llvm::StringRef tunings = "");

/// From scheduled entries to launches and kernels in the LLVM dialect.
void buildScheduledToLlvmPipeline(mlir::OpPassManager &pm,
                                  const schedule::TargetFacts &target);

/// Registers, for textual pipelines, norm-to-row and, each with the options `target`
/// and `tunings`, norm-to-scheduled and norm-to-llvm, which begin at norm IR too.
void registerNormcPipelines();

} // namespace normc

#endif // NORMC_COMPILER_PIPELINES_H
