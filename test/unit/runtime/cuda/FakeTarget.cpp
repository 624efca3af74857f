// The test kernels for the fake driver.
#include "CudaTestDevice.h"

namespace normrt::test {

std::unique_ptr<schema::TargetT> cudaTestTarget() {
  // testKernels() is FakeKernels.c here.
  return cudaTarget("sm_90", schema::BlobFormat::cubin, testKernels(),
                    testKernelNames());
}

} // namespace normrt::test
