//===- CheckTiling.cpp - What a tiling must keep to --------------------------===//
#include "Gpu.h"

#include "Expected.h"

namespace normc::schedule {
namespace host {

namespace {

/// One rule after the other; the first that is broken is the answer.
class Checker {
public:
  Checker(const KernelFacts &kernel, const TargetFacts &target, const Tiling &tiling)
      : kernel(kernel), target(target), tiling(tiling),
        lanes(vectorLanes(kernel, target)) {}

  std::string check() {
    for (auto rule :
         {&Checker::gpuKnobs, &Checker::vector, &Checker::lanesPerRow,
          &Checker::rowsPerTile, &Checker::vectorsInFlight, &Checker::colBlocks,
          &Checker::residency, &Checker::rowsPerWorkgroup, &Checker::chain})
      if (std::string broken = (this->*rule)(); !broken.empty())
        return broken;
    return {};
  }

private:
  /// Knobs of what a host does not have.
  std::string gpuKnobs() {
    struct {
      std::string_view name;
      int64_t value, only;
    } knobs[] = {{"cluster_cols", tiling.cluster_cols, 1},
                 {"cluster_partials", tiling.cluster_partials, 1},
                 {"min_workgroups_per_cu", tiling.min_workgroups_per_cu, 0},
                 {"rows_in_flight", tiling.rows_in_flight, 1},
                 {"stages", tiling.stages, 0},
                 {"skew", tiling.skew, 0}};
    for (auto knob : knobs)
      if (knob.value != knob.only)
        return expected(std::string(knob.name) + " to be " + num(knob.only),
                        "a workgroup of the host is one worker that has neither a "
                        "cluster nor a pipeline",
                        knob.value);
    if (tiling.staging != Staging::Direct)
      return expected("staging to be direct", "the host has no asynchronous copies",
                      toString(tiling.staging));
    if (tiling.store != Store::Direct)
      return expected("store to be direct", "the host has no stages to store from",
                      toString(tiling.store));
    if (tiling.loop != Loop::Persistent)
      return expected("loop to be persistent",
                      "a worker takes the tiles of its block "
                      "one after the other",
                      toString(tiling.loop));
    return {};
  }

  std::string vector() {
    int64_t most = longestVector(kernel, target);
    if (!isPowerOfTwo(tiling.vector_elems) || tiling.vector_elems > most)
      return expected("vector_elems to be a power of two at most " + num(most),
                      "a vector of " + std::string(target.name) + " has " + num(lanes) +
                          " lanes of " + std::string(toString(kernel.accumulator)) +
                          (most > lanes ? " or " + num(most) + " of the shortest tile"
                                        : std::string()),
                      tiling.vector_elems);
    if (tiling.workgroup_size != tiling.vector_elems)
      return expected(
          "workgroup_size to be vector_elems (" + num(tiling.vector_elems) + ")",
          "a workgroup of the host has the lanes of one vector", tiling.workgroup_size);
    return {};
  }

  std::string lanesPerRow() {
    bool across_rows = tiling.lanes_per_row == 1;
    if (!across_rows && tiling.lanes_per_row != tiling.vector_elems)
      return expected("lanes_per_row to be 1 or vector_elems (" +
                          num(tiling.vector_elems) + ")",
                      "vectors of the host lie along the columns or across the rows",
                      tiling.lanes_per_row);
    if (!across_rows || tiling.vector_elems == 1)
      return {};
    if (kernel.is_finalize)
      return expected("lanes_per_row to be vector_elems (" + num(tiling.vector_elems) +
                          ")",
                      "a finalize adds along the columns", 1);
    if (!kernel.cols)
      return expected("lanes_per_row to be vector_elems (" + num(tiling.vector_elems) +
                          ")",
                      "vectors across the rows need a static number of columns", 1);
    return {};
  }

  std::string rowsPerTile() {
    int64_t rows = tiling.rows_per_tile;
    if (kernel.is_finalize) {
      if (isPowerOfTwo(rows) && rows <= kMaxFinalizeRows)
        return {};
      return expected("rows_per_tile to be a power of two at most " +
                          num(kMaxFinalizeRows),
                      "a finalize adds that many partials side by side", rows);
    }
    if (tiling.lanes_per_row == 1 && tiling.vector_elems > 1) {
      if (tiling.vector_elems > lanes)
        return expected("vector_elems to be at most " + num(lanes),
                        "every lane of a vector of the processor has a row",
                        tiling.vector_elems);
      if (rows == tiling.vector_elems)
        return {};
      return expected("rows_per_tile to be vector_elems (" + num(tiling.vector_elems) +
                          ")",
                      "every lane has a row of its own", rows);
    }
    if (isPowerOfTwo(rows) && rows <= std::min(lanes, tiling.vector_elems))
      return {};
    return expected("rows_per_tile to be a power of two at most " + num(lanes),
                    "the rows of a tile are reduced together, by a tree over the " +
                        num(lanes) + " lanes of a vector",
                    rows);
  }

  std::string vectorsInFlight() {
    int64_t vectors = tiling.vectors_in_flight;
    int64_t most = tiling.lanes_per_row == 1 && tiling.vector_elems > 1 ? 1 : 8;
    if (isPowerOfTwo(vectors) && vectors <= most)
      return {};
    return expected("vectors_in_flight to be a power of two at most " + num(most),
                    most == 1 ? "with a lane a row there is one value a column"
                              : "each has an accumulator of its own in registers",
                    vectors);
  }

  std::string colBlocks() {
    int64_t blocks = tiling.col_blocks;
    if (blocks == 1)
      return {};
    if (!kernel.is_finalize)
      return expected("col_blocks to be 1",
                      "the host blocks the columns of a finalize "
                      "alone",
                      blocks);
    // Columns that are not there leave a block empty.
    int64_t most =
        kernel.cols ? ceilDiv(*kernel.cols, tiling.vector_elems) : kMaxDynamicColBlocks;
    if (blocks >= 1 && blocks <= most)
      return {};
    return expected("col_blocks to be at least 1 and at most " + num(most),
                    kernel.cols
                        ? num(*kernel.cols) + " columns are " + num(most) + " vectors"
                        : "there may be as few columns as one",
                    blocks);
  }

  std::string residency() {
    if (tiling.residency == Residency::Shared)
      return expected("residency to be registers or reload",
                      "the host has no workgroup memory", "shared");
    if (tiling.residency == Residency::Reload) {
      if (tiling.lanes_per_row == 1 && tiling.vector_elems > 1)
        return expected("residency to be registers",
                        "with a lane a row the columns are unrolled", "reload");
      return {};
    }
    std::optional<int64_t> values = unrolledValues(kernel, target, tiling);
    if (kernel.is_finalize || !values)
      return expected("residency to be reload",
                      kernel.is_finalize ? "a finalize has one phase"
                                         : "only static columns can be unrolled",
                      "registers");
    if (*values <= kMaxUnrolledValues)
      return {};
    return expected("residency to be reload",
                    "a tile of " + num(tiling.rows_per_tile) + " rows of " +
                        num(*kernel.cols) + " columns has " + num(*values) +
                        " vectors, and at most " + num(kMaxUnrolledValues) +
                        " are unrolled",
                    "registers");
  }

  std::string rowsPerWorkgroup() {
    int64_t rows = tiling.rows_per_workgroup;
    if (kernel.is_finalize) {
      if (rows == 0)
        return {};
      return expected("rows_per_workgroup to be 0",
                      "each workgroup of a finalize adds all partials", rows);
    }
    if (rows >= tiling.rows_per_tile && rows % tiling.rows_per_tile == 0)
      return {};
    return expected("rows_per_workgroup to be a positive multiple of rows_per_tile (" +
                        num(tiling.rows_per_tile) + ")",
                    "a block is a number of whole tiles", rows);
  }

  /// Sums down the columns: how long a chain may be, and who sees all rows.
  std::string chain() {
    if (kernel.is_finalize || !kernel.hasSums())
      return {};
    int64_t most = kMaxChain * tiling.rows_per_tile;
    if (tiling.rows_per_workgroup > most)
      return expected("rows_per_workgroup to be at most " + num(most),
                      "no sum may have a chain of more than " + num(kMaxChain) +
                          " dependent adds, one a tile",
                      tiling.rows_per_workgroup);
    if (kernel.writesPartials())
      return {};
    std::optional<int64_t> rows = kernel.mostRows();
    if (!rows)
      return expected("a static number of rows, or sums split by "
                      "row-split-column-reduction",
                      "one workgroup must see every row to store the sums itself",
                      "dynamic rows");
    if (*rows >= 1 && *rows <= tiling.rows_per_workgroup)
      return directResidency();
    return expected("1 to " + num(tiling.rows_per_workgroup) +
                        " rows (rows_per_workgroup), or sums split by "
                        "row-split-column-reduction",
                    "one workgroup must see every row to store the sums itself",
                    num(*rows) + " rows");
  }

  /// A loop over columns adds to the sums where they are stored.
  std::string directResidency() {
    if (tiling.residency == Residency::Registers || sumsStoreAccumulators(kernel))
      return {};
    return expected("residency to be registers, or sums split by "
                    "row-split-column-reduction",
                    "a loop over the columns adds to the sums in memory, and an output "
                    "that is not " +
                        std::string(toString(kernel.accumulator)) +
                        " would round every one of them",
                    "reload");
  }

  const KernelFacts &kernel;
  const TargetFacts &target;
  const Tiling &tiling;
  int64_t lanes;
};

} // namespace

std::string checkTiling(const KernelFacts &kernel, const TargetFacts &target,
                        const Tiling &tiling) {
  return Checker(kernel, target, tiling).check();
}

} // namespace host

std::string checkTiling(const KernelFacts &kernel, const TargetFacts &target,
                        const Tiling &tiling) {
  if (target.backend != Backend::Host)
    return gpu::checkTiling(kernel, target, tiling);
  return host::checkTiling(kernel, target, tiling);
}

} // namespace normc::schedule
