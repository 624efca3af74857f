// A module, a kernel and a list of the test driver, for the tests of the driver itself.
#ifndef NORMRT_TEST_DRIVERFIXTURE_H
#define NORMRT_TEST_DRIVERFIXTURE_H

#include "LevelZeroTestDevice.h"

#include <cstdlib>
#include <cstring>
#include <level_zero/ze_api.h>

namespace normrt::test {

/// The driver's groups of queues: one only copies, one runs kernels.
constexpr uint32_t kCopyGroup = 0, kComputeGroup = 1;

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
    list = makeList(context);
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

  ze_command_list_handle_t makeList(ze_context_handle_t of,
                                    uint32_t group = kComputeGroup) const {
    ze_command_list_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC;
    description.commandQueueGroupOrdinal = group;
    ze_command_list_handle_t made = nullptr;
    EXPECT_EQ(zeCommandListCreate(of, device, &description, &made), ZE_RESULT_SUCCESS);
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

  ze_kernel_handle_t makeKernel(const char *name, uint32_t workgroup = 1) const {
    ze_kernel_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC;
    description.pKernelName = name;
    ze_kernel_handle_t made = nullptr;
    EXPECT_EQ(zeKernelCreate(module, &description, &made), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeKernelSetGroupSize(made, workgroup, 1, 1), ZE_RESULT_SUCCESS);
    return made;
  }

  ze_command_queue_handle_t makeQueue() const {
    ze_command_queue_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    description.ordinal = kComputeGroup;
    ze_command_queue_handle_t queue = nullptr;
    EXPECT_EQ(zeCommandQueueCreate(context, device, &description, &queue),
              ZE_RESULT_SUCCESS);
    return queue;
  }

  /// For one event.
  ze_event_pool_handle_t makeEventPool() const {
    ze_event_pool_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC;
    description.count = 1;
    ze_event_pool_handle_t pool = nullptr;
    EXPECT_EQ(zeEventPoolCreate(context, &description, 0, nullptr, &pool),
              ZE_RESULT_SUCCESS);
    return pool;
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

} // namespace normrt::test

#endif // NORMRT_TEST_DRIVERFIXTURE_H
