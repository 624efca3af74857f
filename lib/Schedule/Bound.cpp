//===- Bound.cpp - Which limit bound a decision ------------------------------===//
#include "Host.h"

#include <algorithm>
#include <cmath>

namespace normc::schedule::host {

static std::string num(int64_t value) { return std::to_string(value); }

/// What keeps a tile from having more rows.
static std::string tileBound(const KernelFacts &kernel, const TargetFacts &target,
                             const Tiling &tiling) {
  std::string rows = "rows_per_tile " + num(tiling.rows_per_tile) + ": ";
  if (tiling.lanes_per_row == 1 && tiling.vector_elems > 1)
    return rows + "a lane a row, since " + num(*kernel.cols) + " of " +
           num(tiling.vector_elems) + " lanes would hold columns";
  int64_t lanes = vectorLanes(kernel, target);
  if (tiling.rows_per_tile == lanes)
    return rows + "as many as a vector has lanes";
  if (std::optional<int64_t> most = kernel.mostRows();
      most && *most <= tiling.rows_per_tile)
    return rows + "there are " + (kernel.rows ? "" : "at most ") + num(*most) + " rows";
  Tiling next = tiling;
  next.rows_per_tile *= 2;
  if (tiling.residency == Residency::Registers) {
    int64_t values = unrolledValues(kernel, target, next).value_or(0);
    if (values > kMaxUnrolledValues)
      return rows + "twice as many have " + num(values) + " vectors, and at most " +
             num(kMaxUnrolledValues) + " are unrolled";
    return rows + num(target.registers_per_cu) + " vector registers";
  }
  int64_t chains = tiling.rows_per_tile * tiling.vectors_in_flight *
                   std::max<int64_t>(tiling.vector_elems / lanes, 1);
  int64_t reductions = sumsPerPass(kernel);
  return rows + num(chains * std::max<int64_t>(reductions, 1)) +
         (reductions > 0 ? " accumulators" : " vectors in flight") + " in " +
         num(target.registers_per_cu) + " vector registers";
}

/// Whether arithmetic or memory takes longer for a row.
static std::string paceBound(const KernelFacts &kernel, const TargetFacts &target,
                             const KernelChoice &choice) {
  double cpu_ns = 1e9 * opsPerTile(kernel, target, choice.tiling) /
                  choice.tiling.rows_per_tile / target.vector_ops_per_s;
  double memory_ns = kNominalWorkers * 1e9 *
                     static_cast<double>(choice.cost.bytes_per_row) /
                     target.bytes_per_s;
  auto tenths = [](double value) {
    int64_t scaled = std::llround(value * 10);
    return num(scaled / 10) + "." + num(scaled % 10);
  };
  return std::string(cpu_ns > memory_ns ? "arithmetic" : "memory") + ", a row is " +
         tenths(cpu_ns) + " ns of a core's instructions and " + tenths(memory_ns) +
         " ns of its share of the memory's bandwidth";
}

std::string boundOf(const KernelFacts &kernel, const TargetFacts &target,
                    const Decision &decision) {
  const KernelChoice &first = decision.kernels.front();
  if (kernel.is_finalize)
    return "rows_per_tile " + num(first.tiling.rows_per_tile) + ": " +
           (kernel.rows ? num(*kernel.rows) : std::string("a dynamic number of")) +
           " partials are added in that many chains";
  // The parts of a fission have the kernel's inputs; what differs does not matter here.
  std::string text = "bound by " + paceBound(kernel, target, first) + "; " +
                     tileBound(kernel, target, first.tiling);
  if (decision.strategy == Strategy::Direct)
    text += "; one workgroup holds all " + num(kernel.mostRows().value_or(0)) + " rows";
  int64_t depth = depthOf(decision);
  if (kernel.hasSums())
    text += "; " + num(depth) + " dependent adds a sum" +
            (kernel.rows || decision.kernels.back().role != "finalize"
                 ? ""
                 : " of " + num(depthRows(kernel, first.cost)) + " rows") +
            (kernel.accumulator == ElementType::F32
                 ? ", and at most " + num(kMaxDepthF32) + " keep its error below 1e-5"
                 : "");
  return text;
}

} // namespace normc::schedule::host
