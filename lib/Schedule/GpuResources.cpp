//===- GpuResources.cpp - Registers, workgroup memory, grids -----------------===//
#include "Gpu.h"
#include "GpuTargets.h"

#include "normc/Schedule/GpuGrid.h"

#include <algorithm>

namespace normc::schedule::gpu {

/// Registers are given to a subgroup in units of 8 a lane (CUDA Occupancy Calculator,
/// "register allocation unit size" 256).
static constexpr int64_t kRegisterUnit = 8;
/// Registers are bounded for whole groups of four subgroups, one a scheduler (seen with
/// ptxas' .minnctapersm).
static constexpr int64_t kLaneUnit = 128;
/// Bytes of workgroup memory that a compute unit keeps for each workgroup (CUDA C++
/// Programming Guide, "Compute Capability 8.x", shared memory).
static constexpr int64_t kReservedSharedBytes = 1024;
/// Registers that a lane needs for addresses, counters and the arithmetic on one
/// access.
static constexpr int64_t kBaseRegisters = 24;

Traffic trafficOf(const KernelFacts &kernel) {
  Traffic t;
  for (const BufferFacts &buffer : kernel.buffers) {
    int64_t bytes = sizeInBytes(buffer.type);
    switch (buffer.extent) {
    case Extent::Tile:
      ++(buffer.is_output ? t.tiles_out : t.tiles_in);
      t.tile_bytes += bytes;
      t.tile_in_bytes += buffer.is_output ? 0 : bytes;
      t.narrowest = t.narrowest == 0 ? bytes : std::min(t.narrowest, bytes);
      t.widest = std::max(t.widest, bytes);
      break;
    case Extent::Rows:
      ++t.rows_any;
      t.rows_bytes += bytes;
      break;
    case Extent::Cols:
      (buffer.is_output ? t.cols_out_bytes : t.cols_in_bytes) += bytes;
      break;
    case Extent::Scalar:
      t.scalar_bytes += bytes;
      break;
    case Extent::Partials:
      break;
    }
  }
  return t;
}

Shape shapeOf(const KernelFacts &kernel, const Tiling &tiling) {
  Shape shape;
  shape.cols = kernel.cols.value_or(kNominalCols);
  int64_t step = tiling.lanes_per_row * tiling.vector_elems;
  int64_t blocks = tiling.col_blocks == 0 ? ceilDiv(shape.cols, step)
                                          : tiling.col_blocks * tiling.cluster_cols;
  shape.width = ceilDiv(shape.cols, blocks * tiling.vector_elems) * tiling.vector_elems;
  shape.groups = std::max<int64_t>(tiling.workgroup_size / tiling.lanes_per_row, 1);
  shape.chunks = ceilDiv(shape.width, step);
  shape.elems = shape.chunks * tiling.vector_elems;
  return shape;
}

int64_t nominalRows(const KernelFacts &kernel) {
  if (std::optional<int64_t> most = kernel.mostRows())
    return std::max<int64_t>(*most, 1);
  Traffic t = trafficOf(kernel);
  int64_t bytes = kernel.cols.value_or(kNominalCols) * t.tile_bytes + t.rows_bytes;
  return std::max<int64_t>(kNominalBytes / std::max<int64_t>(bytes, 1), 1);
}

int64_t clustersAtOnce(const TargetFacts &target, const Tiling &tiling, int64_t held) {
  return gpuClusters(IntegerMath(), tiling, target.compute_units, held,
                     target.cluster_units);
}

int64_t maxVectorElems(const KernelFacts &kernel, const TargetFacts &target) {
  int64_t narrowest = trafficOf(kernel).narrowest;
  if (narrowest == 0)
    narrowest = sizeInBytes(kernel.accumulator);
  return std::min<int64_t>(target.max_access_bytes / narrowest, 16);
}

int64_t residentRegisters(const KernelFacts &kernel, const Tiling &tiling) {
  if (kernel.is_finalize || tiling.residency == Residency::Reload)
    return 0;
  Traffic t = trafficOf(kernel);
  Shape shape = shapeOf(kernel, tiling);
  // A tile that stays in its stage is in registers an access at a time.
  int64_t tile_bytes = tiling.residency == Residency::Shared
                           ? 0
                           : tiling.rows_in_flight * t.tile_in_bytes;
  int64_t sum_bytes = kernel.column_sums * sizeInBytes(kernel.accumulator);
  // Without a loop half of the parameters come when they are needed, as ptxas has it.
  int64_t params_bytes =
      tiling.loop == Loop::OneShot ? t.cols_in_bytes / 2 : t.cols_in_bytes;
  return ceilDiv(shape.elems * (tile_bytes + sum_bytes + params_bytes), 4);
}

/// What a compiler keeps of a row's elements beside their packed form, in hundredths of
/// a register: more where the wait for an exchange lies between two uses. Fitted to
/// ptxas' registers and spills of 290 kernels (docs/scheduling.md).
static int64_t keptRegisters(const KernelFacts &kernel, const Tiling &tiling,
                             int64_t tiles_in) {
  constexpr int64_t kSubgroup = 32;
  constexpr int64_t kFewElems = 16;
  // An exchange of moments has two values of every subgroup of the row at once.
  if (tiling.residency == Residency::Reload)
    return tiling.lanes_per_row > kSubgroup
               ? tiling.lanes_per_row / kSubgroup * 2 * kernel.moments
               : 0;
  int64_t elems = shapeOf(kernel, tiling).elems;
  // Two rows are at work at once: their elements come and go among each other's. The
  // fewest registers without spills, layer_norm_backward and rms_norm_backward: 88 to
  // 96 and 72 with 16 elements a lane, 128 and 80 to 88 with 24, 144 to 168 and 104
  // with 32, in clusters and without.
  if (tiling.skew != 0)
    return elems * (40 + 70 * kernel.moments + (kernel.column_sums > 0 ? 125 : 0)) /
           100;
  if (tiling.residency == Residency::Shared)
    return 8 + 2 * tiling.rows_in_flight * tiles_in;
  // Without an exchange the elements of a stage go through one access after the other:
  // 16 and 24 of dyt's backward fit 80 and 96 registers.
  // With two rows in flight whose results go back to it they did not: 256 columns
  // spilled 16 bytes with 128 registers.
  if (kernel.row_reductions == 0 && tiling.staging == Staging::Async)
    return kernel.hasSums() && tiling.store != Store::Direct &&
                   tiling.rows_in_flight > 1
               ? elems
               : 0;
  if (kernel.row_reductions == 0)
    return kernel.special_ops_per_element * tiling.rows_in_flight * elems / 4;
  bool crosses = tiling.lanes_per_row > kSubgroup;
  int64_t hundredths =
      crosses ? 60 + 30 * tiles_in : 20 + 20 * tiles_in + 30 * kernel.moments;
  if (kernel.column_sums == 0)
    return tiling.rows_in_flight * elems * hundredths / 100;
  if (crosses && tiling.rows_in_flight > 1)
    hundredths += 30;
  // Of more than two accesses of a row, beside their sums, ptxas keeps more.
  int64_t many = crosses ? 0 : std::max<int64_t>(elems - kFewElems, 0);
  return (tiling.rows_in_flight * elems * hundredths + many * 160) / 100;
}

/// Of an exchange in a cluster: addresses, the values of every workgroup where several
/// rows cross at once, and the masks of parts that are no whole number of steps.
static int64_t clusterRegisters(const KernelFacts &kernel, const Tiling &tiling) {
  if (tiling.cluster_cols == 1 || kernel.row_reductions == 0 || tiling.skew != 0)
    return 0;
  bool uneven =
      shapeOf(kernel, tiling).width % (tiling.lanes_per_row * tiling.vector_elems) != 0;
  return 8 + (uneven ? 24 : 0) +
         (tiling.rows_in_flight > 1 ? tiling.cluster_cols * kernel.row_reductions : 0);
}

/// Of elements that are accessed one by one: they come and go in a register each,
/// however narrow, and so do parameters that no loop packs, which ptxas asks for before
/// the first exchange. Fitted to what kernels of the benchmarked shapes need on sm_80,
/// sm_90 and sm_100 (docs/scheduling.md).
static int64_t unpackedRegisters(const KernelFacts &kernel, const Tiling &tiling,
                                 const Traffic &t) {
  constexpr int64_t kWord = 4, kSubgroup = 32;
  const bool reloads = tiling.residency == Residency::Reload;
  int64_t elems = reloads ? tiling.vector_elems : shapeOf(kernel, tiling).elems;
  int64_t tile_bytes = 0, param_bytes = 0;
  for (const BufferFacts &buffer : kernel.buffers) {
    int64_t more = std::max<int64_t>(kWord - sizeInBytes(buffer.type), 0);
    if (buffer.extent == Extent::Tile)
      tile_bytes += more;
    if (buffer.extent == Extent::Cols && !buffer.is_output)
      param_bytes += more;
  }
  if (tiling.loop == Loop::Persistent) {
    param_bytes = 0;
  } else if (!reloads) {
    // residentRegisters has half of them there.
    param_bytes += t.cols_in_bytes / 2;
    if (tiling.lanes_per_row > kSubgroup)
      param_bytes /= 2;
  }
  int64_t special = kernel.hasSums() && kernel.row_reductions == 0
                        ? kernel.special_ops_per_element
                        : 0;
  return ceilDiv(elems * (tiling.rows_in_flight * tile_bytes + param_bytes), kWord) +
         special * tiling.vector_elems;
}

/// What ptxas keeps more of for another chip than for sm_90, which keptRegisters was
/// fitted to.
static int64_t chipRegisters(const KernelFacts &kernel, const TargetFacts &target,
                             const Tiling &tiling) {
  KeptRegisters kept = keptRegistersOf(target);
  if (tiling.residency == Residency::Reload)
    return tiling.vector_elems * kept.of_reloads;
  if (!kernel.hasSums())
    return 0;
  int64_t elems = shapeOf(kernel, tiling).elems;
  // Of two rows, between their sums and their ends.
  if (tiling.skew != 0)
    return elems * kept.of_rows / 4;
  int64_t rows = tiling.rows_in_flight - (kernel.row_reductions > 0 ? 1 : 0);
  return kept.of_sums + rows * elems * kept.of_rows;
}

/// What Intel's compiler needs beside: it has no packed form of elements, an address of
/// a lane takes two registers, and what is done to several elements is done to all of
/// them at once. Fitted to ocloc's spills (docs/intel.md).
static int64_t xeRegisters(const KernelFacts &kernel, const TargetFacts &target,
                           const Tiling &tiling, const Traffic &t) {
  // What a thread starts with and keeps, and is the same for all of its lanes.
  int64_t payload = target.max_registers_per_lane / 16;
  const bool reloads = tiling.residency == Residency::Reload;
  Shape shape = shapeOf(kernel, tiling);
  int64_t chunks = reloads ? 1 : shape.chunks;
  int64_t unpacked = t.tiles_in * sizeInBytes(kernel.accumulator) - t.tile_in_bytes;
  int64_t special = kernel.row_reductions == 0 ? 2 * kernel.special_ops_per_element : 0;
  return payload + tiling.rows_in_flight * chunks *
                       (2 * (t.tiles_in + t.tiles_out) +
                        tiling.vector_elems * (unpacked + special) / 4);
}

int64_t registersPerLane(const KernelFacts &kernel, const TargetFacts &target,
                         const Tiling &tiling) {
  int64_t words = sizeInBytes(kernel.accumulator) / 4;
  const bool isXe = target.backend == Backend::LevelZero;
  if (kernel.is_finalize) {
    // Sums of subgroups that one lane has at once, with their addresses.
    int64_t parts =
        tiling.workgroup_size / std::max(tiling.lanes_per_row, target.subgroup_size);
    return kBaseRegisters + 2 * kFinalizeChains * words +
           (isXe ? 2 * parts * words : 0);
  }
  Traffic t = trafficOf(kernel);
  // One access of every tile in the accumulator type, and of what becomes of them;
  // among what is kept of two rows.
  int64_t access =
      tiling.skew != 0 ? 0 : tiling.vector_elems * words * (t.tiles_in > 1 ? 2 : 1);
  int64_t per_row = kernel.row_reductions * words + t.tiles_in + t.tiles_out;
  // Whoever stores the sums itself has their addresses, too: 24 columns spilled 24
  // bytes.
  int64_t stores = kernel.hasSums() && !kernel.writesPartials() ? 8 : 0;
  int64_t registers = kBaseRegisters + stores + access +
                      tiling.rows_in_flight * per_row +
                      clusterRegisters(kernel, tiling) * words +
                      kernel.scalar_sums * words + residentRegisters(kernel, tiling) +
                      keptRegisters(kernel, tiling, t.tiles_in) * words;
  if (isXe)
    return registers + xeRegisters(kernel, target, tiling, t);
  // Rather a choice that may spill than none.
  if (target.may_spill)
    return registers;
  registers += chipRegisters(kernel, target, tiling) * words;
  return target.any_alignment ? registers + unpackedRegisters(kernel, tiling, t)
                              : registers;
}

int64_t registerLimit(const TargetFacts &target, int64_t workgroup_size,
                      int64_t workgroups_per_cu) {
  int64_t lanes =
      ceilDiv(workgroup_size * std::max<int64_t>(workgroups_per_cu, 1), kLaneUnit) *
      kLaneUnit;
  int64_t most = target.registers_per_cu / lanes / kRegisterUnit * kRegisterUnit;
  return std::min(most, target.max_registers_per_lane);
}

int64_t sharedBytes(const KernelFacts &kernel, const TargetFacts &target,
                    const Tiling &tiling) {
  auto padded = [](int64_t bytes) { return ceilDiv(bytes, 16) * 16; };
  int64_t acc = sizeInBytes(kernel.accumulator);
  if (kernel.is_finalize)
    return padded(tiling.workgroup_size * acc);
  int64_t subgroups = tiling.workgroup_size / target.subgroup_size;
  int64_t bytes = 0;
  bool crosses = tiling.lanes_per_row > target.subgroup_size,
       clusters = tiling.cluster_cols > 1;
  if ((crosses || clusters) && kernel.row_reductions > 0) {
    // A slot for each value, row and phase; all twice, in turn, in a loop over tiles.
    int64_t groups = shapeOf(kernel, tiling).groups;
    int64_t batches = ceilDiv(tiling.rows_per_tile, groups * tiling.rows_in_flight);
    int64_t values =
        kernel.row_reductions * (kernel.phases - 1) * tiling.rows_in_flight * batches;
    // Moments of lanes that have different numbers of columns carry them along.
    values += kernel.moments * tiling.rows_in_flight * batches;
    int64_t slot = (crosses ? padded(subgroups * acc) : 0) +
                   (clusters ? padded(groups * tiling.cluster_cols * acc) : 0);
    bytes = values * slot * (tiling.loop == Loop::Persistent ? 2 : 1);
  }
  if (tiling.skew != 0)
    bytes = skewBytes(kernel, target, tiling);
  // Sums take the place of the stages and exchanges, but not of their barriers.
  int64_t sums = sumBytes(kernel, target, tiling);
  if (tiling.staging != Staging::Async)
    return bytes + sums;
  return std::max(stageBytes(kernel, target, tiling) + bytes,
                  stageBarrierBytes(target, tiling) + sums);
}

int64_t residentWorkgroups(const KernelFacts &kernel, const TargetFacts &target,
                           const Tiling &tiling) {
  int64_t registers =
      ceilDiv(registersPerLane(kernel, target, tiling), kRegisterUnit) * kRegisterUnit;
  const bool spills = target.may_spill && target.backend == Backend::LevelZero;
  if (registers > target.max_registers_per_lane && !spills)
    return 0;
  registers = std::min(registers, target.max_registers_per_lane);
  int64_t shared = sharedBytes(kernel, target, tiling) + kReservedSharedBytes;
  // The most for which registerLimit is not less.
  int64_t lanes = target.registers_per_cu / registers / kLaneUnit * kLaneUnit;
  int64_t by_registers = lanes / launchedLanes(target, tiling);
  int64_t by_lanes = target.max_lanes_per_cu / launchedLanes(target, tiling);
  int64_t by_shared = target.shared_bytes_per_cu / shared;
  return std::min({by_registers, by_lanes, by_shared, target.max_workgroups_per_cu});
}

std::optional<int64_t> rowWorkgroups(const KernelFacts &kernel,
                                     const TargetFacts &target, const Tiling &tiling) {
  IntegerMath math;
  bool direct = kernel.hasSums() && !kernel.writesPartials() && !kernel.is_finalize;
  if (kernel.is_finalize || direct)
    return 1;
  if (!kernel.rows)
    return std::nullopt;
  int64_t tiles = gpuTiles(math, tiling, *kernel.rows);
  int64_t blocks = gpuColBlocks(math, tiling, kernel.cols.value_or(kNominalCols));
  if (kernel.writesPartials())
    return gpuPartials(math, tiling, *kernel.rows, blocks, target.compute_units,
                       target.cluster_units);
  if (tiling.loop == Loop::OneShot)
    return tiles;
  int64_t held = std::max(tiling.min_workgroups_per_cu,
                          residentWorkgroups(kernel, target, tiling));
  if (tiling.cluster_cols > 1)
    return std::min(tiles, clustersAtOnce(target, tiling, held));
  return std::min(tiles, ceilDiv(target.compute_units * held, blocks));
}

std::optional<int64_t> workgroups(const KernelFacts &kernel, const TargetFacts &target,
                                  const Tiling &tiling) {
  IntegerMath math;
  if (!kernel.cols && (kernel.is_finalize || tiling.col_blocks == 0))
    return std::nullopt;
  int64_t cols = kernel.cols.value_or(1);
  if (kernel.is_finalize)
    return gpuFinalizeGrid(math, tiling, kernel.column_sums > 0 ? cols : 1);
  std::optional<int64_t> rows = gpu::rowWorkgroups(kernel, target, tiling);
  if (!rows)
    return std::nullopt;
  return *rows * tiling.cluster_partials * gpuColBlocks(math, tiling, cols);
}

} // namespace normc::schedule::gpu
