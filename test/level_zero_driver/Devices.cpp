// Drivers, devices and contexts.
#include "Driver.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <sstream>

namespace ze_test {
namespace {

// What the device tells of: one tile of Intel's Data Center GPU Max in everything that
// bounds a kernel, and few compute units, since a CPU runs the workgroups.
constexpr uint32_t kVendor = 0x8086;
constexpr uint32_t kCores = 4, kEngines = 8, kThreads = 8;
constexpr uint32_t kSharedBytes = 128 * 1024;
// It bounds no kernel; norm-bench copies 40 times as much to know what a copy takes.
constexpr size_t kCacheBytes = size_t(1) << 20;
// Nanoseconds, as OpenCL's timestamps are.
constexpr uint64_t kTicksPerSecond = 1000000000;

uint32_t numberOf(const char *variable, uint32_t otherwise) {
  const char *text = std::getenv(variable);
  return text ? uint32_t(std::strtoul(text, nullptr, 0)) : otherwise;
}

std::deque<Device> &devices() {
  static std::deque<Device> all = [] {
    std::deque<Device> made;
    const int count = int(numberOf("NORMC_ZE_TEST_DEVICES", 1));
    for (int i = 0; i < count; ++i) {
      Device &device = made.emplace_back();
      device.ordinal = i;
      for (int tile = 0; tile < 2; ++tile) {
        Device &part = made.emplace_back();
        part.ordinal = i;
        part.parent = &device;
        device.tiles.push_back(&part);
      }
    }
    return made;
  }();
  return all;
}

int driverObject;
ze_driver_handle_t driverHandle() {
  return reinterpret_cast<ze_driver_handle_t>(&driverObject);
}

template <class Handle>
ze_result_t list(const std::vector<Device *> &all, uint32_t *count, Handle *out) {
  if (!count)
    return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  if (*count == 0 || *count > all.size())
    *count = uint32_t(all.size());
  for (uint32_t i = 0; out && i < *count; ++i)
    out[i] = reinterpret_cast<Handle>(all[i]);
  return ZE_RESULT_SUCCESS;
}

ze_result_t init(ze_init_flags_t) { return openOpenCl(); }

ze_result_t driverGet(uint32_t *count, ze_driver_handle_t *out) {
  if (!count)
    return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  if (out && *count > 0)
    *out = driverHandle();
  *count = 1;
  return ZE_RESULT_SUCCESS;
}

ze_result_t driverGetApiVersion(ze_driver_handle_t driver, ze_api_version_t *version) {
  if (driver != driverHandle())
    return badHandle(driver);
  *version = ZE_API_VERSION_1_4;
  return ZE_RESULT_SUCCESS;
}

// What loaders newer than 1.8 ask each driver before anyone else does.
ze_result_t driverGetProperties(ze_driver_handle_t driver,
                                ze_driver_properties_t *out) {
  if (driver != driverHandle())
    return badHandle(driver);
  out->uuid = {};
  out->driverVersion = 1;
  return ZE_RESULT_SUCCESS;
}

ze_result_t driverGetExtensions(ze_driver_handle_t driver, uint32_t *count,
                                ze_driver_extension_properties_t *) {
  if (driver != driverHandle())
    return badHandle(driver);
  *count = 0;
  return ZE_RESULT_SUCCESS;
}

ze_result_t deviceGet(ze_driver_handle_t driver, uint32_t *count,
                      ze_device_handle_t *out) {
  if (driver != driverHandle())
    return badHandle(driver);
  std::vector<Device *> whole;
  for (Device &device : devices())
    if (!device.parent)
      whole.push_back(&device);
  return list(whole, count, out);
}

ze_result_t getSubDevices(ze_device_handle_t handle, uint32_t *count,
                          ze_device_handle_t *out) {
  Device *device = deviceOf(handle);
  return device ? list(device->tiles, count, out) : badHandle(handle);
}

ze_result_t getProperties(ze_device_handle_t handle, ze_device_properties_t *out) {
  Device *device = deviceOf(handle);
  if (!device)
    return badHandle(handle);
  const bool cycles = out->stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
  out->type = ZE_DEVICE_TYPE_GPU;
  out->vendorId = kVendor;
  out->deviceId = numberOf("NORMC_ZE_TEST_DEVICE_ID", 0);
  out->flags = device->parent ? ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE : 0;
  out->maxMemAllocSize = uint64_t(4) << 30;
  out->numThreadsPerEU = kThreads;
  out->physicalEUSimdWidth = 16;
  out->numEUsPerSubslice = kEngines;
  out->numSubslicesPerSlice = kCores;
  out->numSlices = device->parent ? 1 : uint32_t(device->tiles.size());
  out->timerResolution = cycles ? kTicksPerSecond : 1;
  out->timestampValidBits = out->kernelTimestampValidBits = 64;
  std::strncpy(out->name, "normc test device (a CPU)", sizeof(out->name));
  return ZE_RESULT_SUCCESS;
}

ze_result_t getComputeProperties(ze_device_handle_t handle,
                                 ze_device_compute_properties_t *out) {
  if (!deviceOf(handle))
    return badHandle(handle);
  out->maxTotalGroupSize = kMaxWorkgroup;
  out->maxGroupSizeX = out->maxGroupSizeY = out->maxGroupSizeZ = kMaxWorkgroup;
  out->maxGroupCountX = out->maxGroupCountY = out->maxGroupCountZ = UINT32_MAX;
  out->maxSharedLocalMemory = kSharedBytes;
  const char *text = std::getenv("NORMC_ZE_TEST_SUBGROUPS");
  std::stringstream sizes(text ? text : "8,16,32");
  out->numSubGroupSizes = 0;
  for (std::string size; std::getline(sizes, size, ',');)
    out->subGroupSizes[out->numSubGroupSizes++] = uint32_t(std::stoul(size));
  return ZE_RESULT_SUCCESS;
}

ze_result_t getMemoryProperties(ze_device_handle_t handle, uint32_t *count,
                                ze_device_memory_properties_t *out) {
  if (!deviceOf(handle))
    return badHandle(handle);
  if (out && *count > 0)
    out->totalSize = uint64_t(8) << 30;
  *count = 1;
  return ZE_RESULT_SUCCESS;
}

ze_result_t getCacheProperties(ze_device_handle_t handle, uint32_t *count,
                               ze_device_cache_properties_t *out) {
  if (!deviceOf(handle))
    return badHandle(handle);
  if (out && *count > 0)
    out->cacheSize = kCacheBytes;
  *count = 1;
  return ZE_RESULT_SUCCESS;
}

ze_result_t getQueueGroups(ze_device_handle_t handle, uint32_t *count,
                           ze_command_queue_group_properties_t *out) {
  if (!deviceOf(handle))
    return badHandle(handle);
  if (out && *count > 0)
    out[0].flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
  if (out && *count > 1)
    out[1].flags = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE |
                   ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
  *count = kQueueGroups;
  return ZE_RESULT_SUCCESS;
}

ze_result_t contextCreate(ze_driver_handle_t driver,
                          const ze_context_desc_t *description,
                          ze_context_handle_t *out) {
  if (driver != driverHandle())
    return badHandle(driver);
  if (anyNull({description, out}))
    return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  *out = reinterpret_cast<ze_context_handle_t>(
      contexts().add(std::make_unique<Context>()));
  return ZE_RESULT_SUCCESS;
}

ze_result_t contextDestroy(ze_context_handle_t handle) {
  return contexts().remove(handle) ? ZE_RESULT_SUCCESS : badHandle(handle);
}

} // namespace

bool hasMode(const char *word) {
  const char *modes = std::getenv("NORMC_ZE_TEST_MODE");
  return modes && std::strstr(modes, word);
}

ze_result_t badHandle(const void *handle) {
  return handle ? ZE_RESULT_ERROR_INVALID_ARGUMENT
                : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
}

bool anyNull(std::initializer_list<const void *> pointers) {
  return std::find(pointers.begin(), pointers.end(), nullptr) != pointers.end();
}

Device *deviceOf(ze_device_handle_t handle) {
  for (Device &device : devices())
    if (reinterpret_cast<ze_device_handle_t>(&device) == handle)
      return &device;
  return nullptr;
}

Live<Context> &contexts() {
  static Live<Context> all;
  return all;
}

void fill(ze_global_dditable_t &table) { table.pfnInit = init; }

void fill(ze_driver_dditable_t &table) {
  table.pfnGet = driverGet;
  table.pfnGetApiVersion = driverGetApiVersion;
  table.pfnGetProperties = driverGetProperties;
  table.pfnGetExtensionProperties = driverGetExtensions;
}

void fill(ze_device_dditable_t &table) {
  table.pfnGet = deviceGet;
  table.pfnGetSubDevices = getSubDevices;
  table.pfnGetProperties = getProperties;
  table.pfnGetComputeProperties = getComputeProperties;
  table.pfnGetMemoryProperties = getMemoryProperties;
  table.pfnGetCacheProperties = getCacheProperties;
  table.pfnGetCommandQueueGroupProperties = getQueueGroups;
}

void fill(ze_context_dditable_t &table) {
  table.pfnCreate = contextCreate;
  table.pfnDestroy = contextDestroy;
}

} // namespace ze_test
