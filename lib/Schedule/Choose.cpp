//===- Choose.cpp - The best of the candidates -------------------------------===//
#include "Gpu.h"

#include "Expected.h"

#include <algorithm>
#include <limits>

namespace normc::schedule {

std::vector<Decision> candidates(const KernelFacts &kernel, const TargetFacts &target) {
  return target.backend == Backend::Host ? host::candidates(kernel, target)
                                         : gpu::candidates(kernel, target);
}

Strategy strategyAsIs(const KernelFacts &kernel) {
  if (kernel.is_finalize || !kernel.hasSums())
    return Strategy::Rows;
  return kernel.writesPartials() ? Strategy::Partials : Strategy::Direct;
}

/// Dependent adds of a sum, through every kernel of the decision.
static int64_t depthOf(const Decision &decision) {
  int64_t depth = 0;
  for (const KernelChoice &kernel : decision.kernels)
    depth += kernel.cost.dependent_adds.value_or(0);
  return depth;
}

/// The kernel of a decision of which the others follow.
static const KernelChoice &mainKernel(const Decision &decision) {
  for (const KernelChoice &kernel : decision.kernels)
    if (kernel.role == "columns")
      return kernel;
  return decision.kernels.front();
}

/// Whether a decision keeps to the kernel's map from columns to lanes. On a GPU that
/// binds kernels without sums: what is per row in the others may depend on the rows.
static bool keepsMap(const KernelFacts &kernel, const TargetFacts &target,
                     const Tiling &map, const Tiling &tiling) {
  if (target.backend == Backend::Host)
    return tiling.lanes_per_row == map.lanes_per_row;
  return kernel.hasSums() || gpu::sameMap(map, tiling);
}

static Tiling columnMap(const KernelFacts &kernel, const TargetFacts &target) {
  if (target.backend == Backend::Host)
    return host::columnMap(kernel, target);
  return kernel.hasSums() ? Tiling() : gpu::columnMap(kernel, target);
}

/// The fastest of the decisions with the kernel's map from columns to lanes. Sums in
/// f32 that keep their bound on the error whatever the terms come before ones that do
/// not.
static const Decision *fastest(const KernelFacts &kernel, const TargetFacts &target,
                               const std::vector<Decision> &decisions,
                               std::optional<Strategy> strategy) {
  Tiling map = columnMap(kernel, target);
  const Decision *best = nullptr;
  int64_t best_excess = 0;
  for (const Decision &decision : decisions) {
    const Tiling &tiling = mainKernel(decision).tiling;
    if ((strategy && decision.strategy != *strategy) ||
        !keepsMap(kernel, target, map, tiling))
      continue;
    int64_t most =
        kernel.accumulator == ElementType::F32 ? host::kMaxDepthF32 : host::kMaxChain;
    int64_t excess = std::max<int64_t>(depthOf(decision) - most, 0);
    if (!best || excess < best_excess ||
        (excess == best_excess && decision.model_ns < best->model_ns)) {
      best = &decision;
      best_excess = excess;
    }
  }
  return best;
}

static Decision finish(const KernelFacts &kernel, const TargetFacts &target,
                       const Decision &decision) {
  Decision result = decision;
  result.bound = target.backend == Backend::Host ? host::boundOf(kernel, target, result)
                                                 : gpu::boundOf(kernel, target, result);
  return result;
}

/// Why nothing is legal: no registers hold a row, or sums that wait for one.
static std::string noCandidate(const KernelFacts &kernel, const TargetFacts &target) {
  std::string cols = kernel.cols ? num(*kernel.cols) : "a dynamic number of";
  return expected("columns that the registers of one workgroup hold",
                  "sums down the columns that need a row reduction first stay in the "
                  "registers of " +
                      target.name,
                  cols + " columns");
}

Decision choose(const KernelFacts &kernel, const TargetFacts &target) {
  std::vector<Decision> decisions = candidates(kernel, target);
  if (const Decision *best = fastest(kernel, target, decisions, std::nullopt))
    return finish(kernel, target, *best);
  Decision none;
  none.bound = noCandidate(kernel, target);
  return none;
}

/// Why no candidate has the strategy.
static std::string reasonAgainst(const KernelFacts &kernel, Strategy strategy) {
  std::string name(toString(strategy));
  if (!kernel.hasSums() || kernel.is_finalize)
    return "expected strategy rows, because the kernel has no sums down the columns to "
           "make, but got " +
           name;
  if (kernel.writesPartials())
    return "expected strategy partials, because the sums of the kernel go to partials "
           "already, but got " +
           name;
  if (strategy == Strategy::Fission)
    return "expected strategy direct or partials, because the kernel stores nothing "
           "but "
           "sums down the columns and there is nothing to part them from, but got "
           "fission";
  if (strategy == Strategy::Rows)
    return "expected strategy direct, partials or fission, because the kernel has sums "
           "down the columns, but got rows";
  std::string rows = kernel.rows ? std::to_string(*kernel.rows) : "dynamic";
  return "expected strategy partials or fission, because one workgroup can see every "
         "row "
         "only where rows is static, at least 1, and at most " +
         std::to_string(host::kMaxChain) + " tiles, but got direct with " + rows +
         " rows";
}

std::optional<Decision> chooseStrategy(const KernelFacts &kernel,
                                       const TargetFacts &target, Strategy strategy,
                                       std::string &reason) {
  std::vector<Decision> decisions = candidates(kernel, target);
  const Decision *best = fastest(kernel, target, decisions, strategy);
  if (best)
    return finish(kernel, target, *best);
  reason =
      decisions.empty() ? noCandidate(kernel, target) : reasonAgainst(kernel, strategy);
  return std::nullopt;
}

Decision decisionOf(const KernelFacts &kernel, const TargetFacts &target,
                    const Tiling &tiling) {
  Decision decision;
  decision.strategy = strategyAsIs(kernel);
  Cost cost = target.backend == Backend::Host ? host::costOf(kernel, target, tiling)
                                              : gpu::costOf(kernel, target, tiling);
  decision.model_ns = cost.model_ns;
  decision.kernels.push_back({kernel.is_finalize ? "finalize" : "fused", tiling, cost});
  return finish(kernel, target, decision);
}

} // namespace normc::schedule
