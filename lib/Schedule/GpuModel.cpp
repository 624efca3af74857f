//===- GpuModel.cpp - What a tiling costs on a GPU ---------------------------===//
//
// A compute unit works on one batch of rows of each of its workgroups at a time. A
// batch takes the longest of three times, softened where they are close: its bytes at
// the unit's share of the bandwidth, its instructions at the unit's rate, and what one
// lane waits for, a load and the reductions behind it. docs/scheduling.md has the
// formulas in one place and what they were fitted to.
//
//===----------------------------------------------------------------------===//
#include "Gpu.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace normc::schedule::gpu {

/// A unit that has the memory to itself gets more than its share of it, but waits for
/// more at a time; the second-level cache gives 64 bytes a cycle and unit (Hopper
/// tuning guide), against 32 bytes/ns of its share of the memory; of partials, which
/// were just written, half of that was measured (4,096 x 4,096: half as many save 3
/// us).
static constexpr double kShareOfOne = 1.5;
static constexpr double kCacheShare = 1.36;
/// Instructions of one step of a shuffle tree, and its latency in cycles: shuffle,
/// combine (Luo et al., Benchmarking and Dissecting the Hopper GPU Architecture, 2024).
static constexpr double kOpsPerShuffle = 2.14;
static constexpr double kCyclesPerShuffle = 26;
/// The same of an exchange through workgroup memory: store, barrier, loads.
static constexpr double kOpsPerExchange = 8.44;
static constexpr double kCyclesPerExchange = 80;
/// The same of an exchange in a cluster: store into another unit's memory, barrier of
/// the cluster, loads (Luo et al., section on distributed shared memory: 180 cycles one
/// way; a barrier is one there and back).
static constexpr double kOpsPerClusterExchange = 12;
static constexpr double kCyclesPerClusterExchange = 700;
/// The same in a loop over rows: workgroups wait for the slowest of the cluster in
/// each.
static constexpr double kCyclesPerClusterRow = 1740;
/// What each cluster more on the same units adds to skewed rows with sums:
/// rms_norm_backward of 32,768 columns takes 105 to 108 us with one and two, 117 with
/// three.
static constexpr double kBesideCluster = 0.03;
/// What a cluster's start adds: its workgroups begin together, and wait for each other
/// before one writes to another's memory.
static constexpr double kClusterStartNs = 100, kClusterMemberNs = 22;
/// A merge of two sides' moments of unequal size.
static constexpr double kOpsPerMerge = 40;
static constexpr double kCyclesPerMerge = 100;
/// Accesses of a loop over the columns that a lane has under way: of one that sums, and
/// of one that does not.
static constexpr double kReloadOverlap = 0.5;
static constexpr double kStreamOverlap = 0.42;
/// A cache line that an access touches: one a cycle for a whole unit, that is for each
/// of its four schedulers.
static constexpr double kOpsPerLine = 5.38;
/// exp, tanh, a division: two special-function operations at a quarter of the rate and
/// less (CUDA C++ Programming Guide, "Arithmetic Instructions").
static constexpr double kOpsPerSpecial = 6.17;
/// The same of an element, in packed approximations: 1,048,576 x 64 of dyt take what a
/// copy does.
static constexpr double kOpsPerSpecialElement = 2.58;
/// Of the arithmetic that a program names, what is left after fusing.
static constexpr double kFused = 0.75;
/// Addresses and control of a row, of a tile in a loop, of a workgroup's start.
static constexpr double kOpsPerRow = 12;
static constexpr double kOpsPerTile = 26;
static constexpr double kOpsPerStart = 51;
/// A workgroup's start: the scheduler's, and its first instructions and arguments.
static constexpr double kStartNs = 220;
/// Workgroups that have their share of tiles beforehand end at different times, and
/// without stages begin each tile with nothing under way.
static constexpr double kStagedLoop = 1.16;
static constexpr double kDirectLoop = 1.19;
/// Cycles between two dependent instructions, with a bit of parallelism inside a lane.
static constexpr double kCyclesPerOp = 3.25;
/// Of these what is left where two rows are at work at once, and where no element waits
/// for others of its row.
static constexpr double kSkewedCycles = 0.54;
static constexpr double kFreeCycles = 0.6;
/// A stage: its barrier's wait, its copies' issue, and the barrier that frees it, which
/// all subgroups come to.
static constexpr double kCyclesPerStage = 255;
static constexpr double kCyclesPerStageSubgroup = 40;
/// Stages that are not ahead: the one at work, a second row at work, and the one that
/// results leave from until the tile after it has ended. More than two ahead changed
/// nothing that was measured.
static constexpr double kStagesAtWork = 1.14;
static constexpr double kSkewedStages = 0.38;
static constexpr double kStoringStages = 0.69;
static constexpr double kLeastAhead = 0.59, kMostAhead = 1.74;
/// The part of a tile's own transfer that a workgroup of one tile waits for: of wide
/// rows few fit a unit, and nothing comes for those that work (layer_norm, 4,096 x
/// 16,384: 102 us, and 71 with stages).
static constexpr double kOwnTransfer = 0.35;
/// A bulk copy's latency against a load's.
static constexpr double kBulkLatency = 1.3;
/// The exponent that softens the longest of the times.
static constexpr double kSoftness = 3.33;
/// Instructions of a lane of a finalize, for each partial and besides.
static constexpr double kOpsPerFinalize = 370;
static constexpr double kOpsPerPartial = 6;
/// Instructions of a lane for each sum that it ends with: to workgroup memory and from
/// there to a partial, or to an output in a type of its own.
static constexpr double kOpsPerSum = 24;
static constexpr double kOpsPerStoredSum = 60;
/// The waits for partials, and for a row that is read again, which the cache holds:
/// parts of the memory's latency.
static constexpr double kPartialsLatency = 0.3;
static constexpr double kCachedLatency = 0.45;
/// Partials that are assumed where their number is dynamic.
static constexpr int64_t kNominalPartials = 512;

namespace {

/// One lane's instructions for one batch, and what it waits for beside the loads.
struct Work {
  double ops = 0;
  double cycles = 0;
};

/// Rates of one compute unit.
struct Unit {
  explicit Unit(const TargetFacts &target)
      : bytes_per_ns(target.bytes_per_s / 1e9 /
                     static_cast<double>(std::max<int64_t>(target.compute_units, 1))),
        ops_per_ns(target.vector_ops_per_s / 1e9), cycle_ns(4 / ops_per_ns) {}
  double bytes_per_ns, ops_per_ns, cycle_ns;
};

double real(int64_t value) { return static_cast<double>(value); }

/// Accesses of one lane to `elems` elements of a row of that many bytes each.
double accesses(int64_t elems, int64_t bytes, int64_t cols, int64_t vector_elems) {
  int64_t aligned = std::gcd(cols * bytes, int64_t{16});
  int64_t width =
      std::max(std::min({aligned, vector_elems * bytes, int64_t{16}}), bytes);
  return real(elems * bytes) / real(width);
}

/// Cache lines of 128 bytes that one access of a subgroup touches: those of each row
/// that its lanes are on, or of the stretch that the rows lie in.
double linesOf(int64_t bytes, int64_t cols, const Tiling &tiling, int64_t subgroup) {
  constexpr double kLine = 128;
  int64_t lanes = std::min(tiling.lanes_per_row, subgroup);
  double rows = real(subgroup / lanes);
  double of_rows = rows * std::ceil(real(lanes * tiling.vector_elems * bytes) / kLine);
  return std::min(of_rows, std::ceil(rows * real(cols * bytes) / kLine) + 1);
}

/// Lanes that have different numbers of columns mask what they sum, and carry the
/// numbers with their moments, which then merge by divisions.
void addMasks(const KernelFacts &kernel, const Tiling &tiling, const Shape &shape,
              Work &work) {
  if (shape.width % (tiling.lanes_per_row * tiling.vector_elems) == 0 && kernel.cols &&
      (tiling.cluster_cols == 1 || shape.width * tiling.cluster_cols == shape.cols))
    return;
  double elems = real(tiling.rows_in_flight * shape.elems);
  work.ops += elems * real(kernel.row_reductions + kernel.column_sums);
  double merges = real(kernel.moments * log2Ceil(tiling.lanes_per_row));
  work.ops += merges * real(tiling.rows_in_flight) * kOpsPerMerge;
  work.cycles += merges * kCyclesPerMerge;
}

Work workOf(const KernelFacts &kernel, const TargetFacts &target,
            const Tiling &tiling) {
  Shape shape = shapeOf(kernel, tiling);
  int64_t rows = tiling.rows_in_flight;
  double elems = real(rows * shape.elems);
  double words = real(sizeInBytes(kernel.accumulator) / 4);
  bool reload = tiling.residency == Residency::Reload;
  // What stays in its stage is read and widened again by whoever ends the row.
  double passes = reload ? real(kernel.phases + kernel.moments)
                  : tiling.residency == Residency::Shared ? real(kernel.phases)
                                                          : 1;
  Work work;
  work.ops = elems * (kFused * real(kernel.ops_per_element) * words +
                      kOpsPerSpecialElement * real(kernel.special_ops_per_element));
  for (const BufferFacts &buffer : kernel.buffers) {
    int64_t bytes = sizeInBytes(buffer.type);
    if (buffer.extent == Extent::Tile) {
      double times = buffer.is_output ? 1 : passes;
      double count = accesses(shape.elems, bytes, shape.cols, tiling.vector_elems);
      // What comes and leaves by a stage touches no lines of the cache.
      bool staged = buffer.is_output ? tiling.store != Store::Direct
                                     : tiling.staging == Staging::Async;
      double lines =
          staged ? 1 : linesOf(bytes, shape.cols, tiling, target.subgroup_size);
      work.ops += times * real(rows) * count * (1 + kOpsPerLine * lines);
      work.ops += bytes == 2 ? elems * (buffer.is_output ? 0.5 : times) : 0;
    }
    if (buffer.extent == Extent::Cols && !buffer.is_output)
      work.ops +=
          real(shape.elems) * (bytes == 2 ? 1 : 0) +
          (reload ? accesses(shape.elems, bytes, shape.cols, tiling.vector_elems) : 0);
  }
  if (reload)
    work.ops += passes * real(shape.chunks) * 6;
  double values = real(kernel.row_reductions) * words;
  bool direct = kernel.hasSums() && !kernel.writesPartials();
  double exchanges = real(std::max<int64_t>(kernel.phases - 1, 0));
  if (values > 0) {
    int64_t lanes = std::min(tiling.lanes_per_row, target.subgroup_size);
    int64_t subgroups = ceilDiv(tiling.lanes_per_row, target.subgroup_size);
    double steps = real(log2Ceil(lanes));
    work.ops += exchanges * real(rows) * values * kOpsPerShuffle * steps;
    work.cycles += exchanges * kCyclesPerShuffle * steps;
    if (subgroups > 1) {
      work.ops +=
          exchanges * real(rows) * values * (kOpsPerExchange + 2 * real(subgroups));
      // Skewed, the exchange is over before anybody waits for it.
      if (tiling.skew == 0)
        work.cycles += exchanges * (kCyclesPerExchange + 4 * real(subgroups));
    }
    if (double size = real(tiling.cluster_cols); size > 1) {
      work.ops += exchanges * real(rows) * values * (kOpsPerClusterExchange + 2 * size);
      if (tiling.skew == 0)
        work.cycles += exchanges * (kCyclesPerClusterExchange + 4 * size +
                                    (direct ? 0 : kCyclesPerClusterRow));
    }
  }
  work.ops +=
      real(rows) * (kOpsPerRow + kOpsPerSpecial * real(kernel.special_ops_per_row));
  addMasks(kernel, tiling, shape, work);
  // A loop over the columns waits for each of its accesses, in every pass.
  double waits = 0;
  if (reload)
    waits = target.latency_ns *
            (real(shape.chunks) * (1 + (passes - 1) * kCachedLatency) /
                 (kernel.row_reductions == 0 ? kStreamOverlap : kReloadOverlap) -
             1);
  double alone = tiling.skew != 0             ? kSkewedCycles
                 : kernel.row_reductions == 0 ? kFreeCycles
                                              : 1;
  work.cycles +=
      alone * kCyclesPerOp * work.ops + std::max(waits, 0.0) / Unit(target).cycle_ns;
  return work;
}

/// What it adds that workgroups of a cluster begin together.
double clusterStartNs(const Tiling &tiling) {
  int64_t size = tiling.cluster_cols * tiling.cluster_partials;
  return size > 1 ? kClusterStartNs + kClusterMemberNs * real(size) : 0;
}

/// Time of one tile of each of `active` workgroups on a unit that has `share` of its
/// part of the memory's bandwidth.
double tileNs(const KernelFacts &kernel, const TargetFacts &target,
              const Tiling &tiling, double active, double share, double bytes_per_row) {
  Unit unit(target);
  Work work = workOf(kernel, target, tiling);
  Shape shape = shapeOf(kernel, tiling);
  bool loops = tiling.loop == Loop::Persistent;
  double subgroups = real(tiling.workgroup_size) / real(target.subgroup_size);
  double batches =
      real(ceilDiv(tiling.rows_per_tile, shape.groups * tiling.rows_in_flight));
  double rows = real(tiling.rows_per_tile);
  double fill = real(shape.width) / real(shape.cols);
  double memory = active * rows * fill * bytes_per_row / (share * unit.bytes_per_ns);
  double ops = batches * work.ops + (loops ? kOpsPerTile : kOpsPerStart);
  double issue = active * subgroups * ops / unit.ops_per_ns;
  double lane = batches * work.cycles * unit.cycle_ns;
  double start = kStartNs + clusterStartNs(tiling);
  double wait = lane + batches * target.latency_ns + (loops ? 0 : start);
  // A workgroup works once its own tile has come; loops have it in kDirectLoop.
  if (!loops)
    wait += kOwnTransfer * memory / active;
  if (tiling.staging == Staging::Async) {
    lane += (kCyclesPerStage + kCyclesPerStageSubgroup * subgroups) * unit.cycle_ns;
    double ahead = real(tiling.stages) - kStagesAtWork -
                   kSkewedStages * real(tiling.skew) -
                   (tiling.store == Store::FromStage ? kStoringStages : 0);
    wait = std::max(lane, (kBulkLatency * target.latency_ns + lane) /
                              std::clamp(ahead, kLeastAhead, kMostAhead));
  }
  auto power = [](double x) { return std::pow(x, kSoftness); };
  return std::pow(power(memory) + power(issue) + power(wait), 1 / kSoftness);
}

/// The rows of a kernel, all its workgroups.
double rowsNs(const KernelFacts &kernel, const TargetFacts &target,
              const Tiling &tiling, const Cost &cost, int64_t rows, int64_t resident) {
  Shape shape = shapeOf(kernel, tiling);
  double units = real(std::max<int64_t>(target.compute_units, 1));
  // Those that whole clusters reach.
  double reached = units;
  if (tiling.cluster_cols > 1)
    reached = std::min(
        units, real(clustersAtOnce(target, tiling, resident) * tiling.cluster_cols));
  KernelFacts sized = kernel;
  sized.rows = rows;
  sized.cols = shape.cols;
  double all =
      real(std::max<int64_t>(gpu::workgroups(sized, target, tiling).value_or(1), 1));
  double tiles = real(std::max<int64_t>(ceilDiv(rows, tiling.rows_per_tile), 1));
  // Workgroups that a unit has at once, and units that have any.
  double active =
      std::min(std::ceil(all / reached), real(std::max<int64_t>(resident, 1)));
  double busy = std::min(all, reached);
  double share = std::min(units * active / std::min(all, active * busy), kShareOfOne);
  double tile = tileNs(kernel, target, tiling, active, share, real(cost.bytes_per_row));
  if (tiling.cluster_cols > 1 && tiling.skew != 0 && kernel.hasSums())
    tile *= 1 + kBesideCluster * (active - 1);
  if (tiling.loop == Loop::OneShot) {
    double rounds = all / (active * busy);
    // The last workgroups leave units idle, half a tile on average.
    return tile * (rounds <= 1 ? 1 : rounds + 0.5);
  }
  double blocks = tiling.col_blocks == 0
                      ? real(ceilDiv(shape.cols, shape.width))
                      : real(tiling.col_blocks * tiling.cluster_cols);
  double per_workgroup = std::ceil(tiles / std::max(all / blocks, 1.0));
  double rounds = std::ceil(all / (active * busy));
  double start = tiling.staging == Staging::Async ? target.latency_ns : 0;
  double share_of_loop = tiling.staging == Staging::Async ? kStagedLoop : kDirectLoop;
  start += clusterStartNs(tiling);
  return kStartNs + start + share_of_loop * rounds * per_workgroup * tile;
}

/// What follows the rows of a kernel with sums: the tree over the workgroup, and
/// stores.
double sumsNs(const KernelFacts &kernel, const TargetFacts &target,
              const Tiling &tiling, const Cost &cost) {
  if (!kernel.hasSums())
    return 0;
  Unit unit(target);
  Shape shape = shapeOf(kernel, tiling);
  int64_t parts =
      tiling.workgroup_size / std::max(tiling.lanes_per_row, target.subgroup_size);
  double steps = real(log2Ceil(std::max<int64_t>(
      target.subgroup_size / std::min(tiling.lanes_per_row, target.subgroup_size), 1)));
  double sums = real(kernel.column_sums);
  double cycles = sums * real(shape.elems) * (2 + kOpsPerShuffle * steps);
  if (parts > 1)
    cycles += sums * (kCyclesPerExchange +
                      real(ceilDiv(shape.width, tiling.workgroup_size) * parts) * 4);
  cycles += real(kernel.scalar_sums) * (5 * kCyclesPerShuffle + kCyclesPerExchange);
  if (kernel.scalar_sums > 0 && tiling.cluster_cols > 1)
    cycles += kCyclesPerClusterExchange;
  if (tiling.cluster_partials > 1)
    cycles += kCyclesPerClusterExchange;
  double bytes = real(cost.workspace_bytes.value_or(0));
  double subgroups = real(tiling.workgroup_size) / real(target.subgroup_size) *
                     real(std::max<int64_t>(tiling.min_workgroups_per_cu, 1));
  double ops = sums * real(shape.elems) * subgroups *
               (kernel.writesPartials() ? kOpsPerSum : kOpsPerStoredSum);
  return ops / unit.ops_per_ns + cycles * unit.cycle_ns + 0.5 * target.latency_ns +
         1e9 * bytes / std::max(target.bytes_per_s, 1.0);
}

Cost finalizeCost(const KernelFacts &kernel, const TargetFacts &target,
                  const Tiling &tiling) {
  Unit unit(target);
  Traffic t = trafficOf(kernel);
  Cost cost;
  int64_t cols = kernel.column_sums > 0 ? kernel.cols.value_or(kNominalCols) : 1;
  int64_t acc = sizeInBytes(kernel.accumulator);
  int64_t partials = kernel.rows.value_or(kNominalPartials);
  int64_t down = tiling.workgroup_size / tiling.lanes_per_row;
  cost.registers_per_lane = registersPerLane(kernel, target, tiling);
  cost.shared_bytes = sharedBytes(kernel, target, tiling);
  cost.bytes_per_row = (kernel.column_sums * cols + kernel.scalar_sums) * acc;
  cost.bytes_fixed = cols * t.cols_out_bytes + t.scalar_bytes;
  cost.workgroups = gpu::workgroups(kernel, target, tiling);
  int64_t resident = std::max<int64_t>(residentWorkgroups(kernel, target, tiling), 1);
  cost.bytes_in_flight = resident * tiling.workgroup_size * kFinalizeChains * acc;
  cost.occupancy = real(resident * tiling.workgroup_size) /
                   real(std::max<int64_t>(target.max_lanes_per_cu, 1));
  int64_t rounds = ceilDiv(partials, down * kFinalizeChains);
  if (kernel.rows)
    cost.dependent_adds =
        rounds + log2Ceil(kFinalizeChains) + (kFinalizeChains - 1) + log2Ceil(down);
  double all = real(cost.workgroups.value_or(ceilDiv(cols, tiling.lanes_per_row)));
  double waves =
      std::ceil(all / real(resident * std::max<int64_t>(target.compute_units, 1)));
  cost.waves = waves;
  double wait = kPartialsLatency * target.latency_ns;
  double tree = down > 1 ? (kCyclesPerExchange + 4 * real(down)) * unit.cycle_ns : 0;
  // Columns side by side that do not fill a sector of 32 bytes read all of it.
  double sector = std::max(1.0, 32 / real(tiling.lanes_per_row * acc));
  double memory = 1e9 * sector * real(partials * cost.bytes_per_row) /
                  (kCacheShare * target.bytes_per_s);
  double segments = real(kernel.column_sums + kernel.scalar_sums);
  double subgroups = all * real(tiling.workgroup_size) / real(target.subgroup_size) /
                     real(std::max<int64_t>(target.compute_units, 1));
  double ops =
      kOpsPerFinalize + segments * kFinalizeChains * kOpsPerPartial * real(rounds);
  double lanes = wait + segments * (real(rounds) * wait + tree);
  cost.model_ns = target.launch_ns + kDependentNs + waves * lanes + memory +
                  std::max(subgroups, 1.0) * ops / unit.ops_per_ns;
  return cost;
}

} // namespace

Cost costOf(const KernelFacts &kernel, const TargetFacts &target,
            const Tiling &tiling) {
  if (kernel.is_finalize)
    return finalizeCost(kernel, target, tiling);
  Traffic t = trafficOf(kernel);
  Shape shape = shapeOf(kernel, tiling);
  Cost cost;
  cost.registers_per_lane = registersPerLane(kernel, target, tiling);
  cost.shared_bytes = sharedBytes(kernel, target, tiling);
  cost.bytes_per_row = shape.cols * t.tile_bytes + t.rows_bytes;
  cost.bytes_fixed = shape.cols * (t.cols_in_bytes + t.cols_out_bytes) + t.scalar_bytes;
  cost.workgroups = gpu::workgroups(kernel, target, tiling);
  int64_t resident = std::max(residentWorkgroups(kernel, target, tiling),
                              tiling.min_workgroups_per_cu);
  // What writes partials is launched at that many a unit, whatever fits.
  if (kernel.writesPartials())
    resident = std::max<int64_t>(tiling.min_workgroups_per_cu, 1);
  cost.occupancy = real(resident * tiling.workgroup_size) /
                   real(std::max<int64_t>(target.max_lanes_per_cu, 1));
  int64_t rows = nominalRows(kernel);
  int64_t chunks = tiling.residency == Residency::Reload ? 1 : shape.chunks;
  cost.bytes_in_flight = resident * tiling.workgroup_size * tiling.rows_in_flight *
                         chunks * tiling.vector_elems * t.tile_in_bytes;
  if (tiling.staging == Staging::Async)
    cost.bytes_in_flight = resident * tiling.stages * tiling.rows_per_tile *
                           (tiling.cluster_cols > 1 ? shape.width : shape.cols) *
                           t.tile_in_bytes;
  if (cost.workgroups)
    cost.waves = real(*cost.workgroups) /
                 real(std::max<int64_t>(target.compute_units * resident, 1));
  if (kernel.writesPartials()) {
    cost.partials = gpu::rowWorkgroups(kernel, target, tiling);
    std::optional<int64_t> elems = partialElems(kernel);
    if (cost.partials && elems)
      cost.workspace_bytes = *cost.partials * *elems * sizeInBytes(kernel.accumulator);
  }
  if (kernel.hasSums()) {
    KernelFacts sized = kernel;
    sized.rows = rows;
    int64_t parts =
        gpu::rowWorkgroups(sized, target, tiling).value_or(1) * tiling.cluster_partials;
    int64_t tiles = ceilDiv(rows, tiling.rows_per_tile);
    cost.dependent_adds = ceilDiv(tiles, std::max<int64_t>(parts, 1)) *
                              (tiling.rows_per_tile / shape.groups) +
                          log2Ceil(shape.groups) + log2Ceil(tiling.cluster_partials);
  }
  cost.model_ns = target.launch_ns +
                  rowsNs(kernel, target, tiling, cost, rows, resident) +
                  sumsNs(kernel, target, tiling, cost);
  return cost;
}

} // namespace normc::schedule::gpu
