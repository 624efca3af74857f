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

class CudaTestDevice final : public TestDevice {
public:
  explicit CudaTestDevice(int ordinal = 0)
      : ordinal_(ordinal), name_("cuda:" + std::to_string(ordinal)),
        device_(openDevice(name_.c_str())) {}
  const char *name() const override { return name_.c_str(); }
  DLDevice dlDevice() const override { return {kDLCUDA, ordinal_}; }
  DLDevice otherDevice() const override { return {kDLCUDA, ordinal_ + 1}; }
  void *allocate(size_t bytes) override {
    void *memory = nullptr;
    EXPECT_EQ(normrt_memory_allocate(device_.get(), bytes, &memory), NORMRT_STATUS_OK)
        << normrt_last_error_message();
    return memory;
  }
  void free(void *memory) override { normrt_memory_free(device_.get(), memory); }
  void upload(void *to, const void *from, size_t bytes) override {
    EXPECT_EQ(normrt_memory_copy_to_device(device_.get(), to, from, bytes),
              NORMRT_STATUS_OK)
        << normrt_last_error_message();
  }
  void download(void *to, const void *from, size_t bytes) override {
    EXPECT_EQ(normrt_memory_copy_from_device(device_.get(), to, from, bytes),
              NORMRT_STATUS_OK)
        << normrt_last_error_message();
  }
  std::unique_ptr<schema::TargetT> target() const override { return cudaTestTarget(); }

private:
  int ordinal_;
  std::string name_;
  DevicePtr device_;
};

} // namespace normrt::test

#endif // NORMRT_TEST_CUDATESTDEVICE_H
