//===- ColumnPasses.h - Which work belongs to which pass over the columns ---===//
#ifndef NORMC_LIB_CONVERSION_ROWTOHOST_COLUMNPASSES_H
#define NORMC_LIB_CONVERSION_ROWTOHOST_COLUMNPASSES_H

#include "dialects/row/Row.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace normc::host {

/// A row.moments in a pass: the first sums x - x0, the second its centered squares.
struct MomentsStep {
  row::MomentsOp op;
  bool second;
};

/// What is done in one pass over the columns, and what per row before it.
struct ColumnPass {
  unsigned number = 0;
  llvm::SmallVector<row::ReduceOp> reduces;
  llvm::SmallVector<MomentsStep> moments;
  llvm::SmallVector<row::StoreOp> stores;
  /// Sums of tiles, as indices into ColumnPasses::sums.
  llvm::SmallVector<unsigned> sums;
  /// Per-row results that are known once the passes before are done.
  llvm::SmallVector<row::StoreOp> rowStores;
  llvm::SmallVector<unsigned> rowSums;

  bool walksColumns() const {
    return !reduces.empty() || !moments.empty() || !stores.empty() || !sums.empty();
  }
};

/// The passes of a kernel. A value's pass is the first in which it can be computed.
/// Unlike the phases of a GPU, moments take two passes: here a second walk over a row
/// in cache costs less than merging moments by their counts.
class ColumnPasses {
public:
  explicit ColumnPasses(row::KernelOp kernel);

  llvm::ArrayRef<ColumnPass> get() const { return passes; }
  /// All accumulates in program order.
  llvm::SmallVector<row::AccumulateOp> sums;

private:
  unsigned passOf(mlir::Operation *op) const;
  ColumnPass &at(unsigned number);

  llvm::DenseMap<mlir::Value, unsigned> valuePass;
  llvm::SmallVector<ColumnPass, 0> passes;
};

} // namespace normc::host

#endif // NORMC_LIB_CONVERSION_ROWTOHOST_COLUMNPASSES_H
