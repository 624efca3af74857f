//===- Grid.h - How many workgroups a launch has ----------------------------===//
//
// The one place that turns a tiling into a grid, and into the number of partials that
// the grid writes. Each backend has its rule here.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_PLAN_GRID_H
#define NORMC_PLAN_GRID_H

#include "normc/Schedule/Facts.h"
#include "normc/Schedule/Tiling.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace normc::plan {

/// What a grid depends on, besides target and tiling.
struct GridFacts {
  /// Rows; for a kernel of finalizes, partials.
  mlir::AffineExpr rows = {};
  mlir::AffineExpr cols = {};
  /// What the device answers at launch: its compute units, workgroups of this kernel
  /// that one of them holds, and clusters of it that all of them hold.
  mlir::AffineExpr compute_units = {}, resident = {}, resident_clusters = {};
  /// schedule::TargetFacts::cluster_units.
  int64_t cluster_units = 0;
  /// The most rows that the kernel is launched with, where its variant bounds them.
  std::optional<int64_t> max_rows = {};
  bool is_finalize = false;
  /// Sums down the columns are stored by the kernel itself, without partials.
  bool stores_sums = false;
  bool writes_partials = false;
};

struct Grid {
  /// The least of these many workgroups is launched.
  llvm::SmallVector<mlir::AffineExpr> workgroups;
  /// Rows of the partials; null for a kernel that writes none.
  mlir::AffineExpr partials;
};

/// The grid of a kernel. Nothing, and what was expected, where the tiling cannot run.
std::optional<Grid> makeGrid(schedule::Backend backend, const schedule::Tiling &tiling,
                             const GridFacts &facts, std::string &error);

/// Elements of one row of partials: a segment of `cols` for each sum with one result a
/// column, then one element for each other sum, padded to 16 bytes.
mlir::AffineExpr partialWidth(mlir::AffineExpr cols, int64_t colsSlots,
                              int64_t scalarSlots, int64_t elementBytes);

} // namespace normc::plan

#endif // NORMC_PLAN_GRID_H
