//===- Grid.cpp - How many workgroups a launch has --------------------------===//
#include "normc/Plan/Grid.h"

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
    auto rows = dyn_cast<AffineConstantExpr>(facts.rows);
    if (blockRows != 0 && !(rows && rows.getValue() <= blockRows)) {
      error = "expected rows_per_workgroup to be 0 or at least the static number of "
              "rows, because one workgroup sees every row where sums are stored "
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

std::optional<Grid> normc::plan::makeGrid(schedule::Backend backend,
                                          const schedule::Tiling &tiling,
                                          const GridFacts &facts, std::string &error) {
  if (tiling.rows_per_workgroup < 0 || tiling.col_blocks < 1) {
    error = "expected rows_per_workgroup of at least 0 and col_blocks of at least 1, "
            "but got " +
            std::to_string(tiling.rows_per_workgroup) + " and " +
            std::to_string(tiling.col_blocks);
    return std::nullopt;
  }
  if (backend == schedule::Backend::Host)
    return makeHostGrid(tiling, facts, error);
  error = "expected a host target, because grids are made for that alone";
  return std::nullopt;
}

AffineExpr normc::plan::partialWidth(AffineExpr cols, int64_t colsSlots,
                                     int64_t scalarSlots, int64_t elementBytes) {
  const int64_t step = 16 / elementBytes;
  return (cols * colsSlots + scalarSlots).ceilDiv(step) * step;
}
