//===- GpuChooseTest.cpp - The choices for GPUs ------------------------------===//
#include "Kernels.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace normc::schedule;
using namespace normc::schedule::test;

namespace {

/// The backward with some of its results: bit 0 dx, bit 1 dweight, bit 2 dbias.
KernelFacts backward(Size rows, Size cols, int mask) {
  KernelFacts kernel = layerNormBackward(rows, cols, BF16, BF16);
  int sums = (mask & 2 ? 1 : 0) + (mask & 4 ? 1 : 0);
  if (sums == 0)
    return rowsPart(kernel);
  if (!(mask & 1))
    kernel = columnsPart(kernel);
  kernel.column_sums = sums;
  if (sums == 1)
    kernel.buffers.pop_back();
  if ((mask & 3) == 0)
    std::erase_if(kernel.buffers, [](const BufferFacts &buffer) {
      return !buffer.is_output && buffer.extent != Extent::Tile;
    });
  return kernel;
}

bool isSplit(const Decision &decision) {
  for (const KernelChoice &kernel : decision.kernels)
    if (kernel.role == "finalize")
      return true;
  return false;
}

const std::string_view kChips[] = {"spirv:pvc", "spirv:bmg", "cuda:sm_90"};

class GpuChoice : public ::testing::TestWithParam<std::string_view> {
protected:
  /// Chips of one name have different numbers of compute units.
  std::vector<std::pair<int64_t, int>> unitsAndMasks(int first_mask) const {
    std::vector<std::pair<int64_t, int>> all;
    for (int64_t units : {chip.compute_units, int64_t{20}, int64_t{114}, int64_t{228}})
      for (int mask = first_mask; mask < 8; ++mask)
        all.emplace_back(units, mask);
    return all;
  }

  TargetFacts chip = target(GetParam());
};

} // namespace

TEST_P(GpuChoice, NarrowRowsSplitIntoEnoughWorkgroupsToFillTheDevice) {
  for (auto [units, mask] : unitsAndMasks(2)) {
    chip.compute_units = units;
    Decision decision = choose(backward(401408, 24, mask), chip);
    ASSERT_TRUE(isSplit(decision)) << mask;
    const KernelChoice &sums = decision.kernels[decision.kernels.size() - 2];
    // Every compute unit has some, but for what even shares of whole tiles leave.
    EXPECT_GE(*sums.cost.workgroups * 6, units * 5) << summary(decision);
    EXPECT_GE(*sums.cost.partials, 2);
  }
}

TEST_P(GpuChoice, FewWideRowsStayDirect) {
  for (auto [units, mask] : unitsAndMasks(2)) {
    chip.compute_units = units;
    // On more units than any chip of the name has, a cluster of 16 for each of the
    // eight rows runs at once, and the model splits.
    if (units > 132 && chip.max_cluster_size > 1)
      continue;
    Decision decision = choose(backward(8, 65536, mask), chip);
    EXPECT_FALSE(isSplit(decision))
        << units << ", " << mask << ": " << summary(decision);
    const KernelChoice &sums = decision.kernels.back();
    // Blocks of columns fill the device instead.
    EXPECT_GE(*sums.cost.workgroups * 4, std::min<int64_t>(chip.compute_units, 32) * 3)
        << summary(decision);
  }
}

TEST_P(GpuChoice, EveryShapeAndMaskHasAChoice) {
  Size shapes[][2] = {{401408, 24}, {65536, 128}, {128 * 197, 384},    {64 * 784, 256},
                      {4096, 4096}, {8, 65536},   {65536, 24},         {65536, 255},
                      {65536, 256}, {65536, 257}, {std::nullopt, 4096}};
  for (auto [rows, cols] : shapes)
    for (auto [units, mask] : unitsAndMasks(1)) {
      chip.compute_units = units;
      Decision decision = choose(backward(rows, cols, mask), chip);
      ASSERT_FALSE(decision.kernels.empty()) << decision.bound;
      bool sums = mask > 1;
      EXPECT_EQ(decision.strategy != Strategy::Rows, sums);
      // Sums of many rows are split, unless blocks of columns fill the device.
      if (sums && rows.value_or(0) >= 25088 && !isSplit(decision))
        EXPECT_GE(*decision.kernels.back().cost.workgroups * 4, chip.compute_units * 3)
            << summary(decision);
    }
}

/// A workgroup may have more lanes than few rows keep busy; the smallest always may.
TEST_P(GpuChoice, AnyNumberOfFewRowsCanBeDirect) {
  for (int64_t cols : {1, 24, 257, 768})
    for (int64_t rows = 1; rows <= 70; ++rows)
      for (const KernelFacts &kernel :
           {layerNormBackward(rows, cols, F32, F32),
            rmsNormBackward(rows, cols, BF16, F32), dytBackward(rows, cols, F32, F32)})
        for (Strategy strategy : {Strategy::Direct, Strategy::Cluster}) {
          if (strategy == Strategy::Cluster &&
              (chip.max_cluster_size < 2 || cols < 128))
            continue;
          std::string reason;
          EXPECT_TRUE(chooseStrategy(kernel, chip, strategy, reason))
              << rows << " x " << cols << ": " << reason;
        }
}

TEST_P(GpuChoice, NarrowRowsShareASubgroup) {
  // Liger-Kernel pull request 1617: one workgroup a row starves a GPU on narrow rows.
  for (int64_t cols : {24, 128, 255, 256}) {
    Decision decision = choose(layerNorm(1 << 20, cols, BF16, BF16), chip);
    const Tiling &tiling = decision.kernels.front().tiling;
    EXPECT_GE(tiling.rows_per_tile, 4) << cols;
    EXPECT_LE(tiling.lanes_per_row, 64) << cols;
  }
  Decision wide = choose(layerNorm(4096, 16384, BF16, BF16), chip);
  EXPECT_GE(wide.kernels.front().tiling.lanes_per_row, chip.subgroup_size);
}

TEST_P(GpuChoice, TheMappingsOfOthersAreListedByName) {
  auto named = [&](const KernelFacts &kernel, std::string_view name) {
    for (const Decision &decision : candidates(kernel, chip))
      if (decision.name == name)
        return std::optional(decision);
    return std::optional<Decision>();
  };
  for (int64_t cols : {24, 128, 256, 1024, 4096}) {
    std::optional<Decision> forward =
        named(layerNorm(65536, cols, BF16, BF16), "Liger-Kernel 1617");
    ASSERT_TRUE(forward) << cols;
    const Tiling &tiling = forward->kernels.front().tiling;
    int64_t width = 1;
    while (width < cols)
      width *= 2;
    EXPECT_EQ(tiling.rows_per_tile, cols <= 256 ? 4096 / width : 1);
    std::optional<Decision> back = named(backward(65536, cols, 7), "Liger-Kernel 1617");
    // A row a workgroup has to fit into its registers.
    if (!back && cols >= 256)
      continue;
    ASSERT_TRUE(back) << cols;
    EXPECT_LE(back->kernels.front().tiling.min_workgroups_per_cu, 4);
    EXPECT_EQ(back->kernels.front().tiling.loop, Loop::Persistent);
  }
  for (int64_t rows : {8, 65536})
    for (int64_t cols : {24, 768, 65536}) {
      std::optional<Decision> sums =
          named(backward(rows, cols, 6), "torch-xpu-ops 1880");
      ASSERT_TRUE(sums) << rows << " x " << cols;
      const Tiling &tiling = sums->kernels.front().tiling;
      EXPECT_EQ(tiling.lanes_per_row * tiling.vector_elems, 32);
      EXPECT_EQ(tiling.col_blocks, (cols + 31) / 32);
      // Two stages where 32 columns a workgroup starve the device and rows are many, or
      // are too many for one chain of adds.
      EXPECT_EQ(isSplit(*sums), rows == 65536);
    }
}

TEST_P(GpuChoice, TimeOfOneDecision) {
  KernelFacts kernel = backward(65536, 768, 7);
  auto begin = std::chrono::steady_clock::now();
  constexpr int kTimes = 20;
  for (int i = 0; i < kTimes; ++i)
    ASSERT_FALSE(choose(kernel, chip).kernels.empty());
  std::chrono::duration<double, std::micro> time =
      std::chrono::steady_clock::now() - begin;
  std::printf("one decision for %s: %.0f us, %zu candidates\n", chip.name.c_str(),
              time.count() / kTimes, candidates(kernel, chip).size());
}

INSTANTIATE_TEST_SUITE_P(Chips, GpuChoice, ::testing::ValuesIn(kChips),
                         [](const auto &chip) {
                           std::string name(chip.param);
                           std::replace(name.begin(), name.end(), ':', '_');
                           return name;
                         });
