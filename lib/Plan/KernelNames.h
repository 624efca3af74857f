//===- KernelNames.h - Names of outlined kernels ----------------------------===//
#ifndef NORMC_LIB_PLAN_KERNELNAMES_H
#define NORMC_LIB_PLAN_KERNELNAMES_H

#include "normc/Plan/KernelAbi.h"

namespace normc::plan {

/// Whether lanes may take 16 bytes at once. Any: the lowering makes no difference.
enum class Alignment { Any, Aligned, Unaligned };

/// What a lowered kernel may assume of its arguments.
struct KernelForm {
  /// One stride walks over the rows of each buffer.
  bool collapsed = false;
  Alignment alignment = Alignment::Any;

  bool operator==(const KernelForm &) const = default;
};

/// What a profiler shows: kernel_name, the element types in order of appearance, the
/// columns ("n4096", or "n" where they are dynamic), "few" for few rows, "strided" for
/// a kernel whose outer dimensions have a stride each, and "unaligned" for one that
/// accesses single elements where another takes 16 bytes: "layer_norm_bf16_f32_n4096".
std::string kernelName(row::KernelOp kernel, const KernelForm &form);

} // namespace normc::plan

#endif // NORMC_LIB_PLAN_KERNELNAMES_H
