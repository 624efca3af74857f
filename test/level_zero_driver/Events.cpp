// Event pools and events.
#include "Driver.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace ze_test {
namespace {

struct Pool {
  uint32_t count = 0;
};

Live<Pool> &pools() {
  static Live<Pool> all;
  return all;
}

ze_result_t poolCreate(ze_context_handle_t context,
                       const ze_event_pool_desc_t *description, uint32_t,
                       ze_device_handle_t *, ze_event_pool_handle_t *out) {
  if (!contexts().find(context))
    return badHandle(context);
  if (anyNull({description, out}))
    return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  if (description->count == 0)
    return ZE_RESULT_ERROR_INVALID_SIZE;
  auto pool = std::make_unique<Pool>();
  pool->count = description->count;
  *out = reinterpret_cast<ze_event_pool_handle_t>(pools().add(std::move(pool)));
  return ZE_RESULT_SUCCESS;
}

ze_result_t poolDestroy(ze_event_pool_handle_t handle) {
  return pools().remove(handle) ? ZE_RESULT_SUCCESS : badHandle(handle);
}

ze_result_t eventCreate(ze_event_pool_handle_t handle,
                        const ze_event_desc_t *description, ze_event_handle_t *out) {
  Pool *pool = pools().find(handle);
  if (!pool)
    return badHandle(handle);
  if (anyNull({description, out}))
    return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  if (description->index >= pool->count)
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  *out = reinterpret_cast<ze_event_handle_t>(events().add(std::make_unique<Event>()));
  return ZE_RESULT_SUCCESS;
}

ze_result_t eventReset(ze_event_handle_t handle) {
  Event *event = events().find(handle);
  if (!event)
    return badHandle(handle);
  std::lock_guard lock(event->mutex);
  if (event->command)
    openCl().clReleaseEvent(event->command);
  event->command = nullptr;
  event->queue = nullptr;
  return ZE_RESULT_SUCCESS;
}

ze_result_t eventDestroy(ze_event_handle_t handle) {
  if (ze_result_t result = eventReset(handle); result != ZE_RESULT_SUCCESS)
    return result;
  events().remove(handle);
  return ZE_RESULT_SUCCESS;
}

ze_result_t eventSynchronize(ze_event_handle_t handle, uint64_t timeout) {
  Event *event = events().find(handle);
  if (!event)
    return badHandle(handle);
  const auto begin = std::chrono::steady_clock::now();
  while (true) {
    Queue *queue = nullptr;
    {
      std::lock_guard lock(event->mutex);
      queue = event->queue;
    }
    // Behind a command that signals comes nothing that must not have run too.
    if (queue)
      return finish(*queue);
    if (std::chrono::steady_clock::now() - begin >=
        std::chrono::nanoseconds(std::min<uint64_t>(timeout, uint64_t(1) << 62)))
      return ZE_RESULT_NOT_READY;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

ze_result_t queryTimestamp(ze_event_handle_t handle,
                           ze_kernel_timestamp_result_t *out) {
  Event *event = events().find(handle);
  if (!event)
    return badHandle(handle);
  std::lock_guard lock(event->mutex);
  if (!event->command)
    return ZE_RESULT_NOT_READY;
  cl_ulong start = 0, end = 0;
  const OpenCl &cl = openCl();
  if (cl.clGetEventProfilingInfo(event->command, CL_PROFILING_COMMAND_START,
                                 sizeof(start), &start, nullptr) ||
      cl.clGetEventProfilingInfo(event->command, CL_PROFILING_COMMAND_END, sizeof(end),
                                 &end, nullptr))
    return ZE_RESULT_NOT_READY;
  out->global.kernelStart = out->context.kernelStart = start;
  out->global.kernelEnd = out->context.kernelEnd = end;
  return ZE_RESULT_SUCCESS;
}

} // namespace

Live<Event> &events() {
  static Live<Event> all;
  return all;
}

void attach(Event &event, cl_event command, Queue &queue) {
  std::lock_guard lock(event.mutex);
  if (event.command)
    openCl().clReleaseEvent(event.command);
  event.command = command;
  event.queue = &queue;
}

void fill(ze_event_pool_dditable_t &table) {
  table.pfnCreate = poolCreate;
  table.pfnDestroy = poolDestroy;
}

void fill(ze_event_dditable_t &table) {
  table.pfnCreate = eventCreate;
  table.pfnDestroy = eventDestroy;
  table.pfnHostReset = eventReset;
  table.pfnHostSynchronize = eventSynchronize;
  table.pfnQueryKernelTimestamp = queryTimestamp;
}

} // namespace ze_test
