//===- Decompositions.h - The row program of each norm op -------------------===//
#ifndef NORMC_LIB_CONVERSION_NORMTOROW_DECOMPOSITIONS_H
#define NORMC_LIB_CONVERSION_NORMTOROW_DECOMPOSITIONS_H

#include "KernelBuilder.h"
#include "dialects/norm/Norm.h"

namespace normc {

/// Each writes the loads, maps, reductions and stores of its op, whose operands are all
/// memrefs. What an op computes is defined in docs/semantics; the code says the order.
void decompose(norm::LayerNormOp op, KernelBuilder &kernel);
void decompose(norm::LayerNormBackwardOp op, KernelBuilder &kernel);
void decompose(norm::RmsNormOp op, KernelBuilder &kernel);
void decompose(norm::RmsNormBackwardOp op, KernelBuilder &kernel);
void decompose(norm::DytOp op, KernelBuilder &kernel);
void decompose(norm::DytBackwardOp op, KernelBuilder &kernel);

/// 1 / sqrt(sum * inverseCols + epsilon) per row. The division and the root are exact
/// to half an ulp, and both are per row: an approximate rsqrt saves nothing that shows.
mlir::Value inverseRoot(KernelBuilder &kernel, mlir::Value sum, mlir::Value inverseCols,
                        double epsilon);

} // namespace normc

#endif // NORMC_LIB_CONVERSION_NORMTOROW_DECOMPOSITIONS_H
