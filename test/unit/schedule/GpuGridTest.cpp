//===- GpuGridTest.cpp - How many workgroups a GPU kernel has ----------------===//
#include "Kernels.h"

#include "normc/Schedule/GpuGrid.h"

using namespace normc::schedule;
using namespace normc::schedule::test;

namespace {

int64_t partials(int64_t rows, int64_t tile, int64_t bound, int64_t held, int64_t units,
                 int64_t blocks = 1) {
  Tiling tiling;
  tiling.rows_per_tile = tile;
  tiling.rows_per_workgroup = bound;
  tiling.min_workgroups_per_cu = held;
  return gpuPartials(IntegerMath(), tiling, rows, blocks, units);
}

} // namespace

TEST(GpuGrid, OnePartialATileWhereTilesAreFew) {
  EXPECT_EQ(partials(0, 4, 0, 2, 132), 0);
  EXPECT_EQ(partials(1, 4, 0, 2, 132), 1);
  EXPECT_EQ(partials(1056, 4, 0, 2, 132), 264);
}

TEST(GpuGrid, EvenSharesOfWhatTheDeviceHolds) {
  // 1000 tiles for 264 workgroups: 4 each, which 250 of them take.
  EXPECT_EQ(partials(4000, 4, 0, 2, 132), 250);
  // 65536 tiles for 132: 497 each.
  EXPECT_EQ(partials(65536, 1, 0, 1, 132), 132);
}

TEST(GpuGrid, MoreThanTheDeviceHoldsWhereRowsAreBounded) {
  // At most 100 rows a workgroup: 132 hold 13,200.
  EXPECT_LE(partials(13199, 1, 100, 1, 132), 132);
  EXPECT_EQ(partials(1000000, 1, 100, 1, 132), 10000);
}

TEST(GpuGrid, BlocksOfColumnsShareTheDevice) {
  EXPECT_EQ(partials(65536, 1, 0, 2, 132, 8), 33);
  // More blocks than workgroups: one row of them.
  EXPECT_EQ(partials(65536, 1, 0, 1, 132, 1000), 1);
}

TEST(GpuGrid, SharesAreBoundedAndCoverEveryTile) {
  for (int64_t rows : {1, 7, 100, 1023, 5000, 131072, 1 << 22})
    for (int64_t tile : {1, 2, 8, 64})
      for (int64_t chain : {1, 24, 96})
        for (int64_t held : {1, 2, 3, 8})
          for (int64_t units : {1, 20, 64, 132})
            for (int64_t blocks : {1, 3, 40}) {
              int64_t count = partials(rows, tile, chain * tile, held, units, blocks);
              int64_t tiles = (rows + tile - 1) / tile;
              ASSERT_GE(count, 1);
              ASSERT_LE(count, tiles);
              // Workgroup 0 has the most: tiles 0, count, 2 count, ...
              ASSERT_LE((tiles + count - 1) / count, chain);
              // The last one has a tile too.
              ASSERT_LT(count - 1, tiles);
            }
}

TEST(GpuGrid, BlocksThatCoverDynamicColumns) {
  Tiling tiling;
  tiling.lanes_per_row = 32;
  tiling.vector_elems = 8;
  tiling.col_blocks = 0;
  EXPECT_EQ(gpuColBlocks(IntegerMath(), tiling, 1), 1);
  EXPECT_EQ(gpuColBlocks(IntegerMath(), tiling, 256), 1);
  EXPECT_EQ(gpuColBlocks(IntegerMath(), tiling, 257), 2);
  tiling.col_blocks = 3;
  EXPECT_EQ(gpuColBlocks(IntegerMath(), tiling, 257), 3);
}
