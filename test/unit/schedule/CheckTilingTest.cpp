//===- CheckTilingTest.cpp - Every limit of a tiling, by its message ---------===//
#include "Kernels.h"

using namespace normc::schedule;
using namespace normc::schedule::test;

namespace {

/// A legal tiling of `kernel()`, and one change a test.
class CheckTiling : public ::testing::Test {
protected:
  static KernelFacts kernel() { return layerNorm({}, 1024, F32, F32); }
  static Tiling legal() {
    Tiling tiling;
    tiling.workgroup_size = tiling.lanes_per_row = tiling.vector_elems = 16;
    tiling.vectors_in_flight = 2;
    tiling.rows_per_tile = 4;
    tiling.rows_per_workgroup = 32;
    tiling.loop = Loop::Persistent;
    return tiling;
  }
  template <typename Member, typename Value>
  static std::string with(Member member, Value value, KernelFacts facts = kernel()) {
    Tiling tiling = legal();
    tiling.*member = value;
    return checkTiling(facts, v4(), tiling);
  }
  static Tiling finalizing() {
    Tiling tiling = legal();
    tiling.vectors_in_flight = 1;
    tiling.rows_per_workgroup = 0;
    return tiling;
  }
  static KernelFacts finalizeKernel(Size cols = 4096) {
    return finalizeFacts(biasGradient({}, cols, F32, F32), 64);
  }
};

} // namespace

TEST_F(CheckTiling, LegalOnesPass) {
  EXPECT_EQ(checkTiling(kernel(), v4(), legal()), "");
  EXPECT_EQ(checkTiling(finalizeKernel(), v4(), finalizing()), "");
}

TEST_F(CheckTiling, KnobsOfGpus) {
  EXPECT_EQ(with(&Tiling::cluster_cols, 2),
            "expected cluster_cols to be 1, because a workgroup of the host is one "
            "worker that has neither a cluster nor a pipeline, but got 2");
  EXPECT_NE(with(&Tiling::cluster_partials, 2), "");
  EXPECT_NE(with(&Tiling::rows_in_flight, 2), "");
  EXPECT_NE(with(&Tiling::min_workgroups_per_cu, 1), "");
  EXPECT_NE(with(&Tiling::stages, 3), "");
  EXPECT_NE(with(&Tiling::skew, 1), "");
  EXPECT_EQ(with(&Tiling::staging, Staging::Async),
            "expected staging to be direct, because the host has no asynchronous "
            "copies, but got async");
  EXPECT_NE(with(&Tiling::store, Store::OwnStage).find("but got own_stage"),
            std::string::npos);
  EXPECT_NE(with(&Tiling::loop, Loop::OneShot).find("but got one_shot"),
            std::string::npos);
}

TEST_F(CheckTiling, Vector) {
  Tiling wide = legal();
  wide.workgroup_size = wide.lanes_per_row = wide.vector_elems = 32;
  EXPECT_EQ(
      checkTiling(kernel(), v4(), wide),
      "expected vector_elems to be a power of two at most 16, because a vector of "
      "host:x86-64-v4 has 16 lanes of f32, but got 32");
  // The same 16 lanes are too many for f64, and for a narrower machine.
  EXPECT_NE(checkTiling(layerNorm({}, 64, F64, F64), v4(), legal()), "");
  EXPECT_NE(checkTiling(kernel(), v3(), legal()), "");
  // 32 bf16 are stored as one vector; a tile of it has no more rows than 16.
  EXPECT_EQ(checkTiling(layerNorm({}, 1024, BF16, F32), v4(), wide), "");
  wide.rows_per_tile = 32;
  EXPECT_NE(checkTiling(layerNorm({}, 1024, BF16, F32), v4(), wide)
                .find("rows_per_tile to be a power of two at most 16"),
            std::string::npos);
  wide.rows_per_tile = 4;
  wide.workgroup_size = wide.lanes_per_row = wide.vector_elems = 64;
  EXPECT_NE(checkTiling(layerNorm({}, 1024, BF16, F32), v4(), wide)
                .find("16 lanes of f32 or 32 of the shortest tile, but got 64"),
            std::string::npos);
  EXPECT_NE(with(&Tiling::vector_elems, 0), "");
  EXPECT_NE(with(&Tiling::vector_elems, 12), "");
  EXPECT_NE(with(&Tiling::workgroup_size, 8), "");
  Tiling narrow = legal();
  narrow.workgroup_size = narrow.lanes_per_row = narrow.vector_elems = 4;
  EXPECT_EQ(checkTiling(kernel(), v4(), narrow), "");
}

TEST_F(CheckTiling, LanesPerRow) {
  EXPECT_EQ(with(&Tiling::lanes_per_row, 8),
            "expected lanes_per_row to be 1 or vector_elems (16), because vectors of "
            "the host lie along the columns or across the rows, but got 8");
  Tiling across = legal();
  across.lanes_per_row = 1;
  across.vectors_in_flight = 1;
  across.rows_per_tile = 16;
  across.residency = Residency::Registers;
  KernelFacts narrow = layerNorm({}, 3, F32, F32);
  EXPECT_EQ(checkTiling(narrow, v4(), across), "");
  narrow.cols = std::nullopt;
  EXPECT_NE(checkTiling(narrow, v4(), across).find("static number of columns"),
            std::string::npos);
  narrow.cols = 65;
  EXPECT_NE(checkTiling(narrow, v4(), across).find("65 vectors, and at most 64"),
            std::string::npos);
  narrow.cols = 64;
  EXPECT_EQ(checkTiling(narrow, v4(), across), "");
  across.residency = Residency::Reload;
  EXPECT_NE(checkTiling(narrow, v4(), across), "");
  across.residency = Residency::Registers;
  across.rows_per_tile = 8;
  EXPECT_NE(checkTiling(narrow, v4(), across).find("every lane has a row of its own"),
            std::string::npos);
  Tiling last = finalizing();
  last.lanes_per_row = 1;
  EXPECT_NE(checkTiling(finalizeKernel(), v4(), last), "");
}

TEST_F(CheckTiling, RowsPerTile) {
  EXPECT_EQ(with(&Tiling::rows_per_tile, 24),
            "expected rows_per_tile to be a power of two at most 16, because the rows "
            "of a tile are reduced together, by a tree over the 16 lanes of a vector, "
            "but got 24");
  EXPECT_NE(with(&Tiling::rows_per_tile, 0), "");
  EXPECT_NE(with(&Tiling::rows_per_tile, -4), "");
  EXPECT_NE(with(&Tiling::rows_per_tile, 32), "");
  Tiling last = finalizing();
  last.rows_per_tile = 64;
  EXPECT_EQ(
      checkTiling(finalizeKernel(), v4(), last),
      "expected rows_per_tile to be a power of two at most 32, because a finalize "
      "adds that many partials side by side, but got 64");
}

TEST_F(CheckTiling, VectorsInFlight) {
  EXPECT_EQ(with(&Tiling::vectors_in_flight, 8), "");
  EXPECT_EQ(
      with(&Tiling::vectors_in_flight, 16),
      "expected vectors_in_flight to be a power of two at most 8, because each has "
      "an accumulator of its own in registers, but got 16");
  EXPECT_NE(with(&Tiling::vectors_in_flight, 3), "");
}

TEST_F(CheckTiling, ColBlocks) {
  EXPECT_NE(with(&Tiling::col_blocks, 2), "");
  Tiling last = finalizing();
  last.col_blocks = 256;
  EXPECT_EQ(checkTiling(finalizeKernel(), v4(), last), "");
  last.col_blocks = 257;
  EXPECT_EQ(
      checkTiling(finalizeKernel(), v4(), last),
      "expected col_blocks to be at least 1 and at most 256, because 4096 columns "
      "are 256 vectors, but got 257");
  last.col_blocks = 0;
  EXPECT_NE(checkTiling(finalizeKernel(), v4(), last), "");
  last.col_blocks = 64;
  EXPECT_EQ(checkTiling(finalizeKernel(std::nullopt), v4(), last), "");
  last.col_blocks = 65;
  EXPECT_NE(checkTiling(finalizeKernel(std::nullopt), v4(), last), "");
}

TEST_F(CheckTiling, Residency) {
  EXPECT_NE(with(&Tiling::residency, Residency::Shared), "");
  // 1024 columns are 64 vectors a row.
  EXPECT_EQ(with(&Tiling::residency, Residency::Registers),
            "expected residency to be reload, because a tile of 4 rows of 1024 columns "
            "has 256 vectors, and at most 64 are unrolled, but got registers");
  Tiling one = legal();
  one.rows_per_tile = 1;
  one.residency = Residency::Registers;
  EXPECT_EQ(checkTiling(kernel(), v4(), one), "");
  KernelFacts dynamic = kernel();
  dynamic.cols = std::nullopt;
  EXPECT_NE(checkTiling(dynamic, v4(), one).find("only static columns"),
            std::string::npos);
}

TEST_F(CheckTiling, RowsPerWorkgroup) {
  EXPECT_EQ(with(&Tiling::rows_per_workgroup, 30),
            "expected rows_per_workgroup to be a positive multiple of rows_per_tile "
            "(4), because a block is a number of whole tiles, but got 30");
  EXPECT_NE(with(&Tiling::rows_per_workgroup, 0), "");
  Tiling last = finalizing();
  last.rows_per_workgroup = 4;
  EXPECT_NE(checkTiling(finalizeKernel(), v4(), last), "");
}

TEST_F(CheckTiling, SumsDownTheColumns) {
  KernelFacts sums = biasGradient(32, 1024, F32, F32);
  EXPECT_EQ(checkTiling(sums, v4(), legal()), "");
  sums.rows = 33;
  EXPECT_EQ(checkTiling(sums, v4(), legal()),
            "expected 1 to 32 rows (rows_per_workgroup), or sums split by "
            "row-split-column-reduction, because one workgroup must see every row to "
            "store the sums itself, but got 33 rows");
  sums.rows = 0;
  EXPECT_NE(checkTiling(sums, v4(), legal()), "");
  sums.rows = std::nullopt;
  EXPECT_NE(checkTiling(sums, v4(), legal()).find("but got dynamic rows"),
            std::string::npos);
  sums.buffers[1] = {Extent::Partials, F32, true};
  EXPECT_EQ(checkTiling(sums, v4(), legal()), "");
  Tiling chain = legal();
  chain.rows_per_workgroup = 4 * 1024;
  EXPECT_EQ(checkTiling(sums, v4(), chain), "");
  chain.rows_per_workgroup += 4;
  EXPECT_EQ(checkTiling(sums, v4(), chain),
            "expected rows_per_workgroup to be at most 4096, because no sum may have a "
            "chain of more than 1024 dependent adds, one a tile, but got 4100");
}

TEST_F(CheckTiling, DirectSumsAreRoundedOnce) {
  // A loop over columns would add in bf16, in memory.
  KernelFacts sums = biasGradient(32, 1024, BF16, BF16);
  EXPECT_NE(checkTiling(sums, v4(), legal()).find("would round every one of them"),
            std::string::npos);
  sums.cols = 128;
  Tiling unrolled = legal();
  unrolled.residency = Residency::Registers;
  EXPECT_EQ(checkTiling(sums, v4(), unrolled), "");
}
