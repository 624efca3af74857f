//===- GpuGrid.h - How many workgroups a GPU kernel has ----------------------===//
//
// The one formula, for numbers in the decisions and for expressions in the plan. `Math`
// gives the arithmetic on its `Number`: constant, add, mul, ceilDiv and floorDiv.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_SCHEDULE_GPUGRID_H
#define NORMC_SCHEDULE_GPUGRID_H

#include "normc/Schedule/Tiling.h"

namespace normc::schedule {

/// The arithmetic on numbers that are known.
struct IntegerMath {
  using Number = int64_t;
  static Number constant(int64_t value) { return value; }
  static Number add(Number a, Number b) { return a + b; }
  static Number mul(Number a, Number b) { return a * b; }
  static Number floorDiv(Number a, Number b) { return a / b; }
  static Number ceilDiv(Number a, Number b) { return (a + b - 1) / b; }
};

/// Workgroups of the grid side by side on the columns: blocks of columns, or those of a
/// cluster that share a row.
template <typename Math>
typename Math::Number gpuColBlocks(const Math &m, const Tiling &tiling,
                                   typename Math::Number cols) {
  if (tiling.col_blocks != 0)
    return m.constant(tiling.col_blocks * tiling.cluster_cols);
  return m.ceilDiv(cols, m.constant(tiling.lanes_per_row * tiling.vector_elems));
}

template <typename Math>
typename Math::Number gpuTiles(const Math &m, const Tiling &tiling,
                               typename Math::Number rows) {
  return m.ceilDiv(rows, m.constant(tiling.rows_per_tile));
}

/// Clusters that share rows or partials and run at once, at `held` workgroups a compute
/// unit. Units come in groups of `cluster_units` (the last may be smaller), and a
/// cluster lies within one, on units of its own: what is left of a group at one
/// workgroup a unit is left at several, too. One cluster more than run at once would
/// wait for all others to end. At least 1, so that there is a grid whatever the device.
template <typename Math>
typename Math::Number gpuClusters(const Math &m, const Tiling &tiling,
                                  typename Math::Number compute_units, int64_t held,
                                  int64_t cluster_units) {
  using Number = typename Math::Number;
  int64_t size = tiling.cluster_cols * tiling.cluster_partials;
  int64_t units = cluster_units > 0 ? cluster_units : 1;
  Number groups = m.floorDiv(compute_units, m.constant(units));
  Number rest = m.add(compute_units, m.mul(groups, m.constant(-units)));
  Number side_by_side = m.add(m.mul(groups, m.constant(units / size)),
                              m.floorDiv(rest, m.constant(size)));
  Number clusters = m.mul(side_by_side, m.constant(held));
  Number none = m.floorDiv(m.constant(1), m.add(clusters, m.constant(1)));
  return m.add(clusters, none);
}

/// Workgroups side by side on the rows of a kernel that writes partials, one row of
/// partials each. As many as the device holds at min_workgroups_per_cu a compute unit,
/// or a multiple of that where fewer would take more than rows_per_workgroup rows each;
/// of these only as many as it takes for all to have their even share. Those of a
/// cluster that add their partials write one together; there are cluster_partials
/// workgroups for each then, some maybe without a tile.
template <typename Math>
typename Math::Number
gpuPartials(const Math &m, const Tiling &tiling, typename Math::Number rows,
            typename Math::Number col_blocks, typename Math::Number compute_units,
            int64_t cluster_units = 0) {
  using Number = typename Math::Number;
  Number tiles = gpuTiles(m, tiling, rows);
  Number held = m.mul(compute_units, m.constant(tiling.min_workgroups_per_cu));
  const int64_t adding = tiling.cluster_partials;
  Number most = m.ceilDiv(held, col_blocks);
  if (tiling.cluster_cols * adding > 1)
    most = m.mul(gpuClusters(m, tiling, compute_units, tiling.min_workgroups_per_cu,
                             cluster_units),
                 m.constant(adding));
  if (tiling.rows_per_workgroup != 0) {
    Number chain = m.constant(tiling.rows_per_workgroup / tiling.rows_per_tile);
    Number rounds = m.add(m.floorDiv(tiles, m.mul(most, chain)), m.constant(1));
    most = m.mul(most, rounds);
  }
  // Without rows there are no tiles, and no workgroups: 1 is added to a share of 0.
  Number none = m.floorDiv(m.constant(1), m.add(tiles, m.constant(1)));
  Number share = m.add(m.ceilDiv(tiles, most), none);
  return m.ceilDiv(m.ceilDiv(tiles, share), m.constant(adding));
}

/// Workgroups of a finalize: each takes lanes_per_row columns side by side.
template <typename Math>
typename Math::Number gpuFinalizeGrid(const Math &m, const Tiling &tiling,
                                      typename Math::Number cols) {
  return m.ceilDiv(cols, m.constant(tiling.lanes_per_row));
}

} // namespace normc::schedule

#endif // NORMC_SCHEDULE_GPUGRID_H
