//===- TunedTest.cpp - Decisions that were measured --------------------------===//
#include "normc/Schedule/Tuned.h"

#include "Kernels.h"

namespace normc::schedule::test {
namespace {

TargetFacts hopper() {
  std::string error;
  return *lookupTarget("cuda:sm_90", error);
}

TEST(Tuned, FactsInALine) {
  EXPECT_EQ(factsKey(layerNorm({}, 1024, BF16, F32), hopper()),
            "cols 1024, in f32; tile bf16, cols f32, cols f32 -> tile bf16, rows f32, "
            "rows f32; phases 2, row reductions 2, moments 1, sums 0 and 0; operations "
            "7, special 0, special a row 2");
}

TEST(Tuned, RowsCountWhereThereAreSums) {
  const TargetFacts target = hopper();
  EXPECT_EQ(factsKey(layerNorm(64, 1024, BF16, F32), target),
            factsKey(layerNorm({}, 1024, BF16, F32), target));
  KernelFacts few = layerNormBackward({}, 1024, BF16, F32),
              many = layerNormBackward(4096, 1024, BF16, F32),
              any = layerNormBackward({}, 1024, BF16, F32);
  few.max_rows = 64;
  EXPECT_EQ(factsKey(few, target).find("rows at most 64, cols 1024"), 0U);
  EXPECT_EQ(factsKey(many, target).find("rows 4096, cols 1024"), 0U);
  EXPECT_EQ(factsKey(any, target).find("rows any, cols 1024"), 0U);
}

TEST(Tuned, VariantsHaveLinesOfTheirOwn) {
  const KernelFacts kernel = layerNorm({}, 1024, BF16, F32);
  TargetFacts target = hopper();
  const std::string aligned = factsKey(kernel, target);
  target.any_alignment = true;
  EXPECT_EQ(factsKey(kernel, target), aligned + "; any alignment");
  target.portable = true;
  EXPECT_EQ(factsKey(kernel, target), aligned + "; any alignment; any device");
}

TEST(Tuned, EveryCandidateIsADecision) {
  const TargetFacts target = hopper();
  for (const KernelFacts &kernel :
       {layerNorm({}, 1024, BF16, F32), layerNormBackward({}, 1024, BF16, F32)})
    for (const Ranked &ranked : rank(kernel, target, 20)) {
      const Decision &decision = ranked.decision;
      if (decision.strategy == Strategy::Fission)
        continue;
      std::string reason;
      auto tuned = tunedDecision(kernel, target, decision.strategy,
                                 decision.kernels.front().tiling, reason);
      ASSERT_TRUE(tuned) << reason;
      EXPECT_EQ(tuned->strategy, decision.strategy);
      EXPECT_EQ(tuned->kernels.size(), decision.kernels.size());
      EXPECT_EQ(tuned->kernels.front().tiling, decision.kernels.front().tiling);
      EXPECT_EQ(tuned->kernels.front().cost.partials,
                decision.kernels.front().cost.partials);
    }
}

TEST(Tuned, WhatIsNotLegalSaysWhy) {
  const TargetFacts target = hopper();
  const KernelFacts kernel = layerNorm({}, 1024, BF16, F32),
                    backward = layerNormBackward({}, 1024, BF16, F32);
  const Tiling tiling = choose(kernel, target).kernels.front().tiling;
  std::string reason;
  EXPECT_FALSE(tunedDecision(kernel, target, Strategy::Partials, tiling, reason));
  EXPECT_EQ(reason, "expected strategy rows, because the kernel has no sums down the "
                    "columns, but got partials");
  EXPECT_FALSE(tunedDecision(backward, target, Strategy::Rows, tiling, reason));
  EXPECT_EQ(reason.find("expected strategy direct, because the kernel has sums"), 0U);
  EXPECT_FALSE(tunedDecision(backward, target, Strategy::Cluster, tiling, reason));
  EXPECT_EQ(reason,
            "expected cluster_cols of at least 2, because with strategy cluster "
            "several workgroups share a row, but got 1");
  Tiling huge = tiling;
  huge.workgroup_size = 1 << 20;
  EXPECT_FALSE(tunedDecision(kernel, target, Strategy::Rows, huge, reason));
  EXPECT_EQ(reason, checkTiling(kernel, target, huge));
}

TEST(Tuned, ARowIsSummedInOneOrder) {
  const TargetFacts target = hopper();
  const KernelFacts kernel = layerNorm({}, 1024, BF16, F32);
  Tiling tiling = choose(kernel, target).kernels.front().tiling;
  ASSERT_EQ(tiling.lanes_per_row, 32);
  tiling.lanes_per_row = 16;
  tiling.rows_per_tile = tiling.workgroup_size / tiling.lanes_per_row;
  tiling.rows_in_flight = 1;
  std::string reason;
  ASSERT_EQ(checkTiling(kernel, target, tiling), "");
  EXPECT_FALSE(tunedDecision(kernel, target, Strategy::Rows, tiling, reason));
  EXPECT_EQ(reason.find("expected the map from columns to lanes"), 0U) << reason;
}

TEST(Tuned, TheHostIsItsLevel) {
  std::string error;
  TargetFacts host = *lookupTarget("host", error);
  EXPECT_EQ(tuningTarget(host), "host:" + host.features);
  EXPECT_EQ(tuningTarget(hopper()), "cuda:sm_90");
}

} // namespace
} // namespace normc::schedule::test
