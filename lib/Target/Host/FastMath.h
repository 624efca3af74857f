//===- FastMath.h - Functions of f32 that know more than MLIR's polynomials -===//
#ifndef NORMC_LIB_TARGET_HOST_FASTMATH_H
#define NORMC_LIB_TARGET_HOST_FASTMATH_H

#include "mlir/IR/PatternMatch.h"

namespace normc::host {

/// tanh that may be approximate (`afn`), and exp of -2^k |u| and of -u^2, in f32.
void populateFastMathPatterns(mlir::RewritePatternSet &patterns);

/// tanh of f32 beside exp(-2|u|), with which it shares all but three instructions. To
/// be applied first: it looks for math.exp.
void populateTanhPatterns(mlir::RewritePatternSet &patterns);

} // namespace normc::host

#endif // NORMC_LIB_TARGET_HOST_FASTMATH_H
