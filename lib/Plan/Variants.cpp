//===- Variants.cpp - Which variants an entry has ---------------------------===//
//
// A variant costs a kernel and its code, so there is one only where a decision differs:
// with aligned parameters, with clusters, with few rows. On the host few rows alone do.
//
//===----------------------------------------------------------------------===//
#include "lib/Plan/Variants.h"

#include "normc/Analysis/KernelFacts.h"
#include "normc/Plan/KernelAbi.h"

using namespace mlir;
using namespace normc;
using namespace normc::plan;

static bool inClusters(const schedule::Decision &decision) {
  return llvm::any_of(decision.kernels, [](const schedule::KernelChoice &choice) {
    return choice.tiling.cluster_cols * choice.tiling.cluster_partials > 1;
  });
}

/// What the kernel is going to be. An illegal tuning is an error where it is taken.
static schedule::Decision decide(const schedule::KernelFacts &facts,
                                 const schedule::TargetFacts &target,
                                 const Tunings &tunings) {
  std::string error;
  if (auto tuned = tunings.find(facts, target, error))
    return *tuned;
  return schedule::choose(facts, target);
}

VariantPlanner::VariantPlanner(Block &body, const Shapes &shapes,
                               const schedule::TargetFacts &target, bool aligns,
                               const Tunings &tunings)
    : target(target) {
  needs.aligns = aligns;
  for (auto kernel : body.getOps<row::KernelOp>()) {
    // What the user wrote is what every variant has, and may need what not every device
    // has.
    by_user |= kernel.getTiling() || kernel.getStrategy();
    if (kernel.getTiling() || kernel.getStrategy() || isFinalize(kernel))
      continue;
    schedule::KernelFacts facts = row::computeKernelFacts(kernel);
    addFewRows(kernel, facts, shapes);
    if (target.max_cluster_size > 1 && inClusters(decide(facts, target, tunings))) {
      needs.clusters = true;
      needs.rows_in_clusters |= !facts.hasSums();
    }
  }
}

AffineExpr VariantPlanner::dynamicRows(row::KernelOp kernel,
                                       const Shapes &shapes) const {
  for (unsigned i = 0; i < kernel.getNumBuffers(); ++i) {
    if (!isIndexedByRow(kernel, i))
      continue;
    AffineExpr rows =
        shapes.product(kernel->getOperand(i), 0, outerShape(kernel, i).size());
    // The entry may know what the kernel's types do not say.
    return isa<AffineConstantExpr>(rows) ? AffineExpr() : rows;
  }
  return {};
}

void VariantPlanner::addFewRows(row::KernelOp kernel,
                                const schedule::KernelFacts &facts,
                                const Shapes &shapes) {
  AffineExpr rows = dynamicRows(kernel, shapes);
  if (!rows)
    return;
  if (std::optional<schedule::FewRows> found = schedule::fewRows(facts, target)) {
    few.push_back({kernel, rows, *found});
    needs.few_rows = true;
    needs.few_clusters |= found->strategy == schedule::Strategy::Cluster;
  }
  if (!needs.aligns)
    return;
  schedule::TargetFacts anywhere = target;
  anywhere.any_alignment = true;
  if (std::optional<schedule::FewRows> found = schedule::fewRows(facts, anywhere)) {
    few_anywhere.push_back({kernel, rows, *found});
    needs.few_anywhere = true;
    needs.few_clusters_anywhere |= found->strategy == schedule::Strategy::Cluster;
  }
}

std::vector<VariantPlan> normc::plan::planVariants(const VariantNeeds &needs) {
  std::vector<VariantPlan> all;
  if (needs.few_rows)
    all.push_back({.aligned = needs.aligns,
                   .collapsed = true,
                   .few_rows = true,
                   .clusters = needs.few_clusters || needs.clusters});
  if (needs.aligns)
    all.push_back({.aligned = true, .collapsed = true, .clusters = needs.clusters});
  if (needs.few_anywhere)
    all.push_back({.collapsed = true,
                   .few_rows = true,
                   .clusters = needs.few_clusters_anywhere || needs.clusters});
  // A row's sum has the same bits wherever it begins, so the order is a cluster's there
  // too. Sums down the columns have no such promise.
  if (needs.clusters && (needs.rows_in_clusters || !needs.aligns))
    all.push_back({.collapsed = true, .clusters = true});
  if (needs.collapses)
    all.push_back({.collapsed = true});
  all.push_back({.collapsed = !needs.collapses, .last = true});
  return all;
}

std::vector<VariantPlan> VariantPlanner::variants(bool collapses) const {
  VariantNeeds all = needs;
  all.collapses = collapses;
  return planVariants(all);
}

schedule::TargetFacts VariantPlanner::targetOf(const VariantPlan &variant) const {
  schedule::TargetFacts facts = target;
  if (target.backend == schedule::Backend::Host)
    return facts;
  facts.any_alignment = !variant.aligned;
  facts.portable =
      !variant.aligned && !variant.clusters && !variant.few_rows && !by_user;
  return facts;
}
