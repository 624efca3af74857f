//===- StrategyTest.cpp - Strategies, asked for and refused ------------------===//
#include "Kernels.h"

using namespace normc::schedule;
using namespace normc::schedule::test;

namespace {

std::string refusal(const KernelFacts &kernel, Strategy strategy) {
  std::string reason;
  std::optional<Decision> decision = chooseStrategy(kernel, v4(), strategy, reason);
  EXPECT_FALSE(decision) << summary(*decision);
  return reason;
}

Decision granted(const KernelFacts &kernel, Strategy strategy) {
  std::string reason;
  std::optional<Decision> decision = chooseStrategy(kernel, v4(), strategy, reason);
  EXPECT_TRUE(decision) << reason;
  return decision.value_or(Decision());
}

} // namespace

TEST(Strategy, EveryStrategyOfABackward) {
  KernelFacts kernel = layerNormBackward(64, 256, F32, F32);
  for (Strategy strategy : {Strategy::Direct, Strategy::Partials, Strategy::Fission})
    EXPECT_EQ(granted(kernel, strategy).strategy, strategy);
}

TEST(Strategy, PartialsKernelsAreFusedAndFinalize) {
  Decision decision =
      granted(layerNormBackward(4096, 256, F32, F32), Strategy::Partials);
  ASSERT_EQ(decision.kernels.size(), 2u);
  EXPECT_EQ(decision.kernels[0].role, "fused");
  EXPECT_EQ(decision.kernels[1].role, "finalize");
}

TEST(Strategy, FissionPartsTheRows) {
  Decision decision =
      granted(layerNormBackward(4096, 256, F32, F32), Strategy::Fission);
  ASSERT_EQ(decision.kernels.size(), 3u);
  EXPECT_EQ(decision.kernels[0].role, "rows");
  EXPECT_EQ(decision.kernels[1].role, "columns");
  EXPECT_EQ(decision.kernels[2].role, "finalize");
}

// The part with the sums alone would rather have another map than the whole kernel.
TEST(Strategy, FissionWithEveryNumberOfColumns) {
  for (int64_t cols = 1; cols <= 130; ++cols)
    for (ElementType type : {F32, BF16, F64}) {
      granted(dytBackward({}, cols, type, type), Strategy::Fission);
      granted(layerNormBackward({}, cols, type, type), Strategy::Fission);
    }
}

TEST(Strategy, DirectNeedsFewStaticRows) {
  EXPECT_EQ(
      refusal(layerNormBackward({}, 256, F32, F32), Strategy::Direct),
      "expected strategy partials or fission, because one workgroup can see every "
      "row only where rows is static, at least 1, and at most 1024 tiles, but got "
      "direct with dynamic rows");
  EXPECT_NE(refusal(layerNormBackward(0, 256, F32, F32), Strategy::Direct), "");
  EXPECT_NE(refusal(layerNormBackward(1 << 24, 256, F32, F32), Strategy::Direct), "");
  EXPECT_EQ(
      granted(layerNormBackward(1, 256, F32, F32), Strategy::Direct).kernels.size(),
      1u);
}

// One worker has the rows of one block, split or not.
TEST(Strategy, FewRowsOfTheHostAreOneBlock) {
  for (int64_t cols : {1, 24, 128, 768, 1024, 4096, 65536}) {
    KernelFacts kernel = layerNormBackward({}, cols, F32, F32);
    std::optional<FewRows> few = fewRows(kernel, v4());
    ASSERT_TRUE(few) << cols;
    EXPECT_EQ(few->strategy, Strategy::Direct);
    int64_t block = choose(kernel, v4()).kernels.front().tiling.rows_per_workgroup;
    EXPECT_LE(few->rows, block) << cols;
    EXPECT_GT(few->rows * 2, std::min<int64_t>(block, 512)) << cols;
    kernel.max_rows = few->rows;
    Decision decision = granted(kernel, Strategy::Direct);
    ASSERT_EQ(decision.kernels.size(), 1u);
    Tiling tiling = decision.kernels.front().tiling;
    EXPECT_EQ(tiling.rows_per_workgroup, few->rows) << cols;
    EXPECT_EQ(checkTiling(kernel, v4(), tiling), "");
    // The bits of a row do not depend on the variant.
    Tiling many =
        choose(layerNormBackward({}, cols, F32, F32), v4()).kernels.front().tiling;
    EXPECT_EQ(tiling.lanes_per_row, many.lanes_per_row) << cols;
    EXPECT_EQ(tiling.vector_elems, many.vector_elems) << cols;
    EXPECT_EQ(tiling.vectors_in_flight, many.vectors_in_flight) << cols;
    // One row more than a block has is not seen by it.
    kernel.max_rows = few->rows + 1;
    EXPECT_NE(checkTiling(kernel, v4(), tiling), "") << cols;
  }
  // A loop over the columns would round every addend of what is not f32.
  EXPECT_FALSE(fewRows(layerNormBackward({}, 768, BF16, BF16), v4()));
  EXPECT_FALSE(fewRows(layerNormBackward(4, 768, F32, F32), v4()));
  EXPECT_FALSE(fewRows(layerNorm({}, 768, F32, F32), v4()));
}

TEST(Strategy, FissionNeedsSomethingPerRow) {
  EXPECT_NE(refusal(biasGradient(4096, 256, F32, F32), Strategy::Fission)
                .find("nothing to part them from"),
            std::string::npos);
}

TEST(Strategy, KernelsWithoutSums) {
  KernelFacts forward = layerNorm(4096, 256, F32, F32);
  for (Strategy strategy : {Strategy::Direct, Strategy::Partials, Strategy::Fission})
    EXPECT_NE(refusal(forward, strategy).find("no sums down the columns"),
              std::string::npos);
  EXPECT_EQ(granted(forward, Strategy::Rows).kernels.front().role, "rows");
  EXPECT_NE(refusal(biasGradient(4096, 256, F32, F32), Strategy::Rows), "");
}

TEST(Strategy, RowsNoneAtAll) {
  // Gradients are written as zero by the finalize, which finds no partials.
  Decision decision = choose(layerNormBackward(0, 256, F32, F32), v4());
  EXPECT_EQ(decision.strategy, Strategy::Partials);
  EXPECT_EQ(decision.kernels[0].cost.workgroups, 0);
  EXPECT_EQ(decision.kernels[0].cost.workspace_bytes, 0);
  EXPECT_EQ(decision.kernels[1].cost.workgroups, 1);
}

TEST(Strategy, ASplitKernelStaysSplit) {
  KernelFacts split = biasGradient({}, 256, F32, F32);
  split.buffers[1] = {Extent::Partials, F32, true};
  EXPECT_EQ(strategyAsIs(split), Strategy::Partials);
  Decision decision = choose(split, v4());
  EXPECT_EQ(decision.strategy, Strategy::Partials);
  EXPECT_EQ(decision.kernels.size(), 1u);
  EXPECT_NE(refusal(split, Strategy::Direct).find("go to partials already"),
            std::string::npos);
}

TEST(Strategy, PartsOfAKernel) {
  KernelFacts whole = layerNormBackward(64, 256, BF16, F32);
  KernelFacts rows = rowsPart(whole), columns = columnsPart(whole);
  EXPECT_FALSE(rows.hasSums());
  EXPECT_EQ(rows.buffers.size(), 6u);
  EXPECT_EQ(columns.column_sums, 2);
  EXPECT_EQ(columns.buffers.size(), 7u);
  KernelFacts last = finalizeFacts(whole, 5);
  EXPECT_TRUE(last.is_finalize);
  EXPECT_EQ(last.rows, 5);
  EXPECT_EQ(last.buffers.size(), 3u);
  EXPECT_EQ(partialElems(whole), 512);
  EXPECT_EQ(partialElems(dytBackward(64, 7, F32, F32)), 16);
  EXPECT_EQ(partialElems(dytBackward(64, 7, F64, F64)), 16);
  EXPECT_EQ(partialElems(dytBackward(64, {}, F32, F32)), std::nullopt);
}

TEST(Strategy, TheBoundSaysItsNumbers) {
  std::string bound = choose(layerNormBackward(401408, 24, BF16, F32), v4()).bound;
  for (std::string_view part : {"bound by ", " ns of a core's instructions",
                                "rows_per_tile", "dependent adds", "160"})
    EXPECT_NE(bound.find(part), std::string::npos) << bound;
}
