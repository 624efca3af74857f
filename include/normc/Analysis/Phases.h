//===- Phases.h - The phases of a row program -------------------------------===//
//
// A row passes through the kernel in phases: between two of them lies the exchange that
// ends its reductions. The phases are not written in the IR, they follow from it; every
// lowering takes them from here.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_ANALYSIS_PHASES_H
#define NORMC_ANALYSIS_PHASES_H

#include "dialects/row/Row.h"

#include "llvm/ADT/DenseMap.h"

namespace normc::row {

/// What happens to a row in one phase. All lists are in program order.
struct Phase {
  /// Ops whose operands are all known for the first time in this phase.
  llvm::SmallVector<mlir::Operation *> ops;
  /// Those of `ops` that leave something: stores, accumulates, finalizes, reductions
  /// and kept maps that a later phase needs.
  llvm::SmallVector<mlir::Operation *> roots;
  /// Those of `ops` that end the phase, row.reduce and row.moments: one exchange.
  llvm::SmallVector<mlir::Operation *> exchanges;
  /// Everything to evaluate in this phase: the roots and, from earlier phases too, the
  /// loads, dims, rounds and maps that they need, computed again unless they cross.
  llvm::SmallVector<mlir::Operation *> evaluated;
  /// What the evaluated ops read from an earlier phase: tiles as they were loaded, maps
  /// marked `keep`, and per-row values. (Scalars and per-column values are invariant in
  /// the rows: they are in `evaluated` of each phase that reads them.)
  llvm::SmallVector<mlir::Value> crossing;
};

class PhaseAnalysis {
public:
  explicit PhaseAnalysis(KernelOp kernel);

  /// At least 1, also for an empty kernel.
  llvm::ArrayRef<Phase> getPhases() const { return phases; }
  unsigned getNumPhases() const { return phases.size(); }

  /// The phase in which an op of the body runs first.
  unsigned getPhase(mlir::Operation *op) const { return phaseOfOp.lookup(op); }
  /// The phase from which on a value can be read: for the result of a reduction the one
  /// after it; 0 for the kernel's buffers.
  unsigned getPhase(mlir::Value value) const;

private:
  void assign(KernelOp kernel);
  void findRoots(KernelOp kernel);
  void findEvaluated(KernelOp kernel, unsigned number);

  llvm::DenseMap<mlir::Operation *, unsigned> phaseOfOp;
  llvm::SmallVector<Phase, 2> phases;
};

} // namespace normc::row

#endif // NORMC_ANALYSIS_PHASES_H
