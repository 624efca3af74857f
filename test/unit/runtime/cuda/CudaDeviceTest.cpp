// CUDA devices: opening, facts, contexts, memory and streams.
#include "FakeFixture.h"

using namespace normrt::test;
using normrt::cuda::Result;

namespace {

class CudaDevice : public FakeTest {};

TEST_F(CudaDevice, IsOpenedByItsNumber) {
  fake::DeviceConfig other;
  other.name = "Fake 86";
  other.major = 8;
  other.minor = 6;
  other.computeUnits = 7;
  other.maxSharedBytes = 101376;
  other.clusters = false;
  fake::setDevices({fake::DeviceConfig(), other});
  EXPECT_STREQ(normrt_device_description(openDevice("cuda").get()),
               "cuda:0, Fake 90, sm_90, 4 compute units, 227 KiB of shared memory a "
               "workgroup, clusters, driver 13.0");
  const DevicePtr second = openDevice("cuda:1");
  EXPECT_STREQ(normrt_device_description(second.get()),
               "cuda:1, Fake 86, sm_86, 7 compute units, 99 KiB of shared memory a "
               "workgroup, no clusters, driver 13.0");
  EXPECT_EQ(normrt_device_thread_count(second.get()), 0);
}

TEST_F(CudaDevice, ThatIsNotThere) {
  normrt_device *opened = nullptr;
  EXPECT_TRUE(failsWith(normrt_device_open("cuda:7", &opened), NORMRT_STATUS_NOT_FOUND,
                        "expected a CUDA device below 2, because the driver 13.0 shows "
                        "2 of them, but got 7"));
  for (const char *name : {"cuda:", "cuda:x", "cuda:-1", "cuda:1024", "cuda:0 "})
    EXPECT_TRUE(failsWith(normrt_device_open(name, &opened),
                          NORMRT_STATUS_INVALID_ARGUMENT, "expected"))
        << name;
  fake::failCalls("cuDevicePrimaryCtxRetain", Result::OutOfMemory);
  EXPECT_TRUE(failsWith(normrt_device_open("cuda:0", &opened),
                        NORMRT_STATUS_OUT_OF_MEMORY,
                        "cuDevicePrimaryCtxRetain failed with "
                        "CUDA_ERROR_OUT_OF_MEMORY (2)"));
  EXPECT_EQ(opened, nullptr);
}

TEST_F(CudaDevice, Facts) {
  open("cuda:1");
  normrt_device_info info{};
  info.struct_size = sizeof(info);
  ASSERT_EQ(normrt_device_query(device.get(), &info), NORMRT_STATUS_OK);
  EXPECT_STREQ(info.name, "Fake 90");
  EXPECT_STREQ(info.architecture, "sm_90");
  EXPECT_EQ(info.device.device_type, kDLCUDA);
  EXPECT_EQ(info.device.device_id, 1);
  EXPECT_EQ(info.compute_units, 4);
  EXPECT_EQ(info.subgroup_size, 32);
  EXPECT_EQ(info.max_workgroup_size, 1024);
  EXPECT_EQ(info.clusters, 1);
  EXPECT_EQ(info.max_shared_bytes, 232448);
  EXPECT_EQ(info.l2_bytes, 50 << 20);
  EXPECT_EQ(info.memory_bytes, 1 << 30);
  info.struct_size = 8;
  EXPECT_TRUE(failsWith(normrt_device_query(device.get(), &info),
                        NORMRT_STATUS_INVALID_ARGUMENT, "info.struct_size"));
  EXPECT_TRUE(failsWith(normrt_device_query(nullptr, &info),
                        NORMRT_STATUS_INVALID_ARGUMENT, "expected device"));
}

TEST_F(CudaDevice, TheCallersContextStaysCurrent) {
  for (int foreign : {0, 1}) {
    if (foreign)
      fake::pushContext(fake::foreignContext());
    const auto before = fake::currentContext();
    open("cuda:1");
    loadTestPackage();
    {
      CudaTestDevice memory(1);
      Tensor x(memory, kF32, {9, 2}), out(memory, kF32, {2});
      x.fill(std::vector<float>(18, 1));
      EXPECT_EQ(launchOn("sums", {x.get(), out.get()}), NORMRT_STATUS_OK)
          << normrt_last_error_message();
      EXPECT_EQ(out.values<float>(), (std::vector<float>{9, 9}));
      EXPECT_EQ(normrt_device_synchronize(device.get()), NORMRT_STATUS_OK);
    }
    EXPECT_EQ(fake::currentContext(), before);
    EXPECT_EQ(fake::launches().back().device, 1);
    loaded.reset();
    device.reset();
    EXPECT_EQ(fake::currentContext(), before);
    if (foreign)
      fake::popContext();
  }
}

TEST_F(CudaDevice, Memory) {
  open();
  void *memory = nullptr;
  ASSERT_EQ(normrt_memory_allocate(device.get(), 1000, &memory), NORMRT_STATUS_OK);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % NORMRT_WORKSPACE_ALIGNMENT, 0u);
  std::vector<uint8_t> bytes(1000, 3), read(1000);
  EXPECT_EQ(normrt_memory_copy_to_device(device.get(), memory, bytes.data(), 1000),
            NORMRT_STATUS_OK);
  EXPECT_EQ(normrt_memory_fill(device.get(), static_cast<char *>(memory) + 998, 9, 2),
            NORMRT_STATUS_OK);
  EXPECT_EQ(normrt_memory_copy_from_device(device.get(), read.data(), memory, 1000),
            NORMRT_STATUS_OK);
  bytes[998] = bytes[999] = 9;
  EXPECT_EQ(read, bytes);
  EXPECT_TRUE(
      failsWith(normrt_memory_copy_from_device(device.get(), read.data(), memory, 1001),
                NORMRT_STATUS_INVALID_ARGUMENT,
                "cuMemcpyDtoH failed with CUDA_ERROR_INVALID_VALUE (1)"));
  EXPECT_EQ(normrt_memory_free(device.get(), memory), NORMRT_STATUS_OK);
  EXPECT_TRUE(failsWith(normrt_memory_free(device.get(), memory),
                        NORMRT_STATUS_INVALID_ARGUMENT, "cuMemFree"));
}

TEST_F(CudaDevice, MemoryThatThereIsNot) {
  open();
  int there = 0;
  void *memory = &there;
  EXPECT_TRUE(failsWith(
      normrt_memory_allocate(device.get(), size_t(1) << 40, &memory),
      NORMRT_STATUS_OUT_OF_MEMORY,
      "allocating 1099511627776 bytes on CUDA device 0 (Fake 90, sm_90): cuMemAlloc "
      "failed with CUDA_ERROR_OUT_OF_MEMORY (2)"));
  EXPECT_EQ(memory, &there);
}

TEST_F(CudaDevice, NothingAndNull) {
  for (const char *name : {"cuda:0", "host"}) {
    open(name);
    int there = 0;
    void *memory = &there;
    EXPECT_EQ(normrt_memory_allocate(device.get(), 0, &memory), NORMRT_STATUS_OK);
    EXPECT_EQ(memory, nullptr);
    EXPECT_EQ(normrt_memory_free(device.get(), nullptr), NORMRT_STATUS_OK);
    EXPECT_EQ(normrt_memory_copy_to_device(device.get(), nullptr, nullptr, 0),
              NORMRT_STATUS_OK);
    const normrt_status refused[] = {
        normrt_memory_allocate(device.get(), 1, nullptr),
        normrt_memory_allocate(nullptr, 1, &memory),
        normrt_memory_copy_to_device(device.get(), nullptr, &there, 4),
        normrt_memory_copy_from_device(device.get(), &there, nullptr, 4),
        normrt_memory_fill(device.get(), nullptr, 0, 4),
        normrt_device_synchronize(nullptr),
        normrt_graph_begin(device.get(), nullptr),
        normrt_graph_time(nullptr, 1, nullptr)};
    for (size_t i = 0; i < std::size(refused); ++i)
      EXPECT_EQ(refused[i], NORMRT_STATUS_INVALID_ARGUMENT) << i;
    normrt_graph_release(nullptr);
  }
}

TEST_F(CudaDevice, TheHostHasMemoryButNoStreams) {
  open("host:1");
  void *memory = nullptr, *stream = nullptr;
  ASSERT_EQ(normrt_memory_allocate(device.get(), 16, &memory), NORMRT_STATUS_OK);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % NORMRT_WORKSPACE_ALIGNMENT, 0u);
  EXPECT_EQ(normrt_memory_fill(device.get(), memory, 7, 16), NORMRT_STATUS_OK);
  char read[16] = {};
  EXPECT_EQ(normrt_memory_copy_from_device(device.get(), read, memory, 16),
            NORMRT_STATUS_OK);
  EXPECT_EQ(read[15], 7);
  EXPECT_EQ(normrt_memory_free(device.get(), memory), NORMRT_STATUS_OK);
  EXPECT_EQ(normrt_device_synchronize(device.get()), NORMRT_STATUS_OK);
  EXPECT_TRUE(failsWith(normrt_memory_allocate(device.get(), SIZE_MAX, &memory),
                        NORMRT_STATUS_OUT_OF_MEMORY, "allocating"));
  EXPECT_TRUE(failsWith(normrt_stream_create(device.get(), &stream),
                        NORMRT_STATUS_UNSUPPORTED, "expected a device with streams"));
  normrt_device_info info{};
  info.struct_size = sizeof(info);
  ASSERT_EQ(normrt_device_query(device.get(), &info), NORMRT_STATUS_OK);
  EXPECT_EQ(info.device.device_type, kDLCPU);
  EXPECT_EQ(info.compute_units, 1);
}

TEST_F(CudaDevice, AFaultIsReportedByWhateverComesNext) {
  open();
  loadTestPackage();
  CudaTestDevice memory;
  Tensor x(memory, kF32, {2, 2}), y(memory, kF32, {2, 2});
  fake::fault(Result::IllegalAddress);
  const char *said = "failed with CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory "
                     "access was encountered";
  void *memoryOf = nullptr, *stream = nullptr;
  EXPECT_TRUE(failsWith(launchOn("scale", {x.get(), y.get()}),
                        NORMRT_STATUS_DEVICE_ERROR, said));
  EXPECT_TRUE(failsWith(normrt_device_synchronize(device.get()),
                        NORMRT_STATUS_DEVICE_ERROR, said));
  EXPECT_TRUE(failsWith(normrt_memory_allocate(device.get(), 4, &memoryOf),
                        NORMRT_STATUS_DEVICE_ERROR, said));
  EXPECT_TRUE(failsWith(normrt_stream_create(device.get(), &stream),
                        NORMRT_STATUS_DEVICE_ERROR, said));
  const auto bytes = file([] {
    normrt::schema::PackageT package;
    package.targets.push_back(cudaTestTarget());
    return package;
  }());
  normrt_package *package = nullptr;
  EXPECT_TRUE(failsWith(
      normrt_package_load_memory(device.get(), bytes.data(), bytes.size(), &package),
      NORMRT_STATUS_DEVICE_ERROR, said));
  fake::fault(Result::Success);
}

} // namespace
