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

/// The kernels of one target, loaded on one device.
class Module {
public:
  virtual ~Module() = default;
  /// Workgroups of a kernel that one compute unit holds; asked once, at load.
  virtual int64_t resident(int kernel) const = 0;
  /// Clusters of a kernel that the device holds.
  virtual int64_t residentClusters(int kernel) const = 0;
};

/// One kernel launch with everything evaluated.
struct LaunchRequest {
  int kernel = 0;
  int64_t grid = 0;
  int workgroupSize = 1;
  int clusterSize = 1;
  int64_t dynamicSharedBytes = 0;
  const int64_t *args = nullptr;
  int argCount = 0;
};

class Backend {
public:
  virtual ~Backend() = default;

  /// For people.
  virtual const std::string &description() const = 0;
  virtual int threadCount() const = 0;
  virtual int64_t computeUnits() const = 0;

  /// Whether tensors there can be used as they are.
  virtual bool owns(DLDevice device) const = 0;
  /// What a tensor's device must be, for people.
  virtual std::string expectedDevice() const = 0;

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

  /// Runs launches in order. Nothing was written when this fails.
  virtual Status run(const Module &module, const LaunchRequest *requests, int count,
                     void *stream) = 0;
};

/// Opens the device of a name (see normrt_device_open).
Status openBackend(std::string_view name, std::unique_ptr<Backend> &backend);

/// The host, with `options` what stood after "host:" (empty for none).
Status openHostBackend(std::string_view options, std::unique_ptr<Backend> &backend);

} // namespace normrt

#endif // NORMRT_BACKEND_H
