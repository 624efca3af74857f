// The test driver through the real loader: it refuses what the specification refuses,
// so that a runtime which passes on it asks for nothing else.
#include "LevelZeroTestDevice.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <level_zero/ze_api.h>

using namespace normrt::test;

namespace {

class TestDriver : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(zeInit(0), ZE_RESULT_SUCCESS);
    uint32_t count = 1;
    ASSERT_EQ(zeDriverGet(&count, &driver), ZE_RESULT_SUCCESS);
    ASSERT_EQ(zeDeviceGet(driver, &count, &device), ZE_RESULT_SUCCESS);
    context = makeContext();
    const std::vector<uint8_t> spirv = readBytes(NORMRT_TEST_SPIRV);
    ze_module_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
    description.format = ZE_MODULE_FORMAT_IL_SPIRV;
    description.inputSize = spirv.size();
    description.pInputModule = spirv.data();
    description.pBuildFlags = "";
    ASSERT_EQ(zeModuleCreate(context, device, &description, &module, nullptr),
              ZE_RESULT_SUCCESS);
    ze_kernel_desc_t kernelDescription{};
    kernelDescription.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC;
    kernelDescription.pKernelName = "count_workgroups";
    ASSERT_EQ(zeKernelCreate(module, &kernelDescription, &kernel), ZE_RESULT_SUCCESS);
    ze_command_list_desc_t listDescription{};
    listDescription.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC;
    ASSERT_EQ(zeCommandListCreate(context, device, &listDescription, &list),
              ZE_RESULT_SUCCESS);
  }

  void TearDown() override {
    zeCommandListDestroy(list);
    zeKernelDestroy(kernel);
    zeModuleDestroy(module);
    zeContextDestroy(context);
  }

  ze_context_handle_t makeContext() const {
    ze_context_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC;
    ze_context_handle_t made = nullptr;
    EXPECT_EQ(zeContextCreate(driver, &description, &made), ZE_RESULT_SUCCESS);
    return made;
  }

  void *allocate(ze_context_handle_t of, size_t bytes = 64) const {
    ze_device_mem_alloc_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC;
    void *memory = nullptr;
    EXPECT_EQ(zeMemAllocDevice(of, &description, bytes, 64, device, &memory),
              ZE_RESULT_SUCCESS);
    return memory;
  }

  /// Memory that the host reaches, too.
  template <typename T> T *allocateShared(size_t count) const {
    ze_device_mem_alloc_desc_t onDevice{};
    onDevice.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC;
    ze_host_mem_alloc_desc_t onHost{};
    onHost.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC;
    void *memory = nullptr;
    EXPECT_EQ(zeMemAllocShared(context, &onDevice, &onHost, count * sizeof(T), 64,
                               device, &memory),
              ZE_RESULT_SUCCESS);
    return static_cast<T *>(memory);
  }

  ze_result_t append(uint32_t workgroups = 1) const {
    const ze_group_count_t groups{workgroups, 1, 1};
    return zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr);
  }

  ze_kernel_handle_t makeKernel(const char *name) const {
    ze_kernel_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC;
    description.pKernelName = name;
    ze_kernel_handle_t made = nullptr;
    EXPECT_EQ(zeKernelCreate(module, &description, &made), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeKernelSetGroupSize(made, 1, 1, 1), ZE_RESULT_SUCCESS);
    return made;
  }

  ze_command_queue_handle_t makeQueue() const {
    ze_command_queue_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    description.ordinal = 1;
    ze_command_queue_handle_t queue = nullptr;
    EXPECT_EQ(zeCommandQueueCreate(context, device, &description, &queue),
              ZE_RESULT_SUCCESS);
    return queue;
  }

  /// Runs the list to its end.
  void execute() {
    ze_command_queue_handle_t queue = makeQueue();
    ASSERT_EQ(zeCommandListClose(list), ZE_RESULT_SUCCESS);
    ASSERT_EQ(zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr),
              ZE_RESULT_SUCCESS);
    ASSERT_EQ(zeCommandQueueSynchronize(queue, UINT64_MAX), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeCommandQueueDestroy(queue), ZE_RESULT_SUCCESS);
  }

  /// Counts this many workgroups in memory for eight.
  void countWorkgroups(uint32_t workgroups) {
    ASSERT_EQ(zeKernelSetGroupSize(kernel, 1, 1, 1), ZE_RESULT_SUCCESS);
    void *memory = allocate(context, 8 * sizeof(int64_t));
    ASSERT_EQ(zeKernelSetArgumentValue(kernel, 0, 8, &memory), ZE_RESULT_SUCCESS);
    ASSERT_EQ(append(workgroups), ZE_RESULT_SUCCESS);
    execute();
    EXPECT_EQ(zeMemFree(context, memory), ZE_RESULT_SUCCESS);
  }

  /// Sums of 9 rows of 2 columns of `x` by partials, as the runtime launches them, but
  /// with or without the barrier between the two kernels.
  void sum(const float *x, float *out, bool withBarrier) {
    auto *partials = allocateShared<float>(6);
    std::fill_n(partials, 6, -1.0f);
    ze_kernel_handle_t first = makeKernel("sum_partials");
    ze_kernel_handle_t last = makeKernel("sum_finalize");
    auto set = [](ze_kernel_handle_t of, const std::vector<int64_t> &arguments) {
      for (uint32_t i = 0; i < arguments.size(); ++i)
        ASSERT_EQ(zeKernelSetArgumentValue(of, i, 8, &arguments[i]), ZE_RESULT_SUCCESS);
    };
    auto address = [](const void *p) { return reinterpret_cast<int64_t>(p); };
    set(first, {address(x), address(partials), 9, 2, 2, 3});
    set(last, {address(partials), address(out), 3, 2});
    const ze_group_count_t three{3, 1, 1}, one{1, 1, 1};
    ASSERT_EQ(zeCommandListAppendLaunchKernel(list, first, &three, nullptr, 0, nullptr),
              ZE_RESULT_SUCCESS);
    if (withBarrier)
      ASSERT_EQ(zeCommandListAppendBarrier(list, nullptr, 0, nullptr),
                ZE_RESULT_SUCCESS);
    ASSERT_EQ(zeCommandListAppendLaunchKernel(list, last, &one, nullptr, 0, nullptr),
              ZE_RESULT_SUCCESS);
    execute();
    EXPECT_EQ(zeKernelDestroy(first), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeKernelDestroy(last), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeMemFree(context, partials), ZE_RESULT_SUCCESS);
  }

  /// What `sum` makes of ones.
  std::vector<float> sumOfOnes(bool withBarrier) {
    auto *x = allocateShared<float>(18), *out = allocateShared<float>(2);
    std::fill_n(x, 18, 1.0f);
    sum(x, out, withBarrier);
    std::vector<float> result(out, out + 2);
    EXPECT_EQ(zeMemFree(context, x), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeMemFree(context, out), ZE_RESULT_SUCCESS);
    return result;
  }

  /// Of the driver that this process has.
  static bool hasMode(const char *word) {
    const char *mode = std::getenv("NORMC_ZE_TEST_MODE");
    return mode && std::strstr(mode, word);
  }

  ze_driver_handle_t driver = nullptr;
  ze_device_handle_t device = nullptr;
  ze_context_handle_t context = nullptr;
  ze_module_handle_t module = nullptr;
  ze_kernel_handle_t kernel = nullptr;
  ze_command_list_handle_t list = nullptr;
};

TEST_F(TestDriver, UnsetArguments) {
  ASSERT_EQ(zeKernelSetGroupSize(kernel, 1, 1, 1), ZE_RESULT_SUCCESS);
  EXPECT_EQ(append(), ZE_RESULT_ERROR_INVALID_ARGUMENT);
  void *memory = allocate(context);
  EXPECT_EQ(zeKernelSetArgumentValue(kernel, 1, 8, &memory),
            ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX);
  EXPECT_EQ(zeKernelSetArgumentValue(kernel, 0, 4, &memory),
            ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
  ASSERT_EQ(zeKernelSetArgumentValue(kernel, 0, 8, &memory), ZE_RESULT_SUCCESS);
  EXPECT_EQ(append(), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeMemFree(context, memory), ZE_RESULT_SUCCESS);
}

TEST_F(TestDriver, NoGroupSize) {
  void *memory = allocate(context);
  ASSERT_EQ(zeKernelSetArgumentValue(kernel, 0, 8, &memory), ZE_RESULT_SUCCESS);
  EXPECT_EQ(append(), ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION);
  EXPECT_EQ(zeMemFree(context, memory), ZE_RESULT_SUCCESS);
}

TEST_F(TestDriver, MemoryOfAnotherContext) {
  ze_context_handle_t other = makeContext();
  void *memory = allocate(other);
  ASSERT_EQ(zeKernelSetGroupSize(kernel, 1, 1, 1), ZE_RESULT_SUCCESS);
  ASSERT_EQ(zeKernelSetArgumentValue(kernel, 0, 8, &memory), ZE_RESULT_SUCCESS);
  EXPECT_EQ(append(), ZE_RESULT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(zeMemFree(context, memory), ZE_RESULT_ERROR_INVALID_ARGUMENT);
  ze_memory_allocation_properties_t properties{};
  properties.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES;
  ASSERT_EQ(zeMemGetAllocProperties(context, memory, &properties, nullptr),
            ZE_RESULT_SUCCESS);
  EXPECT_EQ(properties.type, ZE_MEMORY_TYPE_UNKNOWN);
  EXPECT_EQ(zeMemFree(other, memory), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeContextDestroy(other), ZE_RESULT_SUCCESS);
}

TEST_F(TestDriver, DestroyedHandles) {
  ze_context_handle_t other = makeContext();
  EXPECT_EQ(zeContextDestroy(other), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeContextDestroy(other), ZE_RESULT_ERROR_INVALID_ARGUMENT);
  ze_kernel_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC;
  description.pKernelName = "sum_finalize";
  ze_kernel_handle_t gone = nullptr;
  ASSERT_EQ(zeKernelCreate(module, &description, &gone), ZE_RESULT_SUCCESS);
  // A module has kernels as long as it lives.
  EXPECT_EQ(zeModuleDestroy(module), ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE);
  ASSERT_EQ(zeKernelDestroy(gone), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeKernelSetGroupSize(gone, 1, 1, 1), ZE_RESULT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(zeKernelDestroy(gone), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST_F(TestDriver, ListsThatAreClosedOrOpen) {
  ze_command_queue_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
  ze_command_queue_handle_t queue = nullptr;
  ASSERT_EQ(zeCommandQueueCreate(context, device, &description, &queue),
            ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr),
            ZE_RESULT_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(zeCommandListClose(list), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeCommandListAppendBarrier(list, nullptr, 0, nullptr),
            ZE_RESULT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr),
            ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeCommandQueueDestroy(queue), ZE_RESULT_SUCCESS);
}

TEST_F(TestDriver, CopiesOfTheHostsMemory) {
  std::vector<char> host(64);
  void *memory = allocate(context);
  EXPECT_EQ(
      zeCommandListAppendMemoryCopy(list, memory, host.data(), 64, nullptr, 0, nullptr),
      ZE_RESULT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(zeMemFree(context, memory), ZE_RESULT_SUCCESS);
}

TEST_F(TestDriver, EveryDestroyedHandle) {
  ze_command_queue_handle_t queue = makeQueue();
  ASSERT_EQ(zeCommandQueueDestroy(queue), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeCommandQueueSynchronize(queue, 0), ZE_RESULT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr),
            ZE_RESULT_ERROR_INVALID_ARGUMENT);

  ze_command_list_desc_t listDescription{};
  listDescription.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC;
  ze_command_list_handle_t gone = nullptr;
  ASSERT_EQ(zeCommandListCreate(context, device, &listDescription, &gone),
            ZE_RESULT_SUCCESS);
  ASSERT_EQ(zeCommandListDestroy(gone), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeCommandListAppendBarrier(gone, nullptr, 0, nullptr),
            ZE_RESULT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(zeCommandListClose(gone), ZE_RESULT_ERROR_INVALID_ARGUMENT);

  ze_event_pool_desc_t poolDescription{};
  poolDescription.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC;
  poolDescription.count = 1;
  ze_event_pool_handle_t pool = nullptr;
  ASSERT_EQ(zeEventPoolCreate(context, &poolDescription, 0, nullptr, &pool),
            ZE_RESULT_SUCCESS);
  ze_event_desc_t eventDescription{};
  eventDescription.stype = ZE_STRUCTURE_TYPE_EVENT_DESC;
  ze_event_handle_t event = nullptr;
  ASSERT_EQ(zeEventCreate(pool, &eventDescription, &event), ZE_RESULT_SUCCESS);
  ASSERT_EQ(zeEventDestroy(event), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeEventHostReset(event), ZE_RESULT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(zeCommandListAppendBarrier(list, event, 0, nullptr),
            ZE_RESULT_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(zeEventPoolDestroy(pool), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeEventCreate(pool, &eventDescription, &event),
            ZE_RESULT_ERROR_INVALID_ARGUMENT);

  ze_context_handle_t other = makeContext();
  ASSERT_EQ(zeContextDestroy(other), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeCommandListCreate(other, device, &listDescription, &gone),
            ZE_RESULT_ERROR_INVALID_ARGUMENT);
  void *memory = allocate(context);
  ASSERT_EQ(zeMemFree(context, memory), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeMemFree(context, memory), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

// What the modes are for, each by a mistake on purpose.

TEST_F(TestDriver, ABarrierOrdersTwoKernels) {
  EXPECT_EQ(sumOfOnes(/*withBarrier=*/true), (std::vector<float>{9, 9}));
}

TEST_F(TestDriver, AMissingBarrierShowsUnordered) {
  // The second kernel adds what was there before the first one.
  const bool unordered = hasMode("unordered");
  EXPECT_EQ(sumOfOnes(/*withBarrier=*/false),
            unordered ? (std::vector<float>{-3, -3}) : (std::vector<float>{9, 9}));
}

TEST_F(TestDriver, AnAccessPastTheEndShowsGuarded) {
  if (!hasMode("guarded"))
    return;
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(countWorkgroups(9), "byte 64 of an allocation of 64: past its end");
}

TEST_F(TestDriver, AccessesUpToTheEndDoNotShow) { countWorkgroups(8); }

TEST_F(TestDriver, TheHostInDeviceMemoryShowsGuarded) {
  auto *memory = static_cast<volatile char *>(allocate(context));
  if (hasMode("guarded")) {
    ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(memory[0] = 1, "the host reaches into device memory");
  }
  EXPECT_EQ(zeMemFree(context, const_cast<char *>(memory)), ZE_RESULT_SUCCESS);
}

TEST_F(TestDriver, CallsThatItLacks) {
  ze_fence_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_FENCE_DESC;
  ze_command_queue_desc_t queueDescription{};
  queueDescription.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
  ze_command_queue_handle_t queue = nullptr;
  ASSERT_EQ(zeCommandQueueCreate(context, device, &queueDescription, &queue),
            ZE_RESULT_SUCCESS);
  ze_fence_handle_t fence = nullptr;
  EXPECT_EQ(zeFenceCreate(queue, &description, &fence),
            ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
  EXPECT_EQ(zeCommandQueueDestroy(queue), ZE_RESULT_SUCCESS);
}

} // namespace
