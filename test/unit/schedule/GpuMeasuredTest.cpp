//===- GpuMeasuredTest.cpp - The model against measurements ------------------===//
#include "Measured.h"

#include <cmath>
#include <cstdio>

using namespace normc::schedule;
using namespace normc::schedule::test;

TEST(GpuMeasured, FirstChoicesAreTheFastestOrClose) {
  TargetFacts h200 = target("cuda:sm_90");
  double logs = 0;
  int cells = 0, measured = 0, within = 0;
  for (const Measured &cell : kMeasured) {
    if (&cell != kMeasured && sameCell(cell, (&cell)[-1]))
      continue; // the fastest of a cell comes first
    Decision decision = choose(factsOf(cell), h200);
    std::optional<double> us = measuredTime(cell, decision.kernels.front().tiling);
    ++cells;
    if (!us)
      continue;
    EXPECT_LE(*us, 1.25 * cell.us) << cell.op << " " << cell.rows << " x " << cell.cols
                                   << ": " << describe(decision, h200);
    logs += std::log(*us / cell.us);
    ++measured;
    within += *us <= 1.03 * cell.us;
  }
  // More than half were measured; they are 4% off in the mean, and most within 3%.
  EXPECT_GE(measured * 2, cells);
  EXPECT_LE(std::exp(logs / measured), 1.04);
  EXPECT_GE(within * 5, measured * 3);
  std::printf("first choices within 3%% of the fastest measured: %d of %d, mean %.3f\n",
              within, measured, std::exp(logs / measured));
}
