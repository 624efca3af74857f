//===- Tables.cpp - Prints what is chosen for the benchmarked shapes ---------===//
//
// usage: normc-schedule-tables
//
//===----------------------------------------------------------------------===//
#include "Kernels.h"

#include <cstdio>

using namespace normc::schedule;
using namespace normc::schedule::test;

namespace {

constexpr int64_t kShapes[][2] = {
    {401408, 24},  {1048576, 64}, {1048576, 128}, {262144, 256},
    {65536, 768},  {32768, 1024}, {16384, 4096},  {8192, 8192},
    {4096, 16384}, {2048, 32768}, {1024, 65536},  {4096, 4096},
    {64, 4096},    {8, 4096},     {1, 4096},      {128, 768}};

struct Op {
  const char *name;
  KernelFacts (*facts)(Size, Size, ElementType, ElementType);
};
constexpr Op kOps[] = {{"layer_norm", layerNorm},
                       {"layer_norm_backward", layerNormBackward},
                       {"rms_norm", rmsNorm},
                       {"rms_norm_backward", rmsNormBackward},
                       {"dyt", dyt},
                       {"dyt_backward", dytBackward}};

/// Least bytes of all kernels of a decision.
double bytesOf(const Decision &decision, int64_t rows) {
  double bytes = 0;
  std::optional<int64_t> partials;
  for (const KernelChoice &kernel : decision.kernels) {
    int64_t count = kernel.role == "finalize" ? partials.value_or(0) : rows;
    partials = kernel.cost.partials;
    bytes += static_cast<double>(count * kernel.cost.bytes_per_row +
                                 kernel.cost.bytes_fixed +
                                 kernel.cost.workspace_bytes.value_or(0));
  }
  return bytes;
}

void print(const Op &op, int64_t rows, int64_t cols, const TargetFacts &chip) {
  Decision decision = choose(op.facts(rows, cols, BF16, BF16), chip);
  int64_t workspace = 0;
  for (const KernelChoice &kernel : decision.kernels)
    workspace += kernel.cost.workspace_bytes.value_or(0);
  std::printf("| %s | %lld x %lld | %s | %.0f%% | %.1f | %zu | %lld | %.1f |\n",
              op.name, static_cast<long long>(rows), static_cast<long long>(cols),
              describe(decision, chip).c_str(),
              100 * decision.kernels.front().cost.occupancy,
              bytesOf(decision, rows) / 1e6, decision.kernels.size(),
              static_cast<long long>(workspace), decision.model_ns / 1000);
}

} // namespace

int main() {
  std::printf(
      "# What is chosen for the benchmarked shapes\n\n"
      "Printed by `normc-schedule-tables`, in bf16 with every result: strategy "
      "and tilings, occupancy of the\nfirst kernel, megabytes moved (partials "
      "too), launches, bytes of workspace, and the model's microseconds,\nwhich "
      "rank and do not predict. docs/scheduling.md explains the words.\n");
  for (std::string_view name : knownTargets()) {
    if (name == "host")
      continue; // one of the others
    TargetFacts chip = target(name);
    std::printf("\n## %s\n\n| op | rows x cols | choice | occupancy | MB | launches | "
                "workspace | us |\n|---|---|---|---|---|---|---|---|\n",
                chip.name.c_str());
    for (const Op &op : kOps)
      for (auto [rows, cols] : kShapes)
        print(op, rows, cols, chip);
  }
  return 0;
}
