//===- Rank.h - The model's order of decisions --------------------------------===//
#ifndef NORMC_LIB_SCHEDULE_RANK_H
#define NORMC_LIB_SCHEDULE_RANK_H

#include "normc/Schedule/Decision.h"

namespace normc::schedule {

/// The kernel's map from columns to lanes. On a GPU it binds kernels without sums: what
/// is per row in the others may depend on the rows.
class ColumnMap {
public:
  ColumnMap(const KernelFacts &kernel, const TargetFacts &target);
  bool keeps(const Decision &decision) const;

private:
  bool is_host, is_free;
  Tiling map;
};

/// Sums in f32 that keep their bound on the error whatever the terms come before ones
/// that do not; then the model's time counts.
bool isBetter(const KernelFacts &kernel, const Decision &a, const Decision &b);

/// Whether a decision that takes at least that long can still be better.
bool canBeBetter(const KernelFacts &kernel, const Decision &than, double least_ns);

/// Whether the error of every sum is within its bound, whatever the terms.
bool keepsItsBound(const KernelFacts &kernel, const Decision &decision);

/// The decision with its bound.
Decision finish(const KernelFacts &kernel, const TargetFacts &target,
                Decision decision);

} // namespace normc::schedule

#endif // NORMC_LIB_SCHEDULE_RANK_H
