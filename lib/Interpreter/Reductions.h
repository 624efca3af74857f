//===- Reductions.h - Reductions along one row ------------------------------===//
#ifndef NORMC_LIB_INTERPRETER_REDUCTIONS_H
#define NORMC_LIB_INTERPRETER_REDUCTIONS_H

#include "Values.h"

namespace normc::interpreter {

/// The results of a row.reduce for one row, one element each.
llvm::FailureOr<std::vector<Array>>
reduceRow(row::ReduceOp op, llvm::ArrayRef<const Array *> tiles, const Model &model);

struct RowMoments {
  Array mean, m2;
};
/// Mean and centered sum of squares of one row. The bounds are those of a mean that is
/// corrected by mean(x - mean), so that the error of the first pass counts only to
/// second order.
RowMoments momentsOfRow(const Array &tile, const Model &model);

} // namespace normc::interpreter

#endif // NORMC_LIB_INTERPRETER_REDUCTIONS_H
