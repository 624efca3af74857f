// What the launch tests share: a device, the test package, and calls with messages.
#ifndef NORMRT_TEST_LAUNCHFIXTURE_H
#define NORMRT_TEST_LAUNCHFIXTURE_H

#include "TestDevice.h"
#if defined(NORMRT_TEST_CUDA)
#include "cuda/CudaTestDevice.h"
#elif defined(NORMRT_TEST_LEVEL_ZERO)
#include "level_zero/LevelZeroTestDevice.h"
#endif

namespace normrt::test {

/// A backend under test: its name in test names, and how to make its TestDevice.
struct BackendCase {
  const char *label;
  std::unique_ptr<TestDevice> (*make)();
};

inline void PrintTo(const BackendCase &backend, std::ostream *stream) {
  *stream << backend.label;
}

inline std::string labelOf(const ::testing::TestParamInfo<BackendCase> &info) {
  return info.param.label;
}

class LaunchTest : public ::testing::TestWithParam<BackendCase> {
protected:
  void SetUp() override {
    memory = GetParam().make();
    if (normrt_device *shared = memory->contextDevice()) {
      normrt_device_retain(shared);
      device.reset(shared);
    } else {
      device = openDevice(memory->name());
    }
    ASSERT_NE(device, nullptr);
    load(testPackage());
  }

  /// Replaces the package under test by one with these entries on the device's target.
  void load(schema::PackageT package) {
    auto target = memory->target();
    target->entries = std::move(package.targets[0]->entries);
    package.targets[0] = std::move(target);
    loaded = loadPackage(device.get(), package);
  }
  void loadEntry(std::unique_ptr<schema::EntryT> entry) {
    schema::PackageT package;
    package.targets.push_back(memory->target());
    package.targets[0]->entries.push_back(std::move(entry));
    load(std::move(package));
  }

  normrt_entry *find(const char *name) { return findEntry(loaded, name); }

  normrt_status launchOn(const char *name, std::vector<DLTensor *> tensors,
                         const normrt_launch_options *options = nullptr) {
    return normrt_entry_launch(find(name), tensors.data(), int(tensors.size()),
                               options);
  }

  static normrt_launch_options withWorkspace(void *workspace, size_t bytes) {
    return {sizeof(normrt_launch_options), nullptr, workspace, bytes};
  }

  std::unique_ptr<TestDevice> memory;
  DevicePtr device;
  PackagePtr loaded;
};

/// Every backend of this executable.
inline auto allBackends() {
#if defined(NORMRT_TEST_CUDA)
  return ::testing::Values(BackendCase{"Cuda", []() -> std::unique_ptr<TestDevice> {
                                         return std::make_unique<CudaTestDevice>();
                                       }});
#elif defined(NORMRT_TEST_LEVEL_ZERO)
  return ::testing::Values(
      BackendCase{"LevelZero", []() -> std::unique_ptr<TestDevice> {
                    return std::make_unique<LevelZeroTestDevice>();
                  }});
#else
  return ::testing::Values(
      BackendCase{"Host1",
                  []() -> std::unique_ptr<TestDevice> {
                    return std::make_unique<HostTestDevice>("host:1");
                  }},
      BackendCase{"Host",
                  []() -> std::unique_ptr<TestDevice> {
                    return std::make_unique<HostTestDevice>("host");
                  }},
      BackendCase{"Host4", []() -> std::unique_ptr<TestDevice> {
                    return std::make_unique<HostTestDevice>("host:4");
                  }});
#endif
}

} // namespace normrt::test

#endif // NORMRT_TEST_LAUNCHFIXTURE_H
