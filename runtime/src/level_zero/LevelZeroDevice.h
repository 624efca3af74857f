// One Level Zero device: its facts and the context that its memory and kernels are of.
#ifndef NORMRT_LEVEL_ZERO_LEVELZERODEVICE_H
#define NORMRT_LEVEL_ZERO_LEVELZERODEVICE_H

#include "runtime/src/level_zero/Loader.h"

#include <memory>
#include <string>
#include <vector>

namespace normrt::level_zero {

struct DeviceNumbers {
  int64_t computeUnits = 0;
  /// Threads of hardware, each of which runs a subgroup, of one compute unit.
  int64_t threadsPerUnit = 0;
  int64_t maxWorkgroupSize = 0;
  int64_t maxWorkgroups = 0;
  int64_t maxSharedBytes = 0;
  int64_t l2Bytes = 0;
  int64_t memoryBytes = 0;
  std::vector<int> subgroupSizes;
  double secondsPerTick = 0;
  /// Bits of a timestamp that count.
  uint64_t timestampMask = 0;
  /// The group of command queues that run kernels.
  uint32_t queueGroup = 0;

  bool hasSubgroupSize(int size) const;
  /// 1 where the driver tells of none.
  int widestSubgroup() const;
  /// "8, 16, 32".
  std::string subgroupSizesText() const;
};

/// Which device: `ordinal` counts the GPUs of all drivers; `tile` is a part of one, -1
/// for the whole.
struct DeviceName {
  int ordinal = 0;
  int tile = -1;

  /// "level_zero:0", "level_zero:0.1".
  std::string text() const;
};

class LevelZeroDevice {
public:
  /// Opens a device with a context of its own.
  static Status open(DeviceName name, std::unique_ptr<LevelZeroDevice> &device);
  /// Uses a device and a context of the caller's, which must outlive it.
  static Status adopt(ze_device_handle_t handle, ze_context_handle_t context,
                      std::unique_ptr<LevelZeroDevice> &device);
  ~LevelZeroDevice();
  LevelZeroDevice(const LevelZeroDevice &) = delete;
  LevelZeroDevice &operator=(const LevelZeroDevice &) = delete;

  const Loader &ze() const { return ze_; }
  ze_device_handle_t handle() const { return handle_; }
  ze_context_handle_t context() const { return context_; }
  const DeviceName &deviceName() const { return name_; }
  const std::string &model() const { return model_; }
  /// "pvc", "bmg", or "" for any other chip.
  const std::string &chip() const { return chip_; }
  const DeviceNumbers &numbers() const { return numbers_; }
  /// Whether the log of a module that is refused can be read. With more than one driver
  /// the loader wraps their handles, but not that of such a log, and crashes when it is
  /// given back (1.8.12, 1.20.6 and 1.32.0 do).
  bool givesLogs() const { return givesLogs_; }
  /// "Level Zero device 0 (Intel(R) Arc(TM) B580 Graphics)", for messages.
  std::string text() const;

  /// Whether memory that is of another device can be used by kernels of this one: a
  /// tile and its whole share theirs.
  bool sharesMemoryWith(ze_device_handle_t owner) const;
  /// Whether `bytes` bytes at an address are of this context.
  Status checkMemory(const void *memory, uint64_t bytes) const;

private:
  explicit LevelZeroDevice(const Loader &ze) : ze_(ze) {}
  Status readNumbers();
  Status readQueueGroup();
  Status readMemory();

  const Loader &ze_;
  DeviceName name_;
  ze_driver_handle_t driver_ = nullptr;
  ze_device_handle_t handle_ = nullptr;
  /// The whole that the device is a tile of, or its tiles.
  std::vector<ze_device_handle_t> relatives_;
  ze_context_handle_t context_ = nullptr;
  bool ownsContext_ = false;
  bool givesLogs_ = false;
  std::string model_;
  std::string chip_;
  DeviceNumbers numbers_;
};

/// The chip of a PCI device number of Intel's, "" for one that packages have no code
/// for.
const char *chipOf(uint32_t vendor, uint32_t device);

} // namespace normrt::level_zero

#endif // NORMRT_LEVEL_ZERO_LEVELZERODEVICE_H
