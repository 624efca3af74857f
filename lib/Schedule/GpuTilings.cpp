//===- GpuTilings.cpp - The legal tilings of one kernel on a GPU -------------===//
#include "Gpu.h"

#include <algorithm>
#include <numeric>

namespace normc::schedule::gpu {

namespace {

constexpr int64_t kWorkgroupSizes[] = {64, 128, 256, 512, 1024};
/// Elements of a batch that a lane holds from a row reduction to the next phase: with
/// more, registers cost more occupancy than loads under way bring.
constexpr int64_t kMaxReducedElems = 64;
/// A row that so many lanes of this many elements cannot hold is read again in every
/// phase: more lanes have fewer registers each.
constexpr int64_t kMaxRegisterElems = 64;
/// The same of a kernel that sees every row, without and with exps or divisions.
constexpr int64_t kMaxDirectElems = 32;
constexpr int64_t kMaxDirectSpecials = 8;
/// A forward row this wide is worth copying ahead: of 8,192 columns rms_norm took 67.1
/// us in one shot and 71.7 with stages. Narrower ones have enough workgroups.
constexpr int64_t kMinStagedCols = 16384;
/// And rows this narrow are, a lane a row, as lanes that load and store touch many
/// lines: 401,408 of 24 columns, rms_norm, 13.7 us in one shot and 11.5 through stages.
constexpr int64_t kMaxLaneCols = 32;
/// A row this wide may be worth a cluster's exchange where it carries sums, and twice
/// as wide without: the sums of 12,288 columns fit no workgroup's registers beside what
/// they are made of.
constexpr int64_t kMinClusterCols = 10240;
/// Fewer lanes than these a workgroup of a cluster of up to eight leave the exchange to
/// wait for; of more, twice as many: 2,048 rows of 32,768 columns took 131 us with 256
/// lanes in clusters of 8, and 179 with 128 in clusters of 16.
constexpr int64_t kMinClusterLanes = 128;
constexpr int64_t kSmallCluster = 8;
/// Columns that each workgroup of a cluster has at least where it holds all rows: a
/// line of the cache of the narrowest type.
constexpr int64_t kMinClusterPart = 64;
/// A row this wide is worth a subgroup that copies, and its sums ahead of time: 16,384
/// of 4,096 columns took 100.2 us without and 107.7 with both.
constexpr int64_t kMinSkewedCols = 8192;
/// Rows this narrow leave through their stage: lanes that store would touch many lines.
constexpr int64_t kMaxStoredCols = 256;
/// With fewer lanes a row it never paid: 401,408 rows of 24 columns took 23.4 us and,
/// with 1 or 4 lanes a row and results through stages, 23.7 to 25 us. 1,048,576 of 128
/// with 16: 207 and 200.
constexpr int64_t kMinStoringLanes = 8;
constexpr int64_t kStoringStages = 3;
/// Rows this wide have partials that are worth adding in a cluster, of two workgroups:
/// 16,384 x 4,096 took 100.2 us, not 105.4; 65,536 x 768 took 80.1, not 77.1, and
/// clusters of four 142.
constexpr int64_t kMinAddedCols = 2048;
constexpr int64_t kAddingWorkgroups = 2;
/// Workgroups a compute unit that carry sums: more partials than these add nothing.
constexpr int64_t kHeldWorkgroups[] = {1, 2, 3, 4, 5, 6, 8};

/// Appends what is legal of the tilings of one kernel.
class Tilings {
public:
  Tilings(const KernelFacts &kernel, const TargetFacts &target,
          std::vector<Tiling> &result)
      : kernel(kernel), target(target), result(result),
        direct(kernel.hasSums() && !kernel.writesPartials()) {}

  void append() {
    if (kernel.is_finalize)
      return appendFinalizes();
    for (int64_t elems : vectorElems())
      appendAccesses(elems);
    // Registers that are few hold narrower accesses.
    for (int64_t elems = vectorElems().back() / 2; result.empty() && elems > 0;
         elems /= 2)
      appendAccesses(elems);
  }

private:
  void appendAccesses(int64_t elems) {
    bool blocks =
        kernel.column_sums > 0 && kernel.row_reductions == 0 && kernel.scalar_sums == 0;
    for (int64_t lanes : laneCounts()) {
      if (kernel.cols)
        appendChunks(lanes, elems, 1);
      if (!blocks)
        continue;
      if (!kernel.cols)
        appendChunks(lanes, elems, 0);
      // Blocks of one, two or four accesses a lane.
      for (int64_t chunks = 1; kernel.cols && chunks <= 4; chunks *= 2)
        if (int64_t count = ceilDiv(*kernel.cols, lanes * elems * chunks); count > 1)
          appendChunks(lanes, elems, count);
    }
    appendReloads(elems);
    for (int64_t size = 2; clusters() && size <= target.max_cluster_size; size *= 2)
      appendClusters(elems, size);
  }

  /// Where workgroups may share rows: blocks of columns do without where nothing
  /// crosses them.
  bool clusters() const {
    return kLowering.clusters && !target.portable && kernel.cols &&
           (kernel.row_reductions > 0 || kernel.scalar_sums > 0) &&
           (direct || kernel.hasSums() || kernel.row_reductions > 0);
  }

  /// A row for each cluster at a time, or, where it makes the sums itself, all rows.
  void appendClusters(int64_t elems, int64_t size) {
    int64_t cols = direct             ? size * kMinClusterPart
                   : kernel.hasSums() ? kMinClusterCols
                                      : 2 * kMinClusterCols;
    if (*kernel.cols < cols)
      return;
    int64_t least = direct                                      ? size
                    : kernel.hasSums() && size <= kSmallCluster ? kMinClusterLanes
                                                                : 2 * kMinClusterLanes;
    for (int64_t lanes : laneCounts())
      if (lanes >= least)
        appendChunks(lanes, elems, 1, size);
  }

  /// The widest access that the types allow, and the widest that rows of this length
  /// leave aligned.
  std::vector<int64_t> vectorElems() {
    int64_t most = maxVectorElems(kernel, target);
    int64_t narrowest = std::max<int64_t>(trafficOf(kernel).narrowest, 1);
    int64_t cols = kernel.cols.value_or(most);
    int64_t aligned = std::gcd(cols * narrowest, most * narrowest) / narrowest;
    // An access that is wider than the row has to be taken apart.
    while (most > 1 && most > cols)
      most /= 2;
    std::vector<int64_t> all = {most};
    if (aligned < most)
      all.push_back(aligned);
    return all;
  }

  std::vector<int64_t> laneCounts() {
    std::vector<int64_t> counts;
    for (int64_t lanes = 1; lanes < target.subgroup_size; lanes *= 2)
      counts.push_back(lanes);
    for (int64_t subgroups : {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64})
      counts.push_back(subgroups * target.subgroup_size);
    return counts;
  }

  /// Rows of `lanes` lanes that stay in registers.
  void appendChunks(int64_t lanes, int64_t elems, int64_t col_blocks,
                    int64_t cluster_cols = 1) {
    Tiling tiling;
    tiling.cluster_cols = cluster_cols;
    tiling.lanes_per_row = lanes;
    tiling.vector_elems = elems;
    tiling.col_blocks = col_blocks;
    tiling.residency = Residency::Registers;
    Shape shape = shapeOf(kernel, tiling);
    if (shape.elems > kMaxRegisterElems)
      return;
    // Fewer lanes that hold the row in one access each would do.
    int64_t fewer =
        lanes <= target.subgroup_size ? lanes / 2 : lanes - target.subgroup_size;
    if (fewer * elems >= shape.width)
      return;
    int64_t most = kernel.row_reductions > 0 ? kMaxReducedElems : kMaxUnrolledElems;
    // Lanes with a row each come back to its cache lines; rows in between push them
    // out: 401,408 rows of 24 columns took 12.4, 16.8 and 18.1 us with 1, 2 and 4 in
    // flight.
    if (lanes == 1 && shape.chunks > 1)
      most = 1;
    // Who stores results and all sums has registers for few rows at once: with more,
    // ptxas spilled 60 to 316 bytes.
    if (direct && trafficOf(kernel).tiles_out > 0)
      most = std::min(most, kernel.special_ops_per_element > 0 ? kMaxDirectSpecials
                                                               : kMaxDirectElems);
    // A copy ahead is of one row.
    if (cluster_cols > 1 && !direct)
      most = 1;
    for (int64_t rows = 1; rows <= 8; rows *= 2)
      if (rows == 1 || rows * shape.elems <= most)
        appendWorkgroups(tiling, rows);
  }

  /// Rows that are read again in every phase.
  void appendReloads(int64_t elems) {
    if (kernel.column_sums > 0)
      return;
    Tiling tiling;
    tiling.residency = Residency::Reload;
    tiling.vector_elems = elems;
    int64_t most = target.max_workgroup_size;
    if (kernel.cols && *kernel.cols < most * tiling.vector_elems)
      return;
    for (int64_t lanes = target.subgroup_size; lanes <= most; lanes *= 2) {
      tiling.lanes_per_row = lanes;
      appendWorkgroups(tiling, 1);
    }
  }

  void appendWorkgroups(Tiling tiling, int64_t rows) {
    int64_t lanes = tiling.lanes_per_row;
    if (tiling.cluster_cols > 1 && !direct)
      return appendLoops(tiling, lanes, rows);
    for (int64_t size : kWorkgroupSizes) {
      // The largest one only where a row needs it.
      if (size == target.max_workgroup_size && lanes < size)
        continue;
      if (lanes <= target.subgroup_size ||
          (size >= 128 && (lanes == size || lanes * 2 == size)))
        appendLoops(tiling, size, rows);
    }
    // Whole subgroups that are no power of two.
    if (lanes > target.subgroup_size && !isPowerOfTwo(lanes))
      for (int64_t groups : {1, 2})
        appendLoops(tiling, groups * lanes, rows);
  }

  void appendLoops(Tiling tiling, int64_t size, int64_t rows) {
    tiling.workgroup_size = size;
    int64_t groups = size / tiling.lanes_per_row;
    tiling.rows_in_flight = rows;
    tiling.rows_per_tile = groups * rows;
    // A tile of more rows than there are is idle lanes.
    if (rows > 1 && kernel.mostRows() && groups * (rows / 2) >= *kernel.mostRows())
      return;
    // Nor is a workgroup of more lanes than the rows have, where there is a smaller
    // one.
    if (direct && kernel.mostRows() && size > kWorkgroupSizes[0] &&
        groups > std::max<int64_t>(*kernel.mostRows(), 1))
      return;
    if (kernel.hasSums()) {
      appendSums(tiling);
      return appendStaged(tiling, groups);
    }
    for (Loop loop : {Loop::OneShot, Loop::Persistent}) {
      tiling.loop = loop;
      int64_t held = residentWorkgroups(kernel, target, tiling);
      // Bounds the registers, so that loads are not put off to save some.
      tiling.min_workgroups_per_cu = held;
      if (held > 0)
        appendLegal(tiling);
    }
    if (kernel.cols && (*kernel.cols >= kMinStagedCols ||
                        (*kernel.cols <= kMaxLaneCols && tiling.lanes_per_row == 1)))
      appendStaged(tiling, groups);
  }

  /// The same with tiles copied ahead: as one batch of rows or several.
  void appendStaged(Tiling tiling, int64_t groups) {
    if (direct || tiling.col_blocks != 1 || tiling.residency != Residency::Registers ||
        !canStage(kernel, target) || target.any_alignment || tiling.rows_in_flight > 2)
      return;
    // What reads and stores nothing but sums has its loads under way without stages:
    // 8,192 rows of 8,192 columns took 68 us, and 91 with them.
    if (kernel.row_reductions == 0 && trafficOf(kernel).tiles_out == 0)
      return;
    tiling.staging = Staging::Async;
    if (groups == 1 && tiling.rows_in_flight == 1 && kernel.phases == 2 &&
        *kernel.cols >= kMinSkewedCols)
      appendSkewed(tiling);
    for (int64_t batches : {1, 2}) {
      // Two batches of several rows each are unrolled into one, and spill.
      if (batches > 1 && tiling.rows_in_flight > 1)
        break;
      for (int64_t stages : {2, 3, 4}) {
        if (batches > 1 && tiling.cluster_cols > 1)
          break;
        // A tile of two batches is as much under way with half of the stages.
        if (batches > 1 && stages > 2)
          break;
        tiling.stages = stages;
        tiling.rows_per_tile = groups * tiling.rows_in_flight * batches;
        if (stageBytes(kernel, target, tiling) > target.shared_bytes_per_workgroup)
          break;
        appendPersistent(tiling);
        // With two, a stage is filled again too late: 262,144 x 256 took 143 us, not
        // 102.
        if (stages != kStoringStages || *kernel.cols > kMaxStoredCols ||
            (kernel.hasSums() && tiling.lanes_per_row < kMinStoringLanes))
          continue;
        tiling.store = Store::FromStage;
        appendPersistent(tiling);
        tiling.store = Store::Direct;
      }
    }
  }

  /// The sums of a row before the end of the one before it.
  void appendSkewed(Tiling tiling) {
    tiling.residency = Residency::Shared;
    tiling.rows_per_tile = 1;
    tiling.skew = 1;
    for (int64_t stages : {3, 4}) {
      tiling.stages = stages;
      appendPersistent(tiling);
    }
  }

  /// As many workgroups as carry sums, or as a compute unit holds.
  void appendPersistent(Tiling tiling) {
    if (kernel.hasSums())
      return appendSums(tiling);
    tiling.loop = Loop::Persistent;
    tiling.min_workgroups_per_cu = residentWorkgroups(kernel, target, tiling);
    if (tiling.min_workgroups_per_cu > 0)
      appendLegal(tiling);
  }

  void appendSums(Tiling tiling) {
    tiling.loop = Loop::Persistent;
    if (direct) {
      if (!kernel.mostRows())
        return;
      int64_t tiles =
          std::max<int64_t>(ceilDiv(*kernel.mostRows(), tiling.rows_per_tile), 1);
      tiling.rows_per_workgroup = tiles * tiling.rows_per_tile;
      // Alone on its compute unit: without the bound ptxas spills for occupancy.
      tiling.min_workgroups_per_cu = 1;
      if (residentWorkgroups(kernel, target, tiling) > 0)
        appendLegal(tiling);
      return;
    }
    int64_t chain = kernel.accumulator == ElementType::F32 ? kMaxChainF32 : kMaxChain;
    int64_t per_tile =
        tiling.rows_per_tile * tiling.lanes_per_row / tiling.workgroup_size;
    tiling.rows_per_workgroup =
        std::max<int64_t>(chain / per_tile, 1) * tiling.rows_per_tile;
    int64_t most = residentWorkgroups(kernel, target, tiling);
    bool adds = tiling.staging == Staging::Async && tiling.cluster_cols == 1 &&
                target.max_cluster_size > 1 && *kernel.cols >= kMinAddedCols;
    for (int64_t held : kHeldWorkgroups) {
      if (held > most)
        return;
      tiling.min_workgroups_per_cu = held;
      appendLegal(tiling);
      if (!adds)
        continue;
      tiling.cluster_partials = kAddingWorkgroups;
      if (residentWorkgroups(kernel, target, tiling) >= held)
        appendLegal(tiling);
      tiling.cluster_partials = 1;
    }
  }

  void appendFinalizes() {
    for (int64_t size : {32, 64, 128, 256, 512, 1024})
      for (int64_t lanes = 1; lanes <= size; lanes *= 2) {
        Tiling tiling;
        tiling.workgroup_size = size;
        tiling.lanes_per_row = lanes;
        int64_t groups = size / lanes;
        // Lanes without a partial, or without a column.
        bool idle = (groups > 1 && kernel.rows && groups / 2 >= *kernel.rows) ||
                    (lanes > 1 && kernel.cols && lanes / 2 >= *kernel.cols) ||
                    (lanes > 1 && kernel.column_sums == 0);
        bool fits = residentWorkgroups(kernel, target, tiling) > 0;
        if ((!idle && fits) || (size == 32 && lanes == 32))
          appendLegal(tiling);
      }
  }

  void appendLegal(const Tiling &tiling) {
    if (target.portable && (tiling.cluster_cols * tiling.cluster_partials > 1 ||
                            sharedBytes(kernel, target, tiling) > kPortableSharedBytes))
      return;
    if (target.any_alignment && tiling.staging != Staging::Direct)
      return;
    if (gpu::checkTiling(kernel, target, tiling).empty())
      result.push_back(tiling);
  }

  const KernelFacts &kernel;
  const TargetFacts &target;
  std::vector<Tiling> &result;
  bool direct;
};

} // namespace

std::vector<Tiling> tilings(const KernelFacts &kernel, const TargetFacts &target) {
  std::vector<Tiling> result;
  Tilings(kernel, target, result).append();
  return result;
}

/// A row that stays in its stage is summed in the order of one that stays in registers.
bool sameMap(const Tiling &a, const Tiling &b) {
  return a.lanes_per_row == b.lanes_per_row && a.vector_elems == b.vector_elems &&
         a.cluster_cols == b.cluster_cols &&
         (a.residency == Residency::Reload) == (b.residency == Residency::Reload);
}

Tiling columnMap(const KernelFacts &kernel, const TargetFacts &target) {
  KernelFacts any_rows = kernel;
  any_rows.rows = any_rows.max_rows = std::nullopt;
  auto fastest = [&](const TargetFacts &chip) {
    Tiling best;
    double best_ns = 0;
    std::vector<Tiling> all = tilings(any_rows, chip);
    // A map is for rows at any address: what is copied ahead has a form without copies.
    auto isForAny = [&](const Tiling &tiling) {
      return std::any_of(all.begin(), all.end(), [&](const Tiling &other) {
        return other.staging == Staging::Direct && sameMap(tiling, other);
      });
    };
    for (const Tiling &tiling : all) {
      double ns = costOf(any_rows, chip, tiling).model_ns;
      if ((best_ns != 0 && ns >= best_ns) || !isForAny(tiling))
        continue;
      best = tiling;
      best_ns = ns;
    }
    return best;
  };
  // What runs everywhere has the same map, unless that is a cluster's.
  TargetFacts whole = target;
  whole.portable = whole.any_alignment = false;
  Tiling best = fastest(whole);
  return target.portable && best.cluster_cols > 1 ? fastest(target) : best;
}

} // namespace normc::schedule::gpu
