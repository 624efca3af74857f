//===- Choose.cpp - The best of the candidates -------------------------------===//
#include "Gpu.h"

#include "Expected.h"
#include "Rank.h"

#include <algorithm>
#include <limits>

namespace normc::schedule {

/// Calls with each of the candidates in turn.
static void visit(const KernelFacts &kernel, const TargetFacts &target,
                  const gpu::Visitor &visitor, const gpu::Prune &prune) {
  if (target.backend != Backend::Host)
    return gpu::visitCandidates(kernel, target, visitor, prune);
  for (Decision &decision : host::candidates(kernel, target))
    visitor(decision);
}

/// The target for kernels that have no legal choice on it, where that may be for the
/// estimate of their registers: rather one that spills than none.
static std::optional<TargetFacts> spillingTarget(const TargetFacts &target) {
  if (target.backend == Backend::Host || target.may_spill)
    return std::nullopt;
  TargetFacts spilling = target;
  spilling.may_spill = true;
  return spilling;
}

std::vector<Decision> candidates(const KernelFacts &kernel, const TargetFacts &target) {
  std::vector<Decision> all;
  visit(
      kernel, target, [&](Decision &decision) { all.push_back(std::move(decision)); },
      [](double) { return false; });
  if (std::optional<TargetFacts> spilling = spillingTarget(target);
      all.empty() && spilling)
    return candidates(kernel, *spilling);
  return all;
}

Strategy strategyAsIs(const KernelFacts &kernel) {
  if (kernel.is_finalize || !kernel.hasSums())
    return Strategy::Rows;
  return kernel.writesPartials() ? Strategy::Partials : Strategy::Direct;
}

namespace {
/// The best candidate so far with the kernel's map from columns to lanes.
struct Best {
  std::optional<Decision> decision;
  bool any = false;
};
} // namespace

/// The best of the candidates that `suits` takes.
template <typename Suits>
static Best best(const KernelFacts &kernel, const TargetFacts &target, Suits suits) {
  ColumnMap map(kernel, target);
  Best result;
  visit(
      kernel, target,
      [&](Decision &decision) {
        result.any = true;
        if (suits(decision) && map.keeps(decision) &&
            (!result.decision || isBetter(kernel, decision, *result.decision)))
          result.decision = std::move(decision);
      },
      [&](double least_ns) {
        return result.decision && !canBeBetter(kernel, *result.decision, least_ns);
      });
  std::optional<TargetFacts> spilling = spillingTarget(target);
  if (result.decision || !spilling)
    return result;
  Best other = best(kernel, *spilling, suits);
  return other.decision ? std::move(other) : std::move(result);
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
  Best found = best(kernel, target, [](const Decision &) { return true; });
  if (found.decision)
    return finish(kernel, target, std::move(*found.decision));
  Decision none;
  none.bound = noCandidate(kernel, target);
  return none;
}

/// Why no candidate has the strategy.
static std::string reasonAgainst(const KernelFacts &kernel, const TargetFacts &target,
                                 Strategy strategy) {
  std::string name(toString(strategy));
  // Its own strategy, for which no tiling is legal.
  if (strategy == strategyAsIs(kernel) && strategy != Strategy::Direct)
    return noCandidate(kernel, target);
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
  if (target.backend != Backend::Host && !kernel.cols && kernel.column_sums > 0 &&
      kernel.row_reductions + kernel.scalar_sums > 0)
    return "expected strategy fission, because where the columns are dynamic they are "
           "in "
           "blocks, which a reduction along the row crosses, but got " +
           name;
  std::string rows = kernel.mostRows() ? num(*kernel.mostRows()) : "dynamic";
  if (strategy == Strategy::Cluster) {
    std::string only = "expected strategy direct, partials or fission, because ";
    if (target.max_cluster_size <= 1 || target.portable)
      return only + target.name + " has no clusters, but got cluster";
    if (!kernel.cols)
      return only + "the workgroups of a cluster have static columns, but got cluster";
    return only +
           "one cluster can see every row only where rows is static or bounded, and "
           "registers hold every column, but got cluster with " +
           rows + " rows of " + num(*kernel.cols) + " columns";
  }
  return "expected strategy partials or fission, because one workgroup can see every "
         "row "
         "only where rows is static, at least 1, and at most " +
         num(host::kMaxChain) + " tiles, but got direct with " + rows + " rows";
}

std::optional<Decision> chooseStrategy(const KernelFacts &kernel,
                                       const TargetFacts &target, Strategy strategy,
                                       std::string &reason) {
  Best found = best(kernel, target, [&](const Decision &decision) {
    return decision.strategy == strategy;
  });
  if (found.decision)
    return finish(kernel, target, std::move(*found.decision));
  reason =
      found.any ? reasonAgainst(kernel, target, strategy) : noCandidate(kernel, target);
  return std::nullopt;
}

Decision decisionOf(const KernelFacts &kernel, const TargetFacts &target,
                    const Tiling &tiling) {
  Decision decision;
  decision.strategy = strategyAsIs(kernel);
  if (decision.strategy == Strategy::Direct && tiling.cluster_cols > 1)
    decision.strategy = Strategy::Cluster;
  Cost cost = target.backend == Backend::Host ? host::costOf(kernel, target, tiling)
                                              : gpu::costOf(kernel, target, tiling);
  decision.model_ns = cost.model_ns;
  decision.kernels.push_back({kernel.is_finalize ? "finalize" : "fused", tiling, cost});
  return finish(kernel, target, decision);
}

} // namespace normc::schedule
