// Versions, statuses, messages and devices.
#include "TestDevice.h"

#include <dlfcn.h>
#include <sched.h>
#include <thread>

using namespace normrt::test;

extern "C" const char *normrtTestNameFromC(void);

namespace {

TEST(Api, LibraryAndHeaderHaveTheSameVersion) {
  EXPECT_EQ(normrt_version(), uint32_t(NORMRT_VERSION));
}

TEST(Api, EveryStatusHasAName) {
  EXPECT_STREQ(normrt_status_name(NORMRT_STATUS_OK), "ok");
  EXPECT_STREQ(normrt_status_name(NORMRT_STATUS_SHAPE_MISMATCH), "shape_mismatch");
  EXPECT_STREQ(normrt_status_name(NORMRT_STATUS_INTERNAL), "internal");
  EXPECT_STREQ(normrt_status_name(NORMRT_STATUS_DEVICE_ERROR), "device_error");
  EXPECT_STREQ(normrt_status_name(normrt_status(NORMRT_STATUS_DEVICE_ERROR + 1)),
               "unknown");
  EXPECT_STREQ(normrt_status_name(normrt_status(-1)), "unknown");
  EXPECT_STREQ(normrtTestNameFromC(), "overlap");
}

TEST(Api, TheMessageBelongsToItsThread) {
  normrt_device *device = nullptr;
  EXPECT_TRUE(failsWith(normrt_device_open("toaster", &device), NORMRT_STATUS_NOT_FOUND,
                        "\"toaster\""));
  std::thread([] { EXPECT_STREQ(normrt_last_error_message(), ""); }).join();
  // A successful call leaves it.
  const DevicePtr host = openDevice("host");
  EXPECT_NE(std::string(normrt_last_error_message()).find("toaster"),
            std::string::npos);
}

TEST(Device, HostHasTheThreadsOfTheAffinityMask) {
  cpu_set_t set;
  ASSERT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
  const DevicePtr device = openDevice("host");
  EXPECT_EQ(normrt_device_thread_count(device.get()), CPU_COUNT(&set));
  EXPECT_NE(std::string(normrt_device_description(device.get())).find("host, "),
            std::string::npos);
}

TEST(Device, HostTakesAThreadCount) {
  EXPECT_EQ(normrt_device_thread_count(openDevice("host:1").get()), 1);
  EXPECT_EQ(normrt_device_thread_count(openDevice("host:5").get()), 5);
}

TEST(Device, MalformedNamesAreRefused) {
  for (const char *name : {"host:", "host:0", "host:-1", "host:two", "host:2x",
                           "host:1025", "host:99999999999999999999", "host: 2"}) {
    normrt_device *device = nullptr;
    EXPECT_TRUE(failsWith(normrt_device_open(name, &device),
                          NORMRT_STATUS_INVALID_ARGUMENT, "expected"))
        << name;
    EXPECT_EQ(device, nullptr);
  }
  for (const char *name : {"", "cuda:-1", "level_zero:0", "Host", ":1"}) {
    normrt_device *device = nullptr;
    EXPECT_NE(normrt_device_open(name, &device), NORMRT_STATUS_OK) << name;
    EXPECT_EQ(device, nullptr);
  }
}

TEST(Device, CudaWithoutADriverIsNotFound) {
  if (void *driver = dlopen("libcuda.so.1", RTLD_NOW)) {
    dlclose(driver);
    GTEST_SKIP() << "needs a machine without a CUDA driver";
  }
  normrt_device *device = nullptr;
  EXPECT_TRUE(failsWith(normrt_device_open("cuda:0", &device), NORMRT_STATUS_NOT_FOUND,
                        "expected a CUDA driver, because a CUDA device was asked for, "
                        "but libcuda.so.1 cannot be opened"));
  EXPECT_EQ(device, nullptr);
}

TEST(Device, NullArgumentsAreRefused) {
  normrt_device *device = nullptr;
  EXPECT_TRUE(failsWith(normrt_device_open(nullptr, &device),
                        NORMRT_STATUS_INVALID_ARGUMENT, "expected name"));
  EXPECT_TRUE(failsWith(normrt_device_open("host", nullptr),
                        NORMRT_STATUS_INVALID_ARGUMENT, "expected device"));
  normrt_device_retain(nullptr);
  normrt_device_release(nullptr);
  normrt_device_trim(nullptr);
  EXPECT_EQ(normrt_device_thread_count(nullptr), 0);
  EXPECT_STREQ(normrt_device_description(nullptr), "");
}

TEST(Device, LivesAsLongAsAPackageHoldsIt) {
  normrt_device *device = nullptr;
  ASSERT_EQ(normrt_device_open("host:2", &device), NORMRT_STATUS_OK);
  normrt_device_retain(device);
  normrt_device_release(device);
  PackagePtr package = loadPackage(device, testPackage());
  normrt_device_release(device);
  normrt_entry *entry = nullptr;
  ASSERT_EQ(normrt_package_find_entry(package.get(), "scale", &entry),
            NORMRT_STATUS_OK);
  // The entry's reference outlives the caller's to the package.
  normrt_entry_retain(entry);
  package.reset();
  HostTestDevice memory("host");
  Tensor x(memory, kF32, {2, 2}), y(memory, kF32, {2, 2});
  x.fill<float>({1, 2, 3, 4});
  const DLTensor *tensors[] = {x.get(), y.get()};
  EXPECT_EQ(normrt_entry_launch(entry, tensors, 2, nullptr), NORMRT_STATUS_OK);
  EXPECT_EQ(y.values<float>(), (std::vector<float>{3, 6, 9, 12}));
  normrt_entry_release(entry);
}

} // namespace
