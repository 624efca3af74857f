//===- DeviceRunner.h - Launches the cases on one device --------------------===//
#ifndef NORMC_TEST_DEVICE_DEVICERUNNER_H
#define NORMC_TEST_DEVICE_DEVICERUNNER_H

#include "Archive.h"
#include "DeviceCases.h"
#include "Processes.h"

#include "normc/Testing/Mirror.h"

#include <memory>
#include <string>

namespace normc::device {

template <auto release> struct Releaser {
  template <typename T> void operator()(T *handle) const { release(handle); }
};
using DeviceHandle = std::unique_ptr<normrt_device, Releaser<normrt_device_release>>;
using PackageHandle = std::unique_ptr<normrt_package, Releaser<normrt_package_release>>;

class DeviceRunner {
public:
  /// Opens the device: "cuda:0", or "host" to try the suite itself. "" or what is
  /// wrong.
  std::string open(const std::string &name);
  /// Loads the case's package, and runs and compares every launch of it.
  Outcome run(const DeviceCase &one, const Archive &archive);

private:
  struct Bound;

  std::string runLaunch(normrt_entry *entry, const DeviceCase &one,
                        const Launch &launch);
  std::string bind(normrt_entry *entry, const numerics::Run &run, Bound &bound);
  std::string launchOnce(Bound &bound, std::byte poison);
  std::string launchGraph(Bound &bound, const numerics::Arrays &expected);
  std::string launchAll(Bound &bound, const numerics::Run &run, int repeats,
                        numerics::Arrays &outputs);

  DeviceHandle device;
  /// Null on the host, which has none.
  void *stream = nullptr;
  Outcome outcome;
};

} // namespace normc::device

#endif // NORMC_TEST_DEVICE_DEVICERUNNER_H
