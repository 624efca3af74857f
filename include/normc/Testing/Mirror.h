//===- Mirror.h - A buffer's copy on a device -------------------------------===//
#ifndef NORMC_TESTING_MIRROR_H
#define NORMC_TESTING_MIRROR_H

#include "normc/Testing/Buffer.h"
#include "runtime/include/normrt.h"

#include <cstddef>
#include <string>

namespace normc::test {

/// The memory of a buffer, guard bytes included, on a device; on the host the buffer
/// itself, so that nothing is copied.
class Mirror {
public:
  /// Memory of the buffer's size, not copied yet. Null, with the runtime's message in
  /// `error`, where there is none. Both must outlive the mirror.
  static std::unique_ptr<Mirror> make(normrt_device *device, Buffer &buffer,
                                      std::string &error);
  ~Mirror();
  Mirror(const Mirror &) = delete;
  Mirror &operator=(const Mirror &) = delete;

  /// What a launch is given.
  const DLTensor *tensor() const { return &dl; }
  /// Where the first element is.
  void *data() const { return dl.data; }
  /// Copies the whole memory; done on return. The runtime's message, "" for success.
  std::string upload();
  std::string download();

private:
  Mirror(normrt_device *device, Buffer &buffer) : device(device), buffer(buffer) {}

  normrt_device *device;
  Buffer &buffer;
  /// Null on the host.
  void *memory = nullptr;
  DLTensor dl = {};
};

/// "name: message" of a status of the runtime, "" for success.
std::string statusText(normrt_status status);

/// Memory of a device, freed at the end.
class DeviceMemory {
public:
  explicit DeviceMemory(normrt_device *device) : device(device) {}
  ~DeviceMemory() { (void)normrt_memory_free(device, address); }
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  /// Once. What is wrong, or "".
  std::string allocate(size_t bytes) {
    return statusText(normrt_memory_allocate(device, bytes, &address));
  }
  std::byte *get() const { return static_cast<std::byte *>(address); }

private:
  normrt_device *device;
  void *address = nullptr;
};

} // namespace normc::test

#endif // NORMC_TESTING_MIRROR_H
