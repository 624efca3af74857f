//===- GpuStages.cpp - Tiles, results and sums in workgroup memory -----------===//
//
// The knobs that work through workgroup memory: what each needs, and what it takes.
//
//===----------------------------------------------------------------------===//
#include "Gpu.h"

#include "Expected.h"

namespace normc::schedule::gpu {

namespace {

constexpr int64_t kMaxStages = 8;
/// Bulk copies move multiples of 16 bytes; one copy of a lane moves 4 at least.
constexpr int64_t kBulkBytes = 16, kLeastLaneBytes = 4;
/// Tiles begin at multiples of a cache line.
constexpr int64_t kLineBytes = 128;
/// Exchanges of a skewed loop that have memory of their own, in turn.
constexpr int64_t kSkewSlots = 4;

int64_t roundedUp(int64_t bytes, int64_t unit) { return ceilDiv(bytes, unit) * unit; }

/// Bytes of a tile's elements in this workgroup's columns.
int64_t tileBytes(const KernelFacts &kernel, const Tiling &tiling,
                  const BufferFacts &buffer) {
  return tiling.rows_per_tile * shapeOf(kernel, tiling).width *
         sizeInBytes(buffer.type);
}

/// Whether each output tile finds an input tile of elements as wide.
bool resultsFitIntoStages(const KernelFacts &kernel) {
  for (ElementType type :
       {ElementType::F16, ElementType::BF16, ElementType::F32, ElementType::F64}) {
    int64_t free = 0;
    for (const BufferFacts &buffer : kernel.buffers)
      if (buffer.extent == Extent::Tile &&
          sizeInBytes(buffer.type) == sizeInBytes(type))
        free += buffer.is_output ? -1 : 1;
    if (free < 0)
      return false;
  }
  return true;
}

/// One rule after the other; the first that is broken is the answer.
class Checker {
public:
  Checker(const KernelFacts &kernel, const TargetFacts &target, const Tiling &tiling)
      : kernel(kernel), target(target), tiling(tiling) {}

  std::string check() {
    for (auto rule :
         {&Checker::staging, &Checker::store, &Checker::skew, &Checker::partials})
      if (std::string broken = (this->*rule)(); !broken.empty())
        return broken;
    return {};
  }

private:
  bool isStaged() const { return tiling.staging == Staging::Async; }
  bool isBulk() const { return target.async_copy == AsyncCopy::Bulk; }

  std::string staging() {
    if (!isStaged()) {
      if (tiling.residency != Residency::Shared)
        return {};
      return expected("residency to be registers or reload, or staging to be async",
                      "a tile stays in workgroup memory only where it came to by a "
                      "stage",
                      "shared");
    }
    if (!canStage(kernel, target, tiling))
      return expected("staging to be direct",
                      isBulk() ? "bulk copies take input tiles with rows of a static "
                                 "multiple of 16 bytes, one at a time in a cluster"
                               : "copies of lanes take 4, 8 or 16 bytes of input tiles "
                                 "with a static multiple of vector_elems columns, on a "
                                 "target that has them",
                      "async on " + target.name);
    if (tiling.loop != Loop::Persistent || tiling.residency == Residency::Reload ||
        tiling.col_blocks != 1)
      return expected("loop = persistent, residency = registers or shared, and "
                      "col_blocks = 1",
                      "whole tiles are copied ahead of the one at work",
                      std::string(toString(tiling.loop)) + ", " +
                          std::string(toString(tiling.residency)) + " and " +
                          num(tiling.col_blocks));
    if (tiling.stages < 1 || tiling.stages > kMaxStages)
      return expected("stages to be at least 1 and at most " + num(kMaxStages),
                      "so many tiles are under way at once", tiling.stages);
    return {};
  }

  std::string store() {
    if (tiling.store == Store::Direct)
      return {};
    std::string got(toString(tiling.store));
    if (!isStaged() || !isBulk())
      return expected("store to be direct",
                      "results leave through workgroup memory by bulk copies, where "
                      "tiles come by them",
                      got);
    bool any = false;
    for (const BufferFacts &buffer : kernel.buffers) {
      if (buffer.extent != Extent::Tile || !buffer.is_output)
        continue;
      any = true;
      int64_t bytes = sizeInBytes(buffer.type);
      if (*kernel.cols * bytes % kBulkBytes != 0 ||
          shapeOf(kernel, tiling).width * bytes % kBulkBytes != 0)
        return expected("store to be direct",
                        "bulk copies take rows of a multiple of 16 bytes", got);
    }
    if (!any)
      return expected("store to be direct", "there is no result with columns and rows",
                      got);
    if (tiling.store == Store::OwnStage)
      return {};
    if (!resultsFitIntoStages(kernel))
      return expected("store to be direct or own_stage",
                      "a result leaves from the stage of an input of elements as wide",
                      got);
    if (tiling.stages < 2)
      return expected("stages to be at least 2",
                      "a stage is filled again one tile after its results have left",
                      tiling.stages);
    return {};
  }

  std::string skew() {
    if (tiling.skew == 0)
      return {};
    if (tiling.skew != 1)
      return expected("skew to be 0 or 1", "the sums of one row are ahead at most",
                      tiling.skew);
    if (!isStaged() || !isBulk() || tiling.residency != Residency::Shared ||
        tiling.store != Store::Direct)
      return expected("skew to be 0, or staging = async, residency = shared and "
                      "store = direct on a target with bulk copies",
                      "two rows are at work at once, each in its stage", tiling.skew);
    if (kernel.phases != 2 || kernel.row_reductions == 0)
      return expected("skew to be 0",
                      "rows are summed once and then ended only in kernels of two "
                      "phases",
                      num(kernel.phases) + " phases");
    if (tiling.rows_per_tile != 1 || tiling.lanes_per_row != tiling.workgroup_size ||
        tiling.lanes_per_row <= target.subgroup_size)
      return expected("rows_per_tile = 1 and lanes_per_row = workgroup_size, more than "
                      "a subgroup's " +
                          num(target.subgroup_size),
                      "a skewed loop has one row a workgroup at a time",
                      num(tiling.rows_per_tile) + " and " + num(tiling.lanes_per_row));
    if (tiling.stages < 2)
      return expected("stages to be at least 2", "two rows are in their stages at once",
                      tiling.stages);
    int64_t lanes = launchedLanes(target, tiling);
    if (lanes > target.max_workgroup_size)
      return expected("workgroup_size to be at most " +
                          num(target.max_workgroup_size - target.subgroup_size),
                      "one more subgroup copies rows ahead", tiling.workgroup_size);
    int64_t parts = tiling.lanes_per_row / target.subgroup_size * tiling.cluster_cols;
    if (isPowerOfTwo(parts) ||
        (tiling.cluster_cols == 1 && parts <= target.subgroup_size))
      return {};
    return expected("lanes_per_row * cluster_cols to be a power of two",
                    "lanes of a subgroup share the sums of a row's subgroups",
                    num(tiling.lanes_per_row) + " * " + num(tiling.cluster_cols));
  }

  std::string partials() {
    int64_t size = tiling.cluster_partials;
    if (size == 1)
      return {};
    if (size < 1 || size > target.max_cluster_size)
      return expected("cluster_partials to be at least 1 and at most " +
                          num(target.max_cluster_size),
                      "they are the workgroups of one cluster of " + target.name, size);
    if (tiling.cluster_cols != 1)
      return expected("cluster_cols or cluster_partials to be 1",
                      "a barrier of the cluster in every row needs as many rows in all "
                      "of its workgroups",
                      num(tiling.cluster_cols) + " and " + num(size));
    if (!kernel.writesPartials() || tiling.col_blocks != 1)
      return expected("cluster_partials to be 1",
                      "workgroups add partials where they write some, of whole rows",
                      size);
    return {};
  }

  const KernelFacts &kernel;
  const TargetFacts &target;
  const Tiling &tiling;
};

} // namespace

std::string checkStages(const KernelFacts &kernel, const TargetFacts &target,
                        const Tiling &tiling) {
  return Checker(kernel, target, tiling).check();
}

bool canStage(const KernelFacts &kernel, const TargetFacts &target) {
  if (!kLowering.async_staging || target.async_copy == AsyncCopy::None ||
      !kernel.cols || kernel.is_finalize)
    return false;
  bool any = false;
  for (const BufferFacts &buffer : kernel.buffers)
    if (buffer.extent == Extent::Tile && !buffer.is_output) {
      any = true;
      if (*kernel.cols * sizeInBytes(buffer.type) % kBulkBytes != 0)
        return false;
    }
  return any;
}

bool canStage(const KernelFacts &kernel, const TargetFacts &target,
              const Tiling &tiling) {
  if (!canStage(kernel, target))
    return false;
  int64_t narrowest = 0;
  for (const BufferFacts &buffer : kernel.buffers)
    if (buffer.extent == Extent::Tile && !buffer.is_output)
      narrowest = narrowest == 0 ? sizeInBytes(buffer.type)
                                 : std::min(narrowest, sizeInBytes(buffer.type));
  if (target.async_copy == AsyncCopy::PerLane)
    return tiling.vector_elems * narrowest >= kLeastLaneBytes &&
           *kernel.cols % tiling.vector_elems == 0;
  if (tiling.cluster_cols == 1)
    return true;
  // A workgroup's part of one row is one copy.
  int64_t width = shapeOf(kernel, tiling).width;
  return tiling.rows_per_tile == 1 && width * narrowest % kBulkBytes == 0;
}

int64_t launchedLanes(const TargetFacts &target, const Tiling &tiling) {
  return tiling.workgroup_size + (tiling.skew != 0 ? target.subgroup_size : 0);
}

int64_t stageBarrierBytes(const TargetFacts &target, const Tiling &tiling) {
  if (tiling.staging != Staging::Async || target.async_copy != AsyncCopy::Bulk)
    return 0;
  int64_t barriers = tiling.skew != 0 ? 2 * tiling.stages + kSkewSlots : tiling.stages;
  return roundedUp(8 * barriers, kLineBytes);
}

int64_t stageBytes(const KernelFacts &kernel, const TargetFacts &target,
                   const Tiling &tiling) {
  if (tiling.staging != Staging::Async)
    return 0;
  const bool byLane = target.async_copy == AsyncCopy::PerLane;
  Shape shape = shapeOf(kernel, tiling);
  int64_t stage = 0, results = 0;
  for (const BufferFacts &buffer : kernel.buffers) {
    if (buffer.extent != Extent::Tile)
      continue;
    // Lanes without columns of their own copy as well.
    int64_t bytes = byLane ? tiling.rows_per_tile * shape.elems * tiling.lanes_per_row *
                                 sizeInBytes(buffer.type)
                           : tileBytes(kernel, tiling, buffer);
    (buffer.is_output ? results : stage) += roundedUp(bytes, kLineBytes);
  }
  return stageBarrierBytes(target, tiling) + tiling.stages * stage +
         (tiling.store == Store::OwnStage ? 2 * results : 0);
}

int64_t skewBytes(const KernelFacts &kernel, const TargetFacts &target,
                  const Tiling &tiling) {
  int64_t parts = tiling.lanes_per_row / target.subgroup_size * tiling.cluster_cols;
  Shape shape = shapeOf(kernel, tiling);
  // Moments of lanes that have different numbers of columns carry them along.
  bool isEven = shape.width * tiling.cluster_cols == shape.cols &&
                shape.width == shape.elems * tiling.lanes_per_row;
  int64_t values = kernel.row_reductions + (isEven ? 0 : kernel.moments);
  return roundedUp(values * kSkewSlots * parts * sizeInBytes(kernel.accumulator), 16);
}

int64_t sumBytes(const KernelFacts &kernel, const TargetFacts &target,
                 const Tiling &tiling) {
  auto padded = [](int64_t bytes) { return roundedUp(bytes, 16); };
  int64_t acc = sizeInBytes(kernel.accumulator);
  int64_t subgroups = launchedLanes(target, tiling) / target.subgroup_size;
  int64_t parts =
      tiling.workgroup_size / std::max(tiling.lanes_per_row, target.subgroup_size);
  Shape shape = shapeOf(kernel, tiling);
  int64_t sums = 0;
  if (kernel.column_sums > 0 && parts > 1)
    sums = padded(parts * shape.elems * tiling.lanes_per_row * acc);
  if (kernel.scalar_sums > 0 && subgroups > 1)
    sums = std::max(sums, padded(subgroups * acc));
  // One workgroup of those that share rows gathers them.
  if (kernel.scalar_sums > 0 && tiling.cluster_cols > 1)
    sums = std::max(sums, padded(tiling.cluster_cols * acc));
  if (tiling.cluster_partials > 1)
    sums += kernel.column_sums * padded(shape.width * acc) +
            kernel.scalar_sums * padded(acc);
  return sums;
}

} // namespace normc::schedule::gpu
