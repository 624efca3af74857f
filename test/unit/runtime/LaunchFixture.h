// What the launch tests share: a device, the test package, and calls with messages.
#ifndef NORMRT_TEST_LAUNCHFIXTURE_H
#define NORMRT_TEST_LAUNCHFIXTURE_H

#include "OpenPackage.h"
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

class LaunchTest : public ::testing::TestWithParam<BackendCase>, protected OpenPackage {
protected:
  void SetUp() override {
    memory = GetParam().make();
    device = openDevice(memory->name());
    ASSERT_NE(device, nullptr);
    loadTestPackage(memory->target());
  }

  void loadEntry(std::unique_ptr<schema::EntryT> entry) {
    ASSERT_EQ(tryLoadEntry(memory->target(), std::move(entry)), NORMRT_STATUS_OK)
        << normrt_last_error_message();
  }

  std::unique_ptr<TestDevice> memory;
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
