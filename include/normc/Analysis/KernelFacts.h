//===- KernelFacts.h - What the decisions know of a row kernel --------------===//
#ifndef NORMC_ANALYSIS_KERNELFACTS_H
#define NORMC_ANALYSIS_KERNELFACTS_H

#include "dialects/row/Row.h"
#include "normc/Schedule/Facts.h"

namespace normc::row {

/// The facts of a verified kernel. `buffers` has one entry for each operand that the
/// program uses. For a kernel of finalizes `rows` is the number of partials, `cols` the
/// columns of one segment. An op counts once for each phase that evaluates it.
schedule::KernelFacts computeKernelFacts(KernelOp kernel);

/// f16, bf16, f32 or f64 as the decisions name it.
schedule::ElementType elementTypeFact(mlir::Type type);

} // namespace normc::row

#endif // NORMC_ANALYSIS_KERNELFACTS_H
