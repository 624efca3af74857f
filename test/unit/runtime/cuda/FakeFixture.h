// What the tests with the fake driver share.
#ifndef NORMRT_TEST_FAKEFIXTURE_H
#define NORMRT_TEST_FAKEFIXTURE_H

#include "CudaTestDevice.h"
#include "FakeDriver.h"

namespace normrt::test {

/// A device of a fake driver that was reset; what a test leaves alive is a failure.
class FakeTest : public ::testing::Test {
protected:
  void SetUp() override {
    fake::reset();
    alive_ = fake::liveObjects();
  }
  void TearDown() override {
    loaded.reset();
    device.reset();
    fake::reset();
    EXPECT_EQ(fake::liveObjects(), alive_) << "objects of the driver were left";
  }

  void open(const char *name = "cuda:0") { device = openDevice(name); }
  void open(const fake::DeviceConfig &config) {
    fake::setDevices({config});
    open();
  }

  normrt_status tryLoad(const schema::PackageT &package) {
    const auto bytes = file(package);
    normrt_package *result = nullptr;
    const normrt_status status =
        normrt_package_load_memory(device.get(), bytes.data(), bytes.size(), &result);
    loaded.reset(result);
    return status;
  }
  normrt_status tryLoad(std::unique_ptr<schema::TargetT> target) {
    schema::PackageT package;
    package.targets.push_back(std::move(target));
    return tryLoad(package);
  }
  /// The test package's entries on the kernels of the fake driver.
  void loadTestPackage() {
    schema::PackageT package = testPackage();
    auto target = cudaTestTarget();
    target->entries = std::move(package.targets[0]->entries);
    package.targets[0] = std::move(target);
    ASSERT_EQ(tryLoad(package), NORMRT_STATUS_OK) << normrt_last_error_message();
  }
  /// One entry on the test kernels.
  normrt_status tryLoadEntry(std::unique_ptr<schema::EntryT> entry) {
    auto target = cudaTestTarget();
    target->entries.push_back(std::move(entry));
    return tryLoad(std::move(target));
  }
  void loadEntry(std::unique_ptr<schema::EntryT> entry) {
    ASSERT_EQ(tryLoadEntry(std::move(entry)), NORMRT_STATUS_OK)
        << normrt_last_error_message();
  }

  normrt_entry *find(const char *name) { return findEntry(loaded, name); }
  normrt_status launchOn(const char *name, std::vector<DLTensor *> tensors,
                         const normrt_launch_options *options = nullptr) {
    return normrt_entry_launch(find(name), tensors.data(), int(tensors.size()),
                               options);
  }
  static normrt_launch_options optionsOf(void *stream, void *workspace = nullptr,
                                         size_t bytes = 0) {
    return {sizeof(normrt_launch_options), stream, workspace, bytes};
  }

  DevicePtr device;
  PackagePtr loaded;

private:
  int alive_ = 0;
};

/// counts [workgroups] += 1.
inline std::unique_ptr<schema::EntryT> countEntry() {
  auto result = entry("count", 1);
  result->params.push_back(output("counts", schema::ElementType::f64, {Ex::sym(0)}, 1));
  lastVariant(*result).launches.push_back(
      launch(CountWorkgroups, Ex::sym(0), {argParam(0)}));
  return result;
}
inline schema::LaunchT &lastLaunch(schema::EntryT &entry) {
  return *lastVariant(entry).launches.back();
}

} // namespace normrt::test

#endif // NORMRT_TEST_FAKEFIXTURE_H
