// Command lists, queues and events.
#include "Driver.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

namespace ze_test {
namespace {

struct List {
  std::vector<Command> commands;
  bool closed = false;
  /// Of an immediate list.
  std::unique_ptr<Queue> immediate;
};

struct Pool {
  uint32_t count = 0;
};

Live<List> &lists() {
  static Live<List> all;
  return all;
}
Live<Queue> &queues() {
  static Live<Queue> all;
  return all;
}
Live<Pool> &pools() {
  static Live<Pool> all;
  return all;
}

/// OpenCL's kernels hold their arguments, so setting them and enqueueing is one step.
std::mutex submitting;

ze_result_t makeQueue(const ze_command_queue_desc_t *description, Queue &queue) {
  // Group 0 copies only, see Devices.cpp.
  if (description->ordinal > 1)
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  cl_queue_properties flags = CL_QUEUE_PROFILING_ENABLE;
  if (hasMode("unordered"))
    flags |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, flags, 0};
  cl_int code = 0;
  const OpenCl &cl = openCl();
  queue.queue =
      cl.clCreateCommandQueueWithProperties(cl.context, cl.device, properties, &code);
  queue.synchronous = description->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
  return resultOf(code);
}

ze_result_t enqueue(Queue &queue, const Command &command) {
  beginCommand();
  ++queue.pending;
  cl_event event = nullptr;
  const cl_int code = command.enqueue(queue.queue, command.signal ? &event : nullptr);
  if (code) {
    --queue.pending;
    endCommands(1);
    return resultOf(code);
  }
  if (command.signal)
    attach(*command.signal, event, queue);
  return ZE_RESULT_SUCCESS;
}

/// Enqueues what is held, the last command first: a reader whose barrier is missing
/// runs before what it reads is written. With `submitting` locked.
ze_result_t release(Queue &queue) {
  std::vector<Command> held;
  held.swap(queue.held);
  ze_result_t result = ZE_RESULT_SUCCESS;
  for (auto command = held.rbegin(); command != held.rend(); ++command) {
    // One after the other: side by side two might happen to run in order.
    if (command != held.rbegin())
      openCl().clEnqueueBarrierWithWaitList(queue.queue, 0, nullptr, nullptr);
    if (ze_result_t one = enqueue(queue, *command); one != ZE_RESULT_SUCCESS)
      result = one;
  }
  return result;
}

ze_result_t submit(Queue &queue, const Command &command) {
  std::lock_guard lock(submitting);
  if (!hasMode("unordered"))
    return enqueue(queue, command);
  if (command.isBarrier) {
    const ze_result_t result = release(queue);
    return result == ZE_RESULT_SUCCESS ? enqueue(queue, command) : result;
  }
  if (command.signal) {
    std::lock_guard eventLock(command.signal->mutex);
    command.signal->queue = &queue;
  }
  queue.held.push_back(command);
  return ZE_RESULT_SUCCESS;
}

/// Lists follow each other, whatever is in them.
ze_result_t submitBarrier(Queue &queue) {
  return submit(queue, {[](cl_command_queue to, cl_event *event) {
                          return openCl().clEnqueueBarrierWithWaitList(to, 0, nullptr,
                                                                       event);
                        },
                        nullptr, /*isBarrier=*/true});
}

/// Waiting for events on the device is not among what normc's runtime asks for.
ze_result_t append(ze_command_list_handle_t handle, ze_event_handle_t signal,
                   uint32_t waits, Enqueue enqueue, bool isBarrier = false) {
  List *list = lists().find(handle);
  if (!list)
    return badHandle(handle);
  if (list->closed)
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  if (waits > 0)
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
  Command command{std::move(enqueue), nullptr, isBarrier};
  if (signal)
    command.signal = events().find(signal);
  if (signal && !command.signal)
    return badHandle(signal);
  if (!list->immediate) {
    list->commands.push_back(std::move(command));
    return ZE_RESULT_SUCCESS;
  }
  const ze_result_t result = submit(*list->immediate, command);
  openCl().clFlush(list->immediate->queue);
  return result == ZE_RESULT_SUCCESS && list->immediate->synchronous
             ? finish(*list->immediate)
             : result;
}

//===----------------------------------------------------------------------===//
// Lists and queues
//===----------------------------------------------------------------------===//

ze_result_t listCreate(ze_context_handle_t context, ze_device_handle_t device,
                       const ze_command_list_desc_t *, ze_command_list_handle_t *out) {
  if (!contexts().find(context))
    return badHandle(context);
  if (!deviceOf(device))
    return badHandle(device);
  *out =
      reinterpret_cast<ze_command_list_handle_t>(lists().add(std::make_unique<List>()));
  return ZE_RESULT_SUCCESS;
}

ze_result_t listCreateImmediate(ze_context_handle_t context, ze_device_handle_t device,
                                const ze_command_queue_desc_t *description,
                                ze_command_list_handle_t *out) {
  if (!contexts().find(context))
    return badHandle(context);
  if (!deviceOf(device))
    return badHandle(device);
  auto list = std::make_unique<List>();
  list->immediate = std::make_unique<Queue>();
  const ze_result_t result = makeQueue(description, *list->immediate);
  if (result == ZE_RESULT_SUCCESS)
    *out = reinterpret_cast<ze_command_list_handle_t>(lists().add(std::move(list)));
  return result;
}

ze_result_t listDestroy(ze_command_list_handle_t handle) {
  auto list = lists().remove(handle);
  if (!list)
    return badHandle(handle);
  if (list->immediate) {
    finish(*list->immediate);
    openCl().clReleaseCommandQueue(list->immediate->queue);
  }
  return ZE_RESULT_SUCCESS;
}

ze_result_t listClose(ze_command_list_handle_t handle) {
  List *list = lists().find(handle);
  if (!list)
    return badHandle(handle);
  if (list->immediate)
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  list->closed = true;
  return ZE_RESULT_SUCCESS;
}

ze_result_t queueCreate(ze_context_handle_t context, ze_device_handle_t device,
                        const ze_command_queue_desc_t *description,
                        ze_command_queue_handle_t *out) {
  if (!contexts().find(context))
    return badHandle(context);
  if (!deviceOf(device))
    return badHandle(device);
  auto queue = std::make_unique<Queue>();
  const ze_result_t result = makeQueue(description, *queue);
  if (result == ZE_RESULT_SUCCESS)
    *out = reinterpret_cast<ze_command_queue_handle_t>(queues().add(std::move(queue)));
  return result;
}

ze_result_t queueDestroy(ze_command_queue_handle_t handle) {
  auto queue = queues().remove(handle);
  if (!queue)
    return badHandle(handle);
  finish(*queue);
  openCl().clReleaseCommandQueue(queue->queue);
  return ZE_RESULT_SUCCESS;
}

ze_result_t queueExecute(ze_command_queue_handle_t handle, uint32_t count,
                         ze_command_list_handle_t *all, ze_fence_handle_t fence) {
  Queue *queue = queues().find(handle);
  if (!queue)
    return badHandle(handle);
  if (fence)
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
  for (uint32_t i = 0; i < count; ++i) {
    List *list = lists().find(all[i]);
    if (!list)
      return badHandle(all[i]);
    if (!list->closed)
      return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    for (const Command &command : list->commands)
      if (ze_result_t result = submit(*queue, command); result != ZE_RESULT_SUCCESS)
        return result;
    if (ze_result_t result = submitBarrier(*queue); result != ZE_RESULT_SUCCESS)
      return result;
  }
  openCl().clFlush(queue->queue);
  return queue->synchronous ? finish(*queue) : ZE_RESULT_SUCCESS;
}

ze_result_t queueSynchronize(ze_command_queue_handle_t handle, uint64_t) {
  Queue *queue = queues().find(handle);
  return queue ? finish(*queue) : badHandle(handle);
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

ze_result_t appendBarrier(ze_command_list_handle_t list, ze_event_handle_t signal,
                          uint32_t waits, ze_event_handle_t *) {
  return append(
      list, signal, waits,
      [](cl_command_queue queue, cl_event *event) {
        return openCl().clEnqueueBarrierWithWaitList(queue, 0, nullptr, event);
      },
      /*isBarrier=*/true);
}

ze_result_t appendCopy(ze_command_list_handle_t list, void *to, const void *from,
                       size_t bytes, ze_event_handle_t signal, uint32_t waits,
                       ze_event_handle_t *) {
  // "The memory pointed to must be accessible by the device".
  Allocation found;
  if (!findAllocation(to, nullptr, found) || !findAllocation(from, nullptr, found))
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  return append(list, signal, waits, [=](cl_command_queue queue, cl_event *event) {
    return openCl().enqueueMemcpy(queue, CL_FALSE, to, from, bytes, 0, nullptr, event);
  });
}

ze_result_t appendFill(ze_command_list_handle_t list, void *to, const void *pattern,
                       size_t patternBytes, size_t bytes, ze_event_handle_t signal,
                       uint32_t waits, ze_event_handle_t *) {
  Allocation found;
  if (!findAllocation(to, nullptr, found))
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  const auto *first = static_cast<const uint8_t *>(pattern);
  std::vector<uint8_t> copy(first, first + patternBytes);
  return append(list, signal, waits, [=](cl_command_queue queue, cl_event *event) {
    return openCl().enqueueMemFill(queue, to, copy.data(), copy.size(), bytes, 0,
                                   nullptr, event);
  });
}

/// Arguments that a launch may have: all set, pointers of the module's context.
ze_result_t checkArguments(const Kernel &kernel) {
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    if (!kernel.arguments[i].isSet)
      return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (kernel.signature->parameters[i].kind != Parameter::Kind::Global)
      continue;
    void *pointer = nullptr;
    std::memcpy(&pointer, kernel.arguments[i].value.data(), sizeof(pointer));
    Allocation found;
    if (pointer && !findAllocation(pointer, kernel.module->context, found))
      return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  }
  return kernel.workgroup[0] == 0 ? ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION
                                  : ZE_RESULT_SUCCESS;
}

ze_result_t appendKernel(ze_command_list_handle_t list, ze_kernel_handle_t handle,
                         const ze_group_count_t *groups, ze_event_handle_t signal,
                         uint32_t waits, ze_event_handle_t *) {
  Kernel *kernel = kernels().find(handle);
  if (!kernel)
    return badHandle(handle);
  if (ze_result_t result = checkArguments(*kernel); result != ZE_RESULT_SUCCESS)
    return result;
  if (ze_result_t result = prepare(*kernel); result != ZE_RESULT_SUCCESS)
    return result;
  // What the kernel has now: changes after this do not matter.
  struct Launch {
    cl_kernel kernel;
    std::vector<Argument> arguments;
    std::vector<Parameter> parameters;
    size_t local[3], global[3];
  } launch{kernel->kernel, kernel->arguments, kernel->signature->parameters, {}, {}};
  const uint32_t counts[] = {groups->groupCountX, groups->groupCountY,
                             groups->groupCountZ};
  for (int i = 0; i < 3; ++i) {
    launch.local[i] = kernel->workgroup[i];
    launch.global[i] = launch.local[i] * counts[i];
  }
  return append(list, signal, waits, [launch](cl_command_queue queue, cl_event *event) {
    const OpenCl &cl = openCl();
    for (cl_uint i = 0; i < launch.arguments.size(); ++i) {
      const Argument &argument = launch.arguments[i];
      cl_int code = 0;
      if (launch.parameters[i].kind == Parameter::Kind::Global) {
        void *pointer = nullptr;
        std::memcpy(&pointer, argument.value.data(), sizeof(pointer));
        code = cl.setKernelArgMemPointer(launch.kernel, i, pointer);
      } else if (launch.parameters[i].kind == Parameter::Kind::Workgroup) {
        code = cl.clSetKernelArg(launch.kernel, i, argument.bytes, nullptr);
      } else {
        code = cl.clSetKernelArg(launch.kernel, i, argument.value.size(),
                                 argument.value.data());
      }
      if (code)
        return code;
    }
    return cl.clEnqueueNDRangeKernel(queue, launch.kernel, 3, nullptr, launch.global,
                                     launch.local, 0, nullptr, event);
  });
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

ze_result_t poolCreate(ze_context_handle_t context,
                       const ze_event_pool_desc_t *description, uint32_t,
                       ze_device_handle_t *, ze_event_pool_handle_t *out) {
  if (!contexts().find(context))
    return badHandle(context);
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

ze_result_t finish(Queue &queue) {
  int before = 0;
  ze_result_t result = ZE_RESULT_SUCCESS;
  {
    std::lock_guard lock(submitting);
    result = release(queue);
    before = queue.pending;
  }
  if (ze_result_t ran = resultOf(openCl().clFinish(queue.queue));
      ran != ZE_RESULT_SUCCESS)
    result = ran;
  std::lock_guard lock(submitting);
  const int ended = std::min(before, queue.pending);
  queue.pending -= ended;
  endCommands(ended);
  return result;
}

void attach(Event &event, cl_event command, Queue &queue) {
  std::lock_guard lock(event.mutex);
  if (event.command)
    openCl().clReleaseEvent(event.command);
  event.command = command;
  event.queue = &queue;
}

void fill(ze_command_list_dditable_t &table) {
  table.pfnCreate = listCreate;
  table.pfnCreateImmediate = listCreateImmediate;
  table.pfnDestroy = listDestroy;
  table.pfnClose = listClose;
  table.pfnAppendBarrier = appendBarrier;
  table.pfnAppendMemoryCopy = appendCopy;
  table.pfnAppendMemoryFill = appendFill;
  table.pfnAppendLaunchKernel = appendKernel;
}

void fill(ze_command_queue_dditable_t &table) {
  table.pfnCreate = queueCreate;
  table.pfnDestroy = queueDestroy;
  table.pfnExecuteCommandLists = queueExecute;
  table.pfnSynchronize = queueSynchronize;
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
