// Unified shared memory: the CPU's own, in three kinds, each of one context.
#include "Driver.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace ze_test {
namespace {

constexpr size_t kPage = 4096;
// What an aligned access of a kernel may take for granted of any allocation.
constexpr size_t kTightAlignment = 16;
constexpr uint8_t kFresh = 0xa5;

std::mutex mutex;
std::map<uintptr_t, Allocation> allocations;
int running = 0;

size_t roundUp(size_t value, size_t to) { return (value + to - 1) / to * to; }

/// The pages before the guard page.
size_t usableBytes(const Allocation &allocation) {
  return allocation.mappingBytes - kPage;
}

void protectDevices(int access) {
  for (auto &[base, allocation] : allocations)
    if (allocation.type == ZE_MEMORY_TYPE_DEVICE)
      mprotect(allocation.mapping, usableBytes(allocation), access);
}

/// Says which allocation a fault belongs to, and ends the process as it would have.
void onFault(int number, siginfo_t *info, void *) {
  char text[256];
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  int length =
      std::snprintf(text, sizeof(text), "ze test driver: fault at %p", info->si_addr);
  for (const auto &[base, allocation] : allocations) {
    const auto low = reinterpret_cast<uintptr_t>(allocation.mapping);
    if (address < low || address >= low + allocation.mappingBytes)
      continue;
    const bool past = address >= base + allocation.bytes;
    length += std::snprintf(text + length, sizeof(text) - size_t(length),
                            ", byte %zd of an allocation of %zu%s",
                            ssize_t(address - base), allocation.bytes,
                            past          ? ": past its end"
                            : running > 0 ? ""
                                          : ": the host reaches into device memory");
  }
  text[length++] = '\n';
  if (write(STDERR_FILENO, text, size_t(length)) < 0)
    _exit(1);
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void catchFaults() {
  struct sigaction action{};
  action.sa_sigaction = onFault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
}

/// In guarded mode the allocation ends as closely before the guard page as accesses of
/// 16 bytes allow, whatever alignment is asked for beyond that of a workspace.
ze_result_t allocate(ze_context_handle_t handle, Device *device, ze_memory_type_t type,
                     size_t bytes, size_t alignment, void **out) {
  Context *context = contexts().find(handle);
  if (!context)
    return badHandle(handle);
  if (!out)
    return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  if (bytes == 0)
    return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
  if (alignment & (alignment - 1))
    return ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
  alignment = alignment ? alignment : 64;
  const bool guarded = hasMode("guarded");
  static const bool caught = guarded ? (catchFaults(), true) : false;
  (void)caught;
  const size_t usable = roundUp(bytes + alignment, kPage);
  Allocation made;
  made.mappingBytes = usable + kPage;
  made.mapping = mmap(nullptr, made.mappingBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made.mapping == MAP_FAILED)
    return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
  const auto low = reinterpret_cast<uintptr_t>(made.mapping);
  made.base = low;
  if (guarded) {
    std::memset(made.mapping, kFresh, usable);
    mprotect(reinterpret_cast<void *>(low + usable), kPage, PROT_NONE);
    made.base = low + usable - roundUp(bytes, kTightAlignment);
    made.base = made.base / alignment * alignment;
  }
  made.bytes = bytes;
  made.type = type;
  made.context = context;
  made.device = device;
  std::lock_guard lock(mutex);
  if (guarded && type == ZE_MEMORY_TYPE_DEVICE && running == 0)
    mprotect(made.mapping, usable, PROT_NONE);
  allocations[made.base] = made;
  *out = reinterpret_cast<void *>(made.base);
  return ZE_RESULT_SUCCESS;
}

ze_result_t allocDevice(ze_context_handle_t context, const ze_device_mem_alloc_desc_t *,
                        size_t bytes, size_t alignment, ze_device_handle_t handle,
                        void **out) {
  Device *device = deviceOf(handle);
  return device
             ? allocate(context, device, ZE_MEMORY_TYPE_DEVICE, bytes, alignment, out)
             : badHandle(handle);
}

ze_result_t allocHost(ze_context_handle_t context, const ze_host_mem_alloc_desc_t *,
                      size_t bytes, size_t alignment, void **out) {
  return allocate(context, nullptr, ZE_MEMORY_TYPE_HOST, bytes, alignment, out);
}

ze_result_t allocShared(ze_context_handle_t context, const ze_device_mem_alloc_desc_t *,
                        const ze_host_mem_alloc_desc_t *, size_t bytes,
                        size_t alignment, ze_device_handle_t handle, void **out) {
  return allocate(context, deviceOf(handle), ZE_MEMORY_TYPE_SHARED, bytes, alignment,
                  out);
}

ze_result_t memFree(ze_context_handle_t handle, void *memory) {
  Context *context = contexts().find(handle);
  if (!context)
    return badHandle(handle);
  std::lock_guard lock(mutex);
  auto found = allocations.find(reinterpret_cast<uintptr_t>(memory));
  if (found == allocations.end() || found->second.context != context)
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  munmap(found->second.mapping, found->second.mappingBytes);
  allocations.erase(found);
  return ZE_RESULT_SUCCESS;
}

ze_result_t getAllocProperties(ze_context_handle_t handle, const void *memory,
                               ze_memory_allocation_properties_t *out,
                               ze_device_handle_t *owner) {
  Context *context = contexts().find(handle);
  if (!context)
    return badHandle(handle);
  Allocation found;
  const bool known = findAllocation(memory, context, found);
  out->type = known ? found.type : ZE_MEMORY_TYPE_UNKNOWN;
  out->id = 0;
  out->pageSize = kPage;
  if (owner)
    *owner = known ? reinterpret_cast<ze_device_handle_t>(found.device) : nullptr;
  return ZE_RESULT_SUCCESS;
}

ze_result_t getAddressRange(ze_context_handle_t handle, const void *memory, void **base,
                            size_t *bytes) {
  Context *context = contexts().find(handle);
  if (!context)
    return badHandle(handle);
  Allocation found;
  if (!findAllocation(memory, context, found))
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  if (base)
    *base = reinterpret_cast<void *>(found.base);
  if (bytes)
    *bytes = found.bytes;
  return ZE_RESULT_SUCCESS;
}

} // namespace

bool findAllocation(const void *address, const Context *context, Allocation &found) {
  std::lock_guard lock(mutex);
  auto next = allocations.upper_bound(reinterpret_cast<uintptr_t>(address));
  if (next == allocations.begin())
    return false;
  found = std::prev(next)->second;
  return reinterpret_cast<uintptr_t>(address) < found.base + found.bytes &&
         (!context || found.context == context);
}

void beginCommand() {
  std::lock_guard lock(mutex);
  if (running++ == 0 && hasMode("guarded"))
    protectDevices(PROT_READ | PROT_WRITE);
}

void endCommands(int count) {
  std::lock_guard lock(mutex);
  running -= count;
  if (count > 0 && running == 0 && hasMode("guarded"))
    protectDevices(PROT_NONE);
}

void fill(ze_mem_dditable_t &table) {
  table.pfnAllocDevice = allocDevice;
  table.pfnAllocHost = allocHost;
  table.pfnAllocShared = allocShared;
  table.pfnFree = memFree;
  table.pfnGetAllocProperties = getAllocProperties;
  table.pfnGetAddressRange = getAddressRange;
}

} // namespace ze_test
