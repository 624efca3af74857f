//===- GpuNamed.h - Mappings that others have shown to pay --------------------===//
#ifndef NORMC_LIB_SCHEDULE_GPUNAMED_H
#define NORMC_LIB_SCHEDULE_GPUNAMED_H

#include "Gpu.h"

namespace normc::schedule::gpu {

/// linkedin/Liger-Kernel pull request 1617, and intel/torch-xpu-ops pull request 1880.
inline constexpr std::string_view kName1617 = "Liger-Kernel 1617";
inline constexpr std::string_view kName1880 = "torch-xpu-ops 1880";

/// 1617, forward: rows of at most 256 columns as tiles of up to 4,096 elements, wider
/// ones one a workgroup. Backward: the same tiles, at most 4 persistent workgroups a
/// compute unit. Nothing where a lane's registers cannot hold its part.
std::optional<Tiling> forward1617(const KernelFacts &kernel, const TargetFacts &target);
std::optional<Tiling> backward1617(const KernelFacts &kernel,
                                   const TargetFacts &target);

/// 1880: tiles of rows x 32 columns; two stages where one workgroup for each 32 columns
/// fills less than half of the device's threads and rows are far more than columns.
struct Named1880 {
  Tiling tiling;
  bool two_stages;
};
std::optional<Named1880> columns1880(const KernelFacts &kernel,
                                     const TargetFacts &target);

} // namespace normc::schedule::gpu

#endif // NORMC_LIB_SCHEDULE_GPUNAMED_H
