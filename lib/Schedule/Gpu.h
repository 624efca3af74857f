//===- Gpu.h - What the parts of a GPU's decision share -----------------------===//
#ifndef NORMC_LIB_SCHEDULE_GPU_H
#define NORMC_LIB_SCHEDULE_GPU_H

#include "Host.h"

#include <functional>

namespace normc::schedule::gpu {

using host::ceilDiv;
using host::isPowerOfTwo;
using host::log2Ceil;

/// What the lowering of row kernels to GPUs can do. Candidates keep to it, so does
/// checkTiling; the model knows the rest of the knobs already.
struct Lowering {
  bool clusters;
  bool async_staging;
};
inline constexpr Lowering kLowering = {.clusters = true, .async_staging = true};

/// No sum down the columns has a longer chain of dependent adds.
inline constexpr int64_t kMaxChain = host::kMaxChain;
/// Dependent adds of one workgroup that leave room for a finalize's in what keeps a sum
/// in f32 within 1e-5 (host::kMaxDepthF32).
inline constexpr int64_t kMaxChainF32 = 96;
/// Elements that one lane unrolls in one batch of rows: more is code, not speed.
inline constexpr int64_t kMaxUnrolledElems = 128;
/// Bytes that every target's last variant may take without being asked.
inline constexpr int64_t kPortableSharedBytes = 48 * 1024;
/// Columns, rows and bytes that are assumed where they are dynamic.
inline constexpr int64_t kNominalCols = host::kNominalCols;
inline constexpr int64_t kNominalBytes = 256 * 1024 * 1024;
/// What a kernel waits for that reads what the one before it wrote, beside its launch:
/// 64 x 4096 in partials took 6.0 to 6.7 us, of which its first kernel has 4.
inline constexpr double kDependentNs = 900;
/// Chains of one lane of a finalize.
inline constexpr int64_t kFinalizeChains = 4;

/// What the buffers of a kernel add up to.
struct Traffic {
  int64_t tiles_in = 0, tiles_out = 0, rows_any = 0;
  /// Bytes of one element of every input tile, of every tile, of every per-column
  /// input.
  int64_t tile_in_bytes = 0, tile_bytes = 0, cols_in_bytes = 0, cols_out_bytes = 0;
  int64_t rows_bytes = 0, scalar_bytes = 0;
  /// Of a tile's elements: the narrowest and the widest type.
  int64_t narrowest = 0, widest = 0;
};
Traffic trafficOf(const KernelFacts &kernel);

/// The numbers that follow from a kernel and its tiling.
struct Shape {
  int64_t cols, width;
  /// Rows that a workgroup has side by side, and one lane's accesses and elements of
  /// one.
  int64_t groups, chunks, elems;
};
Shape shapeOf(const KernelFacts &kernel, const Tiling &tiling);

/// Whether rows can be copied asynchronously: they are multiples of 16 bytes, and in
/// one workgroup.
bool canStage(const KernelFacts &kernel, const TargetFacts &target);
/// The same for the columns that the tiling gives to one workgroup.
bool canStage(const KernelFacts &kernel, const TargetFacts &target,
              const Tiling &tiling);

/// Rows that are assumed where their number is dynamic, at least 1.
int64_t nominalRows(const KernelFacts &kernel);
/// Clusters of the tiling's size that the device runs at once, at that many workgroups
/// a compute unit.
int64_t clustersAtOnce(const TargetFacts &target, const Tiling &tiling, int64_t held);

/// Elements of the widest access that the kernel's types allow.
int64_t maxVectorElems(const KernelFacts &kernel, const TargetFacts &target);

/// 32-bit registers of a lane: those that hold tiles, sums and parameters from row to
/// row, and with what a lane needs besides.
int64_t residentRegisters(const KernelFacts &kernel, const Tiling &tiling);
int64_t registersPerLane(const KernelFacts &kernel, const TargetFacts &target,
                         const Tiling &tiling);
/// Registers that a lane may have where a compute unit holds that many workgroups.
int64_t registerLimit(const TargetFacts &target, int64_t workgroup_size,
                      int64_t workgroups_per_cu);
/// Lanes of a workgroup as it is launched: with those that copy for the others.
int64_t launchedLanes(const TargetFacts &target, const Tiling &tiling);
/// Workgroup memory of a kernel, as the lowering lays it out; of it: barriers of
/// stages, these with the stages, exchanges of a skewed loop, and what adds the sums at
/// the end.
int64_t stageBarrierBytes(const TargetFacts &target, const Tiling &tiling);
int64_t stageBytes(const KernelFacts &kernel, const TargetFacts &target,
                   const Tiling &tiling);
int64_t skewBytes(const KernelFacts &kernel, const TargetFacts &target,
                  const Tiling &tiling);
int64_t sumBytes(const KernelFacts &kernel, const TargetFacts &target,
                 const Tiling &tiling);
int64_t sharedBytes(const KernelFacts &kernel, const TargetFacts &target,
                    const Tiling &tiling);
/// Workgroups of the kernel that a compute unit holds, by the model's registers; 0:
/// none.
int64_t residentWorkgroups(const KernelFacts &kernel, const TargetFacts &target,
                           const Tiling &tiling);

/// Workgroups side by side on the rows, where it is known: the partials of a kernel
/// that writes some.
std::optional<int64_t> rowWorkgroups(const KernelFacts &kernel,
                                     const TargetFacts &target, const Tiling &tiling);
std::optional<int64_t> workgroups(const KernelFacts &kernel, const TargetFacts &target,
                                  const Tiling &tiling);

Cost costOf(const KernelFacts &kernel, const TargetFacts &target, const Tiling &tiling);

/// Of its rules, those of stages and of what else works through workgroup memory.
std::string checkStages(const KernelFacts &kernel, const TargetFacts &target,
                        const Tiling &tiling);
std::string checkTiling(const KernelFacts &kernel, const TargetFacts &target,
                        const Tiling &tiling);

/// The map from columns to lanes of a kernel without sums: a function of everything but
/// the rows.
Tiling columnMap(const KernelFacts &kernel, const TargetFacts &target);
bool sameMap(const Tiling &a, const Tiling &b);

/// Every legal tiling of the kernel as it is.
std::vector<Tiling> tilings(const KernelFacts &kernel, const TargetFacts &target);
/// Calls with each legal decision in turn, which the visitor may take.
using Visitor = std::function<void(Decision &)>;
/// Whether decisions that take at least that long are of no use any more.
using Prune = std::function<bool(double least_ns)>;
void visitCandidates(const KernelFacts &kernel, const TargetFacts &target,
                     const Visitor &visitor, const Prune &prune);

std::string boundOf(const KernelFacts &kernel, const TargetFacts &target,
                    const Decision &decision);

} // namespace normc::schedule::gpu

#endif // NORMC_LIB_SCHEDULE_GPU_H
