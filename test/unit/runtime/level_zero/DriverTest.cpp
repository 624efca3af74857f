// The test driver through the real loader: it refuses what the specification refuses,
// so that a runtime which passes on it asks for nothing else.
#include "LevelZeroTestDevice.h"

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

  void *allocate(ze_context_handle_t of) const {
    ze_device_mem_alloc_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC;
    void *memory = nullptr;
    EXPECT_EQ(zeMemAllocDevice(of, &description, 64, 64, device, &memory),
              ZE_RESULT_SUCCESS);
    return memory;
  }

  ze_result_t append() const {
    const ze_group_count_t groups{1, 1, 1};
    return zeCommandListAppendLaunchKernel(list, kernel, &groups, nullptr, 0, nullptr);
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
