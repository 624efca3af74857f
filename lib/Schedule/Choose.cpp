//===- Choose.cpp - The best of the candidates -------------------------------===//
#include "Gpu.h"

#include "Expected.h"
#include "Rank.h"

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

/// The best of the decisions with the kernel's map from columns to lanes.
static const Decision *best(const KernelFacts &kernel, const TargetFacts &target,
                            const std::vector<Decision> &decisions,
                            std::optional<Strategy> strategy) {
  ColumnMap map(kernel, target);
  const Decision *best = nullptr;
  for (const Decision &decision : decisions)
    if ((!strategy || decision.strategy == *strategy) && map.keeps(decision) &&
        (!best || isBetter(kernel, decision, *best)))
      best = &decision;
  return best;
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
  if (const Decision *found = best(kernel, target, decisions, std::nullopt))
    return finish(kernel, target, *found);
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
  if (const Decision *found = best(kernel, target, decisions, strategy))
    return finish(kernel, target, *found);
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
