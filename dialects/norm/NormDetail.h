//===- NormDetail.h - What the dialect's sources share ----------------------===//
#ifndef NORMC_DIALECTS_NORM_NORMDETAIL_H
#define NORMC_DIALECTS_NORM_NORMDETAIL_H

#include "dialects/norm/Norm.h"

#include "mlir/IR/PatternMatch.h"

namespace normc::norm::shared {

void populateCanonicalizationPatterns(mlir::RewritePatternSet &patterns);

/// A dimension whose static stride breaks the contiguity of the dimensions behind it.
struct StrideMismatch {
  int64_t dim;
  int64_t expected;
  int64_t found;
};

/// The innermost such dimension among the last `dims` of a strided memref. Strides and
/// sizes that the type does not say are taken to fit.
std::optional<StrideMismatch> findInnerStrideMismatch(mlir::MemRefType type,
                                                      int64_t dims);

} // namespace normc::norm::shared

#endif // NORMC_DIALECTS_NORM_NORMDETAIL_H
