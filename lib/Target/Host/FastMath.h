//===- FastMath.h - Functions of f32 that know more than MLIR's polynomials -===//
#ifndef NORMC_LIB_TARGET_HOST_FASTMATH_H
#define NORMC_LIB_TARGET_HOST_FASTMATH_H

#include "mlir/IR/PatternMatch.h"

namespace normc::host {

/// tanh that may be approximate (`afn`), and exp of -c*|u|, in f32.
void populateFastMathPatterns(mlir::RewritePatternSet &patterns);

} // namespace normc::host

#endif // NORMC_LIB_TARGET_HOST_FASTMATH_H
