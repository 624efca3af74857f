//===- HostTilings.cpp - The legal tilings of one kernel ---------------------===//
#include "Host.h"

#include <algorithm>

namespace normc::schedule::host {

/// Accumulators of a row: one where a row has two vectors of the processor at most, two
/// up to 16 (one where a vector of the tiling is two of the processor's), four beyond
/// and where the columns are dynamic. With two rows or more a tile has then the eight
/// chains that hide the four cycles of an add on two units (Fog, Instruction tables:
/// Skylake-X, Zen 4).
static int64_t vectorsInFlight(const KernelFacts &kernel, const TargetFacts &target,
                               int64_t vector_elems) {
  if (!kernel.cols)
    return 4;
  int64_t lanes = vectorLanes(kernel, target);
  int64_t vectors = ceilDiv(*kernel.cols, lanes);
  return vectors > 16 ? 4 : vectors > 2 && vector_elems == lanes ? 2 : 1;
}

/// Elements of a vector along the columns: the longest, since it is stored whole, if
/// the last one of a row is nearly full too.
static int64_t vectorElems(const KernelFacts &kernel, const TargetFacts &target) {
  int64_t lanes = vectorLanes(kernel, target);
  if (kernel.is_finalize)
    return lanes;
  for (int64_t elems = longestVector(kernel, target); elems > lanes; elems /= 2) {
    if (!kernel.cols)
      return elems;
    int64_t least = ceilDiv(*kernel.cols, lanes) * lanes;
    if (8 * ceilDiv(*kernel.cols, elems) * elems <= 9 * least)
      return elems;
  }
  return lanes;
}

/// A tiling of which only the map from columns to lanes is set.
static Tiling mapAlongColumns(const KernelFacts &kernel, const TargetFacts &target) {
  Tiling tiling;
  tiling.vector_elems = vectorElems(kernel, target);
  tiling.workgroup_size = tiling.lanes_per_row = tiling.vector_elems;
  tiling.vectors_in_flight =
      kernel.is_finalize ? 1 : vectorsInFlight(kernel, target, tiling.vector_elems);
  tiling.loop = Loop::Persistent;
  return tiling;
}

static std::optional<Tiling> mapAcrossRows(const KernelFacts &kernel,
                                           const TargetFacts &target) {
  Tiling tiling = mapAlongColumns(kernel, target);
  tiling.workgroup_size = tiling.vector_elems = vectorLanes(kernel, target);
  tiling.lanes_per_row = 1;
  tiling.vectors_in_flight = 1;
  tiling.rows_per_tile = tiling.vector_elems;
  tiling.residency = Residency::Registers;
  std::optional<int64_t> values = unrolledValues(kernel, target, tiling);
  if (kernel.is_finalize || tiling.vector_elems == 1 || !values ||
      *values > kMaxUnrolledValues)
    return std::nullopt;
  return tiling;
}

/// The tiles that a map allows: rows, and where the loaded values stay.
static std::vector<Tiling> tilesOf(const KernelFacts &kernel, const TargetFacts &target,
                                   const Tiling &map) {
  if (map.lanes_per_row == 1 && map.vector_elems > 1)
    return {map};
  std::vector<Tiling> tiles;
  // The largest first: of two that cost the same it has the shorter chains of adds.
  int64_t lanes = vectorLanes(kernel, target);
  int64_t most = kernel.is_finalize ? kMaxFinalizeRows : lanes;
  for (int64_t rows = most; rows >= 1; rows /= 2) {
    // A tile of more rows than there are never runs.
    if (rows > 1 && kernel.mostRows() && rows > *kernel.mostRows())
      continue;
    Tiling tiling = map;
    tiling.rows_per_tile = rows;
    tiling.residency = Residency::Reload;
    // A loop whose accumulators do not fit the registers is all spills and code.
    int64_t accumulators = rows * map.vectors_in_flight *
                           std::max<int64_t>(map.vector_elems / lanes, 1) *
                           std::max<int64_t>(sumsPerPass(kernel), 1);
    if (rows == 1 || accumulators <= target.registers_per_cu)
      tiles.push_back(tiling);
    std::optional<int64_t> values = unrolledValues(kernel, target, tiling);
    if (kernel.is_finalize || !values || *values > kMaxUnrolledValues)
      continue;
    tiling.residency = Residency::Registers;
    tiles.push_back(tiling);
  }
  return tiles;
}

Tiling columnMap(const KernelFacts &kernel, const TargetFacts &target) {
  Tiling best = mapAlongColumns(kernel, target);
  std::optional<Tiling> across = mapAcrossRows(kernel, target);
  if (!across)
    return best;
  auto opsPerRow = [&](const Tiling &tiling) {
    return opsPerTile(kernel, target, tiling) / tiling.rows_per_tile;
  };
  KernelFacts any_rows = kernel;
  any_rows.rows = any_rows.max_rows = std::nullopt;
  double along_ops = opsPerRow(best);
  for (const Tiling &tiling : tilesOf(any_rows, target, best))
    along_ops = std::min(along_ops, opsPerRow(tiling));
  return opsPerRow(*across) < along_ops ? *across : best;
}

/// The blocks of rows that a tile allows.
static void appendBlocks(const KernelFacts &kernel, int64_t bytes_per_row,
                         Tiling tiling, std::vector<Tiling> &result) {
  bool direct = kernel.hasSums() && !kernel.writesPartials();
  if (direct) {
    // One block for all rows.
    std::optional<int64_t> most = kernel.mostRows();
    if (!most || *most < 1 ||
        (tiling.residency == Residency::Reload && !sumsStoreAccumulators(kernel)))
      return;
    int64_t tiles = ceilDiv(*most, tiling.rows_per_tile);
    if (tiles > kMaxChain)
      return;
    tiling.rows_per_workgroup = tiles * tiling.rows_per_tile;
    result.push_back(tiling);
    return;
  }
  for (int64_t tiles = 1;; tiles *= 2) {
    tiling.rows_per_workgroup = tiles * tiling.rows_per_tile;
    if (kernel.hasSums()
            ? tiles > kMaxChain
            : tiles > 1 && tiling.rows_per_workgroup * bytes_per_row > kMaxBlockBytes)
      return;
    result.push_back(tiling);
    // All rows are in one block: a larger one is the same.
    if (kernel.rows && tiling.rows_per_workgroup >= *kernel.rows)
      return;
  }
}

std::vector<Tiling> fastestTile(const KernelFacts &kernel, const TargetFacts &target,
                                const Tiling &map) {
  Tiling best;
  double best_ops = 0;
  for (const Tiling &tiling : tilings(kernel, target)) {
    if (tiling.lanes_per_row != map.lanes_per_row)
      continue;
    double ops = opsPerTile(kernel, target, tiling) / tiling.rows_per_tile;
    if (best_ops != 0 && ops >= best_ops)
      continue;
    best = tiling;
    best_ops = ops;
  }
  std::vector<Tiling> result;
  for (const Tiling &tiling : tilings(kernel, target))
    if (tiling.lanes_per_row == best.lanes_per_row &&
        tiling.rows_per_tile == best.rows_per_tile &&
        tiling.residency == best.residency)
      result.push_back(tiling);
  return result;
}

std::vector<Tiling> tilings(const KernelFacts &kernel, const TargetFacts &target) {
  std::vector<Tiling> result;
  if (kernel.is_finalize) {
    Tiling map = mapAlongColumns(kernel, target);
    int64_t most =
        std::max<int64_t>(kernel.cols.value_or(kNominalCols) / kMinFinalizeCols, 1);
    for (Tiling tiling : tilesOf(kernel, target, map))
      for (int64_t blocks = 1; blocks <= most; blocks *= 2) {
        tiling.col_blocks = blocks;
        result.push_back(tiling);
      }
    return result;
  }
  int64_t bytes_per_row = 0;
  for (const BufferFacts &buffer : kernel.buffers) {
    if (buffer.extent == Extent::Tile)
      bytes_per_row += sizeInBytes(buffer.type) * kernel.cols.value_or(kNominalCols);
    if (buffer.extent == Extent::Rows)
      bytes_per_row += sizeInBytes(buffer.type);
  }
  // Rows without columns, or without buffers, still end the search for larger blocks.
  bytes_per_row = std::max<int64_t>(bytes_per_row, 1);
  std::vector<Tiling> maps = {mapAlongColumns(kernel, target)};
  if (std::optional<Tiling> across = mapAcrossRows(kernel, target))
    maps.push_back(*across);
  for (const Tiling &map : maps)
    for (const Tiling &tile : tilesOf(kernel, target, map))
      appendBlocks(kernel, bytes_per_row, tile, result);
  return result;
}

} // namespace normc::schedule::host
