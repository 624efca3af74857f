//===- GpuPropertiesTest.cpp - What holds for every decision on a GPU --------===//
//
// The checker walks over workgroups, lanes and tiles as GpuEmitter.h describes them; it
// shares no code with the decisions.
//
//===----------------------------------------------------------------------===//
#include "Kernels.h"

#include <random>

using namespace normc::schedule;
using namespace normc::schedule::test;

namespace {

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

class RandomGpuKernels : public ::testing::Test {
protected:
  // A fixed seed: a decision is a pure function, and a failure must come again.
  std::mt19937_64 random{20260301};

  int64_t upTo(int64_t most) {
    return std::uniform_int_distribution<int64_t>(0, most)(random);
  }
  int64_t size(int64_t bits) {
    return std::max<int64_t>((int64_t{1} << upTo(bits)) + upTo(8) - 4, 1);
  }
  Size maybe(int64_t value) { return upTo(4) ? Size(value) : std::nullopt; }

  KernelFacts kernel() {
    ElementType types[] = {F16, BF16, F32, F64};
    ElementType x = types[upTo(3)], p = types[upTo(3)];
    Size rows = maybe(size(21)), cols = maybe(size(17));
    switch (upTo(4)) {
    case 0:
      return layerNorm(rows, cols, x, p);
    case 1:
      return layerNormBackward(rows, cols, x, p);
    case 2:
      return dytBackward(rows, cols, x, p);
    case 3:
      return masked(layerNormBackward(rows, cols, x, p));
    default:
      return biasGradient(rows, cols, x, p);
    }
  }

  /// Without some of its results.
  KernelFacts masked(KernelFacts facts) {
    if (upTo(1))
      return rowsPart(facts);
    return columnsPart(facts);
  }

  TargetFacts gpu() {
    std::string_view names[] = {"cuda:sm_80",  "cuda:sm_90", "cuda:sm_100",
                                "cuda:sm_120", "spirv:pvc",  "spirv:bmg",
                                "spirv"};
    TargetFacts facts = target(names[upTo(6)]);
    if (upTo(3) == 0)
      facts.compute_units = 1 + upTo(200);
    return facts;
  }
};

/// What the passes make of the kernel, for each kernel of a decision.
std::vector<KernelFacts> partsOf(const KernelFacts &kernel, const Decision &decision) {
  bool fission = decision.strategy == Strategy::Fission;
  std::vector<KernelFacts> parts;
  for (size_t i = 0; i < decision.kernels.size(); ++i) {
    const KernelChoice &choice = decision.kernels[i];
    if (choice.role == "finalize") {
      parts.push_back(
          finalizeFacts(parts.back(), decision.kernels[i - 1].cost.partials));
      // The outputs that the split kernel lost are the finalize's.
      continue;
    }
    KernelFacts facts = kernel;
    if (fission)
      facts = choice.role == "rows" ? rowsPart(kernel, decision.scalars_with_rows)
                                    : columnsPart(kernel, decision.scalars_with_rows);
    bool split =
        i + 1 < decision.kernels.size() && decision.kernels[i + 1].role == "finalize";
    parts.push_back(split && !facts.writesPartials() ? partialsPart(facts) : facts);
  }
  return parts;
}

/// Every row of the kernel is some group's, once.
void checkRows(const KernelFacts &facts, const TargetFacts &gpu, const Tiling &t) {
  int64_t rows = *facts.rows;
  int64_t blocks = t.col_blocks
                       ? t.col_blocks * t.cluster_cols
                       : ceilDiv(*facts.cols, t.lanes_per_row * t.vector_elems);
  int64_t all = *workgroups(facts, gpu, t);
  ASSERT_EQ(all % blocks, 0);
  int64_t side = all / blocks, groups = t.workgroup_size / t.lanes_per_row;
  if (facts.writesPartials())
    ASSERT_EQ(side, *rowWorkgroups(facts, gpu, t) * t.cluster_partials);
  int64_t tiles = ceilDiv(rows, t.rows_per_tile);
  std::vector<int> seen(rows);
  int64_t longest = 0;
  for (int64_t workgroup = 0; workgroup < side; ++workgroup) {
    int64_t adds = 0;
    for (int64_t tile = workgroup; tile < tiles; tile += side) {
      adds += t.rows_per_tile / groups;
      for (int64_t group = 0; group < groups; ++group)
        for (int64_t q = 0; q < t.rows_per_tile / groups; ++q)
          if (int64_t row = tile * t.rows_per_tile + group + q * groups; row < rows)
            ++seen[row];
      if (t.loop == Loop::OneShot)
        break;
    }
    longest = std::max(longest, adds);
  }
  for (int64_t row = 0; row < rows; ++row)
    ASSERT_EQ(seen[row], 1) << row;
  if (facts.hasSums())
    ASSERT_LE(longest, 1024);
}

/// Every column is some lane's, once: an access past the end counts from `own` on.
void checkColumns(const KernelFacts &facts, const Tiling &t) {
  int64_t cols = *facts.cols;
  int64_t step = t.lanes_per_row * t.vector_elems;
  int64_t blocks = t.col_blocks ? t.col_blocks * t.cluster_cols : ceilDiv(cols, step);
  int64_t width = ceilDiv(cols, blocks * t.vector_elems) * t.vector_elems;
  std::vector<int> seen(cols);
  for (int64_t block = 0; block < blocks; ++block)
    for (int64_t lane = 0; lane < t.lanes_per_row; ++lane)
      for (int64_t chunk = 0; chunk * step < width; ++chunk)
        for (int64_t i = 0; i < t.vector_elems; ++i) {
          int64_t in_block = chunk * step + lane * t.vector_elems + i;
          int64_t column = block * width + in_block;
          if (in_block < width && column < cols)
            ++seen[column];
        }
  for (int64_t column = 0; column < cols; ++column)
    ASSERT_EQ(seen[column], 1) << column;
}

/// By the estimate of Intel's, where no choice is known that does not.
bool spills(const TargetFacts &gpu, const KernelChoice &choice) {
  return gpu.backend == Backend::LevelZero &&
         choice.cost.registers_per_lane > gpu.max_registers_per_lane;
}

bool spills(const TargetFacts &gpu, const Decision &decision) {
  return std::any_of(decision.kernels.begin(), decision.kernels.end(),
                     [&](const KernelChoice &choice) { return spills(gpu, choice); });
}

void checkLimits(const TargetFacts &gpu, const KernelChoice &choice) {
  const Tiling &t = choice.tiling;
  EXPECT_LE(t.workgroup_size, gpu.max_workgroup_size);
  EXPECT_EQ(t.workgroup_size % gpu.subgroup_size, 0);
  EXPECT_LE(t.workgroup_size * t.min_workgroups_per_cu, gpu.max_lanes_per_cu);
  EXPECT_LE(t.min_workgroups_per_cu, gpu.max_workgroups_per_cu);
  EXPECT_LE(choice.cost.shared_bytes, gpu.shared_bytes_per_workgroup);
  if (!spills(gpu, choice)) {
    EXPECT_LE(choice.cost.registers_per_lane, gpu.max_registers_per_lane);
    EXPECT_LE(choice.cost.registers_per_lane * t.workgroup_size, gpu.registers_per_cu);
  }
  EXPECT_GT(choice.cost.model_ns, 0);
  EXPECT_LE(choice.cost.occupancy, 1);
  if (choice.cost.workgroups)
    EXPECT_LE(*choice.cost.workgroups, (int64_t{1} << 31) - 1);
}

} // namespace

TEST_F(RandomGpuKernels, ChoicesAreLegalAndCoverEveryElementOnce) {
  for (int i = 0; i < 2000; ++i) {
    KernelFacts facts = kernel();
    TargetFacts device = gpu();
    Decision decision = choose(facts, device);
    ASSERT_FALSE(decision.kernels.empty())
        << decision.bound << facts.rows.value_or(-1) << " sums " << facts.column_sums
        << " " << facts.scalar_sums << " reductions " << facts.row_reductions << " f64 "
        << (facts.accumulator == F64);
    if (spills(device, decision))
      for (const Decision &other : candidates(facts, device))
        ASSERT_TRUE(spills(device, other));
    std::vector<KernelFacts> parts = partsOf(facts, decision);
    for (size_t k = 0; k < parts.size(); ++k) {
      const KernelChoice &choice = decision.kernels[k];
      SCOPED_TRACE(device.name + " " + summary(decision));
      ASSERT_EQ(checkTiling(parts[k], device, choice.tiling), "") << choice.role;
      checkLimits(device, choice);
      if (choice.role == "finalize")
        continue;
      bool registers = choice.tiling.residency == Residency::Registers;
      if (parts[k].rows && (parts[k].cols || choice.tiling.col_blocks))
        checkRows(parts[k], device, choice.tiling);
      if (parts[k].cols && registers)
        checkColumns(parts[k], choice.tiling);
      if (HasFatalFailure())
        return;
    }
  }
}

TEST_F(RandomGpuKernels, EveryCandidateIsLegal) {
  for (int i = 0; i < 40; ++i) {
    KernelFacts facts = kernel();
    TargetFacts device = gpu();
    for (const Decision &decision : candidates(facts, device)) {
      std::vector<KernelFacts> parts = partsOf(facts, decision);
      for (size_t k = 0; k < parts.size(); ++k)
        ASSERT_EQ(checkTiling(parts[k], device, decision.kernels[k].tiling), "")
            << summary(decision);
    }
  }
}

TEST_F(RandomGpuKernels, MapOfColumnsOfAForwardDoesNotDependOnRows) {
  for (int i = 0; i < 100; ++i) {
    KernelFacts facts = rowsPart(kernel());
    TargetFacts device = gpu();
    facts.rows = std::nullopt;
    Tiling map = choose(facts, device).kernels.front().tiling;
    for (int64_t rows : {1, 2, 33, 1000, 1 << 20}) {
      facts.rows = rows;
      Tiling tiling = choose(facts, device).kernels.front().tiling;
      EXPECT_EQ(tiling.lanes_per_row, map.lanes_per_row);
      EXPECT_EQ(tiling.vector_elems, map.vector_elems);
      EXPECT_EQ(tiling.residency == Residency::Reload,
                map.residency == Residency::Reload);
    }
  }
}

TEST_F(RandomGpuKernels, WorkspaceIsWhatThePartialsNeed) {
  for (int i = 0; i < 300; ++i) {
    KernelFacts facts = kernel();
    TargetFacts device = gpu();
    Decision decision = choose(facts, device);
    for (size_t k = 0; k + 1 < decision.kernels.size(); ++k) {
      const KernelChoice &choice = decision.kernels[k];
      if (decision.kernels[k + 1].role != "finalize" || !facts.rows || !facts.cols)
        continue;
      KernelFacts part = partsOf(facts, decision)[k];
      int64_t bytes = sizeInBytes(facts.accumulator);
      int64_t elems = part.column_sums * *facts.cols + part.scalar_sums;
      EXPECT_EQ(choice.cost.workspace_bytes,
                *choice.cost.partials * (ceilDiv(elems * bytes, 16) * 16));
      // A chain of f32 adds in the finalize is short.
      EXPECT_LE(*decision.kernels[k + 1].cost.dependent_adds, 1024);
    }
  }
}

TEST_F(RandomGpuKernels, ErrorOfSumsIsBounded) {
  // 1e-5 of the sum of magnitudes takes at most 167 adds of 2^-24 each, less those of a
  // term.
  for (int i = 0; i < 500; ++i) {
    KernelFacts facts = kernel();
    if (!facts.hasSums() || facts.accumulator != F32 ||
        facts.rows.value_or(0) > 1000000)
      continue;
    TargetFacts device = gpu();
    Decision decision = choose(facts, device);
    int64_t depth = 0;
    for (const KernelChoice &choice : decision.kernels) {
      depth = (choice.role == "finalize" ? depth : 0) +
              choice.cost.dependent_adds.value_or(0);
      EXPECT_LE(depth, 160) << device.name << " " << facts.rows.value_or(-1) << " x "
                            << facts.cols.value_or(-1) << ": " << summary(decision);
    }
  }
}

TEST_F(RandomGpuKernels, RankBeginsWithTheChoiceAndSaysWhyOthersLost) {
  for (int i = 0; i < 50; ++i) {
    KernelFacts facts = kernel();
    TargetFacts device = gpu();
    std::vector<Ranked> ranked = rank(facts, device, 6);
    ASSERT_FALSE(ranked.empty());
    EXPECT_EQ(describe(ranked[0].decision, device),
              describe(choose(facts, device), device));
    EXPECT_EQ(ranked[0].lost, "");
    for (size_t k = 1; k < ranked.size(); ++k)
      EXPECT_NE(ranked[k].lost, "");
  }
}

TEST_F(RandomGpuKernels, WhatRunsEverywhereHasNoClusterAndLittleMemory) {
  for (int i = 0; i < 500; ++i) {
    KernelFacts facts = kernel();
    TargetFacts whole = gpu(), device = whole;
    device.portable = device.any_alignment = true;
    Decision decision = choose(facts, device);
    ASSERT_FALSE(decision.kernels.empty()) << decision.bound;
    for (const KernelChoice &choice : decision.kernels) {
      EXPECT_EQ(choice.tiling.cluster_cols * choice.tiling.cluster_partials, 1);
      EXPECT_EQ(choice.tiling.staging, Staging::Direct);
      EXPECT_LE(choice.cost.shared_bytes, 48 * 1024) << summary(decision);
    }
    if (facts.hasSums())
      continue;
    // A forward has the same map from columns to lanes as where more is known, unless
    // that is a cluster's.
    Tiling map = choose(facts, whole).kernels.front().tiling;
    const Tiling &tiling = decision.kernels.front().tiling;
    if (map.cluster_cols > 1)
      continue;
    EXPECT_EQ(tiling.lanes_per_row, map.lanes_per_row);
    EXPECT_EQ(tiling.vector_elems, map.vector_elems);
    EXPECT_EQ(tiling.residency == Residency::Reload,
              map.residency == Residency::Reload);
  }
}

TEST_F(RandomGpuKernels, MapOfColumnsDoesNotDependOnAlignment) {
  for (int i = 0; i < 200; ++i) {
    KernelFacts facts = rowsPart(kernel());
    TargetFacts device = gpu();
    Tiling map = choose(facts, device).kernels.front().tiling;
    device.any_alignment = true;
    Tiling tiling = choose(facts, device).kernels.front().tiling;
    EXPECT_EQ(tiling.cluster_cols, map.cluster_cols);
    EXPECT_EQ(tiling.lanes_per_row, map.lanes_per_row);
    EXPECT_EQ(tiling.vector_elems, map.vector_elems);
    EXPECT_EQ(tiling.residency == Residency::Reload,
              map.residency == Residency::Reload);
  }
}

TEST_F(RandomGpuKernels, FewRowsAreOneLegalLaunchThatSeesThemAll) {
  int found = 0, clusters = 0;
  for (int i = 0; i < 300; ++i) {
    KernelFacts facts = kernel();
    facts.rows = std::nullopt;
    TargetFacts device = gpu();
    std::optional<FewRows> few = fewRows(facts, device);
    if (!few)
      continue;
    ++found;
    EXPECT_EQ(few->rows & (few->rows - 1), 0);
    EXPECT_LE(few->rows, 512);
    facts.max_rows = few->rows;
    std::string reason;
    std::optional<Decision> decision =
        chooseStrategy(facts, device, few->strategy, reason);
    ASSERT_TRUE(decision) << reason;
    ASSERT_EQ(decision->kernels.size(), 1u) << summary(*decision);
    const KernelChoice &choice = decision->kernels.front();
    const Tiling &tiling = choice.tiling;
    ASSERT_EQ(checkTiling(facts, device, tiling), "");
    checkLimits(device, choice);
    EXPECT_FALSE(choice.cost.workspace_bytes);
    EXPECT_EQ(tiling.cluster_cols > 1, few->strategy == Strategy::Cluster);
    EXPECT_LE(tiling.cluster_cols, device.max_cluster_size);
    clusters += tiling.cluster_cols > 1;
    // Whatever the rows, they are seen once, by the one group of workgroups.
    for (int64_t rows : {int64_t(1), few->rows / 2 + 1, few->rows}) {
      KernelFacts sized = facts;
      sized.rows = rows;
      if (facts.cols || tiling.col_blocks)
        checkRows(sized, device, tiling);
    }
    if (facts.cols)
      checkColumns(facts, tiling);
    if (HasFatalFailure())
      return;
  }
  EXPECT_GT(found, 50);
  EXPECT_GT(clusters, 5);
}

TEST(GpuForward, WideRowsHaveAChoiceForEveryVariant) {
  for (std::string_view name : {"cuda:sm_80", "cuda:sm_90", "cuda:sm_100",
                                "cuda:sm_120", "spirv:pvc", "spirv:bmg", "spirv"})
    for (int64_t cols : {4096, 8192, 16384, 20008, 32768, 49152, 65536, 131072})
      for (int moments : {0, 1}) {
        KernelFacts kernel = layerNorm({}, cols, BF16, BF16);
        kernel.moments = moments;
        kernel.row_reductions = 1 + moments;
        for (bool portable : {false, true}) {
          TargetFacts device = target(name);
          device.any_alignment = true;
          device.portable = portable;
          EXPECT_FALSE(choose(kernel, device).kernels.empty()) << name << " " << cols;
        }
      }
}

TEST(GpuRegisters, DependOnTheChipsCompilerAndOnAlignment) {
  // The fewest without spills that ptxas 13.0 was seen to take for these kernels.
  struct {
    const char *name;
    KernelFacts kernel;
    bool any_alignment;
    Tiling tiling;
    int64_t least;
  } cases[] = {
      {"cuda:sm_90", layerNorm({}, 1024, BF16, BF16), false, {}, 80},
      {"cuda:sm_90", layerNorm({}, 1024, BF16, BF16), true, {}, 128},
      {"cuda:sm_80", layerNorm({}, 1024, BF16, BF16), true, {}, 152},
      {"cuda:sm_80", layerNorm({}, 32768, BF16, BF16), false, {}, 72},
      {"cuda:sm_120", dytBackward({}, 256, BF16, BF16), false, {}, 144},
  };
  for (auto &[name, kernel, any_alignment, tiling, least] : cases) {
    TargetFacts device = target(name);
    device.any_alignment = any_alignment;
    tiling.workgroup_size = 64;
    tiling.lanes_per_row = 32;
    tiling.rows_per_tile = 2;
    tiling.vector_elems = 8;
    tiling.residency = *kernel.cols > 4096 ? Residency::Reload : Residency::Registers;
    if (kernel.hasSums()) {
      kernel = partialsPart(kernel);
      tiling.loop = Loop::Persistent;
      tiling.staging = Staging::Async;
      tiling.stages = 3;
      tiling.rows_in_flight = 2;
      tiling.rows_per_tile = 4;
      tiling.rows_per_workgroup = 192;
      tiling.min_workgroups_per_cu = 1;
    }
    int64_t registers =
        decisionOf(kernel, device, tiling).kernels.front().cost.registers_per_lane;
    // They are given in units of eight.
    EXPECT_GT(registers, least - 8) << name << " " << *kernel.cols;
  }
}
