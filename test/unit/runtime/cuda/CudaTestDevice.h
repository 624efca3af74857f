// CUDA devices for the launch suites: the fake driver's, or a GPU's.
#ifndef NORMRT_TEST_CUDATESTDEVICE_H
#define NORMRT_TEST_CUDATESTDEVICE_H

#include "../TestDevice.h"

namespace normrt::test {

/// A CUDA target with no entries, one blob and a kernel for each name.
std::unique_ptr<schema::TargetT> cudaTarget(const std::string &architecture,
                                            schema::BlobFormat format,
                                            const std::vector<uint8_t> &blob,
                                            const std::vector<std::string> &kernels);

/// Adds a blob to a target.
void addBlob(schema::TargetT &target, schema::BlobFormat format,
             const std::string &architecture, const std::vector<uint8_t> &bytes);

/// The test kernels in the form that this executable's driver loads: FakeTarget.cpp or
/// GpuTarget.cpp.
std::unique_ptr<schema::TargetT> cudaTestTarget();

class CudaTestDevice final : public OpenedTestDevice {
public:
  explicit CudaTestDevice(int ordinal = 0)
      : OpenedTestDevice("cuda:" + std::to_string(ordinal), {kDLCUDA, ordinal}) {}
  std::unique_ptr<schema::TargetT> target() const override { return cudaTestTarget(); }
};

} // namespace normrt::test

#endif // NORMRT_TEST_CUDATESTDEVICE_H
