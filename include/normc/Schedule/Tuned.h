//===- Tuned.h - Decisions that were measured -------------------------------===//
//
// A tuner measures candidates on a device and keeps the fastest in a table. What finds
// a kernel there, and what makes a decision of a line, once it was seen to be legal.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_SCHEDULE_TUNED_H
#define NORMC_SCHEDULE_TUNED_H

#include "normc/Schedule/Decision.h"

namespace normc::schedule {

/// All that a decision depends on, but for the target's numbers, in a line. Kernels of
/// the same facts share a tuning, whatever their op. Rows are in it where a kernel has
/// sums down the columns, since the choice for any other does not depend on them, and
/// whether the variant is one for any alignment or every device.
std::string factsKey(const KernelFacts &kernel, const TargetFacts &target);

/// The name by which a table has a target: where "host" says this machine's level,
/// that.
std::string tuningTarget(const TargetFacts &target);

/// The decision of this strategy, with this tiling for the kernel that reads the
/// inputs; a finalize is the model's choice. Nothing, and a reason as "expected ...,
/// because ..., but got ...", where it is not legal, or where it would sum a row in
/// another order than the entry's other variants.
std::optional<Decision> tunedDecision(const KernelFacts &kernel,
                                      const TargetFacts &target, Strategy strategy,
                                      const Tiling &tiling, std::string &reason);

} // namespace normc::schedule

#endif // NORMC_SCHEDULE_TUNED_H
