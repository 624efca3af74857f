//===- FewRows.cpp - Where few rows want a form of their own ----------------===//
//
// A kernel that is made for many rows splits its sums, and their finalize is a launch
// of its own. Where the number of rows is not known before launch, a variant for few of
// them makes its sums in one workgroup or one cluster.
//
//===----------------------------------------------------------------------===//
#include "Gpu.h"

#include "Rank.h"

#include <algorithm>

namespace normc::schedule {

/// Rows that are tried, as powers of two: with more, one cluster is slower than a
/// device of a hundred units.
static constexpr int kMostFewBits = 9;
/// A variant of its own has to save that part of the time, for its code.
static constexpr double kWorthAVariant = 0.9;

/// The model's time at that many rows of a decision that was made for any number.
static double timeAt(const KernelFacts &kernel, const TargetFacts &target,
                     const Decision &decision, int64_t rows) {
  double ns = 0;
  KernelFacts whole = kernel;
  std::optional<int64_t> partials;
  for (size_t i = 0; i < decision.kernels.size(); ++i) {
    const KernelChoice &choice = decision.kernels[i];
    if (choice.role == "finalize") {
      KernelFacts last = finalizeFacts(whole, partials);
      ns += gpu::costOf(last, target, choice.tiling).model_ns;
      continue;
    }
    whole = kernel;
    whole.rows = rows;
    if (decision.strategy == Strategy::Fission)
      whole = choice.role == "rows" ? rowsPart(whole, decision.scalars_with_rows)
                                    : columnsPart(whole, decision.scalars_with_rows);
    bool is_split =
        i + 1 < decision.kernels.size() && decision.kernels[i + 1].role == "finalize";
    Cost cost =
        gpu::costOf(is_split ? partialsPart(whole) : whole, target, choice.tiling);
    partials = cost.partials;
    ns += cost.model_ns;
  }
  return ns;
}

/// The best way to make the sums of a kernel in one launch, with their error bounded.
static std::optional<Decision> inOneLaunch(const KernelFacts &kernel,
                                           const TargetFacts &target) {
  std::optional<Decision> best;
  for (const Tiling &tiling : gpu::tilings(kernel, target)) {
    Decision decision;
    decision.strategy = tiling.cluster_cols > 1 ? Strategy::Cluster : Strategy::Direct;
    decision.kernels.push_back({"fused", tiling, gpu::costOf(kernel, target, tiling)});
    decision.model_ns = decision.kernels.front().cost.model_ns;
    if (!best || isBetter(kernel, decision, *best))
      best = std::move(decision);
  }
  if (best && !keepsItsBound(kernel, *best))
    return std::nullopt;
  return best;
}

std::optional<FewRows> fewRows(const KernelFacts &kernel, const TargetFacts &target) {
  if (target.backend == Backend::Host || !kernel.hasSums() || kernel.is_finalize ||
      kernel.writesPartials() || kernel.mostRows())
    return std::nullopt;
  Decision many = choose(kernel, target);
  if (many.kernels.empty())
    return std::nullopt;
  std::optional<FewRows> few;
  // The more rows the less it pays: the last power of two where it does.
  for (int low = 0, high = kMostFewBits; low <= high;) {
    int bits = (low + high) / 2;
    KernelFacts bounded = kernel;
    bounded.max_rows = int64_t{1} << bits;
    std::optional<Decision> one = inOneLaunch(bounded, target);
    if (one && one->model_ns <=
                   kWorthAVariant * timeAt(kernel, target, many, *bounded.max_rows)) {
      few = {*bounded.max_rows, one->strategy};
      low = bits + 1;
    } else {
      high = bits - 1;
    }
  }
  return few;
}

} // namespace normc::schedule
