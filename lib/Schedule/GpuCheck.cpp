//===- GpuCheck.cpp - What a tiling must keep to on a GPU --------------------===//
#include "Gpu.h"

#include "Expected.h"

namespace normc::schedule::gpu {

namespace {

/// One rule after the other; the first that is broken is the answer.
class Checker {
public:
  Checker(const KernelFacts &kernel, const TargetFacts &target, const Tiling &tiling)
      : kernel(kernel), target(target), tiling(tiling) {}

  std::string check() {
    for (auto rule : {&Checker::lowering, &Checker::workgroup, &Checker::lanesPerRow,
                      &Checker::vector, &Checker::occupancy, &Checker::cluster})
      if (std::string broken = (this->*rule)(); !broken.empty())
        return broken;
    if (kernel.is_finalize)
      return finalize();
    for (auto rule : {&Checker::rowsPerTile, &Checker::colBlocks, &Checker::residency,
                      &Checker::staging, &Checker::sums, &Checker::chain,
                      &Checker::registers, &Checker::shared})
      if (std::string broken = (this->*rule)(); !broken.empty())
        return broken;
    return {};
  }

private:
  /// Knobs that no lowering to GPUs takes, each with the one value that it has.
  std::string lowering() {
    if (tiling.staging == Staging::Direct && tiling.stages != 0)
      return expected("stages to be 0", "staging is direct", tiling.stages);
    if (tiling.vectors_in_flight != 1)
      return expected("vectors_in_flight to be 1",
                      "a lane adds the accesses of a row in one chain",
                      tiling.vectors_in_flight);
    return {};
  }

  /// Workgroups that share rows.
  std::string cluster() {
    int64_t size = tiling.cluster_cols, most = target.max_cluster_size;
    if (size == 1)
      return {};
    if (size < 1 || size > most)
      return expected("cluster_cols to be at least 1 and at most " + num(most),
                      most > 1 ? "a cluster of " + target.name + " has " + num(most) +
                                     " workgroups at most"
                               : target.name + " has no clusters",
                      size);
    if (kernel.is_finalize)
      return expected("cluster_cols to be 1",
                      "a workgroup of a finalize adds all partials of its columns",
                      size);
    if (tiling.col_blocks != 1)
      return expected("col_blocks to be 1", "the workgroups of a cluster share a row",
                      tiling.col_blocks);
    if (tiling.lanes_per_row < size)
      return expected("lanes_per_row to be at least cluster_cols (" + num(size) + ")",
                      "one lane of a row writes to each workgroup of the cluster",
                      tiling.lanes_per_row);
    if (tiling.cluster_partials > 1 && kernel.scalar_sums > 0)
      return expected("cluster_partials to be 1",
                      "a sum to a scalar is added over the workgroups that share a row",
                      tiling.cluster_partials);
    int64_t width = shapeOf(kernel, tiling).width;
    if (kernel.cols && (size - 1) * width >= *kernel.cols)
      return expected(
          "cluster_cols to be at most " + num(ceilDiv(*kernel.cols, width)),
          num(*kernel.cols) + " columns are that many parts of " + num(width), size);
    return {};
  }

  std::string workgroup() {
    int64_t lanes = tiling.workgroup_size;
    if (lanes > 0 && lanes % target.subgroup_size == 0 &&
        lanes <= target.max_workgroup_size)
      return {};
    return expected("workgroup_size to be a multiple of " + num(target.subgroup_size) +
                        " and at most " + num(target.max_workgroup_size),
                    "a workgroup of " + target.name + " is whole subgroups", lanes);
  }

  std::string lanesPerRow() {
    int64_t lanes = tiling.lanes_per_row;
    bool fits = lanes > 0 && tiling.workgroup_size % lanes == 0 &&
                (lanes <= target.subgroup_size ? isPowerOfTwo(lanes)
                                               : lanes % target.subgroup_size == 0);
    if (fits)
      return {};
    return expected("lanes_per_row to be a power of two up to " +
                        num(target.subgroup_size) +
                        " or a multiple of it, and to "
                        "divide workgroup_size (" +
                        num(tiling.workgroup_size) + ")",
                    "a row is part of a subgroup or whole ones", lanes);
  }

  std::string vector() {
    int64_t most = kernel.is_finalize ? 1 : maxVectorElems(kernel, target);
    if (isPowerOfTwo(tiling.vector_elems) && tiling.vector_elems <= most)
      return {};
    return expected("vector_elems to be a power of two at most " + num(most),
                    kernel.is_finalize
                        ? "a lane of a finalize has one column"
                        : "a lane accesses " + num(target.max_access_bytes) +
                              " bytes of the narrowest tile at most",
                    tiling.vector_elems);
  }

  std::string occupancy() {
    int64_t count = tiling.min_workgroups_per_cu;
    int64_t most = std::min(target.max_lanes_per_cu / tiling.workgroup_size,
                            target.max_workgroups_per_cu);
    if (count >= 0 && count <= std::max<int64_t>(most, 1))
      return {};
    return expected("min_workgroups_per_cu to be at most " + num(most),
                    "a compute unit of " + target.name + " holds " +
                        num(target.max_lanes_per_cu) + " lanes and " +
                        num(target.max_workgroups_per_cu) + " workgroups",
                    count);
  }

  std::string staging() { return checkStages(kernel, target, tiling); }

  std::string finalize() {
    if (tiling.staging != Staging::Direct || tiling.cluster_partials != 1)
      return expected("staging to be direct and cluster_partials to be 1",
                      "partials are read as they are",
                      std::string(toString(tiling.staging)) + " and " +
                          num(tiling.cluster_partials));
    if (tiling.col_blocks != 1)
      return expected("col_blocks to be 1",
                      "the grid of a finalize follows from its columns and "
                      "lanes_per_row",
                      tiling.col_blocks);
    if (tiling.rows_per_workgroup != 0)
      return expected("rows_per_workgroup to be 0",
                      "a workgroup of a finalize adds all partials of its columns",
                      tiling.rows_per_workgroup);
    return shared();
  }

  std::string rowsPerTile() {
    int64_t groups = tiling.workgroup_size / tiling.lanes_per_row;
    if (tiling.rows_per_tile < 1 || tiling.rows_per_tile % groups != 0)
      return expected("rows_per_tile to be a multiple of " + num(groups),
                      "workgroup_size / lanes_per_row rows are side by side",
                      tiling.rows_per_tile);
    int64_t most = tiling.rows_per_tile / groups;
    if (tiling.rows_in_flight < 1 || tiling.rows_in_flight > most)
      return expected("rows_in_flight to be at least 1 and at most " + num(most),
                      "a tile has that many rows for each group of lanes",
                      tiling.rows_in_flight);
    return {};
  }

  std::string colBlocks() {
    int64_t blocks = tiling.col_blocks;
    if (blocks == 1)
      return {};
    if (kernel.row_reductions > 0)
      return expected("col_blocks to be 1", "a row reduction crosses the blocks",
                      blocks);
    if (kernel.scalar_sums > 0)
      return expected("col_blocks to be 1", "a sum to a scalar crosses the blocks",
                      blocks);
    // 0: as many as cover the columns.
    int64_t most = kernel.cols ? ceilDiv(*kernel.cols, tiling.vector_elems) : 0;
    if (blocks >= 0 && blocks <= most)
      return {};
    return expected("col_blocks to be at least 0 and at most " + num(most),
                    kernel.cols ? num(*kernel.cols) + " columns are that many accesses"
                                : "the columns are dynamic",
                    blocks);
  }

  std::string residency() {
    if (tiling.residency == Residency::Reload) {
      if (kernel.column_sums > 0)
        return expected("residency to be registers",
                        "sums down the columns stay in registers", "reload");
      return {};
    }
    if (kernel.cols || tiling.col_blocks == 0)
      return {};
    return expected("residency to be reload, or col_blocks to be 0",
                    "the columns are dynamic", toString(tiling.residency));
  }

  /// Sums stay in registers from tile to tile; whoever stores them sees every row.
  std::string sums() {
    if (!kernel.hasSums())
      return {};
    if (tiling.loop != Loop::Persistent)
      return expected("loop to be persistent",
                      "sums down the columns stay in registers from tile to tile",
                      toString(tiling.loop));
    if (kernel.writesPartials()) {
      if (tiling.min_workgroups_per_cu >= 1)
        return {};
      return expected("min_workgroups_per_cu to be at least 1",
                      "so many workgroups a compute unit write partials",
                      tiling.min_workgroups_per_cu);
    }
    if (!kernel.mostRows())
      return expected("a static number of rows, or sums split by "
                      "row-split-column-reduction",
                      "one workgroup must see every row to store the sums itself",
                      "dynamic rows");
    if (tiling.rows_per_workgroup == 0 ||
        *kernel.mostRows() <= tiling.rows_per_workgroup)
      return {};
    return expected("at most " + num(tiling.rows_per_workgroup) +
                        " rows (rows_per_workgroup), or sums split by "
                        "row-split-column-reduction",
                    "one workgroup must see every row to store the sums itself",
                    num(*kernel.mostRows()) + " rows");
  }

  std::string chain() {
    int64_t rows = tiling.rows_per_workgroup;
    if (rows < 0 || rows % tiling.rows_per_tile != 0)
      return expected("rows_per_workgroup to be 0 or a multiple of rows_per_tile (" +
                          num(tiling.rows_per_tile) + ")",
                      "a workgroup takes whole tiles", rows);
    if (!kernel.hasSums()) {
      if (rows == 0)
        return {};
      return expected("rows_per_workgroup to be 0",
                      "without sums the grid alone bounds a workgroup's rows", rows);
    }
    int64_t groups = tiling.workgroup_size / tiling.lanes_per_row;
    if (rows > 0 && rows / groups <= kMaxChain)
      return {};
    return expected("rows_per_workgroup to be at least " + num(tiling.rows_per_tile) +
                        " and at most " + num(groups * kMaxChain),
                    "no sum down the columns has more than " + num(kMaxChain) +
                        " dependent adds, one a row of a group of lanes",
                    rows);
  }

  std::string registers() {
    int64_t limit = registerLimit(target, launchedLanes(target, tiling),
                                  tiling.min_workgroups_per_cu);
    int64_t needed = residentRegisters(kernel, tiling);
    if (needed <= limit)
      return {};
    return expected("at most " + num(limit) +
                        " registers a lane for tiles, sums and "
                        "parameters",
                    "a compute unit of " + target.name + " has " +
                        num(target.registers_per_cu) + " for " +
                        num(std::max<int64_t>(tiling.min_workgroups_per_cu, 1)) +
                        " workgroups of " + num(tiling.workgroup_size) + " lanes",
                    needed);
  }

  std::string shared() {
    int64_t bytes = sharedBytes(kernel, target, tiling);
    if (bytes <= target.shared_bytes_per_workgroup)
      return {};
    return expected("at most " + num(target.shared_bytes_per_workgroup) +
                        " bytes of workgroup memory",
                    "that is the limit of " + target.name, bytes);
  }

  const KernelFacts &kernel;
  const TargetFacts &target;
  const Tiling &tiling;
};

} // namespace

std::string checkTiling(const KernelFacts &kernel, const TargetFacts &target,
                        const Tiling &tiling) {
  return Checker(kernel, target, tiling).check();
}

} // namespace normc::schedule::gpu
