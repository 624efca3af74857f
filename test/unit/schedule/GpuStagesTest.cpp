//===- GpuStagesTest.cpp - Tiles, results and sums in workgroup memory -------===//
#include "Kernels.h"

using namespace normc::schedule;
using namespace normc::schedule::test;

namespace {

/// A backward of 4096 columns, a row a workgroup, copied ahead.
KernelFacts backward(int64_t cols = 4096) {
  return partialsPart(layerNormBackward(16384, cols, BF16, BF16));
}
Tiling staged() {
  Tiling tiling;
  tiling.workgroup_size = tiling.lanes_per_row = 256;
  tiling.vector_elems = 8;
  tiling.rows_per_workgroup = 128;
  tiling.min_workgroups_per_cu = 1;
  tiling.loop = Loop::Persistent;
  tiling.staging = Staging::Async;
  tiling.stages = 3;
  tiling.residency = Residency::Registers;
  return tiling;
}
Tiling skewed() {
  Tiling tiling = staged();
  tiling.residency = Residency::Shared;
  tiling.skew = 1;
  return tiling;
}

std::string check(const Tiling &tiling, const KernelFacts &kernel = backward(),
                  std::string_view name = "cuda:sm_90") {
  return checkTiling(kernel, target(name), tiling);
}
int64_t bytes(const Tiling &tiling, const KernelFacts &kernel = backward(),
              std::string_view name = "cuda:sm_90") {
  EXPECT_EQ(check(tiling, kernel, name), "");
  return decisionOf(kernel, target(name), tiling).kernels.front().cost.shared_bytes;
}

} // namespace

TEST(GpuStages, WhatIsLegal) {
  EXPECT_EQ(check(staged()), "");
  EXPECT_EQ(check(skewed()), "");
  for (Store store : {Store::FromStage, Store::OwnStage}) {
    Tiling tiling = staged();
    tiling.store = store;
    EXPECT_EQ(check(tiling), "");
    tiling.residency = Residency::Shared;
    EXPECT_EQ(check(tiling), "");
  }
  Tiling cluster = skewed();
  cluster.workgroup_size = cluster.lanes_per_row = 128;
  cluster.cluster_cols = 4;
  EXPECT_EQ(check(cluster), "");
  cluster.cluster_cols = 1;
  cluster.cluster_partials = 2;
  EXPECT_EQ(check(cluster), "");
  Tiling lanes = staged();
  EXPECT_EQ(check(lanes, backward(), "cuda:sm_80"), "");
  lanes.residency = Residency::Shared;
  EXPECT_EQ(check(lanes, backward(), "cuda:sm_80"), "");
}

TEST(GpuStages, StoresLeaveByBulkCopies) {
  Tiling tiling = staged();
  tiling.store = Store::OwnStage;
  EXPECT_EQ(check(tiling, backward(), "cuda:sm_80"),
            "expected store to be direct, because results leave through workgroup "
            "memory by bulk copies, where tiles come by them, but got own_stage");
  tiling.staging = Staging::Direct;
  tiling.stages = 0;
  EXPECT_NE(check(tiling).find("expected store to be direct"), std::string::npos);
  // 1028 columns of bf16 are 2056 bytes, those of an f32 input 4112.
  KernelFacts wide = layerNorm(16384, 1028, F32, F32);
  for (BufferFacts &buffer : wide.buffers)
    if (buffer.is_output && buffer.extent == Extent::Tile)
      buffer.type = BF16;
  Tiling narrow = staged();
  narrow.rows_per_workgroup = 0;
  narrow.vector_elems = 4;
  EXPECT_EQ(check(narrow, wide), "");
  narrow.store = Store::OwnStage;
  EXPECT_EQ(check(narrow, wide),
            "expected store to be direct, because bulk copies take rows of a multiple "
            "of 16 bytes, but got own_stage");
}

TEST(GpuStages, AStageHoldsResultsAsWide) {
  Tiling tiling = staged();
  tiling.store = Store::FromStage;
  tiling.stages = 1;
  EXPECT_EQ(
      check(tiling),
      "expected stages to be at least 2, because a stage is filled again one tile "
      "after its results have left, but got 1");
  tiling.stages = 2;
  KernelFacts kernel = backward();
  for (BufferFacts &buffer : kernel.buffers)
    if (buffer.is_output && buffer.extent == Extent::Tile)
      buffer.type = F32;
  EXPECT_EQ(
      check(tiling, kernel),
      "expected store to be direct or own_stage, because a result leaves from the "
      "stage of an input of elements as wide, but got from_stage");
  tiling.store = Store::OwnStage;
  EXPECT_EQ(check(tiling, kernel), "");
}

TEST(GpuStages, ATileStaysWhereItCame) {
  Tiling tiling = staged();
  tiling.residency = Residency::Shared;
  tiling.staging = Staging::Direct;
  tiling.stages = 0;
  EXPECT_EQ(
      check(tiling),
      "expected residency to be registers or reload, or staging to be async, "
      "because a tile stays in workgroup memory only where it came to by a stage, "
      "but got shared");
}

TEST(GpuStages, SkewNeedsTwoPhasesAndAWorkgroupARow) {
  auto broken = [](auto change, const KernelFacts &kernel = backward(),
                   std::string_view name = "cuda:sm_90") {
    Tiling tiling = skewed();
    change(tiling);
    return check(tiling, kernel, name);
  };
  EXPECT_EQ(
      broken([](Tiling &t) { t.skew = 2; }),
      "expected skew to be 0 or 1, because the sums of one row are ahead at most, "
      "but got 2");
  const std::string stages =
      "expected skew to be 0, or staging = async, residency = shared and store = "
      "direct "
      "on a target with bulk copies, because two rows are at work at once, each in its "
      "stage, but got 1";
  EXPECT_EQ(broken([](Tiling &t) { t.residency = Residency::Registers; }), stages);
  EXPECT_EQ(broken([](Tiling &t) { t.store = Store::FromStage; }), stages);
  EXPECT_EQ(broken([](Tiling &) {}, backward(), "cuda:sm_80"), stages);
  EXPECT_EQ(
      broken([](Tiling &) {}, partialsPart(dytBackward(16384, 4096, BF16, BF16))),
      "expected skew to be 0, because rows are summed once and then ended only in "
      "kernels of two phases, but got 1 phases");
  EXPECT_EQ(
      broken([](Tiling &t) { t.lanes_per_row = 128, t.rows_per_tile = 2; }),
      "expected rows_per_tile = 1 and lanes_per_row = workgroup_size, more than a "
      "subgroup's 32, because a skewed loop has one row a workgroup at a time, but "
      "got 2 and 128");
  EXPECT_EQ(broken([](Tiling &t) { t.stages = 1; }),
            "expected stages to be at least 2, because two rows are in their stages at "
            "once, but got 1");
  EXPECT_EQ(
      broken([](Tiling &t) { t.workgroup_size = t.lanes_per_row = 1024; }),
      "expected workgroup_size to be at most 992, because one more subgroup copies "
      "rows ahead, but got 1024");
  EXPECT_EQ(broken([](Tiling &t) {
              t.workgroup_size = t.lanes_per_row = 96;
              t.cluster_cols = 4;
            }),
            "expected lanes_per_row * cluster_cols to be a power of two, because lanes "
            "of a subgroup share the sums of a row's subgroups, but got 96 * 4");
}

TEST(GpuStages, PartialsAreAddedInOneCluster) {
  Tiling tiling = staged();
  tiling.cluster_partials = 32;
  EXPECT_EQ(
      check(tiling),
      "expected cluster_partials to be at least 1 and at most 16, because they are "
      "the workgroups of one cluster of cuda:sm_90, but got 32");
  tiling.cluster_cols = 4;
  tiling.cluster_partials = 2;
  EXPECT_EQ(
      check(tiling),
      "expected cluster_cols or cluster_partials to be 1, because a barrier of the "
      "cluster in every row needs as many rows in all of its workgroups, but got 4 "
      "and 2");
  tiling.cluster_cols = 1;
  tiling.cluster_partials = 2;
  tiling.rows_per_workgroup = 0;
  EXPECT_EQ(check(tiling, layerNorm(16384, 4096, BF16, BF16)),
            "expected cluster_partials to be 1, because workgroups add partials where "
            "they write some, of whole rows, but got 2");
}

TEST(GpuStages, OnePartialForACluster) {
  const TargetFacts gpu = target("cuda:sm_90");
  Tiling tiling = staged();
  EXPECT_EQ(rowWorkgroups(backward(), gpu, tiling), 132);
  tiling.min_workgroups_per_cu = 2;
  int64_t all = *rowWorkgroups(backward(), gpu, tiling);
  tiling.cluster_partials = 4;
  int64_t added = *rowWorkgroups(backward(), gpu, tiling);
  // Whole clusters within groups of 18 units, of which nearly as many workgroups run at
  // once.
  EXPECT_LE(added * 4, 2 * gpu.compute_units);
  EXPECT_GE(added * 4, all * 7 / 8);
  EXPECT_EQ(*workgroups(backward(), gpu, tiling), added * 4);
}

// The same numbers are what test/cuda/stages.test finds in the launches.
TEST(GpuStages, BytesOfWorkgroupMemory) {
  // 128 for the barriers, 3 stages of two rows; two sums of 8 subgroups, two times.
  EXPECT_EQ(bytes(staged()), 128 + 3 * 16384 + 2 * 2 * 32);
  Tiling own = staged();
  own.store = Store::OwnStage;
  EXPECT_EQ(bytes(own), 128 + 3 * 16384 + 2 * 8192 + 2 * 2 * 32);
  // Four slots of two sums of 8 subgroups.
  EXPECT_EQ(bytes(skewed()), 128 + 3 * 16384 + 4 * 2 * 32);
  // Two sums of each column, which take the place of the stages.
  Tiling added = staged();
  added.cluster_partials = 2;
  EXPECT_EQ(bytes(added), 128 + 3 * 16384 + 2 * 2 * 32);
  added.stages = 1;
  EXPECT_EQ(bytes(added), 128 + 2 * 16384);
  // Without barriers, every lane's accesses.
  EXPECT_EQ(bytes(staged(), backward(), "cuda:sm_80"), 3 * 16384 + 2 * 2 * 32);
}
