//===- Host.h - What the parts of the host's decision share ------------------===//
#ifndef NORMC_LIB_SCHEDULE_HOST_H
#define NORMC_LIB_SCHEDULE_HOST_H

#include "normc/Schedule/Decision.h"

namespace normc::schedule::host {

/// Vectors of a tile that an unrolled column loop may hold: twice the 32 registers of
/// the widest level, so that at most half of them live in the first-level cache;
/// beyond, code size and spills grow and nothing is saved.
inline constexpr int64_t kMaxUnrolledValues = 64;
/// Workgroups of a finalize side by side on columns whose number is dynamic.
inline constexpr int64_t kMaxDynamicColBlocks = 64;
/// Rows that a finalize adds side by side.
inline constexpr int64_t kMaxFinalizeRows = 32;
/// No sum down the columns has a longer chain of dependent adds.
inline constexpr int64_t kMaxChain = 1024;
/// Adds in a row, block and finalize together, that keep a sum in f32 within 1e-5 of
/// the sum of its terms' magnitudes, whatever the terms: 1e-5 / 2^-24 = 167, and 7 for
/// the roundings of a term itself (Higham, Accuracy and Stability, section 4.2).
inline constexpr int64_t kMaxDepthF32 = 160;
/// Bytes of a block without sums: enough that the counter it is taken from costs
/// nothing, small enough that the last block does not keep the others waiting.
inline constexpr int64_t kMaxBlockBytes = 256 * 1024;
/// Workers that share the blocks, for the ranking alone: blocks do not depend on it.
inline constexpr double kNominalWorkers = 4;
/// Columns of one segment that a workgroup of a finalize takes at least.
inline constexpr int64_t kMinFinalizeCols = 256;
/// Bytes that a kernel with dynamic rows is assumed to move, when choices are ranked.
inline constexpr int64_t kNominalBytes = 64 * 1024 * 1024;
/// Rows, and bytes of them, up to which sums with dynamic rows keep their bound.
inline constexpr int64_t kDepthRows = 1 << 20;
inline constexpr int64_t kDepthBytes = 256 * 1024 * 1024;
/// Columns that are assumed where they are dynamic.
inline constexpr int64_t kNominalCols = 1024;

constexpr int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
constexpr int64_t log2Ceil(int64_t n) {
  int64_t bits = 0;
  while ((int64_t{1} << bits) < n)
    ++bits;
  return bits;
}
constexpr bool isPowerOfTwo(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

/// Elements of the accumulator type in one vector of the processor.
int64_t vectorLanes(const KernelFacts &kernel, const TargetFacts &target);
/// The longest vector_elems: what one vector of the processor holds of the shortest
/// type of the tiles. Such a vector is loaded and stored whole and computed in several.
int64_t longestVector(const KernelFacts &kernel, const TargetFacts &target);

/// Every sum's output has the accumulator type: it can be added to in place.
bool sumsStoreAccumulators(const KernelFacts &kernel);

/// Values that one pass over a row sums up.
int64_t sumsPerPass(const KernelFacts &kernel);
/// Input tiles of the kernel.
int64_t inputTiles(const KernelFacts &kernel);
/// Vectors of the processor, of loaded tiles, that live at once when the column loop is
/// unrolled. Absent where cols is dynamic.
std::optional<int64_t> unrolledValues(const KernelFacts &kernel,
                                      const TargetFacts &target, const Tiling &tiling);

/// Rows for which the depth of a kernel's sums is counted: its own, or the most that
/// are assumed.
int64_t depthRows(const KernelFacts &kernel, const Cost &cost);
/// Longest chain of dependent adds of a finalize of that many partials.
int64_t finalizeDepth(int64_t partials, int64_t rows_per_tile);

/// The model's vector instructions for one tile of rows, spills included.
double opsPerTile(const KernelFacts &kernel, const TargetFacts &target,
                  const Tiling &tiling);
/// Everything that the model says of one kernel.
Cost costOf(const KernelFacts &kernel, const TargetFacts &target, const Tiling &tiling);

/// The tilings of the kernel's map from columns to lanes: a function of everything but
/// the rows.
Tiling columnMap(const KernelFacts &kernel, const TargetFacts &target);

std::string checkTiling(const KernelFacts &kernel, const TargetFacts &target,
                        const Tiling &tiling);

/// Every legal tiling of the kernel as it is.
std::vector<Tiling> tilings(const KernelFacts &kernel, const TargetFacts &target);
/// Those of them that lie along the columns or across the rows as `map` does and whose
/// tile takes the fewest instructions a row, in blocks of every size.
std::vector<Tiling> fastestTile(const KernelFacts &kernel, const TargetFacts &target,
                                const Tiling &map);
std::vector<Decision> candidates(const KernelFacts &kernel, const TargetFacts &target);

/// The limit that bound a decision, as a sentence with its numbers.
std::string boundOf(const KernelFacts &kernel, const TargetFacts &target,
                    const Decision &decision);

} // namespace normc::schedule::host

#endif // NORMC_LIB_SCHEDULE_HOST_H
