//===- Pipelines.h - Sequences of passes with a name ------------------------===//
#ifndef NORMC_COMPILER_PIPELINES_H
#define NORMC_COMPILER_PIPELINES_H

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

} // namespace normc

#endif // NORMC_COMPILER_PIPELINES_H
