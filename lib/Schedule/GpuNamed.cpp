//===- GpuNamed.cpp - Mappings that others have shown to pay -----------------===//
#include "GpuNamed.h"

#include <algorithm>

namespace normc::schedule::gpu {

static constexpr int64_t kNarrowCols1617 = 256;
static constexpr int64_t kTileElems1617 = 4096;
static constexpr int64_t kHeld1617 = 4;
static constexpr int64_t kCols1880 = 32;
/// Lanes of a workgroup of 1880: 32 columns by 16 rows.
static constexpr int64_t kLanes1880 = 512;
/// "Far more": rows to a column.
static constexpr int64_t kFarMore1880 = 16;

static int64_t nextPowerOfTwo(int64_t n) { return int64_t{1} << log2Ceil(n); }

/// The tiling with as many rows in flight as registers allow.
static std::optional<Tiling> legal(const KernelFacts &kernel, const TargetFacts &target,
                                   Tiling tiling) {
  for (;; tiling.rows_in_flight /= 2) {
    if (residentWorkgroups(kernel, target, tiling) >= tiling.min_workgroups_per_cu &&
        gpu::checkTiling(kernel, target, tiling).empty())
      return tiling;
    if (tiling.rows_in_flight == 1)
      return std::nullopt;
  }
}

/// The tile: Triton rounds columns up to a power of two; a row is one workgroup of 4,
/// 8, 16 or 32 warps by its width (Liger's calculate_settings).
static std::optional<Tiling> tile1617(const KernelFacts &kernel,
                                      const TargetFacts &target) {
  if (!kernel.cols)
    return std::nullopt;
  Tiling tiling;
  tiling.residency = Residency::Registers;
  tiling.vector_elems = maxVectorElems(kernel, target);
  while (tiling.vector_elems > 1 && tiling.vector_elems > *kernel.cols)
    tiling.vector_elems /= 2;
  int64_t width = nextPowerOfTwo(*kernel.cols);
  int64_t lanes = ceilDiv(width, tiling.vector_elems);
  if (*kernel.cols <= kNarrowCols1617) {
    tiling.workgroup_size = 128;
    tiling.lanes_per_row = std::min(lanes, target.subgroup_size);
    int64_t groups = tiling.workgroup_size / tiling.lanes_per_row;
    tiling.rows_in_flight = std::max<int64_t>(kTileElems1617 / width / groups, 1);
    tiling.rows_per_tile = groups * tiling.rows_in_flight;
    return tiling;
  }
  int64_t size = width >= 32768  ? 1024
                 : width >= 8192 ? 512
                 : width >= 2048 ? 256
                                 : 128;
  tiling.workgroup_size = std::min(size, target.max_workgroup_size);
  tiling.lanes_per_row = tiling.workgroup_size;
  return tiling;
}

std::optional<Tiling> forward1617(const KernelFacts &kernel,
                                  const TargetFacts &target) {
  std::optional<Tiling> tiling = tile1617(kernel, target);
  if (!tiling)
    return std::nullopt;
  tiling->min_workgroups_per_cu = 1;
  return legal(kernel, target, *tiling);
}

std::optional<Tiling> backward1617(const KernelFacts &kernel,
                                   const TargetFacts &target) {
  std::optional<Tiling> tiling = tile1617(kernel, target);
  if (!tiling)
    return std::nullopt;
  tiling->loop = Loop::Persistent;
  int64_t chain = kernel.accumulator == ElementType::F32 ? kMaxChainF32 : kMaxChain;
  tiling->rows_per_workgroup =
      std::max<int64_t>(chain / tiling->rows_in_flight, 1) * tiling->rows_per_tile;
  tiling->min_workgroups_per_cu = 1;
  tiling = legal(kernel, target, *tiling);
  if (tiling)
    tiling->min_workgroups_per_cu =
        std::min(residentWorkgroups(kernel, target, *tiling), kHeld1617);
  return tiling;
}

std::optional<Named1880> columns1880(const KernelFacts &kernel,
                                     const TargetFacts &target) {
  if (!kernel.cols || kernel.row_reductions > 0 || kernel.scalar_sums > 0)
    return std::nullopt;
  Tiling tiling;
  tiling.residency = Residency::Registers;
  tiling.loop = Loop::Persistent;
  tiling.workgroup_size = std::min(kLanes1880, target.max_workgroup_size);
  tiling.lanes_per_row = std::min(kCols1880, target.subgroup_size);
  tiling.vector_elems = kCols1880 / tiling.lanes_per_row;
  tiling.col_blocks = ceilDiv(*kernel.cols, kCols1880);
  int64_t groups = tiling.workgroup_size / tiling.lanes_per_row;
  tiling.rows_per_tile = groups;
  int64_t lanes = tiling.col_blocks * tiling.workgroup_size;
  bool far_more = !kernel.rows || *kernel.rows / kFarMore1880 >= *kernel.cols;
  bool starves = 2 * lanes < target.compute_units * target.max_lanes_per_cu;
  if (!(starves && far_more) && kernel.rows) {
    int64_t tiles = std::max<int64_t>(ceilDiv(*kernel.rows, groups), 1);
    tiling.rows_per_workgroup = tiles * groups;
    if (std::optional<Tiling> simple = legal(kernel, target, tiling))
      return Named1880{*simple, false};
  }
  int64_t chain = kernel.accumulator == ElementType::F32 ? kMaxChainF32 : kMaxChain;
  tiling.rows_per_workgroup = chain * groups;
  KernelFacts split = partialsPart(kernel);
  tiling.min_workgroups_per_cu =
      std::clamp<int64_t>(residentWorkgroups(split, target, tiling), 1, 4);
  if (std::optional<Tiling> split_tiling = legal(split, target, tiling))
    return Named1880{*split_tiling, true};
  return std::nullopt;
}

} // namespace normc::schedule::gpu
