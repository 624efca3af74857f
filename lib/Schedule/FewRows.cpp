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
/// A variant of its own has to save a part of the time, for its code. On the host it
/// saves more the fewer rows there are: 768 columns in f32 took 2.3 us and 4.2 in
/// partials for 8 rows, 1.0 and 2.8 for one.
static constexpr double kWorthAVariant = 0.9, kWorthAVariantOnHost = 1;

static Cost costOf(const KernelFacts &kernel, const TargetFacts &target,
                   const Tiling &tiling) {
  return target.backend == Backend::Host ? host::costOf(kernel, target, tiling)
                                         : gpu::costOf(kernel, target, tiling);
}

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
      ns += costOf(last, target, choice.tiling).model_ns;
      continue;
    }
    whole = kernel;
    whole.rows = rows;
    if (decision.strategy == Strategy::Fission)
      whole = choice.role == "rows" ? rowsPart(whole, decision.scalars_with_rows)
                                    : columnsPart(whole, decision.scalars_with_rows);
    bool is_split =
        i + 1 < decision.kernels.size() && decision.kernels[i + 1].role == "finalize";
    KernelFacts facts = is_split ? partialsPart(whole) : whole;
    partials = rowWorkgroups(facts, target, choice.tiling);
    ns += costOf(facts, target, choice.tiling).model_ns;
  }
  return ns;
}

/// The best way to make the sums of a kernel in one launch, with their error bounded.
static std::optional<Decision> inOneLaunch(const KernelFacts &kernel,
                                           const TargetFacts &target) {
  std::optional<Decision> best;
  ColumnMap map(kernel, target);
  for (const Tiling &tiling : target.backend == Backend::Host
                                  ? host::tilings(kernel, target)
                                  : gpu::tilings(kernel, target)) {
    Decision decision;
    decision.strategy = tiling.cluster_cols > 1 ? Strategy::Cluster : Strategy::Direct;
    decision.kernels.push_back({"fused", tiling, costOf(kernel, target, tiling)});
    decision.model_ns = decision.kernels.front().cost.model_ns;
    if (map.keeps(decision) && (!best || isBetter(kernel, decision, *best)))
      best = std::move(decision);
  }
  if (best && !keepsItsBound(kernel, *best))
    return std::nullopt;
  return best;
}

/// Rows, as a power of two, up to which it may pay. On the host those of one block: one
/// worker has them either way, and of more blocks others take some.
static int mostFewBits(const TargetFacts &target, const Decision &many) {
  if (target.backend != Backend::Host)
    return kMostFewBits;
  int64_t block = 0;
  for (const KernelChoice &choice : many.kernels)
    block = std::max(block, choice.tiling.rows_per_workgroup);
  int bits = -1;
  while (bits < kMostFewBits && (int64_t{1} << (bits + 1)) <= block)
    ++bits;
  return bits;
}

std::optional<FewRows> fewRows(const KernelFacts &kernel, const TargetFacts &target) {
  if (!kernel.hasSums() || kernel.is_finalize || kernel.writesPartials() ||
      kernel.mostRows())
    return std::nullopt;
  Decision many = choose(kernel, target);
  if (many.kernels.empty())
    return std::nullopt;
  const double worth =
      target.backend == Backend::Host ? kWorthAVariantOnHost : kWorthAVariant;
  std::optional<FewRows> few;
  // The more rows the less it pays: the last power of two where it does.
  for (int low = 0, high = mostFewBits(target, many); low <= high;) {
    int bits = (low + high) / 2;
    KernelFacts bounded = kernel;
    bounded.max_rows = int64_t{1} << bits;
    std::optional<Decision> one = inOneLaunch(bounded, target);
    if (one &&
        one->model_ns <= worth * timeAt(kernel, target, many, *bounded.max_rows)) {
      few = {*bounded.max_rows, one->strategy};
      low = bits + 1;
    } else {
      high = bits - 1;
    }
  }
  return few;
}

} // namespace normc::schedule
