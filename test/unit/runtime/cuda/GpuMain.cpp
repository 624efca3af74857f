// Runs the suites on the first CUDA device, or says that there is none.
#include "runtime/include/normrt.h"

#include <cstdio>
#include <gtest/gtest.h>

int main(int argc, char **argv) {
  ::testing::InitGoogleTest(&argc, argv);
  normrt_device *device = nullptr;
  if (normrt_device_open("cuda:0", &device) != NORMRT_STATUS_OK) {
    std::printf("Skipped\nneeds a CUDA device: %s\n", normrt_last_error_message());
    return 77; // SKIP_RETURN_CODE in CudaTests.cmake.
  }
  std::printf("device: %s\n", normrt_device_description(device));
  normrt_device_release(device);
  return RUN_ALL_TESTS();
}
