//===- Tiling.h - The knobs of a scheduled row kernel -----------------------===//
//
// One schedule with a few knobs covers every mapping of a row kernel to a device. This
// struct is the only declaration of the knobs: `#row.tiling` stores it, the decisions
// fill it, the lowerings read it, and kTilingFields prints and parses it.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_SCHEDULE_TILING_H
#define NORMC_SCHEDULE_TILING_H

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace normc::schedule {

/// How a workgroup walks over tiles of rows.
enum class Loop : uint8_t { OneShot, Persistent };
/// How inputs reach the lanes.
enum class Staging : uint8_t { Direct, Async };
/// How results leave the lanes: as they are, through the stage of an input whose
/// elements are as wide, or through a stage of their own.
enum class Store : uint8_t { Direct, FromStage, OwnStage };
/// Where a loaded tile lives between two phases of a kernel.
enum class Residency : uint8_t { Registers, Shared, Reload };

/// The knobs. On the host a workgroup is one block of consecutive rows, run by one
/// worker; a subgroup is one SIMD vector, a lane one element of it.
struct Tiling {
  /// Lanes of a workgroup. Host: the vector's lanes.
  int64_t workgroup_size = 1;
  /// Lanes that share a row inside one workgroup. 1: every lane has a row of its own.
  int64_t lanes_per_row = 1;
  /// Workgroups of a cluster that share a row.
  int64_t cluster_cols = 1;
  /// Workgroups of a cluster that add their partials before they are written.
  int64_t cluster_partials = 1;
  /// Workgroups of the grid side by side on the columns.
  int64_t col_blocks = 1;
  /// Rows of one tile.
  int64_t rows_per_tile = 1;
  /// Rows that one workgroup takes at most, as consecutive tiles; 0: no bound other
  /// than the grid. Fixes the blocks of a column sum independently of the device's
  /// number of workers (host), and bounds the chain of dependent adds (everywhere).
  int64_t rows_per_workgroup = 0;
  /// Rows of one lane group whose loads are in flight at once.
  int64_t rows_in_flight = 1;
  /// Elements of one lane's access. Host: elements of one vector.
  int64_t vector_elems = 1;
  /// Vectors of one row that a lane group works on side by side, each with its own
  /// accumulator. Part of the map from columns to lanes: it decides the order of sums.
  int64_t vectors_in_flight = 1;
  /// Workgroups that a compute unit must be able to hold: bounds registers. 0: free.
  int64_t min_workgroups_per_cu = 0;
  Loop loop = Loop::OneShot;
  Staging staging = Staging::Direct;
  /// Stages of an asynchronous pipeline; 0 with direct staging.
  int64_t stages = 0;
  Store store = Store::Direct;
  Residency residency = Residency::Reload;
  /// 1: a producer subgroup, and the sums of row k+1 before the end of row k.
  int64_t skew = 0;

  bool operator==(const Tiling &) const = default;
};

/// One knob's name in the attribute and where it lives in the struct.
struct TilingField {
  std::string_view name;
  std::variant<int64_t Tiling::*, Loop Tiling::*, Staging Tiling::*, Store Tiling::*,
               Residency Tiling::*>
      member;
};

inline constexpr TilingField kTilingFields[] = {
    {"workgroup_size", &Tiling::workgroup_size},
    {"lanes_per_row", &Tiling::lanes_per_row},
    {"cluster_cols", &Tiling::cluster_cols},
    {"cluster_partials", &Tiling::cluster_partials},
    {"col_blocks", &Tiling::col_blocks},
    {"rows_per_tile", &Tiling::rows_per_tile},
    {"rows_per_workgroup", &Tiling::rows_per_workgroup},
    {"rows_in_flight", &Tiling::rows_in_flight},
    {"vector_elems", &Tiling::vector_elems},
    {"vectors_in_flight", &Tiling::vectors_in_flight},
    {"min_workgroups_per_cu", &Tiling::min_workgroups_per_cu},
    {"loop", &Tiling::loop},
    {"staging", &Tiling::staging},
    {"stages", &Tiling::stages},
    {"store", &Tiling::store},
    {"residency", &Tiling::residency},
    {"skew", &Tiling::skew},
};

/// Spelling of the enumerated knobs in the attribute; parse* answer nothing for a word
/// that is none of them.
std::string_view toString(Loop value);
std::string_view toString(Staging value);
std::string_view toString(Store value);
std::string_view toString(Residency value);
std::optional<Loop> parseLoop(std::string_view word);
std::optional<Staging> parseStaging(std::string_view word);
std::optional<Store> parseStore(std::string_view word);
std::optional<Residency> parseResidency(std::string_view word);

/// A hash over every field, for attribute uniquing.
uint64_t hashValue(const Tiling &tiling);

} // namespace normc::schedule

#endif // NORMC_SCHEDULE_TILING_H
