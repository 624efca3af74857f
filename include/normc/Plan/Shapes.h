//===- Shapes.h - Sizes of an entry's buffers in its symbols ----------------===//
//
// An entry's dynamic dimensions, unified: which are equal, which are static after all,
// and which follow from others through a reshape. What remains are the symbols, which a
// launch binds to the dimensions of its tensors.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_PLAN_SHAPES_H
#define NORMC_PLAN_SHAPES_H

#include "dialects/plan/Plan.h"
#include "dialects/row/Row.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/DenseMap.h"

namespace normc::plan {

/// A demand that the shapes do not ensure, `expr` >= `at_least`: at least 1 for
/// columns, at least 0 for differences of sizes that a reshape makes equal.
struct Demand {
  mlir::AffineExpr expr;
  int64_t at_least;
};

class Shapes {
public:
  /// Solves for the dimensions of every memref of `body`, a function's or an entry's
  /// arguments included. New symbols are numbered by first occurrence over the
  /// arguments; with `params`, those of an entry, the symbols are the entry's. A size
  /// that contradicts another, or that does not follow from the arguments, is an error
  /// at the op that has it.
  static mlir::FailureOr<Shapes> solve(mlir::Block &body,
                                       mlir::Block::BlockArgListType arguments,
                                       llvm::ArrayRef<ParamAttr> params);

  unsigned numSymbols() const { return num_symbols; }

  /// Dimension `index` of a memref, over the symbols; null for the sizes of partials.
  mlir::AffineExpr dim(mlir::Value memref, unsigned index) const;
  /// Product of dimensions [first, last).
  mlir::AffineExpr product(mlir::Value memref, unsigned first, unsigned last) const;

  llvm::ArrayRef<Demand> demands() const { return all_demands; }

private:
  friend class ShapeSolver;
  mlir::MLIRContext *context = nullptr;
  unsigned num_symbols = 0;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::AffineExpr>> dims;
  llvm::SmallVector<Demand> all_demands;
};

} // namespace normc::plan

#endif // NORMC_PLAN_SHAPES_H
