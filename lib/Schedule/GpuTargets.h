//===- GpuTargets.h - The rows of the table that are GPUs --------------------===//
#ifndef NORMC_LIB_SCHEDULE_GPUTARGETS_H
#define NORMC_LIB_SCHEDULE_GPUTARGETS_H

#include "normc/Schedule/Facts.h"

#include <span>

namespace normc::schedule {

/// What the compiler of a chip's code keeps in registers beside the estimate, which was
/// fitted to sm_90's: where there are sums, in all and of an element of a row in
/// flight; and of an element of an access in a loop over the columns.
struct KeptRegisters {
  int64_t of_sums = 0;
  int64_t of_rows = 0;
  int64_t of_reloads = 0;
};
/// Those of the target's chip; none for one that the table does not have.
KeptRegisters keptRegistersOf(const TargetFacts &target);

/// One chip. GpuTargets.cpp says where each number is from.
struct GpuChip {
  std::string_view name;
  Backend backend;
  int64_t compute_units;
  int64_t subgroup_size;
  int64_t max_workgroup_size;
  int64_t max_lanes_per_cu;
  int64_t max_workgroups_per_cu;
  int64_t registers_per_cu;
  int64_t max_registers_per_lane;
  int64_t shared_kib_per_cu;
  int64_t shared_kib_per_workgroup;
  int64_t max_cluster_size;
  int64_t cluster_units;
  AsyncCopy async_copy;
  int64_t private_cache_kib;
  double bytes_per_s;
  double launch_ns;
  double latency_ns;
  double vector_ops_per_s;
  bool has_bf16;
  bool has_f64 = true;
  KeptRegisters kept = {};
};

std::span<const GpuChip> gpuChips();
TargetFacts factsOf(const GpuChip &chip);

} // namespace normc::schedule

#endif // NORMC_LIB_SCHEDULE_GPUTARGETS_H
