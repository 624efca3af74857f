//===- KernelNames.h - Names of outlined kernels ----------------------------===//
#ifndef NORMC_LIB_PLAN_KERNELNAMES_H
#define NORMC_LIB_PLAN_KERNELNAMES_H

#include "dialects/row/Row.h"

namespace normc::plan {

/// What a profiler shows: kernel_name, the element types in order of appearance, the
/// columns ("n4096", or "n" where they are dynamic), and "strided" for a kernel whose
/// outer dimensions have a stride each: "layer_norm_bf16_f32_n4096".
std::string kernelName(row::KernelOp kernel, bool collapsed);

} // namespace normc::plan

#endif // NORMC_LIB_PLAN_KERNELNAMES_H
