//===- GpuBound.cpp - Which limit bound a decision on a GPU ------------------===//
#include "Gpu.h"

#include "Expected.h"

#include <algorithm>
#include <cmath>

namespace normc::schedule::gpu {

/// What keeps a compute unit from holding one more workgroup.
static std::string heldBound(const KernelFacts &kernel, const TargetFacts &target,
                             const KernelChoice &choice) {
  const Tiling &tiling = choice.tiling;
  int64_t held = std::max(residentWorkgroups(kernel, target, tiling),
                          tiling.min_workgroups_per_cu);
  if (kernel.writesPartials())
    held = tiling.min_workgroups_per_cu;
  std::string text = num(held) + " workgroups of " + num(tiling.workgroup_size) +
                     " lanes a compute unit";
  int64_t lanes = (held + 1) * tiling.workgroup_size;
  int64_t registers = ceilDiv(choice.cost.registers_per_lane, 8) * 8;
  if (lanes > target.max_lanes_per_cu)
    return text + ", which has " + num(target.max_lanes_per_cu) + " lanes";
  if (lanes * registers > target.registers_per_cu)
    return text + " at " + num(registers) + " registers a lane of " +
           num(target.registers_per_cu);
  if ((held + 1) * choice.cost.shared_bytes > target.shared_bytes_per_cu)
    return text + " at " + num(choice.cost.shared_bytes) +
           " bytes of workgroup memory of " + num(target.shared_bytes_per_cu);
  return text + ", enough to keep " + num(choice.cost.bytes_in_flight) +
         " bytes under way";
}

static std::string microseconds(double ns) {
  int64_t tenths = std::llround(ns / 100);
  return num(tenths / 10) + "." + num(tenths % 10) + " us";
}

std::string boundOf(const KernelFacts &kernel, const TargetFacts &target,
                    const Decision &decision) {
  const KernelChoice &first = decision.kernels.front();
  if (kernel.is_finalize)
    return num(first.tiling.lanes_per_row) + " columns side by side and " +
           num(first.tiling.workgroup_size / first.tiling.lanes_per_row) +
           " lanes for the partials of one: there are " +
           (kernel.rows ? num(*kernel.rows) : std::string("a dynamic number of"));
  KernelFacts facts = kernel;
  if (decision.strategy == Strategy::Fission)
    facts = rowsPart(kernel, decision.scalars_with_rows);
  if (facts.hasSums() && decision.kernels.size() > 1 &&
      decision.kernels[1].role == "finalize")
    facts = partialsPart(facts);
  std::string text = heldBound(facts, target, first);
  int64_t rows = nominalRows(kernel);
  double bytes =
      static_cast<double>(rows) * static_cast<double>(first.cost.bytes_per_row);
  text += "; " + microseconds(decision.model_ns) + " of which memory takes " +
          microseconds(1e9 * bytes / std::max(target.bytes_per_s, 1.0));
  if (int64_t size = first.tiling.cluster_cols; size > 1)
    text += "; clusters of " + num(size) + " workgroups, which " +
            (decision.strategy == Strategy::Cluster
                 ? "hold all rows: one is launched"
                 : "share a row: " +
                       num(clustersAtOnce(
                           target, first.tiling,
                           std::max<int64_t>(first.tiling.min_workgroups_per_cu, 1))) +
                       " run at once");
  if (decision.strategy == Strategy::Fission)
    text += "; the inputs are read twice";
  int64_t depth = depthOf(decision);
  if (kernel.hasSums())
    text += "; " + num(depth) + " dependent adds a sum" +
            (kernel.mostRows() ? "" : " of " + num(rows) + " rows");
  return text;
}

} // namespace normc::schedule::gpu
