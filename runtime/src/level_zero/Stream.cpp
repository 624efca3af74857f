#include "runtime/src/level_zero/Stream.h"

#include <algorithm>

namespace normrt::level_zero {

//===----------------------------------------------------------------------===//
// Events and lists
//===----------------------------------------------------------------------===//

Status Event::create() {
  const Loader &ze = device_.ze();
  ze_event_pool_desc_t pool{};
  pool.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC;
  pool.flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
  pool.count = 1;
  ze_device_handle_t device = device_.handle();
  NORMRT_ZE_TRY(zeEventPoolCreate, device_.context(), &pool, 1, &device, &pool_);
  ze_event_desc_t event{};
  event.stype = ZE_STRUCTURE_TYPE_EVENT_DESC;
  event.signal = ZE_EVENT_SCOPE_FLAG_HOST;
  event.wait = ZE_EVENT_SCOPE_FLAG_HOST;
  NORMRT_ZE_TRY(zeEventCreate, pool_, &event, &event_);
  return Status();
}

Event::~Event() {
  if (event_)
    device_.ze().zeEventDestroy(event_);
  if (pool_)
    device_.ze().zeEventPoolDestroy(pool_);
}

Status Event::wait() const {
  const Loader &ze = device_.ze();
  NORMRT_ZE_TRY(zeEventHostSynchronize, event_, UINT64_MAX);
  return Status();
}

Status Event::reset() const {
  const Loader &ze = device_.ze();
  NORMRT_ZE_TRY(zeEventHostReset, event_);
  return Status();
}

Status appendBarrier(const LevelZeroDevice &device, ze_command_list_handle_t list,
                     ze_event_handle_t signal) {
  const Loader &ze = device.ze();
  NORMRT_ZE_TRY(zeCommandListAppendBarrier, list, signal, 0, nullptr);
  return Status();
}

Status createList(const LevelZeroDevice &device, ze_command_list_handle_t &list) {
  const Loader &ze = device.ze();
  ze_command_list_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC;
  description.commandQueueGroupOrdinal = device.numbers().queueGroup;
  NORMRT_ZE_TRY(zeCommandListCreate, device.context(), device.handle(), &description,
                &list);
  return Status();
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

Status Stream::create() {
  const Loader &ze = device_.ze();
  ze_command_queue_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
  description.ordinal = device_.numbers().queueGroup;
  description.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
  NORMRT_ZE_TRY(zeCommandListCreateImmediate, device_.context(), device_.handle(),
                &description, &list_);
  return Status();
}

Stream::~Stream() {
  // A list must not be destroyed while its commands run, nor the memory that they use.
  if (list_)
    (void)drain(true).failed();
  if (recording_)
    device_.ze().zeCommandListDestroy(recording_);
  if (list_)
    device_.ze().zeCommandListDestroy(list_);
}

/// Waits, and then frees the blocks that no launch was about to use before: all of
/// them, or those that a larger one has replaced. They leave the stream first, so that
/// no launch takes one of them in the meantime.
Status Stream::drain(bool all) {
  Event event(device_);
  NORMRT_TRY(event.create());
  std::vector<Block> old;
  {
    std::lock_guard lock(mutex_);
    const void *largest = blocks_.empty() || all ? nullptr : blocks_.front().memory;
    std::erase_if(blocks_, [&](const Block &block) {
      const bool goes = block.users == 0 && block.memory != largest;
      if (goes)
        old.push_back(block);
      return goes;
    });
    NORMRT_TRY(appendBarrier(device_, list_, event.handle()));
  }
  NORMRT_TRY(event.wait());
  const Loader &ze = device_.ze();
  for (const Block &block : old)
    NORMRT_ZE_TRY(zeMemFree, device_.context(), block.memory);
  return Status();
}

Status Stream::synchronize() { return drain(false); }

void Stream::trim() { (void)drain(true).failed(); }

Status Stream::beginRecording() {
  std::lock_guard lock(mutex_);
  if (recording_)
    return Status::error(NORMRT_STATUS_INVALID_ARGUMENT,
                         "expected a stream that is not captured yet, but it is");
  return createList(device_, recording_);
}

Status Stream::endRecording(ze_command_list_handle_t &recorded) {
  std::lock_guard lock(mutex_);
  if (!recording_)
    return Status::error(NORMRT_STATUS_INVALID_ARGUMENT,
                         "expected a stream that is captured, but it is not");
  recorded = recording_;
  recording_ = nullptr;
  return Status();
}

//===----------------------------------------------------------------------===//
// Workspaces
//===----------------------------------------------------------------------===//

Status Stream::acquireWorkspace(size_t bytes, void *&workspace) {
  std::lock_guard lock(mutex_);
  // Its life would have to be the graph's.
  if (recording_)
    return Status::error(NORMRT_STATUS_UNSUPPORTED,
                         "expected options.workspace, because the stream is captured "
                         "and a launch allocates nothing then, but got null");
  for (Block &block : blocks_)
    if (block.bytes >= bytes) {
      ++block.users;
      workspace = block.memory;
      return Status();
    }
  const Loader &ze = device_.ze();
  ze_device_mem_alloc_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC;
  void *memory = nullptr;
  const ze_result_t result =
      ze.zeMemAllocDevice(device_.context(), &description, bytes,
                          NORMRT_WORKSPACE_ALIGNMENT, device_.handle(), &memory);
  if (result != ZE_RESULT_SUCCESS)
    return callError(result, "zeMemAllocDevice")
        .within("allocating a workspace of ", bytes, " bytes");
  // The newest is the largest: it serves all that come.
  blocks_.insert(blocks_.begin(), {memory, bytes, 1});
  workspace = memory;
  return Status();
}

void Stream::releaseWorkspace(void *workspace) {
  std::lock_guard lock(mutex_);
  for (Block &block : blocks_)
    if (block.memory == workspace)
      --block.users;
}

} // namespace normrt::level_zero
