// Drivers that cannot be used. An executable of its own: once a driver was opened, it
// stays so.
#include "../TestDevice.h"
#include "FakeDriver.h"

using namespace normrt::test;
using normrt::cuda::Result;

namespace {

class CudaDriver : public ::testing::Test {
protected:
  void SetUp() override { fake::reset(); }
  void TearDown() override { fake::reset(); }

  static ::testing::AssertionResult openFails(normrt_status status,
                                              const std::string &message) {
    normrt_device *device = nullptr;
    auto result = failsWith(normrt_device_open("cuda:0", &device), status, message);
    return device ? ::testing::AssertionFailure() << "a device was given" : result;
  }
};

TEST_F(CudaDriver, TooOld) {
  fake::setVersion(11080);
  EXPECT_TRUE(openFails(
      NORMRT_STATUS_UNSUPPORTED,
      "expected a CUDA driver of version 12.0 or newer, but got 11.8 (11080)"));
}

TEST_F(CudaDriver, WithoutAFunction) {
  fake::hide("cuLaunchKernelEx");
  EXPECT_TRUE(openFails(NORMRT_STATUS_UNSUPPORTED,
                        "expected the CUDA driver 13.0 to have cuLaunchKernelEx"));
}

TEST_F(CudaDriver, ThatDoesNotInitialize) {
  fake::failCalls("cuInit", Result::NoDevice);
  EXPECT_TRUE(openFails(NORMRT_STATUS_NOT_FOUND, "cuInit failed with "));
  EXPECT_NE(std::string(normrt_last_error_message()).find("(100)"), std::string::npos);
  fake::failCalls("cuInit", Result(803)); // The driver is of another version.
  EXPECT_TRUE(openFails(NORMRT_STATUS_DEVICE_ERROR, "an unknown error (803)"));
}

/// Failures are not remembered; and this one is last, because success is.
TEST_F(CudaDriver, ThatWorksAfterAll) {
  fake::hide("cuFuncGetParamInfo"); // Of 12.4: a driver may lack it.
  fake::setVersion(12000);
  const DevicePtr device = openDevice("cuda:0");
  EXPECT_NE(std::string(normrt_device_description(device.get())).find("driver 12.0"),
            std::string::npos);
  EXPECT_EQ(fake::calls("cuInit"), 1);
  fake::failCalls("cuInit", Result::NoDevice);
  openDevice("cuda:1");
  EXPECT_EQ(fake::calls("cuInit"), 1) << "the driver is initialized once";
}

} // namespace
