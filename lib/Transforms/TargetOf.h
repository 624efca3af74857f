//===- TargetOf.h - The target around an op ----------------------------------===//
#ifndef NORMC_LIB_TRANSFORMS_TARGETOF_H
#define NORMC_LIB_TRANSFORMS_TARGETOF_H

#include "normc/Schedule/Facts.h"

#include "mlir/IR/Operation.h"

namespace normc {

/// The attribute that says which machine the kernels inside are for.
inline constexpr llvm::StringLiteral kTargetAttr = "norm.target";

/// The numbers of the closest `norm.target` around the op, or an error at the op.
mlir::FailureOr<schedule::TargetFacts> targetOf(mlir::Operation *op);

} // namespace normc

#endif // NORMC_LIB_TRANSFORMS_TARGETOF_H
