//===- GpuCandidates.cpp - The decisions that are legal on a GPU -------------===//
#include "GpuNamed.h"

#include <algorithm>

namespace normc::schedule::gpu {

namespace {

class Candidates {
public:
  Candidates(const KernelFacts &kernel, const TargetFacts &target)
      : kernel(kernel), target(target) {}

  void visit(const Visitor &visitor, const Prune &prune) {
    if (kernel.is_finalize)
      return asIs(Strategy::Rows, "finalize", visitor);
    if (!kernel.hasSums())
      return asIs(Strategy::Rows, "rows", visitor);
    if (kernel.writesPartials())
      return asIs(Strategy::Partials, "fused", visitor);
    unfissioned(kernel, "fused", visitor);
    fissions(visitor, prune);
  }

private:
  KernelChoice choiceOf(std::string_view role, const KernelFacts &facts,
                        const Tiling &tiling) {
    return {std::string(role), tiling, costOf(facts, target, tiling)};
  }

  static Decision decisionOf(Strategy strategy, std::vector<KernelChoice> kernels) {
    Decision decision;
    decision.strategy = strategy;
    decision.kernels = std::move(kernels);
    for (const KernelChoice &choice : decision.kernels)
      decision.model_ns += choice.cost.model_ns;
    return decision;
  }

  void asIs(Strategy strategy, std::string_view role, const Visitor &visitor) {
    if (strategy == Strategy::Rows && !kernel.is_finalize)
      if (std::optional<Tiling> named = forward1617(kernel, target)) {
        Decision decision = decisionOf(strategy, {choiceOf(role, kernel, *named)});
        decision.name = kName1617;
        visitor(decision);
      }
    for (const Tiling &tiling : tilings(kernel, target)) {
      Decision decision = decisionOf(strategy, {choiceOf(role, kernel, tiling)});
      visitor(decision);
    }
  }

  /// A finalize depends on nothing but the number of partials, and few are possible:
  /// each is looked for once.
  KernelChoice finalizeOf(const KernelFacts &facts, std::optional<int64_t> partials) {
    int64_t key = partials.value_or(-1) * 2 + (facts.column_sums > 0);
    auto known = std::find_if(finalizes.begin(), finalizes.end(),
                              [&](const auto &entry) { return entry.first == key; });
    if (known != finalizes.end())
      return known->second;
    KernelFacts last = finalizeFacts(facts, partials);
    std::optional<KernelChoice> best;
    for (const Tiling &tiling : tilings(last, target)) {
      KernelChoice choice = choiceOf("finalize", last, tiling);
      if (!best || choice.cost.model_ns < best->cost.model_ns)
        best = std::move(choice);
    }
    finalizes.emplace_back(key, *best);
    return *best;
  }

  Decision splitOf(const KernelFacts &facts, std::string_view role,
                   const Tiling &tiling) {
    KernelChoice first = choiceOf(role, partialsPart(facts), tiling);
    KernelChoice last = finalizeOf(facts, first.cost.partials);
    return decisionOf(Strategy::Partials, {std::move(first), std::move(last)});
  }

  /// One workgroup or one cluster for all rows, as the tiling has it.
  Decision unsplitOf(const KernelFacts &facts, std::string_view role,
                     const Tiling &tiling) {
    return decisionOf(tiling.cluster_cols > 1 ? Strategy::Cluster : Strategy::Direct,
                      {choiceOf(role, facts, tiling)});
  }

  /// Direct and split, in every tiling.
  void unfissioned(const KernelFacts &facts, std::string_view role,
                   const Visitor &visitor) {
    for (const Tiling &tiling : tilings(facts, target)) {
      Decision decision = unsplitOf(facts, role, tiling);
      visitor(decision);
    }
    KernelFacts split = partialsPart(facts);
    for (const Tiling &tiling : tilings(split, target)) {
      Decision decision = splitOf(facts, role, tiling);
      visitor(decision);
    }
    if (std::optional<Tiling> named = backward1617(split, target)) {
      Decision decision = splitOf(facts, role, *named);
      decision.name = kName1617;
      visitor(decision);
    }
    if (std::optional<Named1880> named = columns1880(facts, target)) {
      Decision decision = named->two_stages ? splitOf(facts, role, named->tiling)
                                            : unsplitOf(facts, role, named->tiling);
      decision.name = kName1880;
      visitor(decision);
    }
  }

  /// The best kernel, or kernels, for what is per row.
  std::vector<KernelChoice> rowsOf(const KernelFacts &facts) {
    std::optional<Decision> best;
    auto keep = [&](Decision &decision) {
      if (!best || decision.model_ns < best->model_ns)
        best = std::move(decision);
    };
    if (facts.hasSums()) {
      unfissioned(facts, "rows", keep);
    } else {
      Tiling map = columnMap(facts, target);
      for (const Tiling &tiling : tilings(facts, target))
        if (sameMap(map, tiling)) {
          Decision rows = decisionOf(Strategy::Rows, {choiceOf("rows", facts, tiling)});
          keep(rows);
        }
    }
    return best ? best->kernels : std::vector<KernelChoice>();
  }

  /// No kernel takes less than its launch and its inputs at the memory's full rate.
  double leastOf(const KernelFacts &facts) {
    Traffic t = trafficOf(facts);
    double bytes =
        static_cast<double>(nominalRows(facts)) *
        static_cast<double>(facts.cols.value_or(kNominalCols) * t.tile_bytes);
    return target.launch_ns + 1e9 * bytes / std::max(target.bytes_per_s, 1.0);
  }

  void fissions(const Visitor &visitor, const Prune &prune) {
    bool stores = std::any_of(
        kernel.buffers.begin(), kernel.buffers.end(), [](const BufferFacts &buffer) {
          return buffer.is_output &&
                 (buffer.extent == Extent::Tile || buffer.extent == Extent::Rows);
        });
    bool mixed = kernel.column_sums > 0 && kernel.scalar_sums > 0;
    if (!stores && !mixed)
      return;
    KernelFacts rows_part = rowsPart(kernel, mixed);
    KernelFacts columns_part = columnsPart(kernel, mixed);
    if (prune(leastOf(rows_part) + leastOf(columns_part)))
      return;
    std::vector<KernelChoice> rows = rowsOf(rows_part);
    if (rows.empty())
      return;
    unfissioned(columns_part, "columns", [&](Decision &columns) {
      std::vector<KernelChoice> kernels;
      kernels.reserve(rows.size() + columns.kernels.size());
      kernels.insert(kernels.end(), rows.begin(), rows.end());
      columns.kernels.front().cost.model_ns += kDependentNs;
      for (KernelChoice &choice : columns.kernels)
        kernels.push_back(std::move(choice));
      Decision decision = decisionOf(Strategy::Fission, std::move(kernels));
      decision.scalars_with_rows = mixed;
      decision.name = columns.name == kName1617 ? "" : columns.name;
      visitor(decision);
    });
  }

  const KernelFacts &kernel;
  const TargetFacts &target;
  std::vector<std::pair<int64_t, KernelChoice>> finalizes;
};

} // namespace

void visitCandidates(const KernelFacts &kernel, const TargetFacts &target,
                     const Visitor &visitor, const Prune &prune) {
  Candidates(kernel, target).visit(visitor, prune);
}

} // namespace normc::schedule::gpu
