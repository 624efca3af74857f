// The device under test and its memory, so that one suite runs on every backend.
#ifndef NORMRT_TEST_TESTDEVICE_H
#define NORMRT_TEST_TESTDEVICE_H

#include "PackageBuilder.h"

#include "runtime/include/normrt.h"

#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace normrt::test {

/// What a backend gives the suite. A backend that is added implements this and joins
/// the instantiation in LaunchContractTest.cpp.
class TestDevice {
public:
  virtual ~TestDevice() = default;
  virtual const char *name() const = 0;
  virtual DLDevice dlDevice() const = 0;
  /// A device that is not this one.
  virtual DLDevice otherDevice() const = 0;
  virtual void *allocate(size_t bytes) = 0;
  virtual void free(void *memory) = 0;
  virtual void upload(void *to, const void *from, size_t bytes) = 0;
  virtual void download(void *to, const void *from, size_t bytes) = 0;
  /// The target with the test kernels in this backend's format, without entries.
  virtual std::unique_ptr<schema::TargetT> target() const = 0;
  /// The open device whose context the memory is of; null where any device of the name
  /// shares it.
  virtual normrt_device *contextDevice() const { return nullptr; }
};

class HostTestDevice final : public TestDevice {
public:
  explicit HostTestDevice(const char *name) : name_(name) {}
  const char *name() const override { return name_; }
  DLDevice dlDevice() const override { return {kDLCPU, 0}; }
  DLDevice otherDevice() const override { return {kDLCUDA, 0}; }
  void *allocate(size_t bytes) override {
    return std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  }
  void free(void *memory) override { std::free(memory); }
  void upload(void *to, const void *from, size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  void download(void *to, const void *from, size_t bytes) override {
    std::memcpy(to, from, bytes);
  }
  std::unique_ptr<schema::TargetT> target() const override {
    return hostTarget(testKernels(), testKernelNames());
  }

private:
  const char *name_;
};

/// A tensor in memory of its own with guard bytes on both sides.
class Tensor {
public:
  static constexpr size_t kGuard = 256;
  static constexpr unsigned char kGuardByte = 0xa5;

  Tensor(TestDevice &device, DLDataType type, std::vector<int64_t> shape,
         std::vector<int64_t> strides = {}, size_t elements = 0, size_t offset = 0)
      : device_(device), shape_(std::move(shape)), strides_(std::move(strides)) {
    size_t count = 1;
    for (int64_t size : shape_)
      count *= size_t(size < 0 ? 0 : size);
    bytes_ = (elements ? elements : count) * (type.bits / 8);
    memory_ = static_cast<unsigned char *>(device.allocate(bytes_ + 2 * kGuard + 256));
    const std::vector<unsigned char> fill(bytes_ + 2 * kGuard, kGuardByte);
    device.upload(memory_, fill.data(), fill.size());
    tensor_ = {memory_ + kGuard,
               device.dlDevice(),
               int(shape_.size()),
               type,
               shape_.data(),
               strides_.empty() ? nullptr : strides_.data(),
               offset};
  }
  ~Tensor() { device_.free(memory_); }
  Tensor(const Tensor &) = delete;
  Tensor &operator=(const Tensor &) = delete;

  DLTensor *get() { return &tensor_; }
  DLTensor *operator->() { return &tensor_; }
  std::vector<int64_t> &shape() { return shape_; }

  template <class T> void fill(const std::vector<T> &values) {
    device_.upload(memory_ + kGuard, values.data(), values.size() * sizeof(T));
  }
  template <class T> std::vector<T> values() const {
    std::vector<T> result(bytes_ / sizeof(T));
    device_.download(result.data(), memory_ + kGuard, result.size() * sizeof(T));
    return result;
  }
  /// Whether all bytes from `begin` on, guards included, are as they were made.
  bool untouched(size_t begin = 0) const {
    std::vector<unsigned char> all(bytes_ + 2 * kGuard);
    device_.download(all.data(), memory_, all.size());
    for (size_t i = 0; i < all.size(); ++i)
      if ((i < kGuard || i >= kGuard + begin) && all[i] != kGuardByte)
        return false;
    return true;
  }
  bool guardsUntouched() const { return untouched(bytes_); }

private:
  TestDevice &device_;
  std::vector<int64_t> shape_, strides_;
  size_t bytes_;
  unsigned char *memory_;
  DLTensor tensor_;
};

inline constexpr DLDataType kF16{kDLFloat, 16, 1}, kBF16{kDLBfloat, 16, 1},
    kF32{kDLFloat, 32, 1}, kF64{kDLFloat, 64, 1};

struct DeviceRelease {
  void operator()(normrt_device *device) const { normrt_device_release(device); }
};
struct PackageRelease {
  void operator()(normrt_package *package) const { normrt_package_release(package); }
};
using DevicePtr = std::unique_ptr<normrt_device, DeviceRelease>;
using PackagePtr = std::unique_ptr<normrt_package, PackageRelease>;

inline DevicePtr openDevice(const char *name) {
  normrt_device *device = nullptr;
  EXPECT_EQ(normrt_device_open(name, &device), NORMRT_STATUS_OK)
      << normrt_last_error_message();
  return DevicePtr(device);
}

/// An entry of a package that has it.
inline normrt_entry *findEntry(const PackagePtr &package, const char *name) {
  normrt_entry *entry = nullptr;
  EXPECT_EQ(normrt_package_find_entry(package.get(), name, &entry), NORMRT_STATUS_OK)
      << normrt_last_error_message();
  return entry;
}

inline PackagePtr loadPackage(normrt_device *device, const schema::PackageT &package) {
  const auto bytes = file(package);
  normrt_package *loaded = nullptr;
  EXPECT_EQ(normrt_package_load_memory(device, bytes.data(), bytes.size(), &loaded),
            NORMRT_STATUS_OK)
      << normrt_last_error_message();
  return PackagePtr(loaded);
}

/// A device whose memory the runtime allocates and copies.
class OpenedTestDevice : public TestDevice {
public:
  OpenedTestDevice(std::string name, DLDevice dlDevice)
      : name_(std::move(name)), dlDevice_(dlDevice),
        device_(openDevice(name_.c_str())) {}
  const char *name() const override { return name_.c_str(); }
  DLDevice dlDevice() const override { return dlDevice_; }
  DLDevice otherDevice() const override {
    return {dlDevice_.device_type, dlDevice_.device_id + 1};
  }
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
  /// The device that tensors of this memory are launched on.
  normrt_device *device() const { return device_.get(); }

private:
  std::string name_;
  DLDevice dlDevice_;
  DevicePtr device_;
};

/// The status and, where it is a failure, a part of the message.
inline ::testing::AssertionResult
failsWith(normrt_status actual, normrt_status expected, const std::string &part) {
  if (actual != expected)
    return ::testing::AssertionFailure()
           << "expected " << normrt_status_name(expected) << ", but got "
           << normrt_status_name(actual) << " (" << normrt_last_error_message() << ")";
  const std::string message = normrt_last_error_message();
  if (message.find(part) == std::string::npos)
    return ::testing::AssertionFailure() << "expected a message with \"" << part
                                         << "\", but got \"" << message << "\"";
  return ::testing::AssertionSuccess();
}

} // namespace normrt::test

#endif // NORMRT_TEST_TESTDEVICE_H
