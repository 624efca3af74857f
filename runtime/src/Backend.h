// What a kind of device does for the runtime. Everything that is the same on all
// devices (verifying packages, checking tensors, choosing variants, evaluating the
// plan) is outside of it.
#ifndef NORMRT_BACKEND_H
#define NORMRT_BACKEND_H

#include "runtime/src/Status.h"

#include "runtime/schema/package_generated.h"

#include <memory>
#include <string>
#include <string_view>

namespace normrt {

/// What a launch asks of its kernel, as far as it is known at load.
struct LaunchShape {
  int kernel = 0;
  int workgroupSize = 1;
  int clusterSize = 1;
  int64_t dynamicSharedBytes = 0;
  int argCount = 0;
};

/// How much of a launch a device holds.
struct Residency {
  int64_t workgroups = 1; // On one compute unit.
  int64_t clusters = 0;   // On the device.
};

/// The kernels of one target, loaded on one device.
class Module {
public:
  virtual ~Module() = default;
  /// Makes launches of this shape possible; at load only. UNSUPPORTED where the device
  /// cannot run them.
  virtual Status prepare(const LaunchShape &shape, Residency &residency) = 0;
};

/// Launches that were captured, ready to be run again.
class Graph {
public:
  virtual ~Graph() = default;
  /// Runs them `repeats` times and gives how long each took.
  virtual Status time(int repeats, double *seconds) = 0;
};

/// One kernel launch with everything evaluated.
struct LaunchRequest {
  int kernel = 0;
  int64_t grid = 0;
  int workgroupSize = 1;
  int clusterSize = 1;
  int64_t dynamicSharedBytes = 0;
  /// May start before the launch ahead of it has finished.
  bool dependent = false;
  const int64_t *args = nullptr;
  int argCount = 0;
};

/// What normrt_device_query answers, but for what every backend answers anyway.
struct DeviceFacts {
  std::string name;
  std::string architecture;
  DLDevice dlDevice{};
  int subgroupSize = 1;
  int maxWorkgroupSize = 1;
  int64_t maxSharedBytes = 0;
  int64_t l2Bytes = 0;
  int64_t memoryBytes = 0;
  bool clusters = false;
};

class Backend {
public:
  virtual ~Backend() = default;

  /// For people.
  virtual const std::string &description() const = 0;
  virtual int threadCount() const = 0;
  virtual int64_t computeUnits() const = 0;
  virtual void describe(DeviceFacts &facts) const = 0;

  /// Whether tensors there can be used as they are.
  virtual bool owns(DLDevice device) const = 0;
  /// What a tensor's device must be, for people.
  virtual std::string expectedDevice() const = 0;
  /// Whether `bytes` bytes at an address can be used, where the device's driver tells.
  virtual Status checkMemory(const void *memory, uint64_t bytes) const {
    return Status();
  }
  /// The driver's own handles; false where it has none that a caller could use.
  virtual bool nativeHandles(void *&device, void *&context) const { return false; }

  /// How well a target's code fits: the highest is taken, below zero does not run.
  virtual int fit(const schema::Target &target) const = 0;

  /// Loads all kernels of a target that fits.
  virtual Status load(const schema::Target &target,
                      std::unique_ptr<Module> &module) = 0;

  virtual Status checkStream(void *stream) const = 0;

  /// Scratch memory, aligned to NORMRT_WORKSPACE_ALIGNMENT, for work on `stream`;
  /// release may be called as soon as that work was launched.
  virtual Status acquireWorkspace(size_t bytes, void *stream, void *&workspace) = 0;
  virtual void releaseWorkspace(void *workspace, void *stream) = 0;
  virtual void trim() = 0;

  /// Runs launches in order. Nothing was written when this fails, unless it is the
  /// device itself that fails.
  virtual Status run(const Module &module, const LaunchRequest *requests, int count,
                     void *stream) = 0;

  /// Memory of the device, `bytes` at least 1, aligned to NORMRT_WORKSPACE_ALIGNMENT.
  virtual Status allocate(size_t bytes, void *&memory) = 0;
  virtual Status free(void *memory) = 0;
  /// All three are done when they return.
  virtual Status copyToDevice(void *to, const void *from, size_t bytes) = 0;
  virtual Status copyFromDevice(void *to, const void *from, size_t bytes) = 0;
  virtual Status fill(void *memory, uint8_t value, size_t bytes) = 0;
  /// Waits for everything on the device.
  virtual Status synchronize() = 0;

  /// Streams and graphs; without more, UNSUPPORTED, because launches are synchronous.
  virtual Status createStream(void *&stream);
  virtual Status destroyStream(void *stream);
  virtual Status synchronizeStream(void *stream);
  virtual Status beginGraph(void *stream);
  virtual Status endGraph(void *stream, std::unique_ptr<Graph> &graph);
};

/// Opens the device of a name (see normrt_device_open).
Status openBackend(std::string_view name, std::unique_ptr<Backend> &backend);

/// The host, with `options` what stood after "host:" (empty for none).
Status openHostBackend(std::string_view options, std::unique_ptr<Backend> &backend);

/// A CUDA device, with `options` what stood after "cuda:" (empty for 0).
Status openCudaBackend(std::string_view options, std::unique_ptr<Backend> &backend);

/// A Level Zero device, with `options` what stood after "level_zero:" (empty for 0).
Status openLevelZeroBackend(std::string_view options,
                            std::unique_ptr<Backend> &backend);

/// A Level Zero device and context of the caller's.
Status adoptLevelZeroBackend(void *device, void *context,
                             std::unique_ptr<Backend> &backend);

} // namespace normrt

#endif // NORMRT_BACKEND_H
