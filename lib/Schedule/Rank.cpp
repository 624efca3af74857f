//===- Rank.cpp - The candidates in the model's order, and why they lost -----===//
#include "Gpu.h"

#include "Expected.h"
#include "Rank.h"

#include <algorithm>
#include <cmath>

namespace normc::schedule {

int64_t depthOf(const Decision &decision) {
  int64_t most = 0, depth = 0;
  for (const KernelChoice &kernel : decision.kernels) {
    // A finalize goes on with the sums of the kernel before it.
    depth = (kernel.role == "finalize" ? depth : 0) +
            kernel.cost.dependent_adds.value_or(0);
    most = std::max(most, depth);
  }
  return most;
}

static int64_t mostDepth(const KernelFacts &kernel) {
  return kernel.accumulator == ElementType::F32 ? host::kMaxDepthF32 : host::kMaxChain;
}

/// Adds beyond those that keep a sum's error below its bound whatever the terms.
static int64_t excessOf(const KernelFacts &kernel, const Decision &decision) {
  return std::max<int64_t>(depthOf(decision) - mostDepth(kernel), 0);
}

/// The kernel of a decision of which the others follow.
static const KernelChoice &mainKernel(const Decision &decision) {
  for (const KernelChoice &kernel : decision.kernels)
    if (kernel.role == "columns")
      return kernel;
  return decision.kernels.front();
}

ColumnMap::ColumnMap(const KernelFacts &kernel, const TargetFacts &target)
    : is_host(target.backend == Backend::Host),
      is_free(!is_host && kernel.hasSums() && !kernel.is_finalize),
      map(is_host                         ? host::columnMap(kernel, target)
          : is_free || kernel.is_finalize ? Tiling()
                                          : gpu::columnMap(kernel, target)) {
  is_free |= !is_host && kernel.is_finalize;
}

bool ColumnMap::keeps(const Decision &decision) const {
  const Tiling &tiling = mainKernel(decision).tiling;
  if (is_host)
    return tiling.lanes_per_row == map.lanes_per_row;
  return is_free || gpu::sameMap(map, tiling);
}

bool isBetter(const KernelFacts &kernel, const Decision &a, const Decision &b) {
  int64_t excess_a = excessOf(kernel, a), excess_b = excessOf(kernel, b);
  if (excess_a != excess_b)
    return excess_a < excess_b;
  return a.model_ns < b.model_ns;
}

bool keepsItsBound(const KernelFacts &kernel, const Decision &decision) {
  return excessOf(kernel, decision) == 0;
}

bool canBeBetter(const KernelFacts &kernel, const Decision &than, double least_ns) {
  return excessOf(kernel, than) > 0 || least_ns < than.model_ns;
}

Decision finish(const KernelFacts &kernel, const TargetFacts &target,
                Decision decision) {
  decision.bound = target.backend == Backend::Host
                       ? host::boundOf(kernel, target, decision)
                       : gpu::boundOf(kernel, target, decision);
  return decision;
}

static std::string microseconds(double ns) {
  int64_t hundredths = std::llround(ns / 10);
  std::string digits = num(hundredths % 100);
  return num(hundredths / 100) + "." + (digits.size() < 2 ? "0" : "") + digits + " us";
}

/// The time of everything but the main kernel.
static double restOf(const Decision &decision) {
  return decision.model_ns - mainKernel(decision).cost.model_ns;
}

/// Why a decision takes longer than the best.
static std::string reasonOf(const Decision &best, const Decision &other) {
  if (other.strategy != best.strategy)
    switch (other.strategy) {
    case Strategy::Fission:
      return "the inputs are read twice";
    case Strategy::Direct:
      return "one workgroup sees every row";
    case Strategy::Cluster:
      return "one cluster sees every row";
    case Strategy::Partials:
      return "partials are written and read, and there is one more launch";
    case Strategy::Rows:
      break;
    }
  const Cost &a = mainKernel(best).cost, &b = mainKernel(other).cost;
  double rest = restOf(other) - restOf(best);
  if (rest > 0.5 * (other.model_ns - best.model_ns) && rest > 0)
    return "the kernels around it take longer" +
           (a.partials && b.partials
                ? " (" + num(*b.partials) + " partials, not " + num(*a.partials) + ")"
                : std::string());
  if (b.bytes_in_flight < a.bytes_in_flight)
    return num(b.bytes_in_flight) + " bytes under way, not " + num(a.bytes_in_flight);
  if (a.waves && b.waves &&
      std::ceil(*b.waves) / *b.waves > std::ceil(*a.waves) / *a.waves)
    return "its last wave leaves more of the device idle";
  if (b.workgroups && a.workgroups && *b.workgroups > *a.workgroups)
    return num(*b.workgroups) + " workgroups to start and end, not " +
           num(*a.workgroups);
  return "more instructions and waits for a row";
}

static std::string lostTo(const KernelFacts &kernel, const Decision &best,
                          const Decision &other) {
  if (excessOf(kernel, other) > excessOf(kernel, best))
    return num(depthOf(other)) + " dependent adds a sum, and at most " +
           num(mostDepth(kernel)) + " keep its error below 1e-5";
  if (other.model_ns <= best.model_ns)
    return "the same, listed later";
  return microseconds(other.model_ns - best.model_ns) +
         " more: " + reasonOf(best, other);
}

std::vector<Ranked> rank(const KernelFacts &kernel, const TargetFacts &target,
                         size_t count, std::optional<Strategy> strategy) {
  std::vector<Decision> decisions = candidates(kernel, target);
  ColumnMap map(kernel, target);
  std::erase_if(decisions, [&](const Decision &d) {
    return !map.keeps(d) || (strategy && d.strategy != *strategy);
  });
  // Of two that are as good the one that is listed first, as choose has it.
  std::vector<const Decision *> order;
  for (const Decision &decision : decisions)
    order.push_back(&decision);
  std::sort(order.begin(), order.end(), [&](const Decision *a, const Decision *b) {
    return isBetter(kernel, *a, *b) || (!isBetter(kernel, *b, *a) && a < b);
  });
  std::vector<Ranked> ranked;
  for (const Decision *decision : order) {
    // Behind the first ones only those that are known by a name.
    if (ranked.size() >= count && decision->name.empty())
      continue;
    Ranked next{finish(kernel, target, *decision), ""};
    if (!ranked.empty())
      next.lost = lostTo(kernel, ranked.front().decision, *decision);
    ranked.push_back(std::move(next));
  }
  return ranked;
}

static std::string describe(const Tiling &t, std::string_view role, bool is_host) {
  std::string text(role);
  if (is_host)
    return text + " " + num(t.lanes_per_row) + " lanes x " + num(t.vectors_in_flight) +
           " a row, " + num(t.rows_per_tile) + " rows a tile, " +
           (t.rows_per_workgroup ? num(t.rows_per_workgroup) + " a block, "
                                 : std::string()) +
           std::string(toString(t.residency));
  text += " " + num(t.workgroup_size) + " lanes, ";
  if (role == "finalize")
    return text + num(t.lanes_per_row) + " columns";
  if (t.cluster_cols > 1)
    text += "clusters of " + num(t.cluster_cols) + ", ";
  text += num(t.lanes_per_row) + " a row by " + num(t.vector_elems) + ", " +
          num(t.rows_per_tile) + " rows a tile, " + num(t.rows_in_flight) +
          " in flight, " + std::string(toString(t.loop)) + ", " +
          std::string(toString(t.residency));
  if (t.staging == Staging::Async)
    text += ", " + num(t.stages) + " stages";
  if (t.store != Store::Direct)
    text += ", stores " + std::string(toString(t.store));
  if (t.skew != 0)
    text += ", skewed";
  if (t.cluster_partials > 1)
    text += ", " + num(t.cluster_partials) + " add their partials";
  if (t.col_blocks != 1)
    text += ", " + (t.col_blocks ? num(t.col_blocks) : std::string("as many")) +
            " column blocks";
  if (t.min_workgroups_per_cu)
    text += ", " + num(t.min_workgroups_per_cu) + " workgroups a unit";
  return text;
}

std::string describe(const Decision &decision, const TargetFacts &target) {
  std::string text(toString(decision.strategy));
  text += ":";
  for (const KernelChoice &kernel : decision.kernels)
    text += (&kernel == &decision.kernels.front() ? " " : "; ") +
            describe(kernel.tiling, kernel.role, target.backend == Backend::Host);
  return decision.name.empty() ? text : text + " (" + decision.name + ")";
}

} // namespace normc::schedule
