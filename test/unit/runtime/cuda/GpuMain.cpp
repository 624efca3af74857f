// Runs the suites on the first CUDA device, or on the one that the build names, or says
// that there is none.
#include "runtime/include/normrt.h"

#include <cstdio>
#include <gtest/gtest.h>

#ifndef NORMRT_TEST_DEVICE
#define NORMRT_TEST_DEVICE "cuda:0"
#endif

int main(int argc, char **argv) {
  ::testing::InitGoogleTest(&argc, argv);
  normrt_device *device = nullptr;
  if (normrt_device_open(NORMRT_TEST_DEVICE, &device) != NORMRT_STATUS_OK) {
    std::printf("Skipped\nneeds " NORMRT_TEST_DEVICE ": %s\n",
                normrt_last_error_message());
    return 77; // SKIP_RETURN_CODE in the CMake files of the suites.
  }
  std::printf("device: %s\n", normrt_device_description(device));
  normrt_device_release(device);
  return RUN_ALL_TESTS();
}
