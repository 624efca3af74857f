//===- Grid.cpp - How many workgroups a launch has --------------------------===//
#include "normc/Plan/Grid.h"

#include "normc/Schedule/GpuGrid.h"

using namespace mlir;
using namespace normc;
using namespace normc::plan;

/// A workgroup is a block of `rows_per_workgroup` rows on one worker, so the blocks,
/// and with them the order of every sum, follow from the shape alone.
static std::optional<Grid> makeHostGrid(const schedule::Tiling &tiling,
                                        const GridFacts &facts, std::string &error) {
  auto constant = [&](int64_t value) {
    return getAffineConstantExpr(value, facts.rows.getContext());
  };
  const int64_t blockRows = tiling.rows_per_workgroup;
  AffineExpr colBlocks = constant(tiling.col_blocks);
  if (facts.is_finalize)
    return Grid{{colBlocks}, {}};
  if (facts.stores_sums) {
    std::optional<int64_t> most = facts.max_rows;
    if (auto rows = dyn_cast<AffineConstantExpr>(facts.rows))
      most = rows.getValue();
    if (blockRows != 0 && (!most || *most > blockRows)) {
      error = "expected rows_per_workgroup to be 0 or at least the static number of "
              "rows or max_rows, because one workgroup sees every row where sums are "
              "stored "
              "without partials, but got " +
              std::to_string(blockRows);
      return std::nullopt;
    }
    return Grid{{colBlocks}, {}}; // also without rows: the sums are zero then
  }
  AffineExpr blocks =
      blockRows != 0 ? facts.rows.ceilDiv(blockRows) : AffineExpr(constant(1));
  Grid grid{{blocks * colBlocks}, {}};
  if (facts.writes_partials)
    grid.partials = blocks;
  else if (blockRows == 0)
    grid.workgroups.push_back(facts.rows * colBlocks); // nothing without rows
  return grid;
}

namespace {
/// The arithmetic of schedule's rule on expressions.
struct ExprMath {
  using Number = AffineExpr;
  MLIRContext *context;

  Number constant(int64_t value) const { return getAffineConstantExpr(value, context); }
  static Number add(Number a, Number b) { return a + b; }
  static Number mul(Number a, Number b) { return a * b; }
  static Number floorDiv(Number a, Number b) { return a.floorDiv(b); }
  static Number ceilDiv(Number a, Number b) { return a.ceilDiv(b); }
};
} // namespace

/// One tile a workgroup, or as many workgroups as the device holds, each with tiles in
/// turn.
static std::optional<Grid> makeGpuGrid(const schedule::Tiling &tiling,
                                       const GridFacts &facts, std::string &error) {
  ExprMath math{facts.rows.getContext()};
  if (facts.is_finalize)
    return Grid{{schedule::gpuFinalizeGrid(math, tiling, facts.cols)}, {}};
  AffineExpr colBlocks = schedule::gpuColBlocks(math, tiling, facts.cols);
  if (facts.stores_sums)
    return Grid{{colBlocks}, {}}; // also without rows: the sums are zero then
  AffineExpr tiles = schedule::gpuTiles(math, tiling, facts.rows);
  if (!facts.writes_partials) {
    Grid grid{{tiles * colBlocks}, {}};
    if (tiling.loop == schedule::Loop::Persistent)
      grid.workgroups.push_back(
          (tiling.cluster_cols > 1
               ? facts.resident_clusters
               : (facts.compute_units * facts.resident).ceilDiv(colBlocks)) *
          colBlocks);
    return grid;
  }
  if (tiling.min_workgroups_per_cu < 1) {
    error =
        "expected min_workgroups_per_cu of at least 1, because so many workgroups a "
        "compute unit write partials, but got " +
        std::to_string(tiling.min_workgroups_per_cu);
    return std::nullopt;
  }
  AffineExpr partials = schedule::gpuPartials(math, tiling, facts.rows, colBlocks,
                                              facts.compute_units, facts.cluster_units);
  return Grid{{partials * colBlocks * tiling.cluster_partials}, partials};
}

std::optional<Grid> normc::plan::makeGrid(schedule::Backend backend,
                                          const schedule::Tiling &tiling,
                                          const GridFacts &facts, std::string &error) {
  const bool host = backend == schedule::Backend::Host;
  if (tiling.rows_per_workgroup < 0 || tiling.col_blocks < (host ? 1 : 0)) {
    error = "expected rows_per_workgroup of at least 0 and col_blocks of at least " +
            std::string(host ? "1" : "0") + ", but got " +
            std::to_string(tiling.rows_per_workgroup) + " and " +
            std::to_string(tiling.col_blocks);
    return std::nullopt;
  }
  return host ? makeHostGrid(tiling, facts, error) : makeGpuGrid(tiling, facts, error);
}

AffineExpr normc::plan::partialWidth(AffineExpr cols, int64_t colsSlots,
                                     int64_t scalarSlots, int64_t elementBytes) {
  const int64_t step = 16 / elementBytes;
  return (cols * colsSlots + scalarSlots).ceilDiv(step) * step;
}
