//===- SplitKernel.h - The rewrites of a kernel with column sums -------------===//
#ifndef NORMC_LIB_TRANSFORMS_SPLITKERNEL_H
#define NORMC_LIB_TRANSFORMS_SPLITKERNEL_H

#include "dialects/row/Row.h"

#include <utility>

namespace normc {

/// Replaces the kernel by one that writes the sums to partials and one of finalizes
/// that adds them into the outputs. The first keeps the kernel's attributes.
std::pair<row::KernelOp, row::KernelOp>
splitToPartials(row::KernelOp kernel, llvm::ArrayRef<row::AccumulateOp> sums);

/// Replaces the kernel by one without the sums and one with nothing else; sums to a
/// scalar stay in the first with `scalars_with_rows`. Both keep the tiling, neither the
/// strategy.
std::pair<row::KernelOp, row::KernelOp> splitByFission(row::KernelOp kernel,
                                                       bool scalars_with_rows);

} // namespace normc

#endif // NORMC_LIB_TRANSFORMS_SPLITKERNEL_H
