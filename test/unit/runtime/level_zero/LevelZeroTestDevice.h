// The Level Zero device for the launch suites: the test driver's.
#ifndef NORMRT_TEST_LEVELZEROTESTDEVICE_H
#define NORMRT_TEST_LEVELZEROTESTDEVICE_H

#include "../TestDevice.h"

#include "runtime/src/PackageHeader.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace normrt::test {

/// kDLOneAPI, which DLPack 0.6 does not have.
inline constexpr auto kOneApi = static_cast<DLDeviceType>(14);

inline std::vector<uint8_t> readBytes(const char *path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void addBlob(schema::TargetT &target, schema::BlobFormat format,
                    const std::vector<uint8_t> &bytes) {
  auto blob = std::make_unique<schema::BlobT>();
  blob->format = format;
  blob->data = bytes;
  blob->checksum = checksum(bytes.data(), bytes.size());
  target.blobs.push_back(std::move(blob));
}

/// What NORMRT_TEST_CHIP says that the device is ("pvc"), empty for none.
inline std::string testChip() {
  const char *chip = std::getenv("NORMRT_TEST_CHIP");
  return chip ? chip : "";
}

/// A target with these blobs' first one for each of the test kernels, for that chip.
inline std::unique_ptr<schema::TargetT>
levelZeroTarget(const std::vector<uint8_t> &spirv,
                const std::vector<std::string> &kernels) {
  auto target = std::make_unique<schema::TargetT>();
  target->architecture = testChip();
  target->name = target->architecture.empty() ? "spirv" : "spirv:" + testChip();
  target->backend = schema::Backend::level_zero;
  addBlob(*target, schema::BlobFormat::spirv, spirv);
  for (const std::string &name : kernels) {
    auto kernel = std::make_unique<schema::KernelT>();
    kernel->name = name;
    target->kernels.push_back(std::move(kernel));
  }
  return target;
}

class LevelZeroTestDevice final : public OpenedTestDevice {
public:
  explicit LevelZeroTestDevice(const std::string &name = "level_zero:0")
      : OpenedTestDevice(name, {kOneApi, 0}) {}
  std::unique_ptr<schema::TargetT> target() const override {
    return levelZeroTarget(readBytes(NORMRT_TEST_SPIRV), testKernelNames());
  }
  normrt_device *contextDevice() const override { return device(); }
};

} // namespace normrt::test

#endif // NORMRT_TEST_LEVELZEROTESTDEVICE_H
