//===- PropertiesTest.cpp - What holds for every decision --------------------===//
#include "Kernels.h"

#include <random>

using namespace normc::schedule;
using namespace normc::schedule::test;

namespace {

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// A random kernel; sizes are spread over their magnitudes.
class RandomKernels : public ::testing::Test {
protected:
  // A fixed seed: a decision is a pure function, and a failure must come again.
  std::mt19937_64 random{20240917};

  int64_t upTo(int64_t most) {
    return std::uniform_int_distribution<int64_t>(0, most)(random);
  }
  int64_t size(int64_t bits) { return (int64_t{1} << upTo(bits)) + upTo(3) - 1; }
  Size maybe(int64_t value) { return upTo(3) ? Size(value) : std::nullopt; }

  KernelFacts kernel() {
    ElementType types[] = {F16, BF16, F32, F64};
    ElementType x = types[upTo(3)], p = types[upTo(3)];
    Size rows = maybe(std::max<int64_t>(size(22), 0));
    Size cols = maybe(std::max<int64_t>(size(17), 1));
    switch (upTo(3)) {
    case 0:
      return layerNorm(rows, cols, x, p);
    case 1:
      return layerNormBackward(rows, cols, x, p);
    case 2:
      return dytBackward(rows, cols, x, p);
    default:
      return biasGradient(rows, cols, x, p);
    }
  }
  TargetFacts machine() {
    std::string_view names[] = {"host:x86-64-v4", "host:x86-64-v3", "host:aarch64"};
    return target(names[upTo(2)]);
  }
};

/// The kernel that a choice is for: what the passes make of `kernel`.
KernelFacts factsOf(const KernelFacts &kernel, const Decision &decision,
                    const KernelChoice &choice) {
  if (choice.role == "rows" && decision.strategy == Strategy::Fission)
    return rowsPart(kernel);
  KernelFacts facts = choice.role == "columns" ? columnsPart(kernel) : kernel;
  const KernelChoice &last = decision.kernels.back();
  if (last.role != "finalize")
    return facts;
  const KernelChoice &before = decision.kernels[decision.kernels.size() - 2];
  if (choice.role == "finalize")
    return finalizeFacts(kernel, before.cost.partials);
  if (choice.role == "rows")
    return facts;
  std::erase_if(facts.buffers, [](const BufferFacts &buffer) {
    return buffer.is_output && buffer.extent != Extent::Tile &&
           buffer.extent != Extent::Rows;
  });
  facts.buffers.push_back({Extent::Partials, kernel.accumulator, true});
  return facts;
}

} // namespace

TEST_F(RandomKernels, EveryCandidateIsLegal) {
  for (int i = 0; i < 400; ++i) {
    KernelFacts facts = kernel();
    TargetFacts host = machine();
    std::vector<Decision> all = candidates(facts, host);
    ASSERT_FALSE(all.empty());
    for (const Decision &decision : all) {
      ASSERT_FALSE(decision.kernels.empty());
      for (const KernelChoice &choice : decision.kernels)
        ASSERT_EQ(checkTiling(factsOf(facts, decision, choice), host, choice.tiling),
                  "")
            << summary(decision);
    }
  }
}

TEST_F(RandomKernels, TheChoiceIsACandidate) {
  for (int i = 0; i < 200; ++i) {
    KernelFacts facts = kernel();
    TargetFacts host = machine();
    std::string chosen = summary(choose(facts, host));
    bool found = false;
    for (const Decision &decision : candidates(facts, host))
      found |= summary(decision) == chosen;
    EXPECT_TRUE(found) << chosen;
  }
}

TEST_F(RandomKernels, MapOfColumnsDoesNotDependOnRows) {
  for (int i = 0; i < 400; ++i) {
    KernelFacts facts = kernel();
    TargetFacts host = machine();
    facts.rows = std::nullopt;
    Tiling map = choose(facts, host).kernels.front().tiling;
    for (int64_t rows : {1, 2, 15, 16, 17, 1000, 1 << 20}) {
      facts.rows = rows;
      Tiling tiling = choose(facts, host).kernels.front().tiling;
      EXPECT_EQ(tiling.lanes_per_row, map.lanes_per_row);
      EXPECT_EQ(tiling.vector_elems, map.vector_elems);
      EXPECT_EQ(tiling.vectors_in_flight, map.vectors_in_flight);
    }
  }
}

TEST_F(RandomKernels, BlocksCoverEveryRowOnce) {
  for (int i = 0; i < 400; ++i) {
    KernelFacts facts = kernel();
    if (!facts.rows)
      continue;
    for (const KernelChoice &choice : choose(facts, machine()).kernels) {
      if (choice.role == "finalize")
        continue;
      int64_t block = choice.tiling.rows_per_workgroup;
      ASSERT_TRUE(choice.cost.workgroups);
      EXPECT_GE(*choice.cost.workgroups * block, *facts.rows);
      EXPECT_LT((*choice.cost.workgroups - 1) * block,
                std::max<int64_t>(*facts.rows, 1));
    }
  }
}

TEST_F(RandomKernels, ChainsOfAddsAreShort) {
  for (int i = 0; i < 400; ++i) {
    KernelFacts facts = kernel();
    for (const KernelChoice &choice : choose(facts, machine()).kernels)
      if (choice.cost.dependent_adds && facts.rows)
        EXPECT_LE(*choice.cost.dependent_adds, 1024) << choice.role;
  }
}

TEST_F(RandomKernels, ErrorOfSumsIsBounded) {
  // 1e-5 of the sum of magnitudes takes at most 167 adds of 2^-24 each, less those of a
  // term: for 400,000 rows of any width, and where the rows are dynamic for 2^20 of
  // them or 256 MiB.
  for (int i = 0; i < 1000; ++i) {
    KernelFacts facts = kernel();
    if ((facts.rows && *facts.rows > 400000) || !facts.hasSums() ||
        facts.accumulator != F32)
      continue;
    int64_t depth = 0;
    Decision decision = choose(facts, v4());
    for (const KernelChoice &choice : decision.kernels)
      depth += choice.cost.dependent_adds.value_or(0);
    EXPECT_GE(depth, 1);
    EXPECT_LE(depth, 160) << facts.rows.value_or(-1) << " x " << facts.cols.value_or(-1)
                          << ": " << summary(decision);
  }
}

TEST_F(RandomKernels, WorkspaceIsWhatThePartialsNeed) {
  for (int i = 0; i < 400; ++i) {
    KernelFacts facts = kernel();
    Decision decision = choose(facts, machine());
    if (decision.strategy != Strategy::Partials || !facts.rows || !facts.cols)
      continue;
    const KernelChoice &fused = decision.kernels.front();
    int64_t bytes = sizeInBytes(facts.accumulator);
    int64_t elems = facts.column_sums * *facts.cols + facts.scalar_sums;
    int64_t padded = ceilDiv(elems * bytes, 16) * 16;
    EXPECT_EQ(fused.cost.partials,
              ceilDiv(*facts.rows, fused.tiling.rows_per_workgroup));
    EXPECT_EQ(fused.cost.workspace_bytes, *fused.cost.partials * padded);
  }
}

TEST_F(RandomKernels, SameFactsSameChoice) {
  for (int i = 0; i < 100; ++i) {
    KernelFacts facts = kernel();
    TargetFacts host = machine();
    EXPECT_EQ(summary(choose(facts, host)), summary(choose(facts, host)));
  }
}
