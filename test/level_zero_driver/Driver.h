// A Level Zero driver for tests, and for nothing else: the calls that normc's runtime
// makes, on a CPU that an OpenCL runtime drives. The real loader loads it
// (ZE_ENABLE_ALT_DRIVERS). What it lacks is a null entry of its tables, which the
// loader answers with ZE_RESULT_ERROR_UNSUPPORTED_FEATURE; what the specification
// forbids it refuses.
//
// Environment:
//   NORMC_ZE_TEST_OPENCL      path of the OpenCL runtime
//   NORMC_ZE_TEST_MODE        words: "unordered", commands run last first between two
//                             barriers, on a queue that keeps no order; "guarded",
//                             allocations end at a page without access, and the host
//                             cannot reach a device's memory
//   NORMC_ZE_TEST_VALIDATOR   program that checks modules first (default: spirv-val)
//   NORMC_ZE_TEST_CACHE       folder where compiled kernels are kept, for other
//   processes NORMC_ZE_TEST_SUBGROUPS   sizes of subgroups that the device tells of
//   ("8,32") NORMC_ZE_TEST_DEVICE_ID   PCI device number that it tells of
//   NORMC_ZE_TEST_DEVICES     how many devices there are, of two tiles each (default 1)
#ifndef NORMC_TEST_LEVEL_ZERO_DRIVER_DRIVER_H
#define NORMC_TEST_LEVEL_ZERO_DRIVER_DRIVER_H

#include "OpenCl.h"

#include <level_zero/ze_ddi.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace ze_test {

/// Whether a word stands in NORMC_ZE_TEST_MODE.
bool hasMode(const char *word);

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

/// Objects that exist: a handle that was destroyed, or never was one, is none of them.
template <class Object> class Live {
public:
  Object *add(std::unique_ptr<Object> object) {
    std::lock_guard lock(mutex_);
    Object *raw = object.get();
    objects_[raw] = std::move(object);
    return raw;
  }
  Object *find(const void *handle) {
    std::lock_guard lock(mutex_);
    auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second.get();
  }
  /// Null for a handle of none.
  std::unique_ptr<Object> remove(const void *handle) {
    std::lock_guard lock(mutex_);
    auto found = objects_.find(handle);
    if (found == objects_.end())
      return nullptr;
    auto object = std::move(found->second);
    objects_.erase(found);
    return object;
  }

private:
  std::mutex mutex_;
  std::map<const void *, std::unique_ptr<Object>> objects_;
};

/// What the specification says of a handle that is null, and of one that is wrong.
ze_result_t badHandle(const void *handle);
/// Whether one of these, which the specification wants, is null.
bool anyNull(std::initializer_list<const void *> pointers);

// Of the one device. Group 0 copies and group 1 computes, so that who takes the first
// is found out.
constexpr uint32_t kMaxWorkgroup = 1024;
constexpr uint32_t kQueueGroups = 2, kCopyGroup = 0;

struct Device {
  int ordinal = 0;
  /// The device that this is a tile of.
  Device *parent = nullptr;
  std::vector<Device *> tiles;
};

struct Context {
  int unused = 0;
};

/// Device handles are never destroyed.
Device *deviceOf(ze_device_handle_t handle);
Live<Context> &contexts();

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

struct Allocation {
  uintptr_t base = 0;
  size_t bytes = 0;
  ze_memory_type_t type = ZE_MEMORY_TYPE_UNKNOWN;
  const Context *context = nullptr;
  Device *device = nullptr;
  void *mapping = nullptr;
  size_t mappingBytes = 0;
};

/// Whether an address belongs to an allocation, of that context unless it is null.
bool findAllocation(const void *address, const Context *context, Allocation &found);

/// Around commands: while some run, device memory can be reached.
void beginCommand();
void endCommands(int count);

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// A parameter of a kernel in a SPIR-V module.
struct Parameter {
  enum class Kind { Value, Global, Workgroup } kind = Kind::Value;
  size_t bytes = 0;
};

struct KernelSignature {
  std::vector<Parameter> parameters;
  uint32_t subgroupSize = 0;
  uint32_t workgroup[3] = {0, 0, 0};
};

/// Reads the kernels of a module that was found valid.
std::map<std::string, KernelSignature>
readSignatures(const std::vector<uint32_t> &words);
/// The module with one of its kernels alone, which is valid where the whole is.
std::vector<uint32_t> onlyKernel(const std::vector<uint32_t> &words,
                                 const std::string &kernel);

/// The module with zero less a value for each negation of one. Intel's runtime (2026.2)
/// takes a negation for the same in all subgroups of a workgroup and, where a barrier
/// lies between it and its use, gives all of them the last one's. The other differs in
/// the sign of zeros alone.
std::vector<uint32_t> withoutNegations(const std::vector<uint32_t> &words);

/// Builds a module, or takes what was built of the same one before from the folder of
/// NORMC_ZE_TEST_CACHE; null, and why in `error`, where OpenCL refuses it.
cl_program buildProgram(const std::vector<uint32_t> &words, std::string &error);

struct Module {
  const Context *context = nullptr;
  std::vector<uint32_t> words;
  std::map<std::string, KernelSignature> signatures;
  int kernels = 0;
};

struct Argument {
  bool isSet = false;
  std::vector<uint8_t> value;
  /// Of workgroup memory.
  size_t bytes = 0;
};

struct Kernel {
  Module *module = nullptr;
  std::string name;
  /// Built for the first launch: most kernels of a package are never launched, and
  /// compiling them is nearly all of what a test takes.
  cl_program program = nullptr;
  cl_kernel kernel = nullptr;
  const KernelSignature *signature = nullptr;
  std::vector<Argument> arguments;
  uint32_t workgroup[3] = {0, 0, 0};
};

struct BuildLog {
  std::string text;
};

Live<Kernel> &kernels();
/// Builds the kernel unless it is built.
ze_result_t prepare(Kernel &kernel);

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

/// Enqueues one command; gives its event.
using Enqueue = std::function<cl_int(cl_command_queue, cl_event *)>;

struct Event;

struct Command {
  Enqueue enqueue;
  Event *signal = nullptr;
  bool isBarrier = false;
};

struct Queue {
  cl_command_queue queue = nullptr;
  const Context *context = nullptr;
  uint32_t group = kCopyGroup;
  bool synchronous = false;
  int pending = 0;
  /// Unordered, what came since the last barrier, to be run in another order.
  std::vector<Command> held;
};

struct Event {
  std::mutex mutex;
  cl_event command = nullptr;
  Queue *queue = nullptr;
};

Live<Event> &events();
/// Waits for all that a queue was given.
ze_result_t finish(Queue &queue);
/// The event's command has been handed to a queue.
void attach(Event &event, cl_event command, Queue &queue);

//===----------------------------------------------------------------------===//
// Tables of functions, each filled by the file that has them
//===----------------------------------------------------------------------===//

void fill(ze_global_dditable_t &table);
void fill(ze_driver_dditable_t &table);
void fill(ze_device_dditable_t &table);
void fill(ze_context_dditable_t &table);
void fill(ze_mem_dditable_t &table);
void fill(ze_module_dditable_t &table);
void fill(ze_module_build_log_dditable_t &table);
void fill(ze_kernel_dditable_t &table);
void fill(ze_command_list_dditable_t &table);
void fill(ze_command_queue_dditable_t &table);
void fill(ze_event_pool_dditable_t &table);
void fill(ze_event_dditable_t &table);

} // namespace ze_test

#endif // NORMC_TEST_LEVEL_ZERO_DRIVER_DRIVER_H
