//===- GridTest.cpp - Grids of launches -------------------------------------===//
#include "normc/Plan/Grid.h"

#include "mlir/IR/MLIRContext.h"

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

TEST_F(GridTest, OtherBackendsAreAnError) {
  EXPECT_FALSE(plan::makeGrid(schedule::Backend::Cuda, {}, {.rows = rows}, error));
  EXPECT_NE(error.find("expected a host target"), std::string::npos) << error;
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
