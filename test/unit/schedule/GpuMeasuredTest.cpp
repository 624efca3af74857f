//===- GpuMeasuredTest.cpp - The model against measurements ------------------===//
#include "Measured.h"

#include <cmath>
#include <cstdio>

using namespace normc::schedule;
using namespace normc::schedule::test;

TEST(GpuMeasured, FirstChoicesAreTheFastestOrClose) {
  TargetFacts h200 = target("cuda:sm_90");
  double logs = 0;
  int measured = 0, within = 0;
  for (const auto &[cell, runs] : measurements()) {
    double fastest = runs.front().us;
    for (const Measured &run : runs)
      fastest = std::min(fastest, run.us);
    Decision decision = choose(factsOf(cell), h200);
    std::optional<double> us = measuredTime(cell, decision.kernels.front().tiling);
    if (!us) {
      std::printf("  not measured: %s: %s\n", textOf(cell).c_str(),
                  describe(decision, h200).c_str());
      continue;
    }
    EXPECT_LE(*us, 1.26 * fastest) << textOf(cell) << ": " << describe(decision, h200);
    logs += std::log(*us / fastest);
    ++measured;
    within += *us <= 1.03 * fastest;
  }
  const double mean = std::exp(logs / measured);
  std::printf("first choices within 3%% of the fastest measured: %d of %d, mean %.3f\n",
              within, measured, mean);
  EXPECT_GE(measurements().size(), 150u);
  EXPECT_GE(measured, 144);
  EXPECT_LE(mean, 1.026);
  EXPECT_GE(within, 104);
}
