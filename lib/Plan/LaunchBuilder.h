//===- LaunchBuilder.h - From kernels of a variant to launches --------------===//
#ifndef NORMC_LIB_PLAN_LAUNCHBUILDER_H
#define NORMC_LIB_PLAN_LAUNCHBUILDER_H

#include "lib/Plan/EntryBody.h"
#include "lib/Plan/KernelNames.h"
#include "normc/Plan/Grid.h"
#include "normc/Plan/KernelAbi.h"
#include "normc/Plan/Shapes.h"

#include "mlir/IR/Builders.h"

namespace normc::plan {

/// Replaces the body of one variant, before outlining, by workspaces and launches.
class LaunchBuilder {
public:
  /// The function that holds `kernel`, made or shared.
  using Outline = llvm::function_ref<mlir::StringAttr(row::KernelOp kernel,
                                                      const KernelForm &form)>;

  LaunchBuilder(VariantOp variant, const Shapes &shapes,
                const schedule::TargetFacts &target)
      : variant(variant), entry(mlir::cast<EntryOp>(variant->getParentOp())),
        shapes(shapes), target(target), builder(variant.getContext()) {}

  mlir::LogicalResult run(Outline outline);

private:
  /// Partials that a kernel wrote: how many rows, and the segments of one.
  struct Partials {
    mlir::AffineExpr count;
    int64_t cols_slots = 0;
    int64_t scalar_slots = 0;
  };

  mlir::AffineMap map(llvm::ArrayRef<mlir::AffineExpr> exprs) {
    return mlir::AffineMap::get(0, entry.getNumMapSymbols(), exprs, entry.getContext());
  }
  mlir::AffineExpr constant(int64_t value) {
    return mlir::getAffineConstantExpr(value, entry.getContext());
  }

  void makeWorkspace(mlir::Operation *alloc);
  mlir::LogicalResult launch(row::KernelOp kernel, Outline outline);
  mlir::FailureOr<Grid> gridOf(row::KernelOp kernel);
  mlir::LogicalResult makePartials(row::KernelOp kernel, const Grid &grid);
  mlir::LogicalResult checkFinalizes(row::KernelOp kernel);
  bool isCollapsed(row::KernelOp kernel);
  Alignment alignmentOf(row::KernelOp kernel);
  bool isAligned(row::KernelOp kernel, unsigned buffer);
  bool isStrided(row::KernelOp kernel, unsigned buffer);
  mlir::AffineExpr rowsOf(row::KernelOp kernel);
  mlir::AffineExpr colsOf(row::KernelOp kernel);
  ArgAttr argOf(row::KernelOp kernel, KernelArg arg);
  ArgAttr strideOf(row::KernelOp kernel, KernelArg arg);

  VariantOp variant;
  EntryOp entry;
  const Shapes &shapes;
  const schedule::TargetFacts &target;
  mlir::OpBuilder builder;
  /// Allocations and partials, by the value they were.
  llvm::DenseMap<mlir::Value, mlir::Value> workspaces;
  llvm::DenseMap<mlir::Value, Partials> partials;
};

} // namespace normc::plan

#endif // NORMC_LIB_PLAN_LAUNCHBUILDER_H
