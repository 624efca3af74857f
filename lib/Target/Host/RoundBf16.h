//===- RoundBf16.h - f32 to bf16 in integer instructions --------------------===//
#ifndef NORMC_LIB_TARGET_HOST_ROUNDBF16_H
#define NORMC_LIB_TARGET_HOST_ROUNDBF16_H

#include "mlir/IR/PatternMatch.h"

namespace normc::host {

/// Rounds f32 to bf16, to the nearest even: scalars and vectors.
void populateRoundBf16Patterns(mlir::RewritePatternSet &patterns);

} // namespace normc::host

#endif // NORMC_LIB_TARGET_HOST_ROUNDBF16_H
