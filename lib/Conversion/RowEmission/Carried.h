//===- Carried.h - The sums that a loop over tiles carries ------------------===//
#ifndef NORMC_LIB_CONVERSION_ROWEMISSION_CARRIED_H
#define NORMC_LIB_CONVERSION_ROWEMISSION_CARRIED_H

#include "mlir/IR/Value.h"
#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/SmallVector.h"

namespace normc {

/// The sums of a kernel, by the number of their accumulate, as a loop over tiles
/// carries them in registers.
struct Carried {
  /// For a sum down the columns one fragment a chunk; empty for others, and where the
  /// sum lives in memory.
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> columns;
  /// For a sum to a scalar its running value; null for others.
  llvm::SmallVector<mlir::Value> scalars;

  llvm::SmallVector<mlir::Value> flatten() const;
  /// Takes the values from `flat`, in the order of flatten().
  void assign(mlir::ValueRange flat);
};

} // namespace normc

#endif // NORMC_LIB_CONVERSION_ROWEMISSION_CARRIED_H
