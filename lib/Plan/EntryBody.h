//===- EntryBody.h - What an entry's body may hold --------------------------===//
#ifndef NORMC_LIB_PLAN_ENTRYBODY_H
#define NORMC_LIB_PLAN_ENTRYBODY_H

#include "dialects/row/Row.h"

#include "mlir/IR/Block.h"

namespace normc::plan {

/// The buffer behind a value: an argument, an allocation or partials.
struct Root {
  mlir::Value base;
  /// Seen through a reshape, which assumes that all of the base is contiguous.
  bool reshaped = false;
};
Root rootOf(mlir::Value memref);

/// Checks that the body holds row.kernels among allocations, casts and reshapes alone,
/// that every output is written once and no argument both read before and written, that
/// nothing is read that was not written, and no kernel reads what it writes.
mlir::LogicalResult checkBody(mlir::Block &body);

/// The arguments that some kernel writes.
llvm::DenseSet<mlir::Value> writtenRoots(mlir::Block &body);

} // namespace normc::plan

#endif // NORMC_LIB_PLAN_ENTRYBODY_H
