//===- Facts.h - What a decision knows of a kernel and of a chip ------------===//
#ifndef NORMC_SCHEDULE_FACTS_H
#define NORMC_SCHEDULE_FACTS_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace normc::schedule {

enum class ElementType : uint8_t { F16, BF16, F32, F64 };
constexpr int64_t sizeInBytes(ElementType type) {
  return type == ElementType::F64 ? 8 : type == ElementType::F32 ? 4 : 2;
}
std::string_view toString(ElementType type);

/// What a buffer of a row kernel is indexed by.
enum class Extent : uint8_t { Tile, Rows, Cols, Scalar, Partials };

struct BufferFacts {
  Extent extent;
  ElementType type;
  bool is_output;
};

/// A row kernel as the decisions see it. Sizes that are not static are absent.
struct KernelFacts {
  std::optional<int64_t> rows;
  std::optional<int64_t> cols;
  /// There are at most so many rows, where their number is not static: whoever runs the
  /// kernel sees to it.
  std::optional<int64_t> max_rows;
  /// f32 or f64: the type of sums and partials.
  ElementType accumulator = ElementType::F32;
  std::vector<BufferFacts> buffers;
  /// Phases that a row passes through: 1 + the longest chain of row reductions.
  int64_t phases = 1;
  /// Values that the widest exchange of a row carries; 0: no row reduction at all.
  int64_t row_reductions = 0;
  /// row.moments among the reductions. A backend that takes mean and centered sum one
  /// after the other passes over the row once more for each.
  int64_t moments = 0;
  /// Sums down the columns with one result a column, and with one result in all.
  int64_t column_sums = 0;
  int64_t scalar_sums = 0;
  /// Some of a column's sums need a row reduction's result first.
  bool sums_wait = false;
  /// Arithmetic per element, and how many of those are exp, tanh, erf or a division.
  int64_t ops_per_element = 0;
  int64_t special_ops_per_element = 0;
  /// Square roots, divisions, exp, tanh and erf on per-row values.
  int64_t special_ops_per_row = 0;
  /// The kernel only adds partials (row.finalize). rows: number of partials; cols:
  /// columns of one segment; column_sums and scalar_sums: segments of each kind.
  bool is_finalize = false;

  /// The most rows that there can be, where that is known.
  std::optional<int64_t> mostRows() const { return rows ? rows : max_rows; }
  /// Sums down the columns of either kind.
  bool hasSums() const { return column_sums + scalar_sums > 0; }
  /// Some sums go to a buffer of partials: the kernel is split already.
  bool writesPartials() const;
};

enum class Backend : uint8_t { Host, Cuda, LevelZero };
enum class AsyncCopy : uint8_t { None, PerLane, Bulk };
std::string_view toString(Backend value);
std::string_view toString(AsyncCopy value);
std::optional<Backend> parseBackend(std::string_view word);
std::optional<AsyncCopy> parseAsyncCopy(std::string_view word);

/// The numbers of one chip. Filled from a table (lookupTarget) that cites the source of
/// every number; nothing else holds one.
struct TargetFacts {
  std::string name;
  Backend backend = Backend::Host;
  /// Cores, SMs, Xe cores. Host: 0, decided where the kernel runs.
  int64_t compute_units = 0;
  /// Lanes of a subgroup. Host: f32 elements of one vector register.
  int64_t subgroup_size = 0;
  int64_t max_workgroup_size = 0;
  int64_t max_lanes_per_cu = 0;
  int64_t max_workgroups_per_cu = 0;
  /// 32-bit registers of a compute unit, and the most one lane can have. Host: vector
  /// registers of a core.
  int64_t registers_per_cu = 0;
  int64_t max_registers_per_lane = 0;
  int64_t shared_bytes_per_cu = 0;
  int64_t shared_bytes_per_workgroup = 0;
  int64_t max_cluster_size = 1;
  /// Compute units that the workgroups of one cluster are picked from: as many clusters
  /// run at once as whole ones fit into each such group. 0 without clusters.
  int64_t cluster_units = 0;
  /// Choices keep to what every device of the target runs: no clusters, and 48 KiB of
  /// workgroup memory. What else is known of the chip still counts.
  bool portable = false;
  /// Choices keep to what runs wherever rows begin: no copies ahead.
  bool any_alignment = false;
  /// Choices may need more registers than a lane can have, by the estimate: set where
  /// there is no other, and no number of a target.
  bool may_spill = false;
  AsyncCopy async_copy = AsyncCopy::None;
  /// Bytes of the widest access of one lane.
  int64_t max_access_bytes = 16;
  /// Cache that one compute unit has to itself, in bytes. Host: L2 of a core.
  int64_t private_cache_bytes = 0;
  /// Host: first-level data cache of a core. 0 elsewhere.
  int64_t l1_bytes = 0;
  /// Memory bandwidth of a large copy, read plus written, and the cost of one launch.
  double bytes_per_s = 0;
  double launch_ns = 0;
  /// From the issue of a load to its use, memory busy. Host: 0, caches hide it.
  double latency_ns = 0;
  /// Instructions of a subgroup that a compute unit starts in a second. Host: vector
  /// instructions that a core finishes.
  double vector_ops_per_s = 0;
  bool has_f64 = true;
  bool has_bf16 = false;
  /// Host: the instruction set that code generation may use ("x86-64-v4").
  std::string features;

  bool operator==(const TargetFacts &) const = default;
};

/// One number's name in the target attribute and where it lives in the struct.
struct TargetField {
  std::string_view name;
  std::variant<int64_t TargetFacts::*, double TargetFacts::*, bool TargetFacts::*,
               std::string TargetFacts::*, Backend TargetFacts::*,
               AsyncCopy TargetFacts::*>
      member;
};

/// Every field but the name.
inline constexpr TargetField kTargetFields[] = {
    {"backend", &TargetFacts::backend},
    {"compute_units", &TargetFacts::compute_units},
    {"subgroup_size", &TargetFacts::subgroup_size},
    {"max_workgroup_size", &TargetFacts::max_workgroup_size},
    {"max_lanes_per_cu", &TargetFacts::max_lanes_per_cu},
    {"max_workgroups_per_cu", &TargetFacts::max_workgroups_per_cu},
    {"registers_per_cu", &TargetFacts::registers_per_cu},
    {"max_registers_per_lane", &TargetFacts::max_registers_per_lane},
    {"shared_bytes_per_cu", &TargetFacts::shared_bytes_per_cu},
    {"shared_bytes_per_workgroup", &TargetFacts::shared_bytes_per_workgroup},
    {"max_cluster_size", &TargetFacts::max_cluster_size},
    {"cluster_units", &TargetFacts::cluster_units},
    {"portable", &TargetFacts::portable},
    {"any_alignment", &TargetFacts::any_alignment},
    {"async_copy", &TargetFacts::async_copy},
    {"max_access_bytes", &TargetFacts::max_access_bytes},
    {"private_cache_bytes", &TargetFacts::private_cache_bytes},
    {"l1_bytes", &TargetFacts::l1_bytes},
    {"bytes_per_s", &TargetFacts::bytes_per_s},
    {"launch_ns", &TargetFacts::launch_ns},
    {"latency_ns", &TargetFacts::latency_ns},
    {"vector_ops_per_s", &TargetFacts::vector_ops_per_s},
    {"has_f64", &TargetFacts::has_f64},
    {"has_bf16", &TargetFacts::has_bf16},
    {"features", &TargetFacts::features},
};

/// The names that lookupTarget knows.
std::vector<std::string_view> knownTargets();

/// The target of that name ("host", "host:x86-64-v3", "cuda:sm_90"), or nothing and a
/// message that lists the known names. "host" is the best level that this machine runs.
std::optional<TargetFacts> lookupTarget(std::string_view name, std::string &error);

} // namespace normc::schedule

#endif // NORMC_SCHEDULE_FACTS_H
