// The test driver through the real loader: it refuses what the specification refuses,
// so that a runtime which passes on it asks for nothing else.
#include "DriverFixture.h"

using namespace normrt::test;

namespace {

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
  ze_command_queue_handle_t queue = makeQueue();
  EXPECT_EQ(zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr),
            ZE_RESULT_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(zeCommandListClose(list), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeCommandListAppendBarrier(list, nullptr, 0, nullptr),
            ZE_RESULT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr),
            ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeCommandQueueDestroy(queue), ZE_RESULT_SUCCESS);
  // An immediate one is never closed.
  ze_command_queue_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
  description.ordinal = kComputeGroup;
  ze_command_list_handle_t immediate = nullptr;
  ASSERT_EQ(zeCommandListCreateImmediate(context, device, &description, &immediate),
            ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeCommandListClose(immediate), ZE_RESULT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(zeCommandListDestroy(immediate), ZE_RESULT_SUCCESS);
}

TEST_F(TestDriver, KernelsAndQueuesOfAnotherGroup) {
  void *memory = allocate(context);
  ASSERT_EQ(zeKernelSetGroupSize(kernel, 1, 1, 1), ZE_RESULT_SUCCESS);
  ASSERT_EQ(zeKernelSetArgumentValue(kernel, 0, 8, &memory), ZE_RESULT_SUCCESS);
  ze_command_list_handle_t copying = makeList(context, kCopyGroup);
  const ze_group_count_t groups{1, 1, 1};
  EXPECT_EQ(
      zeCommandListAppendLaunchKernel(copying, kernel, &groups, nullptr, 0, nullptr),
      ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
  ASSERT_EQ(zeCommandListClose(copying), ZE_RESULT_SUCCESS);
  ze_command_queue_handle_t queue = makeQueue();
  EXPECT_EQ(zeCommandQueueExecuteCommandLists(queue, 1, &copying, nullptr),
            ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE);
  EXPECT_EQ(zeCommandQueueDestroy(queue), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeCommandListDestroy(copying), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeMemFree(context, memory), ZE_RESULT_SUCCESS);

  ze_command_list_desc_t none{};
  none.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC;
  none.commandQueueGroupOrdinal = 2;
  EXPECT_EQ(zeCommandListCreate(context, device, &none, &copying),
            ZE_RESULT_ERROR_INVALID_ARGUMENT);
  ze_command_queue_desc_t noQueue{};
  noQueue.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
  noQueue.ordinal = 2;
  EXPECT_EQ(zeCommandQueueCreate(context, device, &noQueue, &queue),
            ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

TEST_F(TestDriver, ListsOfAnotherContext) {
  ze_context_handle_t other = makeContext();
  ze_command_list_handle_t foreign = makeList(other);
  void *memory = allocate(context);
  ASSERT_EQ(zeKernelSetGroupSize(kernel, 1, 1, 1), ZE_RESULT_SUCCESS);
  ASSERT_EQ(zeKernelSetArgumentValue(kernel, 0, 8, &memory), ZE_RESULT_SUCCESS);
  const ze_group_count_t groups{1, 1, 1};
  EXPECT_EQ(
      zeCommandListAppendLaunchKernel(foreign, kernel, &groups, nullptr, 0, nullptr),
      ZE_RESULT_ERROR_INVALID_ARGUMENT);
  const uint8_t zero = 0;
  EXPECT_EQ(
      zeCommandListAppendMemoryFill(foreign, memory, &zero, 1, 64, nullptr, 0, nullptr),
      ZE_RESULT_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(zeCommandListClose(foreign), ZE_RESULT_SUCCESS);
  ze_command_queue_handle_t queue = makeQueue();
  EXPECT_EQ(zeCommandQueueExecuteCommandLists(queue, 1, &foreign, nullptr),
            ZE_RESULT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(zeCommandQueueDestroy(queue), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeCommandListDestroy(foreign), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeMemFree(context, memory), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeContextDestroy(other), ZE_RESULT_SUCCESS);
}

TEST_F(TestDriver, MemoryThatWasNotAllocated) {
  std::vector<char> host(64);
  void *memory = allocate(context);
  for (auto [to, from] : {std::pair<void *, void *>(memory, host.data()),
                          std::pair<void *, void *>(host.data(), memory)})
    EXPECT_EQ(zeCommandListAppendMemoryCopy(list, to, from, 64, nullptr, 0, nullptr),
              ZE_RESULT_ERROR_INVALID_ARGUMENT);
  const uint8_t zero = 0;
  EXPECT_EQ(zeCommandListAppendMemoryFill(list, host.data(), &zero, 1, 64, nullptr, 0,
                                          nullptr),
            ZE_RESULT_ERROR_INVALID_ARGUMENT);
  void *data = host.data();
  ASSERT_EQ(zeKernelSetGroupSize(kernel, 1, 1, 1), ZE_RESULT_SUCCESS);
  ASSERT_EQ(zeKernelSetArgumentValue(kernel, 0, 8, &data), ZE_RESULT_SUCCESS);
  EXPECT_EQ(append(), ZE_RESULT_ERROR_INVALID_ARGUMENT);
  void *base = nullptr;
  EXPECT_EQ(zeMemGetAddressRange(context, data, &base, nullptr),
            ZE_RESULT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(zeMemFree(context, data), ZE_RESULT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(zeMemFree(context, memory), ZE_RESULT_SUCCESS);
}

TEST_F(TestDriver, SizesThatAreNone) {
  ze_device_mem_alloc_desc_t memory{};
  memory.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC;
  void *made = nullptr;
  EXPECT_EQ(zeMemAllocDevice(context, &memory, 0, 64, device, &made),
            ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
  EXPECT_EQ(zeMemAllocDevice(context, &memory, 64, 48, device, &made),
            ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
  for (auto [x, y] : {std::pair(0u, 1u), std::pair(1u, 0u), std::pair(1025u, 1u),
                      std::pair(64u, 32u)})
    EXPECT_EQ(zeKernelSetGroupSize(kernel, x, y, 1),
              ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION)
        << x << "x" << y;
  ze_event_pool_desc_t pool{};
  pool.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC;
  ze_event_pool_handle_t events = nullptr;
  EXPECT_EQ(zeEventPoolCreate(context, &pool, 0, nullptr, &events),
            ZE_RESULT_ERROR_INVALID_SIZE);
  pool.count = 2;
  ASSERT_EQ(zeEventPoolCreate(context, &pool, 0, nullptr, &events), ZE_RESULT_SUCCESS);
  ze_event_desc_t event{};
  event.stype = ZE_STRUCTURE_TYPE_EVENT_DESC;
  event.index = 2;
  ze_event_handle_t created = nullptr;
  EXPECT_EQ(zeEventCreate(events, &event, &created), ZE_RESULT_ERROR_INVALID_ARGUMENT);
  event.index = 1;
  ASSERT_EQ(zeEventCreate(events, &event, &created), ZE_RESULT_SUCCESS);
  // Nothing has signalled it.
  EXPECT_EQ(zeEventHostSynchronize(created, 0), ZE_RESULT_NOT_READY);
  ze_kernel_timestamp_result_t time{};
  EXPECT_EQ(zeEventQueryKernelTimestamp(created, &time), ZE_RESULT_NOT_READY);
  EXPECT_EQ(zeEventDestroy(created), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeEventPoolDestroy(events), ZE_RESULT_SUCCESS);
}

TEST_F(TestDriver, WorkgroupMemoryOfNoSize) {
  ze_kernel_handle_t shared = makeKernel("sum_shared", 32);
  const int64_t value = 0;
  EXPECT_EQ(zeKernelSetArgumentValue(shared, 1, 0, nullptr),
            ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
  EXPECT_EQ(zeKernelSetArgumentValue(shared, 1, 8, &value),
            ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE);
  EXPECT_EQ(zeKernelSetArgumentValue(shared, 1, 64, nullptr), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeKernelDestroy(shared), ZE_RESULT_SUCCESS);
}

TEST_F(TestDriver, ModulesAndKernelsThatAreNone) {
  std::vector<uint8_t> bytes = readBytes(NORMRT_TEST_SPIRV);
  ze_module_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
  description.format = ZE_MODULE_FORMAT_NATIVE;
  description.inputSize = bytes.size();
  description.pInputModule = bytes.data();
  ze_module_handle_t made = nullptr;
  EXPECT_EQ(zeModuleCreate(context, device, &description, &made, nullptr),
            ZE_RESULT_ERROR_INVALID_NATIVE_BINARY);
  description.format = ZE_MODULE_FORMAT_IL_SPIRV;
  description.pBuildFlags = "-no-such-flag";
  EXPECT_EQ(zeModuleCreate(context, device, &description, &made, nullptr),
            ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
  description.pBuildFlags = nullptr;
  description.inputSize = bytes.size() / 8 * 4;
  ze_module_build_log_handle_t log = nullptr;
  EXPECT_EQ(zeModuleCreate(context, device, &description, &made, &log),
            ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
  size_t size = 0;
  ASSERT_EQ(zeModuleBuildLogGetString(log, &size, nullptr), ZE_RESULT_SUCCESS);
  EXPECT_GT(size, 1u);
  EXPECT_EQ(zeModuleBuildLogDestroy(log), ZE_RESULT_SUCCESS);
  ze_kernel_desc_t kernelDescription{};
  kernelDescription.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC;
  kernelDescription.pKernelName = "no_such_kernel";
  ze_kernel_handle_t none = nullptr;
  EXPECT_EQ(zeKernelCreate(module, &kernelDescription, &none),
            ZE_RESULT_ERROR_INVALID_KERNEL_NAME);
}

TEST_F(TestDriver, NullHandlesAndPointers) {
  ze_command_list_handle_t made = nullptr;
  EXPECT_EQ(zeCommandListCreate(context, device, nullptr, &made),
            ZE_RESULT_ERROR_INVALID_NULL_POINTER);
  EXPECT_EQ(zeCommandListCreateImmediate(context, device, nullptr, &made),
            ZE_RESULT_ERROR_INVALID_NULL_POINTER);
  EXPECT_EQ(zeKernelCreate(module, nullptr, nullptr),
            ZE_RESULT_ERROR_INVALID_NULL_POINTER);
  EXPECT_EQ(zeContextCreate(driver, nullptr, nullptr),
            ZE_RESULT_ERROR_INVALID_NULL_POINTER);
  EXPECT_EQ(zeCommandListAppendLaunchKernel(list, kernel, nullptr, nullptr, 0, nullptr),
            ZE_RESULT_ERROR_INVALID_NULL_POINTER);
  EXPECT_EQ(zeCommandListClose(nullptr), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
  EXPECT_EQ(zeKernelDestroy(nullptr), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
  EXPECT_EQ(zeContextDestroy(nullptr), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

TEST_F(TestDriver, EveryDestroyedHandle) {
  ze_command_queue_handle_t queue = makeQueue();
  ASSERT_EQ(zeCommandQueueDestroy(queue), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeCommandQueueSynchronize(queue, 0), ZE_RESULT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(zeCommandQueueExecuteCommandLists(queue, 1, &list, nullptr),
            ZE_RESULT_ERROR_INVALID_ARGUMENT);

  ze_command_list_handle_t gone = makeList(context);
  ASSERT_EQ(zeCommandListDestroy(gone), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeCommandListAppendBarrier(gone, nullptr, 0, nullptr),
            ZE_RESULT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(zeCommandListClose(gone), ZE_RESULT_ERROR_INVALID_ARGUMENT);

  ze_event_pool_handle_t pool = makeEventPool();
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
  ze_command_list_desc_t listDescription{};
  listDescription.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC;
  EXPECT_EQ(zeCommandListCreate(other, device, &listDescription, &gone),
            ZE_RESULT_ERROR_INVALID_ARGUMENT);
  void *memory = allocate(context);
  ASSERT_EQ(zeMemFree(context, memory), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeMemFree(context, memory), ZE_RESULT_ERROR_INVALID_ARGUMENT);
}

} // namespace
