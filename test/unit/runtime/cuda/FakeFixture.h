// What the tests with the fake driver share.
#ifndef NORMRT_TEST_FAKEFIXTURE_H
#define NORMRT_TEST_FAKEFIXTURE_H

#include "../OpenPackage.h"
#include "CudaTestDevice.h"
#include "FakeDriver.h"

namespace normrt::test {

/// A device of a fake driver that was reset; what a test leaves alive is a failure.
class FakeTest : public ::testing::Test, protected OpenPackage {
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

  void loadTestPackage() { OpenPackage::loadTestPackage(cudaTestTarget()); }
  normrt_status tryLoadEntry(std::unique_ptr<schema::EntryT> entry) {
    return OpenPackage::tryLoadEntry(cudaTestTarget(), std::move(entry));
  }
  void loadEntry(std::unique_ptr<schema::EntryT> entry) {
    ASSERT_EQ(tryLoadEntry(std::move(entry)), NORMRT_STATUS_OK)
        << normrt_last_error_message();
  }

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
