//===- Mirror.cpp - A buffer's copy on a device -----------------------------===//
#include "normc/Testing/Mirror.h"

namespace normc::test {

std::string statusText(normrt_status status) {
  if (status == NORMRT_STATUS_OK)
    return "";
  return std::string(normrt_status_name(status)) + ": " + normrt_last_error_message();
}

std::unique_ptr<Mirror> Mirror::make(normrt_device *device, Buffer &buffer,
                                     std::string &error) {
  normrt_device_info info = {};
  info.struct_size = sizeof(info);
  if (error = statusText(normrt_device_query(device, &info)); !error.empty())
    return nullptr;
  std::unique_ptr<Mirror> mirror(new Mirror(device, buffer));
  mirror->dl = *buffer.tensor();
  mirror->dl.device = info.device;
  if (info.device.device_type == kDLCPU)
    return mirror;
  error = statusText(
      normrt_memory_allocate(device, buffer.storage().size(), &mirror->memory));
  if (!error.empty())
    return nullptr;
  mirror->dl.data = static_cast<std::byte *>(mirror->memory) + buffer.firstByte();
  return mirror;
}

Mirror::~Mirror() { (void)normrt_memory_free(device, memory); }

std::string Mirror::upload() {
  if (!memory)
    return "";
  return statusText(normrt_memory_copy_to_device(
      device, memory, buffer.storage().data(), buffer.storage().size()));
}

std::string Mirror::download() {
  if (!memory)
    return "";
  return statusText(normrt_memory_copy_from_device(device, buffer.storage().data(),
                                                   memory, buffer.storage().size()));
}

} // namespace normc::test
