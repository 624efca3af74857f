//===- HostCandidates.cpp - The decisions that are legal on the host ---------===//
#include "Host.h"

#include <algorithm>

namespace normc::schedule::host {

static KernelChoice choiceOf(std::string_view role, const KernelFacts &kernel,
                             const TargetFacts &target, const Tiling &tiling) {
  return {std::string(role), tiling, costOf(kernel, target, tiling)};
}

static bool sameMap(const Tiling &a, const Tiling &b) {
  return a.lanes_per_row == b.lanes_per_row && a.vector_elems == b.vector_elems &&
         a.vectors_in_flight == b.vectors_in_flight;
}

/// The fastest tiling of a kernel that is part of a larger decision, or nothing.
static std::optional<KernelChoice>
best(std::string_view role, const KernelFacts &kernel, const TargetFacts &target) {
  std::optional<KernelChoice> result;
  Tiling map = columnMap(kernel, target);
  for (const Tiling &tiling : tilings(kernel, target)) {
    if (!sameMap(map, tiling))
      continue;
    KernelChoice choice = choiceOf(role, kernel, target, tiling);
    if (!result || choice.cost.model_ns < result->cost.model_ns)
      result = std::move(choice);
  }
  return result;
}

static void append(std::vector<Decision> &decisions, Strategy strategy,
                   std::vector<KernelChoice> kernels) {
  Decision decision;
  decision.strategy = strategy;
  decision.kernels = std::move(kernels);
  for (const KernelChoice &kernel : decision.kernels)
    decision.model_ns += kernel.cost.model_ns;
  decisions.push_back(std::move(decision));
}

/// A kernel that stays as it is, in every tiling.
static void appendAsIs(std::vector<Decision> &decisions, Strategy strategy,
                       std::string_view role, const KernelFacts &kernel,
                       const TargetFacts &target) {
  for (const Tiling &tiling : tilings(kernel, target))
    append(decisions, strategy, {choiceOf(role, kernel, target, tiling)});
}

/// The kernel and its finalize. Few distinct numbers of partials are possible, and a
/// finalize depends on nothing else: each is looked for once.
static void appendPartials(std::vector<Decision> &decisions, Strategy strategy,
                           std::string_view role, const KernelFacts &kernel,
                           const TargetFacts &target, const std::vector<Tiling> &all,
                           const std::vector<KernelChoice> &before) {
  std::vector<std::pair<std::optional<int64_t>, KernelChoice>> finalizes;
  std::optional<int64_t> elems = partialElems(kernel);
  KernelFacts split = partialsPart(kernel);
  for (const Tiling &tiling : all) {
    KernelChoice fused = choiceOf(role, split, target, tiling);
    std::optional<int64_t> partials = fused.cost.workgroups;
    fused.cost.partials = partials;
    if (partials && elems)
      fused.cost.workspace_bytes = *partials * *elems * sizeInBytes(kernel.accumulator);
    auto known =
        std::find_if(finalizes.begin(), finalizes.end(),
                     [&](const auto &entry) { return entry.first == partials; });
    if (known == finalizes.end()) {
      std::optional<KernelChoice> finalize =
          best("finalize", finalizeFacts(kernel, partials), target);
      known = finalizes.emplace(finalizes.end(), partials, *finalize);
    }
    std::vector<KernelChoice> kernels = before;
    kernels.push_back(std::move(fused));
    kernels.push_back(known->second);
    if (!partials) {
      int64_t blocks = ceilDiv(depthRows(kernel, kernels[kernels.size() - 2].cost),
                               tiling.rows_per_workgroup);
      Cost &cost = kernels.back().cost;
      cost.dependent_adds = finalizeDepth(blocks, kernels.back().tiling.rows_per_tile);
    }
    append(decisions, strategy, std::move(kernels));
  }
}

std::vector<Decision> candidates(const KernelFacts &kernel, const TargetFacts &target) {
  std::vector<Decision> decisions;
  if (kernel.is_finalize) {
    appendAsIs(decisions, Strategy::Rows, "finalize", kernel, target);
    return decisions;
  }
  if (!kernel.hasSums()) {
    appendAsIs(decisions, Strategy::Rows, "rows", kernel, target);
    return decisions;
  }
  if (kernel.writesPartials()) {
    appendAsIs(decisions, Strategy::Partials, "fused", kernel, target);
    return decisions;
  }
  appendAsIs(decisions, Strategy::Direct, "fused", kernel, target);
  appendPartials(decisions, Strategy::Partials, "fused", kernel, target,
                 tilings(partialsPart(kernel), target), {});

  bool stores = std::any_of(
      kernel.buffers.begin(), kernel.buffers.end(), [](const BufferFacts &buffer) {
        return buffer.is_output &&
               (buffer.extent == Extent::Tile || buffer.extent == Extent::Rows);
      });
  if (!stores)
    return decisions;
  std::optional<KernelChoice> rows = best("rows", rowsPart(kernel), target);
  KernelFacts columns = columnsPart(kernel);
  // Two kernels that read the inputs again: worth a look at the best tile alone, of
  // those that have the whole kernel's map.
  Tiling map = columnMap(kernel, target);
  for (const Tiling &tiling : fastestTile(columns, target, map))
    append(decisions, Strategy::Fission,
           {*rows, choiceOf("columns", columns, target, tiling)});
  appendPartials(decisions, Strategy::Fission, "columns", columns, target,
                 fastestTile(partialsPart(columns), target, map), {*rows});
  return decisions;
}

} // namespace normc::schedule::host
