// The fake driver's control, devices, contexts and memory.
#include "FakeState.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace normrt::test::fake {

State &state() {
  static State *all = new State;
  return *all;
}

std::vector<Context> &contexts() {
  thread_local std::vector<Context> stack;
  return stack;
}

bool usable(Stream stream) {
  return !stream || (state().alive(stream) && stream->context == current());
}

Result begin(const char *name, bool needsContext) {
  State &all = state();
  std::lock_guard lock(all.mutex);
  ++all.calls[name];
  Failure &failure = all.failures[name];
  if (failure.times > 0) {
    --failure.times;
    return failure.result;
  }
  if (!needsContext)
    return Result::Success;
  return current() ? all.fault : Result::InvalidContext;
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

void reset() {
  State &all = state();
  std::lock_guard lock(all.mutex);
  all.devices.assign(2, DeviceConfig());
  all.version = 13000;
  all.hidden.clear();
  all.failures.clear();
  all.calls.clear();
  all.fault = Result::Success;
  all.launches.clear();
  all.images.clear();
  all.jitLevel = -1;
}

void setDevices(std::vector<DeviceConfig> devices) {
  std::lock_guard lock(state().mutex);
  state().devices = std::move(devices);
}
void setVersion(int version) { state().version = version; }
void hide(const std::string &function) { state().hidden.insert(function); }
void failCalls(const std::string &function, Result result, int times) {
  std::lock_guard lock(state().mutex);
  state().failures[function] = {result, times};
}
void fault(Result result) { state().fault = result; }

std::vector<SeenLaunch> launches() {
  std::lock_guard lock(state().mutex);
  return state().launches;
}
int calls(const std::string &function) {
  std::lock_guard lock(state().mutex);
  return state().calls[function];
}
std::vector<std::string> loadedImages() { return state().images; }
int jitOptimizationLevel() { return state().jitLevel; }

int liveObjects() {
  std::lock_guard lock(state().mutex);
  size_t count = state().handles.size() + state().allocations.size();
  for (const ContextObject &context : state().primaries)
    count += size_t(context.references);
  return int(count);
}
size_t liveBytes() {
  std::lock_guard lock(state().mutex);
  size_t bytes = 0;
  for (const auto &[pointer, allocation] : state().allocations)
    bytes += allocation.bytes;
  return bytes;
}

Context foreignContext() { return &state().foreign; }
Context currentContext() { return current(); }
void pushContext(Context context) { contexts().push_back(context); }
void popContext() { contexts().pop_back(); }

std::string ptx(const std::string &architecture, const char *library) {
  return ".version 8.0\n.target " + architecture + "\n//library " + library + "\n";
}

//===----------------------------------------------------------------------===//
// Devices and contexts
//===----------------------------------------------------------------------===//

Result cuInit(unsigned) { return Result::Success; }

Result cuGetErrorName(Result error, const char **text) {
  switch (error) {
  case Result::InvalidValue:
    *text = "CUDA_ERROR_INVALID_VALUE";
    return Result::Success;
  case Result::OutOfMemory:
    *text = "CUDA_ERROR_OUT_OF_MEMORY";
    return Result::Success;
  case Result::InvalidPtx:
    *text = "CUDA_ERROR_INVALID_PTX";
    return Result::Success;
  case Result::UnsupportedPtxVersion:
    *text = "CUDA_ERROR_UNSUPPORTED_PTX_VERSION";
    return Result::Success;
  case Result::NotFound:
    *text = "CUDA_ERROR_NOT_FOUND";
    return Result::Success;
  case Result::IllegalAddress:
    *text = "CUDA_ERROR_ILLEGAL_ADDRESS";
    return Result::Success;
  default:
    return Result::InvalidValue; // As for a code that a driver does not know.
  }
}

Result cuGetErrorString(Result error, const char **text) {
  if (error != Result::IllegalAddress)
    return Result::InvalidValue;
  *text = "an illegal memory access was encountered";
  return Result::Success;
}

Result cuDeviceGetCount(int *count) {
  *count = int(state().devices.size());
  return Result::Success;
}

Result cuDeviceGet(Device *device, int ordinal) {
  if (ordinal < 0 || size_t(ordinal) >= state().devices.size())
    return Result::InvalidDevice;
  *device = 100 + ordinal; // A handle is not the number.
  return Result::Success;
}

const DeviceConfig &configOf(Device device) {
  return state().devices.at(size_t(device) - 100);
}

Result cuDeviceGetName(char *name, int length, Device device) {
  std::strncpy(name, configOf(device).name.c_str(), size_t(length));
  return Result::Success;
}

Result cuDeviceTotalMem(size_t *bytes, Device device) {
  *bytes = configOf(device).memoryBytes;
  return Result::Success;
}

Result cuDeviceGetAttribute(int *value, DeviceAttribute attribute, Device device) {
  const DeviceConfig &config = configOf(device);
  switch (attribute) {
  case DeviceAttribute::MaxThreadsPerBlock:
    *value = 1024;
    break;
  case DeviceAttribute::WarpSize:
    *value = 32;
    break;
  case DeviceAttribute::MultiprocessorCount:
    *value = config.computeUnits;
    break;
  case DeviceAttribute::L2CacheBytes:
    *value = 50 << 20;
    break;
  case DeviceAttribute::ComputeCapabilityMajor:
    *value = config.major;
    break;
  case DeviceAttribute::ComputeCapabilityMinor:
    *value = config.minor;
    break;
  case DeviceAttribute::MaxSharedBytesPerBlockOptin:
    *value = config.maxSharedBytes;
    break;
  case DeviceAttribute::MemoryPoolsSupported:
    *value = config.memoryPools;
    break;
  case DeviceAttribute::ClusterLaunch:
    *value = config.clusters;
    break;
  }
  return Result::Success;
}

Result cuDevicePrimaryCtxRetain(Context *context, Device device) {
  std::lock_guard lock(state().mutex);
  ContextObject &primary = state().primaries[device - 100];
  primary.device = device - 100;
  ++primary.references;
  *context = &primary;
  return Result::Success;
}

Result cuDevicePrimaryCtxRelease(Device device) {
  std::lock_guard lock(state().mutex);
  ContextObject &primary = state().primaries[device - 100];
  if (primary.references == 0)
    return Result::InvalidContext;
  --primary.references;
  return Result::Success;
}

Result cuCtxGetCurrent(Context *context) {
  *context = current();
  return Result::Success;
}

Result cuCtxPushCurrent(Context context) {
  if (context != &state().foreign && context->references == 0)
    return Result::InvalidContext;
  contexts().push_back(context);
  return Result::Success;
}

Result cuCtxPopCurrent(Context *context) {
  if (contexts().empty())
    return Result::InvalidContext;
  *context = contexts().back();
  contexts().pop_back();
  return Result::Success;
}

Result cuCtxSynchronize() { return Result::Success; }

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

size_t State::bytesOn(int device) const {
  size_t bytes = 0;
  for (const auto &[pointer, allocation] : allocations)
    bytes += allocation.device == device ? allocation.bytes : 0;
  return bytes;
}

Result State::allocate(size_t bytes, int device, MemoryPool pool,
                       DevicePointer &pointer) {
  if (bytes == 0)
    return Result::InvalidValue;
  const size_t limit = devices.at(size_t(device)).memoryBytes;
  if (bytes > limit || bytesOn(device) > limit - bytes)
    return Result::OutOfMemory;
  void *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(memory, 0xcd, bytes);
  pointer = reinterpret_cast<uintptr_t>(memory);
  allocations[pointer] = {bytes, device, pool};
  return Result::Success;
}

bool State::contains(DevicePointer begin, size_t bytes) const {
  auto after = allocations.upper_bound(begin);
  if (after == allocations.begin())
    return false;
  --after;
  return begin - after->first <= after->second.bytes &&
         bytes <= after->second.bytes - (begin - after->first);
}

Result cuMemAlloc(DevicePointer *pointer, size_t bytes) {
  std::lock_guard lock(state().mutex);
  return state().allocate(bytes, current()->device, nullptr, *pointer);
}

Result cuMemFree(DevicePointer pointer) {
  std::lock_guard lock(state().mutex);
  const auto found = state().allocations.find(pointer);
  if (found == state().allocations.end() || found->second.pool)
    return Result::InvalidValue;
  std::free(reinterpret_cast<void *>(pointer));
  state().allocations.erase(found);
  return Result::Success;
}

Result cuMemcpyHtoD(DevicePointer to, const void *from, size_t bytes) {
  std::lock_guard lock(state().mutex);
  if (!state().contains(to, bytes))
    return Result::InvalidValue;
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return Result::Success;
}

Result cuMemcpyDtoH(void *to, DevicePointer from, size_t bytes) {
  std::lock_guard lock(state().mutex);
  if (!state().contains(from, bytes))
    return Result::InvalidValue;
  std::memcpy(to, reinterpret_cast<const void *>(from), bytes);
  return Result::Success;
}

Result cuMemsetD8(DevicePointer pointer, unsigned char value, size_t bytes) {
  std::lock_guard lock(state().mutex);
  if (!state().contains(pointer, bytes))
    return Result::InvalidValue;
  std::memset(reinterpret_cast<void *>(pointer), value, bytes);
  return Result::Success;
}

Result cuMemPoolCreate(MemoryPool *pool, const MemoryPoolProperties *properties) {
  std::lock_guard lock(state().mutex);
  if (properties->allocationType != 1 || properties->locationType != 1)
    return Result::InvalidValue;
  if (!state().devices.at(size_t(properties->locationId)).memoryPools)
    return Result::NotSupported;
  *pool = state().make<MemoryPoolObject>();
  (*pool)->device = properties->locationId;
  return Result::Success;
}

Result cuMemPoolTrimTo(MemoryPool pool, size_t) {
  std::lock_guard lock(state().mutex);
  for (const auto &[bytes, pointer] : pool->kept) {
    std::free(reinterpret_cast<void *>(pointer));
    state().allocations.erase(pointer);
  }
  pool->kept.clear();
  return Result::Success;
}

Result cuMemPoolDestroy(MemoryPool pool) {
  std::lock_guard lock(state().mutex);
  if (!state().alive(pool))
    return Result::InvalidHandle;
  cuMemPoolTrimTo(pool, 0);
  return state().destroy(pool);
}

Result cuMemPoolSetAttribute(MemoryPool, int attribute, void *value) {
  return attribute == kPoolReleaseThreshold &&
                 *static_cast<uint64_t *>(value) == UINT64_MAX
             ? Result::Success
             : Result::InvalidValue;
}

Result cuMemAllocFromPoolAsync(DevicePointer *pointer, size_t bytes, MemoryPool pool,
                               Stream stream) {
  std::lock_guard lock(state().mutex);
  if (!usable(stream) || !state().alive(pool))
    return Result::InvalidHandle;
  if (stream && stream->capturing)
    return Result::StreamCaptureUnsupported; // What the runtime must not do.
  // Streams run at once here, so what was freed is free.
  if (const auto kept = pool->kept.lower_bound(bytes); kept != pool->kept.end()) {
    *pointer = kept->second;
    pool->kept.erase(kept);
    return Result::Success;
  }
  return state().allocate(bytes, pool->device, pool, *pointer);
}

Result cuMemFreeAsync(DevicePointer pointer, Stream stream) {
  std::lock_guard lock(state().mutex);
  const auto found = state().allocations.find(pointer);
  if (!usable(stream) || found == state().allocations.end() || !found->second.pool)
    return Result::InvalidValue;
  std::memset(reinterpret_cast<void *>(pointer), 0xdd, found->second.bytes);
  found->second.pool->kept.emplace(found->second.bytes, pointer);
  return Result::Success;
}

} // namespace normrt::test::fake
