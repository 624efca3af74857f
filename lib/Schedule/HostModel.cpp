//===- HostModel.cpp - What a tiling costs on the host -----------------------===//
//
// Counts vector instructions and bytes. A row costs the larger of its arithmetic and
// its traffic; blocks are shared by workers greedily, so that the time of n blocks on w
// workers is at most work / w + (1 - 1/w) of a block (Graham, Bounds on multiprocessing
// timing anomalies, 1969). docs/scheduling.md has the formulas in one place.
//
//===----------------------------------------------------------------------===//
#include "Host.h"
#include "normc/Schedule/HostStores.h"

#include <algorithm>
#include <cmath>

namespace normc::schedule::host {

/// A tanh, exp or erf is a polynomial of about a dozen steps.
static constexpr double kOpsPerSpecial = 12;
/// Loop control of one tile, and of one trip of a loop over its columns: a compare and
/// branch, and an address for each row.
static constexpr double kOpsPerTile = 16;
static constexpr double kOpsPerTrip = 4;
/// A trip's piece of one row, where those of several distant rows are stored in turn:
/// 14 to 21 cycles (Zen 3, past the caches; dyt, rms_norm, layer_norm, 1024 columns).
static constexpr double kOpsPerStoredPiece = 30;
/// Lines of different rows that are begun and not yet whole: a processor has a few
/// buffers to put them together in, and writes parts of lines where they do not do.
/// Measured on Zen 3, f32, against stores through the caches: halves of a line to each
/// of two rows in turn take 0.85 of the time (rms_norm_backward, 1024 columns), to each
/// of four 1.7 times as long (dyt_backward, 8192), of eight 1.6 (dyt, 1024).
static constexpr int64_t kMostOpenLines = 2;
/// Bytes of a tile in one tensor up to which its rows are as good as one stream: rows
/// that are taken in turn and lie further apart are not loaded ahead in time (Zen 3,
/// 128 columns: four rows of bf16 cost nothing, two of f32 4%, four 20% of a forward).
static constexpr int64_t kStreamBytes = 1024;
/// What distant rows add, as a part of the memory's time: 17 to 54% where stores go
/// past the caches, up to 160% where they do not (layer_norm, rms_norm and dyt, 128
/// columns of f32 and 1024 of bf16).
static constexpr double kDistantRows = 0.4;
static constexpr double kDistantCachedRows = 1.0;
/// Two rows of sums that are stored past the caches in turn: 13 to 20%.
static constexpr double kTwoStreams = 0.15;
/// One shuffle for each side and one add.
static constexpr double kOpsPerExchangeStep = 3;
/// A lane a row loads and stores its elements one by one: an access and an insertion.
static constexpr double kOpsPerStridedElement = 2;
/// A value that finds no register, in straight code and in a loop: stored, loaded, and
/// waited for.
static constexpr double kOpsPerSpill = 8;
static constexpr double kOpsPerLoopSpill = 4;
/// A division or a root, once a tile on one vector of its rows: not pipelined, and
/// waited for.
static constexpr double kOpsPerRowSpecial = 120;
/// A vector from the second-level cache instead of the first, and from beyond.
static constexpr double kOpsPerL2Vector = 4;
static constexpr double kOpsPerFarVector = 8;
/// Registers that temporaries of an expression take.
static constexpr int64_t kTemporaries = 4;
/// Partials that are assumed where their number is dynamic.
static constexpr int64_t kNominalPartials = 1024;
/// Taking a block from the shared counter, as a part of waking all workers.
static constexpr double kBlockShareOfLaunch = 0.05;

int64_t vectorLanes(const KernelFacts &kernel, const TargetFacts &target) {
  int64_t lanes = target.subgroup_size;
  if (kernel.accumulator == ElementType::F64)
    lanes /= 2;
  return std::max<int64_t>(lanes, 1);
}

int64_t longestVector(const KernelFacts &kernel, const TargetFacts &target) {
  int64_t lanes = vectorLanes(kernel, target);
  int64_t shortest = sizeInBytes(kernel.accumulator);
  for (const BufferFacts &buffer : kernel.buffers)
    if (buffer.extent == Extent::Tile)
      shortest = std::min<int64_t>(shortest, sizeInBytes(buffer.type));
  return lanes == 1 ? 1 : lanes * sizeInBytes(kernel.accumulator) / shortest;
}

/// Vectors of the processor that make one of the tiling.
static int64_t parts(const KernelFacts &kernel, const TargetFacts &target,
                     const Tiling &tiling) {
  return std::max<int64_t>(tiling.vector_elems / vectorLanes(kernel, target), 1);
}

namespace {

/// What the buffers of a kernel add up to.
struct Traffic {
  int64_t tiles_in = 0, cols_in = 0, rows_any = 0;
  int64_t tile_in_bytes = 0, tile_bytes = 0, rows_bytes = 0, cols_in_bytes = 0,
          cols_out_bytes = 0, scalar_bytes = 0;
  /// Instructions to convert one vector of each buffer.
  double in_conversions = 0, out_conversions = 0, cols_conversions = 0;
  int64_t tiles_out = 0;
};

} // namespace

/// Whether the rows of a tile are taken in turn and lie far from each other.
static bool hasDistantRows(const KernelFacts &kernel, const Tiling &tiling) {
  if (tiling.rows_per_tile == 1 || tiling.lanes_per_row == 1)
    return false;
  int64_t widest = 0;
  for (const BufferFacts &buffer : kernel.buffers)
    if (buffer.extent == Extent::Tile)
      widest = std::max<int64_t>(widest, sizeInBytes(buffer.type));
  int64_t row_bytes = kernel.cols.value_or(kNominalCols) * widest;
  return row_bytes > 2 * kLineBytes && tiling.rows_per_tile * row_bytes > kStreamBytes;
}

bool mayStorePastCaches(const Tiling &tiling, int64_t element_bytes,
                        std::optional<int64_t> cols, bool has_sums) {
  // Quarters of a line were never much faster, and up to five times slower (Zen 3,
  // bf16, 8192 columns).
  int64_t vector_bytes = tiling.vector_elems * element_bytes;
  if (vector_bytes < kLineBytes / 2)
    return false;
  if (cols && *cols * element_bytes % kLineBytes != 0)
    return false;
  return !has_sums || vector_bytes >= kLineBytes ||
         tiling.rows_per_tile <= kMostOpenLines;
}

/// What the order of a tile's accesses adds to the memory's time, as a part of it.
static double disorderOf(const KernelFacts &kernel, const Tiling &tiling) {
  bool past = true;
  for (const BufferFacts &buffer : kernel.buffers)
    if (buffer.is_output && buffer.extent == Extent::Tile)
      past &= mayStorePastCaches(tiling, sizeInBytes(buffer.type), kernel.cols,
                                 kernel.hasSums());
  if (hasDistantRows(kernel, tiling))
    return past ? kDistantRows : kDistantCachedRows;
  bool in_turn =
      kernel.hasSums() && tiling.rows_per_tile > 1 && tiling.lanes_per_row > 1;
  return in_turn && past ? kTwoStreams : 0;
}

/// Instructions that convert a vector between a storage type and the accumulator.
static double conversionOps(ElementType type, ElementType accumulator, bool is_output,
                            bool has_bf16) {
  double widen = accumulator == ElementType::F64 && type != ElementType::F64 ? 1 : 0;
  switch (type) {
  case ElementType::F64:
  case ElementType::F32:
    return type == accumulator ? 0 : 1;
  case ElementType::F16:
    return 1 + widen;
  case ElementType::BF16:
    // Round to nearest even by integers: shift, and, two adds, a select for NaN, pack.
    return (is_output && !has_bf16 ? 6 : 1) + widen;
  }
  return 0;
}

static Traffic trafficOf(const KernelFacts &kernel, const TargetFacts &target) {
  Traffic t;
  for (const BufferFacts &buffer : kernel.buffers) {
    int64_t bytes = sizeInBytes(buffer.type);
    double conversion = conversionOps(buffer.type, kernel.accumulator, buffer.is_output,
                                      target.has_bf16);
    switch (buffer.extent) {
    case Extent::Tile:
      t.tile_bytes += bytes;
      if (buffer.is_output) {
        ++t.tiles_out;
        t.out_conversions += conversion;
      } else {
        ++t.tiles_in;
        t.tile_in_bytes += bytes;
        t.in_conversions += conversion;
      }
      break;
    case Extent::Rows:
      ++t.rows_any;
      t.rows_bytes += bytes;
      break;
    case Extent::Cols:
      if (buffer.is_output) {
        t.cols_out_bytes += bytes;
      } else {
        ++t.cols_in;
        t.cols_in_bytes += bytes;
        t.cols_conversions += conversion;
      }
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

bool sumsStoreAccumulators(const KernelFacts &kernel) {
  for (const BufferFacts &buffer : kernel.buffers)
    if (buffer.is_output && buffer.extent != Extent::Tile &&
        buffer.extent != Extent::Rows && buffer.type != kernel.accumulator)
      return false;
  return true;
}

int64_t inputTiles(const KernelFacts &kernel) {
  int64_t tiles = 0;
  for (const BufferFacts &buffer : kernel.buffers)
    tiles += buffer.extent == Extent::Tile && !buffer.is_output;
  return tiles;
}

std::optional<int64_t> unrolledValues(const KernelFacts &kernel,
                                      const TargetFacts &target, const Tiling &tiling) {
  if (!kernel.cols)
    return std::nullopt;
  int64_t tiles = std::max<int64_t>(inputTiles(kernel), 1);
  if (tiling.lanes_per_row == 1)
    return *kernel.cols * tiles;
  return ceilDiv(*kernel.cols, tiling.vector_elems) * parts(kernel, target, tiling) *
         tiling.rows_per_tile * tiles;
}

int64_t sumsPerPass(const KernelFacts &kernel) {
  // Of a row's moments, one at a time.
  return kernel.row_reductions - std::min(kernel.moments, kernel.row_reductions);
}

/// Passes over a row of the kernel.
static int64_t passesOf(const KernelFacts &kernel) {
  return kernel.phases + kernel.moments;
}

/// Vector registers that are live at once: accumulators, terms of sums, and loaded
/// tiles where they stay, or in a loop the per-row values of every row.
static int64_t liveRegisters(const KernelFacts &kernel, const TargetFacts &target,
                             const Tiling &tiling) {
  int64_t unrolled = unrolledValues(kernel, target, tiling).value_or(0);
  if (tiling.lanes_per_row == 1)
    return kernel.row_reductions + unrolled + kTemporaries;
  // The terms of a column wait until all rows have theirs.
  int64_t per_row =
      parts(kernel, target, tiling) * (tiling.vectors_in_flight * sumsPerPass(kernel) +
                                       kernel.column_sums + kernel.scalar_sums);
  if (tiling.residency == Residency::Registers)
    return tiling.rows_per_tile * per_row + unrolled + kTemporaries;
  per_row += kernel.row_reductions;
  for (const BufferFacts &buffer : kernel.buffers)
    per_row += buffer.extent == Extent::Rows && !buffer.is_output;
  return tiling.rows_per_tile * per_row + kTemporaries;
}

/// Extra instructions for a vector that comes from a working set of that many bytes.
static double reachOps(int64_t bytes, const TargetFacts &target) {
  if (bytes <= target.l1_bytes)
    return 0;
  return bytes <= target.private_cache_bytes ? kOpsPerL2Vector : kOpsPerFarVector;
}

/// Exchange steps that reduce `rows` vectors to a scalar each: halving the vectors
/// first (a transpose tree), then the lanes of the one that is left.
static double exchangeSteps(int64_t rows, int64_t lanes) {
  return static_cast<double>(rows - 1 + log2Ceil(std::max<int64_t>(lanes / rows, 1)));
}

/// A lane a row: no exchange, but every element is accessed by itself.
static double opsPerLaneTile(const KernelFacts &kernel, const Traffic &t,
                             const Tiling &tiling, int64_t cols) {
  double per_vector = static_cast<double>(kernel.ops_per_element) +
                      kOpsPerSpecial * kernel.special_ops_per_element +
                      t.in_conversions + t.out_conversions;
  double strided = kOpsPerStridedElement * tiling.vector_elems *
                   static_cast<double>(t.tiles_in + t.tiles_out);
  double sums = static_cast<double>(kernel.column_sums + kernel.scalar_sums);
  double spills = kOpsPerSpill * std::max<double>(0, cols * sums - 16);
  return cols * (per_vector + strided) + spills + 2.0 * t.rows_any + kOpsPerTile +
         kOpsPerRowSpecial * kernel.special_ops_per_row;
}

double opsPerTile(const KernelFacts &kernel, const TargetFacts &target,
                  const Tiling &tiling) {
  Traffic t = trafficOf(kernel, target);
  int64_t cols = kernel.cols.value_or(kNominalCols);
  if (tiling.lanes_per_row == 1)
    return opsPerLaneTile(kernel, t, tiling, cols);

  int64_t rows = tiling.rows_per_tile, part_count = parts(kernel, target, tiling);
  double steps = static_cast<double>(ceilDiv(cols, tiling.vector_elems));
  double vectors = steps * static_cast<double>(part_count);
  double sums = static_cast<double>(kernel.column_sums + kernel.scalar_sums);
  bool resident = tiling.residency == Residency::Registers;
  int64_t params_bytes =
      cols * (t.cols_in_bytes + kernel.column_sums * sizeInBytes(kernel.accumulator));
  int64_t tile_bytes = rows * cols * t.tile_bytes;
  double reach = reachOps(tile_bytes + params_bytes, target);

  // Every element of every row.
  double element = static_cast<double>(kernel.ops_per_element) +
                   kOpsPerSpecial * kernel.special_ops_per_element +
                   static_cast<double>(t.tiles_in + t.tiles_out) + t.in_conversions +
                   t.out_conversions;
  double again = resident ? 0
                          : static_cast<double>(passesOf(kernel) - 1) *
                                (t.tiles_in * (1 + reach) + t.in_conversions);
  // What is per column is loaded, and its sums are loaded and stored, once a tile.
  double column = static_cast<double>(kernel.phases) *
                      (t.cols_in * (1 + reach) + t.cols_conversions) +
                  2 * sums * (1 + reach);
  double exchange = kOpsPerExchangeStep * kernel.row_reductions *
                    (exchangeSteps(rows, vectorLanes(kernel, target)) +
                     rows * (tiling.vectors_in_flight * part_count - 1));
  // A value that finds no register goes out and back, in a loop every time around.
  double excess =
      std::max<double>(0, static_cast<double>(liveRegisters(kernel, target, tiling) -
                                              target.registers_per_cu));
  double trips = resident ? 1 : std::ceil(steps / tiling.vectors_in_flight);
  double loop = resident ? 0 : passesOf(kernel) * trips * (kOpsPerTrip + rows);
  // Sums keep the rows of a tile together, and have enough else to do.
  if (!resident && hasDistantRows(kernel, tiling) && !kernel.hasSums())
    loop += kOpsPerStoredPiece * trips * static_cast<double>(rows * t.tiles_out);
  double spills = (resident ? kOpsPerSpill : kOpsPerLoopSpill) * excess * trips;
  double per_tile = kOpsPerTile + kOpsPerRowSpecial * kernel.special_ops_per_row;
  return vectors * (rows * (element + again) + column) + exchange + loop + spills +
         2.0 * rows * t.rows_any + per_tile;
}

int64_t depthRows(const KernelFacts &kernel, const Cost &cost) {
  if (std::optional<int64_t> most = kernel.mostRows())
    return *most;
  return std::clamp<int64_t>(kDepthBytes / std::max<int64_t>(cost.bytes_per_row, 1), 1,
                             kDepthRows);
}

int64_t finalizeDepth(int64_t partials, int64_t rows_per_tile) {
  // Partials that do not fill a tile are added by halves of one, then the chains by
  // halves.
  return partials / rows_per_tile + 2 * log2Ceil(std::min(partials, rows_per_tile));
}

/// The finalize: partials come in once, out of the caches that wrote them.
static Cost finalizeCost(const KernelFacts &kernel, const TargetFacts &target,
                         const Tiling &tiling) {
  Traffic t = trafficOf(kernel, target);
  Cost cost;
  int64_t cols = kernel.cols.value_or(kNominalCols);
  int64_t acc = sizeInBytes(kernel.accumulator);
  int64_t elems = kernel.column_sums * cols + kernel.scalar_sums;
  int64_t partials = kernel.rows.value_or(kNominalPartials);
  cost.registers_per_lane = tiling.rows_per_tile + kTemporaries;
  cost.bytes_in_flight = tiling.rows_per_tile * tiling.vector_elems * acc;
  cost.bytes_per_row = elems * acc;
  cost.bytes_fixed = cols * t.cols_out_bytes + t.scalar_bytes;
  cost.workgroups = tiling.col_blocks;
  cost.occupancy = 1;
  int64_t rows = tiling.rows_per_tile;
  if (kernel.rows)
    cost.dependent_adds = finalizeDepth(*kernel.rows, rows);
  double vectors = static_cast<double>(ceilDiv(elems, tiling.vector_elems));
  // One load and one add a vector; fewer than eight chains of adds, four cycles long on
  // two units, wait for each other.
  double stall = rows >= 8 ? 1 : 8.0 / rows;
  double ops = vectors * partials * (1 + stall);
  double workers = std::min(kNominalWorkers, static_cast<double>(tiling.col_blocks));
  double cpu_ns = 1e9 * ops / target.vector_ops_per_s / workers;
  double memory_ns = 1e9 * static_cast<double>(partials * cost.bytes_per_row) /
                     target.bytes_per_s / workers;
  cost.model_ns = target.launch_ns + std::max(cpu_ns, memory_ns) +
                  kBlockShareOfLaunch * target.launch_ns * tiling.col_blocks;
  return cost;
}

Cost costOf(const KernelFacts &kernel, const TargetFacts &target,
            const Tiling &tiling) {
  if (kernel.is_finalize)
    return finalizeCost(kernel, target, tiling);
  Traffic t = trafficOf(kernel, target);
  int64_t cols = kernel.cols.value_or(kNominalCols);
  int64_t acc = sizeInBytes(kernel.accumulator);
  Cost cost;
  cost.registers_per_lane = liveRegisters(kernel, target, tiling);
  cost.bytes_in_flight = tiling.rows_per_tile * tiling.vectors_in_flight *
                         tiling.vector_elems * t.tile_in_bytes;
  cost.bytes_per_row = cols * t.tile_bytes + t.rows_bytes;
  cost.bytes_fixed = cols * (t.cols_in_bytes + t.cols_out_bytes) + t.scalar_bytes;
  cost.occupancy = 1;
  cost.workgroups = workgroups(kernel, target, tiling);

  int64_t rows = kernel.mostRows().value_or(std::clamp<int64_t>(
      kNominalBytes / std::max<int64_t>(cost.bytes_per_row, 1), 1, 1 << 20));
  int64_t block_rows = std::min(std::max<int64_t>(rows, 1), tiling.rows_per_workgroup);
  int64_t blocks = std::max<int64_t>(ceilDiv(rows, tiling.rows_per_workgroup), 1);
  if (kernel.hasSums()) {
    int64_t tree =
        tiling.lanes_per_row == 1 ? tiling.vector_elems : tiling.rows_per_tile;
    // One add a tile, then those of the rows that do not fill one.
    cost.dependent_adds = std::max(block_rows / tiling.rows_per_tile + log2Ceil(tree),
                                   block_rows % tiling.rows_per_tile) +
                          1;
  }

  double sum_bytes =
      static_cast<double>((kernel.column_sums * cols + kernel.scalar_sums) * acc);
  double ns_per_op = 1e9 / target.vector_ops_per_s;
  // Rows that do not fill a tile are taken one by one.
  Tiling single = tiling;
  single.rows_per_tile = 1;
  int64_t full_tiles = block_rows / tiling.rows_per_tile;
  int64_t left_rows = block_rows % tiling.rows_per_tile;
  double cpu_ns = (full_tiles * opsPerTile(kernel, target, tiling) +
                   left_rows * opsPerTile(kernel, target, single)) *
                  ns_per_op;
  double memory_ns = kNominalWorkers * 1e9 * static_cast<double>(block_rows) *
                     static_cast<double>(cost.bytes_per_row) / target.bytes_per_s;
  // Sums start at zero and leave once a block.
  double sum_ns = kNominalWorkers * 1e9 * sum_bytes / target.bytes_per_s;
  double block_ns = std::max(cpu_ns, memory_ns) + 0.1 * std::min(cpu_ns, memory_ns) +
                    disorderOf(kernel, tiling) * memory_ns + sum_ns +
                    kBlockShareOfLaunch * target.launch_ns;
  double work_ns = block_ns * blocks;
  cost.model_ns = target.launch_ns + work_ns / kNominalWorkers +
                  (1 - 1 / kNominalWorkers) * block_ns;
  return cost;
}

} // namespace normc::schedule::host
