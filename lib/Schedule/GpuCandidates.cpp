//===- GpuCandidates.cpp - The decisions that are legal on a GPU -------------===//
#include "GpuNamed.h"

#include <algorithm>

namespace normc::schedule::gpu {

namespace {

class Candidates {
public:
  Candidates(const KernelFacts &kernel, const TargetFacts &target)
      : kernel(kernel), target(target) {}

  std::vector<Decision> list() {
    if (kernel.is_finalize)
      return asIs(Strategy::Rows, "finalize");
    if (!kernel.hasSums())
      return asIs(Strategy::Rows, "rows");
    if (kernel.writesPartials())
      return asIs(Strategy::Partials, "fused");
    std::vector<Decision> all = unfissioned(kernel, "fused");
    for (Decision &decision : fissions())
      all.push_back(std::move(decision));
    return all;
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

  std::vector<Decision> asIs(Strategy strategy, std::string_view role) {
    std::vector<Decision> all;
    std::optional<Tiling> named = strategy == Strategy::Rows && !kernel.is_finalize
                                      ? forward1617(kernel, target)
                                      : std::nullopt;
    if (named) {
      all.push_back(decisionOf(strategy, {choiceOf(role, kernel, *named)}));
      all.back().name = kName1617;
    }
    for (const Tiling &tiling : tilings(kernel, target))
      all.push_back(decisionOf(strategy, {choiceOf(role, kernel, tiling)}));
    return all;
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

  /// Direct and split, in every tiling.
  std::vector<Decision> unfissioned(const KernelFacts &facts, std::string_view role) {
    std::vector<Decision> all;
    for (const Tiling &tiling : tilings(facts, target))
      all.push_back(decisionOf(Strategy::Direct, {choiceOf(role, facts, tiling)}));
    KernelFacts split = partialsPart(facts);
    for (const Tiling &tiling : tilings(split, target))
      all.push_back(splitOf(facts, role, tiling));
    if (std::optional<Tiling> named = backward1617(split, target)) {
      all.push_back(splitOf(facts, role, *named));
      all.back().name = kName1617;
    }
    if (std::optional<Named1880> named = columns1880(facts, target)) {
      all.push_back(
          named->two_stages
              ? splitOf(facts, role, named->tiling)
              : decisionOf(Strategy::Direct, {choiceOf(role, facts, named->tiling)}));
      all.back().name = kName1880;
    }
    return all;
  }

  static const Decision *fastest(const std::vector<Decision> &all) {
    auto best = std::min_element(
        all.begin(), all.end(),
        [](const Decision &a, const Decision &b) { return a.model_ns < b.model_ns; });
    return best == all.end() ? nullptr : &*best;
  }

  /// The best kernel, or kernels, for what is per row.
  std::vector<KernelChoice> rowsOf(const KernelFacts &facts) {
    std::vector<Decision> all;
    if (facts.hasSums()) {
      all = unfissioned(facts, "rows");
    } else {
      Tiling map = columnMap(facts, target);
      for (const Tiling &tiling : tilings(facts, target))
        if (sameMap(map, tiling))
          all.push_back(decisionOf(Strategy::Rows, {choiceOf("rows", facts, tiling)}));
    }
    const Decision *best = fastest(all);
    return best ? best->kernels : std::vector<KernelChoice>();
  }

  std::vector<Decision> fissions() {
    bool stores = std::any_of(
        kernel.buffers.begin(), kernel.buffers.end(), [](const BufferFacts &buffer) {
          return buffer.is_output &&
                 (buffer.extent == Extent::Tile || buffer.extent == Extent::Rows);
        });
    bool mixed = kernel.column_sums > 0 && kernel.scalar_sums > 0;
    if (!stores && !mixed)
      return {};
    std::vector<KernelChoice> rows = rowsOf(rowsPart(kernel, mixed));
    if (rows.empty())
      return {};
    std::vector<Decision> all;
    for (Decision &columns : unfissioned(columnsPart(kernel, mixed), "columns")) {
      std::vector<KernelChoice> kernels = rows;
      for (KernelChoice &choice : columns.kernels)
        kernels.push_back(std::move(choice));
      Decision decision = decisionOf(Strategy::Fission, std::move(kernels));
      decision.scalars_with_rows = mixed;
      decision.name = columns.name == kName1617 ? "" : columns.name;
      all.push_back(std::move(decision));
    }
    return all;
  }

  const KernelFacts &kernel;
  const TargetFacts &target;
  std::vector<std::pair<int64_t, KernelChoice>> finalizes;
};

} // namespace

std::vector<Decision> candidates(const KernelFacts &kernel, const TargetFacts &target) {
  return Candidates(kernel, target).list();
}

} // namespace normc::schedule::gpu
