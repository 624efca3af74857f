#include "runtime/src/level_zero/LevelZeroDevice.h"

#include <algorithm>

namespace normrt::level_zero {
namespace {

constexpr uint32_t kIntel = 0x8086;

struct FoundDevice {
  ze_driver_handle_t driver;
  ze_device_handle_t device;
};

/// The handles that a function of the form get(parent, &count, handles) lists.
template <class Handle, class Get> Status list(Get get, std::vector<Handle> &handles) {
  uint32_t count = 0;
  ze_result_t result = get(&count, nullptr);
  handles.resize(count);
  if (result == ZE_RESULT_SUCCESS && count > 0)
    result = get(&count, handles.data());
  handles.resize(count);
  return result == ZE_RESULT_SUCCESS ? Status() : callError(result, "listing devices");
}

Status tilesOf(const Loader &ze, ze_device_handle_t device,
               std::vector<ze_device_handle_t> &tiles) {
  return list(
      [&](uint32_t *count, ze_device_handle_t *out) {
        return ze.zeDeviceGetSubDevices(device, count, out);
      },
      tiles);
}

/// The GPUs of all drivers, in the drivers' order.
Status findDevices(const Loader &ze, std::vector<FoundDevice> &found) {
  std::vector<ze_driver_handle_t> drivers;
  NORMRT_TRY(list(ze.zeDriverGet, drivers));
  for (ze_driver_handle_t driver : drivers) {
    std::vector<ze_device_handle_t> devices;
    NORMRT_TRY(list(
        [&](uint32_t *count, ze_device_handle_t *out) {
          return ze.zeDeviceGet(driver, count, out);
        },
        devices));
    for (ze_device_handle_t device : devices) {
      ze_device_properties_t properties{};
      properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
      NORMRT_ZE_TRY(zeDeviceGetProperties, device, &properties);
      if (properties.type == ZE_DEVICE_TYPE_GPU)
        found.push_back({driver, device});
    }
  }
  return Status();
}

} // namespace

const char *chipOf(uint32_t vendor, uint32_t device) {
  if (vendor != kIntel)
    return "";
  // Linux's include/drm/intel/pciids.h, INTEL_PVC_IDS and INTEL_BMG_IDS.
  if ((device >= 0x0bd0 && device <= 0x0bdb) || (device >= 0x0b69 && device <= 0x0b6e))
    return "pvc";
  if (device == 0xe202 || (device >= 0xe209 && device <= 0xe20d) ||
      (device >= 0xe210 && device <= 0xe216) || (device >= 0xe220 && device <= 0xe223))
    return "bmg";
  return "";
}

bool DeviceNumbers::hasSubgroupSize(int size) const {
  return std::find(subgroupSizes.begin(), subgroupSizes.end(), size) !=
         subgroupSizes.end();
}

int DeviceNumbers::widestSubgroup() const {
  return subgroupSizes.empty()
             ? 1
             : *std::max_element(subgroupSizes.begin(), subgroupSizes.end());
}

std::string DeviceNumbers::subgroupSizesText() const {
  std::string text;
  for (int size : subgroupSizes)
    text += concat(text.empty() ? "" : ", ", size);
  return text.empty() ? "none" : text;
}

std::string DeviceName::text() const {
  return tile < 0 ? concat("level_zero:", ordinal)
                  : concat("level_zero:", ordinal, ".", tile);
}

Status LevelZeroDevice::open(DeviceName name,
                             std::unique_ptr<LevelZeroDevice> &device) {
  const Loader *opened = nullptr;
  NORMRT_TRY(openLoader(opened));
  const Loader &ze = *opened;
  std::vector<FoundDevice> found;
  NORMRT_TRY(findDevices(ze, found));
  if (size_t(name.ordinal) >= found.size())
    return Status::error(NORMRT_STATUS_NOT_FOUND, "expected a Level Zero device below ",
                         found.size(), ", because the drivers show ", found.size(),
                         " GPUs, but got ", name.ordinal);
  std::unique_ptr<LevelZeroDevice> result(new LevelZeroDevice(ze));
  result->name_ = name;
  result->driver_ = found[size_t(name.ordinal)].driver;
  result->handle_ = found[size_t(name.ordinal)].device;
  std::vector<ze_device_handle_t> tiles;
  NORMRT_TRY(tilesOf(ze, result->handle_, tiles));
  if (name.tile >= 0) {
    if (size_t(name.tile) >= tiles.size())
      return Status::error(NORMRT_STATUS_NOT_FOUND, "expected a tile below ",
                           tiles.size(), ", because Level Zero device ", name.ordinal,
                           " has ", tiles.size(), " of them, but got ", name.tile);
    result->relatives_ = {result->handle_};
    result->handle_ = tiles[size_t(name.tile)];
  } else {
    result->relatives_ = std::move(tiles);
  }
  NORMRT_TRY(result->readNumbers());
  ze_context_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC;
  NORMRT_ZE_TRY(zeContextCreate, result->driver_, &description, &result->context_);
  result->ownsContext_ = true;
  device = std::move(result);
  return Status();
}

Status LevelZeroDevice::adopt(ze_device_handle_t handle, ze_context_handle_t context,
                              std::unique_ptr<LevelZeroDevice> &device) {
  const Loader *opened = nullptr;
  NORMRT_TRY(openLoader(opened));
  const Loader &ze = *opened;
  std::vector<FoundDevice> found;
  NORMRT_TRY(findDevices(ze, found));
  for (size_t i = 0; i < found.size(); ++i) {
    std::vector<ze_device_handle_t> tiles;
    NORMRT_TRY(tilesOf(ze, found[i].device, tiles));
    const auto tile = std::find(tiles.begin(), tiles.end(), handle);
    if (found[i].device != handle && tile == tiles.end())
      continue;
    std::unique_ptr<LevelZeroDevice> result(new LevelZeroDevice(ze));
    result->name_.ordinal = int(i);
    if (found[i].device == handle) {
      result->relatives_ = std::move(tiles);
    } else {
      result->name_.tile = int(tile - tiles.begin());
      result->relatives_ = {found[i].device};
    }
    result->driver_ = found[i].driver;
    result->handle_ = handle;
    result->context_ = context;
    NORMRT_TRY(result->readNumbers());
    device = std::move(result);
    return Status();
  }
  return Status::error(NORMRT_STATUS_NOT_FOUND,
                       "expected a device of the Level Zero drivers, or a tile of one, "
                       "but got a handle that is none of theirs");
}

LevelZeroDevice::~LevelZeroDevice() {
  if (ownsContext_)
    ze_.zeContextDestroy(context_);
}

Status LevelZeroDevice::readNumbers() {
  const Loader &ze = ze_;
  ze_device_properties_t properties{};
  // Timer resolution in cycles a second.
  properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
  NORMRT_ZE_TRY(zeDeviceGetProperties, handle_, &properties);
  void *ofDriver = nullptr;
  NORMRT_ZE_TRY(zelLoaderTranslateHandle, ZEL_HANDLE_DEVICE, handle_, &ofDriver);
  givesLogs_ = ofDriver == handle_;
  model_ = properties.name;
  chip_ = chipOf(properties.vendorId, properties.deviceId);
  // A subslice is a Xe core.
  numbers_.computeUnits =
      int64_t(properties.numSlices) * properties.numSubslicesPerSlice;
  numbers_.threadsPerUnit =
      int64_t(properties.numEUsPerSubslice) * properties.numThreadsPerEU;
  if (properties.timerResolution > 0)
    numbers_.secondsPerTick = 1.0 / double(properties.timerResolution);
  const uint32_t bits = properties.kernelTimestampValidBits;
  numbers_.timestampMask = bits == 0 || bits >= 64 ? UINT64_MAX : (1ULL << bits) - 1;
  ze_device_compute_properties_t compute{};
  compute.stype = ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES;
  NORMRT_ZE_TRY(zeDeviceGetComputeProperties, handle_, &compute);
  numbers_.maxWorkgroupSize =
      std::min(compute.maxTotalGroupSize, compute.maxGroupSizeX);
  numbers_.maxWorkgroups = compute.maxGroupCountX;
  numbers_.maxSharedBytes = compute.maxSharedLocalMemory;
  numbers_.subgroupSizes.assign(compute.subGroupSizes,
                                compute.subGroupSizes + compute.numSubGroupSizes);
  if (numbers_.computeUnits < 1 || numbers_.threadsPerUnit < 1)
    return Status::error(NORMRT_STATUS_DEVICE_ERROR, "expected ", text(),
                         " to have compute units, but its driver tells of ",
                         numbers_.computeUnits, " with ", numbers_.threadsPerUnit,
                         " threads");
  NORMRT_TRY(readQueueGroup());
  return readMemory();
}

Status LevelZeroDevice::readQueueGroup() {
  const Loader &ze = ze_;
  uint32_t count = 0;
  NORMRT_ZE_TRY(zeDeviceGetCommandQueueGroupProperties, handle_, &count, nullptr);
  std::vector<ze_command_queue_group_properties_t> groups(count);
  for (ze_command_queue_group_properties_t &group : groups)
    group.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
  NORMRT_ZE_TRY(zeDeviceGetCommandQueueGroupProperties, handle_, &count, groups.data());
  for (uint32_t i = 0; i < count; ++i)
    if (groups[i].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE) {
      numbers_.queueGroup = i;
      return Status();
    }
  return Status::error(NORMRT_STATUS_UNSUPPORTED, "expected ", text(),
                       " to have command queues that run kernels, but none of its ",
                       count, " groups does");
}

Status LevelZeroDevice::readMemory() {
  const Loader &ze = ze_;
  uint32_t count = 0;
  NORMRT_ZE_TRY(zeDeviceGetMemoryProperties, handle_, &count, nullptr);
  std::vector<ze_device_memory_properties_t> memories(count);
  for (ze_device_memory_properties_t &memory : memories)
    memory.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES;
  NORMRT_ZE_TRY(zeDeviceGetMemoryProperties, handle_, &count, memories.data());
  for (const ze_device_memory_properties_t &memory : memories)
    numbers_.memoryBytes += int64_t(memory.totalSize);
  count = 0;
  NORMRT_ZE_TRY(zeDeviceGetCacheProperties, handle_, &count, nullptr);
  std::vector<ze_device_cache_properties_t> caches(count);
  for (ze_device_cache_properties_t &cache : caches)
    cache.stype = ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES;
  if (count > 0)
    NORMRT_ZE_TRY(zeDeviceGetCacheProperties, handle_, &count, caches.data());
  for (const ze_device_cache_properties_t &cache : caches)
    numbers_.l2Bytes = std::max(numbers_.l2Bytes, int64_t(cache.cacheSize));
  return Status();
}

std::string LevelZeroDevice::text() const {
  return concat("Level Zero device ", name_.ordinal,
                name_.tile < 0 ? std::string() : concat(".", name_.tile), " (", model_,
                ")");
}

bool LevelZeroDevice::sharesMemoryWith(ze_device_handle_t owner) const {
  return !owner || owner == handle_ ||
         std::find(relatives_.begin(), relatives_.end(), owner) != relatives_.end();
}

Status LevelZeroDevice::checkMemory(const void *memory, uint64_t bytes) const {
  const Loader &ze = ze_;
  ze_memory_allocation_properties_t properties{};
  properties.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES;
  ze_device_handle_t owner = nullptr;
  NORMRT_ZE_TRY(zeMemGetAllocProperties, context_, memory, &properties, &owner);
  if (properties.type == ZE_MEMORY_TYPE_UNKNOWN)
    return Status::error(NORMRT_STATUS_DEVICE_MISMATCH,
                         "expected memory of the context of ", text(),
                         ", because its kernels reach no other, but got an address "
                         "that was not allocated there");
  if (properties.type == ZE_MEMORY_TYPE_DEVICE && !sharesMemoryWith(owner))
    return Status::error(NORMRT_STATUS_DEVICE_MISMATCH, "expected memory of ", text(),
                         ", but got that of another device");
  void *base = nullptr;
  size_t size = 0;
  NORMRT_ZE_TRY(zeMemGetAddressRange, context_, memory, &base, &size);
  const uintptr_t offset =
      reinterpret_cast<uintptr_t>(memory) - reinterpret_cast<uintptr_t>(base);
  if (bytes > size - offset)
    return Status::error(NORMRT_STATUS_INVALID_ARGUMENT, "expected ", bytes,
                         " bytes from its first on, but the allocation ends after ",
                         size - offset);
  return Status();
}

} // namespace normrt::level_zero
