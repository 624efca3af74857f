//===- Variants.h - Which variants an entry has -----------------------------===//
#ifndef NORMC_LIB_PLAN_VARIANTS_H
#define NORMC_LIB_PLAN_VARIANTS_H

#include "dialects/plan/Plan.h"
#include "dialects/row/Row.h"
#include "normc/Plan/Shapes.h"
#include "normc/Schedule/Decision.h"
#include "normc/Tunings/Tunings.h"

namespace normc::plan {

/// What one variant is for. Guards are added up: each is there where its name says.
struct VariantPlan {
  bool aligned = false;
  /// Outer dimensions walk with one stride, by a guard where that is not known.
  bool collapsed = false;
  /// For few rows, in kernels that make their sums in one launch.
  bool few_rows = false;
  /// Its kernels are launched as clusters, where the device has as many compute units.
  bool clusters = false;
  /// No guard at all: runs on every device of the target.
  bool last = false;
};

/// What an entry's kernels gain by.
struct VariantNeeds {
  /// Parameters that lanes access several elements of at once.
  bool aligns = false;
  /// Outer dimensions that may not walk with one stride.
  bool collapses = false;
  /// A form of their own for few rows; as one cluster. The same of rows at any address.
  bool few_rows = false, few_clusters = false;
  bool few_anywhere = false, few_clusters_anywhere = false;
  /// Clusters; in kernels without sums, so that the order in which a row is summed is a
  /// cluster's.
  bool clusters = false, rows_in_clusters = false;
};

/// The variants in the order in which they are tried. The last one has no guard, each
/// of the others is taken by some launch.
std::vector<VariantPlan> planVariants(const VariantNeeds &needs);

/// Few rows of one kernel: up to how many, and how its sums are made.
struct FewRowsOf {
  row::KernelOp kernel;
  mlir::AffineExpr rows;
  schedule::FewRows few;
};

/// What an entry's kernels want of its variants on a target.
class VariantPlanner {
public:
  /// `aligns`: the entry has parameters to align.
  VariantPlanner(mlir::Block &body, const Shapes &shapes,
                 const schedule::TargetFacts &target, bool aligns,
                 const Tunings &tunings);

  /// For an entry that has dimensions to collapse, or not.
  std::vector<VariantPlan> variants(bool collapses) const;

  /// Where a kernel's rows are few in a variant for few rows.
  llvm::ArrayRef<FewRowsOf> fewRows(const VariantPlan &variant) const {
    return variant.aligned || !needs.aligns ? few : few_anywhere;
  }
  /// The target as the kernels of a variant see it.
  schedule::TargetFacts targetOf(const VariantPlan &variant) const;

private:
  /// The number of rows of a kernel; null where it is known.
  mlir::AffineExpr dynamicRows(row::KernelOp kernel, const Shapes &shapes) const;
  void addFewRows(row::KernelOp kernel, const schedule::KernelFacts &facts,
                  const Shapes &shapes);

  const schedule::TargetFacts &target;
  llvm::SmallVector<FewRowsOf> few, few_anywhere;
  VariantNeeds needs;
  /// Some kernel has the user's tiling or strategy.
  bool by_user = false;
};

} // namespace normc::plan

#endif // NORMC_LIB_PLAN_VARIANTS_H
