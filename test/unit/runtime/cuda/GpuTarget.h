// Kernels for a GPU of compute capability 9.0 or newer.
#ifndef NORMRT_TEST_GPUTARGET_H
#define NORMRT_TEST_GPUTARGET_H

#include "CudaTestDevice.h"

namespace normrt::test {

/// Indices of CudaKernels90.c's kernels.
enum GpuKernel { ClusterRanks, SumShared, WriteSlowly, AddOneDependent, Fault };

/// CudaKernels90.c, without entries.
std::unique_ptr<schema::TargetT> gpuTarget90();

} // namespace normrt::test

#endif // NORMRT_TEST_GPUTARGET_H
