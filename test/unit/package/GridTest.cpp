//===- GridTest.cpp - Grids of launches -------------------------------------===//
#include "normc/Plan/Grid.h"

#include "mlir/IR/MLIRContext.h"

#include <array>
#include <gtest/gtest.h>

using namespace mlir;
using namespace normc;
using plan::GridFacts;

namespace {

class GridTest : public ::testing::Test {
protected:
  int64_t least(const plan::Grid &grid, int64_t rows) {
    int64_t result = INT64_MAX;
    for (AffineExpr expr : grid.workgroups)
      result = std::min(result, at(expr, rows));
    return result;
  }
  int64_t at(AffineExpr expr, int64_t rows) {
    return cast<AffineConstantExpr>(
               expr.replaceSymbols(getAffineConstantExpr(rows, &context)))
        .getValue();
  }
  plan::Grid make(const schedule::Tiling &tiling, const GridFacts &facts) {
    auto grid = plan::makeGrid(schedule::Backend::Host, tiling, facts, error);
    EXPECT_TRUE(grid) << error;
    return grid.value_or(plan::Grid());
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  AffineExpr rows = getAffineSymbolExpr(0, &context);
  std::string error;
};

TEST_F(GridTest, BlocksOfRowsCoverEveryRow) {
  schedule::Tiling tiling;
  tiling.rows_per_workgroup = 32;
  plan::Grid grid = make(tiling, {.rows = rows});
  for (int64_t n : {0, 1, 31, 32, 33, 64, 1000003})
    EXPECT_EQ(least(grid, n), (n + 31) / 32);
  EXPECT_FALSE(grid.partials);
}

TEST_F(GridTest, OneWorkgroupTakesAllRowsWithoutABound) {
  plan::Grid grid = make({}, {.rows = rows});
  EXPECT_EQ(least(grid, 0), 0);
  EXPECT_EQ(least(grid, 1), 1);
  EXPECT_EQ(least(grid, 1000), 1);
}

TEST_F(GridTest, ColumnBlocksLieSideBySide) {
  schedule::Tiling tiling;
  tiling.rows_per_workgroup = 8;
  tiling.col_blocks = 4;
  EXPECT_EQ(least(make(tiling, {.rows = rows}), 17), 12);
}

TEST_F(GridTest, PartialsHaveARowForEachBlockOfRows) {
  schedule::Tiling tiling;
  tiling.rows_per_workgroup = 8;
  tiling.col_blocks = 4;
  plan::Grid grid = make(tiling, {.rows = rows, .writes_partials = true});
  EXPECT_EQ(least(grid, 17), 12);
  EXPECT_EQ(at(grid.partials, 17), 3);
  EXPECT_EQ(at(grid.partials, 0), 0);
}

TEST_F(GridTest, OnePartialIsWrittenAlsoWithoutRows) {
  plan::Grid grid = make({}, {.rows = rows, .writes_partials = true});
  EXPECT_EQ(least(grid, 0), 1);
  EXPECT_EQ(at(grid.partials, 0), 1);
}

TEST_F(GridTest, FinalizesRunOnceAColumnBlockWhateverThePartials) {
  schedule::Tiling tiling;
  tiling.col_blocks = 4;
  tiling.rows_per_workgroup = 8;
  plan::Grid grid = make(tiling, {.rows = rows, .is_finalize = true});
  EXPECT_EQ(least(grid, 0), 4);
  EXPECT_EQ(least(grid, 100), 4);
}

TEST_F(GridTest, DirectSumsNeedOneWorkgroupForAllRows) {
  schedule::Tiling tiling;
  EXPECT_EQ(least(make(tiling, {.rows = rows, .stores_sums = true}), 0), 1);
  tiling.rows_per_workgroup = 32;
  EXPECT_EQ(least(make(tiling, {.rows = getAffineConstantExpr(32, &context),
                                .stores_sums = true}),
                  0),
            1);
  for (AffineExpr many : {rows, getAffineConstantExpr(33, &context)}) {
    EXPECT_FALSE(plan::makeGrid(schedule::Backend::Host, tiling,
                                {.rows = many, .stores_sums = true}, error));
    EXPECT_NE(error.find("but got 32"), std::string::npos) << error;
  }
}

//===----------------------------------------------------------------------===//
// GPUs
//===----------------------------------------------------------------------===//

/// Symbols: rows, cols, compute_units, resident; 15 clusters are resident.
class GpuGridTest : public GridTest {
protected:
  int64_t valueOf(AffineExpr expr, std::array<int64_t, 4> symbols) {
    SmallVector<AffineExpr> values;
    for (int64_t value : symbols)
      values.push_back(getAffineConstantExpr(value, &context));
    values.push_back(getAffineConstantExpr(15, &context));
    return cast<AffineConstantExpr>(expr.replaceSymbols(values)).getValue();
  }
  int64_t workgroups(const plan::Grid &grid, std::array<int64_t, 4> symbols) {
    int64_t result = INT64_MAX;
    for (AffineExpr expr : grid.workgroups)
      result = std::min(result, valueOf(expr, symbols));
    return result;
  }
  plan::Grid makeGpu(const schedule::Tiling &tiling, GridFacts facts) {
    facts.rows = rows;
    facts.cols = getAffineSymbolExpr(1, &context);
    facts.compute_units = getAffineSymbolExpr(2, &context);
    facts.resident = getAffineSymbolExpr(3, &context);
    facts.resident_clusters = getAffineSymbolExpr(4, &context);
    facts.cluster_units = 17;
    auto grid = plan::makeGrid(schedule::Backend::Cuda, tiling, facts, error);
    EXPECT_TRUE(grid) << error;
    return grid.value_or(plan::Grid());
  }
};

TEST_F(GpuGridTest, OneTileAWorkgroup) {
  schedule::Tiling tiling;
  tiling.rows_per_tile = 16;
  plan::Grid grid = makeGpu(tiling, {});
  for (int64_t n : {0, 1, 16, 17, 1000003})
    EXPECT_EQ(workgroups(grid, {n, 128, 132, 4}), (n + 15) / 16);
}

TEST_F(GpuGridTest, PersistentWorkgroupsAreNoMoreThanTheDeviceHolds) {
  schedule::Tiling tiling;
  tiling.rows_per_tile = 16;
  tiling.loop = schedule::Loop::Persistent;
  plan::Grid grid = makeGpu(tiling, {});
  EXPECT_EQ(workgroups(grid, {0, 128, 132, 4}), 0);
  EXPECT_EQ(workgroups(grid, {160, 128, 132, 4}), 10);
  EXPECT_EQ(workgroups(grid, {1000003, 128, 132, 4}), 528);
}

TEST_F(GpuGridTest, PartialsAreThoseOfTheWorkgroups) {
  schedule::Tiling tiling;
  tiling.rows_per_tile = 16;
  tiling.min_workgroups_per_cu = 2;
  tiling.loop = schedule::Loop::Persistent;
  plan::Grid grid = makeGpu(tiling, {.writes_partials = true});
  for (int64_t n : {0, 1, 100, 4224, 4225, 1000003}) {
    const int64_t partials = valueOf(grid.partials, {n, 128, 132, 7});
    EXPECT_EQ(workgroups(grid, {n, 128, 132, 7}), partials) << n;
    EXPECT_LE(partials, 264);
    // Each has a tile, so that none writes a partial of nothing; with rows, some has.
    EXPECT_LE(partials, (n + 15) / 16);
    EXPECT_EQ(partials > 0, n > 0);
  }
}

TEST_F(GpuGridTest, PartialsNeedANumberOfWorkgroups) {
  schedule::Tiling tiling;
  tiling.min_workgroups_per_cu = 0;
  EXPECT_FALSE(plan::makeGrid(schedule::Backend::Cuda, tiling,
                              {.rows = rows,
                               .cols = rows,
                               .compute_units = rows,
                               .resident = rows,
                               .writes_partials = true},
                              error));
  EXPECT_NE(error.find("min_workgroups_per_cu of at least 1"), std::string::npos)
      << error;
}

TEST_F(GpuGridTest, FinalizesTakeColumnsSideBySide) {
  schedule::Tiling tiling;
  tiling.workgroup_size = 256;
  tiling.lanes_per_row = 32;
  plan::Grid grid = makeGpu(tiling, {.is_finalize = true});
  EXPECT_EQ(workgroups(grid, {0, 128, 132, 4}), 4);
  EXPECT_EQ(workgroups(grid, {7, 129, 132, 4}), 5);
}

TEST_F(GpuGridTest, ColumnBlocksFollowTheColumns) {
  schedule::Tiling tiling;
  tiling.rows_per_tile = 8;
  tiling.lanes_per_row = 32;
  tiling.vector_elems = 8;
  tiling.col_blocks = 0; // as many as a row has steps
  EXPECT_EQ(workgroups(makeGpu(tiling, {}), {16, 1024, 132, 4}), 2 * 4);
  tiling.col_blocks = 3;
  EXPECT_EQ(workgroups(makeGpu(tiling, {}), {16, 1024, 132, 4}), 2 * 3);
  EXPECT_EQ(workgroups(makeGpu(tiling, {.stores_sums = true}), {0, 1024, 132, 4}), 3);
}

TEST_F(GpuGridTest, ClustersAreWhole) {
  schedule::Tiling tiling;
  tiling.rows_per_tile = 1;
  tiling.cluster_cols = 8;
  tiling.min_workgroups_per_cu = 1;
  EXPECT_EQ(workgroups(makeGpu(tiling, {}), {5, 65536, 132, 1}), 40);
  tiling.loop = schedule::Loop::Persistent;
  // As many as the device answers.
  EXPECT_EQ(workgroups(makeGpu(tiling, {}), {500, 65536, 132, 1}), 15 * 8);
  // A cluster writes one row of partials. Whole ones are taken from groups of 17 units:
  // 7 times 2, and 1 of the 13 that are left.
  plan::Grid grid = makeGpu(tiling, {.writes_partials = true});
  EXPECT_EQ(valueOf(grid.partials, {500, 65536, 132, 1}), 15);
  EXPECT_EQ(workgroups(grid, {500, 65536, 132, 1}), 15 * 8);
  // With two workgroups a unit twice as many: the odd unit of a group stays alone.
  tiling.min_workgroups_per_cu = 2;
  grid = makeGpu(tiling, {.writes_partials = true});
  EXPECT_EQ(valueOf(grid.partials, {496, 65536, 132, 1}), 30);
}

TEST_F(GridTest, PartialsArePaddedTo16Bytes) {
  for (int64_t cols : {1, 2, 3, 4, 5, 1024, 65537})
    for (int64_t bytes : {4, 8})
      for (int64_t scalars : {0, 1, 2}) {
        int64_t width = at(plan::partialWidth(rows, 2, scalars, bytes), cols);
        EXPECT_EQ(width * bytes % 16, 0);
        EXPECT_GE(width, 2 * cols + scalars);
        EXPECT_LT((width - 2 * cols - scalars) * bytes, 16);
      }
}

} // namespace
