// Command lists, queues and events.
#include "Driver.h"

#include <algorithm>
#include <cstring>

namespace ze_test {
namespace {

struct List {
  const Context *context = nullptr;
  uint32_t group = kCopyGroup;
  std::vector<Command> commands;
  bool closed = false;
  /// Of an immediate list.
  std::unique_ptr<Queue> immediate;
};

Live<List> &lists() {
  static Live<List> all;
  return all;
}
Live<Queue> &queues() {
  static Live<Queue> all;
  return all;
}

/// OpenCL's kernels hold their arguments, so setting them and enqueueing is one step.
std::mutex submitting;

ze_result_t makeQueue(const ze_command_queue_desc_t *description,
                      ze_context_handle_t context, Queue &queue) {
  if (description->ordinal >= kQueueGroups)
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  queue.context = contexts().find(context);
  queue.group = description->ordinal;
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

/// What is wrong with the objects that a list or queue is made of.
ze_result_t checkParents(ze_context_handle_t context, ze_device_handle_t device,
                         const void *description, const void *out) {
  if (!contexts().find(context))
    return badHandle(context);
  if (!deviceOf(device))
    return badHandle(device);
  return anyNull({description, out}) ? ZE_RESULT_ERROR_INVALID_NULL_POINTER
                                     : ZE_RESULT_SUCCESS;
}

/// Whether an address is of the context of a list. Of one that is no list nothing is
/// said here.
bool reaches(ze_command_list_handle_t handle, const void *address) {
  const List *list = lists().find(handle);
  Allocation found;
  return !list || findAllocation(address, list->context, found);
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
                       const ze_command_list_desc_t *description,
                       ze_command_list_handle_t *out) {
  if (ze_result_t result = checkParents(context, device, description, out);
      result != ZE_RESULT_SUCCESS)
    return result;
  if (description->commandQueueGroupOrdinal >= kQueueGroups)
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  auto list = std::make_unique<List>();
  list->context = contexts().find(context);
  list->group = description->commandQueueGroupOrdinal;
  *out = reinterpret_cast<ze_command_list_handle_t>(lists().add(std::move(list)));
  return ZE_RESULT_SUCCESS;
}

ze_result_t listCreateImmediate(ze_context_handle_t context, ze_device_handle_t device,
                                const ze_command_queue_desc_t *description,
                                ze_command_list_handle_t *out) {
  if (ze_result_t result = checkParents(context, device, description, out);
      result != ZE_RESULT_SUCCESS)
    return result;
  auto list = std::make_unique<List>();
  list->immediate = std::make_unique<Queue>();
  const ze_result_t result = makeQueue(description, context, *list->immediate);
  list->context = list->immediate->context;
  list->group = list->immediate->group;
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
  if (ze_result_t result = checkParents(context, device, description, out);
      result != ZE_RESULT_SUCCESS)
    return result;
  auto queue = std::make_unique<Queue>();
  const ze_result_t result = makeQueue(description, context, *queue);
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
    if (!list->closed || list->context != queue->context)
      return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (list->group != queue->group)
      return ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE;
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
  if (!reaches(list, to) || !reaches(list, from))
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  return append(list, signal, waits, [=](cl_command_queue queue, cl_event *event) {
    return openCl().enqueueMemcpy(queue, CL_FALSE, to, from, bytes, 0, nullptr, event);
  });
}

ze_result_t appendFill(ze_command_list_handle_t list, void *to, const void *pattern,
                       size_t patternBytes, size_t bytes, ze_event_handle_t signal,
                       uint32_t waits, ze_event_handle_t *) {
  if (!reaches(list, to))
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  if (!pattern)
    return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  const auto *first = static_cast<const uint8_t *>(pattern);
  std::vector<uint8_t> copy(first, first + patternBytes);
  return append(list, signal, waits, [=](cl_command_queue queue, cl_event *event) {
    return openCl().enqueueMemFill(queue, to, copy.data(), copy.size(), bytes, 0,
                                   nullptr, event);
  });
}

/// Whether a list takes the kernel: one of its context, and one that computes.
ze_result_t checkList(ze_command_list_handle_t handle, const Kernel &kernel) {
  const List *list = lists().find(handle);
  if (!list)
    return badHandle(handle);
  if (list->context != kernel.module->context)
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  return list->group == kCopyGroup ? ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE
                                   : ZE_RESULT_SUCCESS;
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
  if (!groups)
    return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  if (ze_result_t result = checkList(list, *kernel); result != ZE_RESULT_SUCCESS)
    return result;
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

} // namespace

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

} // namespace ze_test
