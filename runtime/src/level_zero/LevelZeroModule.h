// The kernels of one target, loaded in the context of one device.
#ifndef NORMRT_LEVEL_ZERO_LEVELZEROMODULE_H
#define NORMRT_LEVEL_ZERO_LEVELZEROMODULE_H

#include "runtime/src/Backend.h"
#include "runtime/src/level_zero/LevelZeroDevice.h"

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace normrt::level_zero {

/// A module that the driver has built.
class BuiltModule {
public:
  BuiltModule(const Loader &ze, ze_module_handle_t handle) : ze_(ze), handle_(handle) {}
  ~BuiltModule() { ze_.zeModuleDestroy(handle_); }
  BuiltModule(const BuiltModule &) = delete;
  BuiltModule &operator=(const BuiltModule &) = delete;
  ze_module_handle_t handle() const { return handle_; }

private:
  const Loader &ze_;
  ze_module_handle_t handle_;
};

/// Modules that packages of this device use now, so that one that is loaded twice is
/// built once.
class ModuleCache {
public:
  explicit ModuleCache(const LevelZeroDevice &device) : device_(device) {}
  Status get(const schema::Blob &blob, std::shared_ptr<BuiltModule> &module);

private:
  Status build(const schema::Blob &blob, std::shared_ptr<BuiltModule> &module) const;

  const LevelZeroDevice &device_;
  std::mutex mutex_;
  /// By the checksum, which was verified, and the size of the blob.
  std::map<std::pair<uint64_t, size_t>, std::weak_ptr<BuiltModule>> modules_;
};

/// How well a target's code fits: its own chip's comes before code for any chip, that
/// before another chip's, which runs as SPIR-V; below zero does not run.
int fitOf(const schema::Target &target, const std::string &chip);

class LevelZeroModule final : public Module {
public:
  static Status load(const LevelZeroDevice &device, ModuleCache &cache,
                     const schema::Target &target, std::unique_ptr<Module> &module);
  explicit LevelZeroModule(const LevelZeroDevice &device) : device_(device) {}
  ~LevelZeroModule() override;

  Status prepare(const LaunchShape &shape, Residency &residency) override;

  /// Appends a launch to a list; what it reads must be there by then.
  Status append(const LaunchRequest &request, ze_command_list_handle_t list) const;

private:
  struct Kernel {
    ze_kernel_handle_t handle = nullptr;
    std::string name;
    int paramCount = 0;
    int64_t staticSharedBytes = 0;
    int requiredWorkgroupSize = 0;
    /// Arguments are the kernel's until it is appended.
    mutable std::mutex mutex;
  };

  Status loadKernels(ModuleCache &cache, const schema::Target &target);
  Status loadBlobFor(ModuleCache &cache, const schema::Target &target, int blob,
                     std::shared_ptr<BuiltModule> &module);
  Status findKernel(const schema::Kernel &kernel, ze_module_handle_t module);
  Status checkLimits(const Kernel &kernel, const LaunchShape &shape) const;
  Status setArguments(const Kernel &kernel, const LaunchRequest &request) const;

  const LevelZeroDevice &device_;
  std::vector<std::shared_ptr<BuiltModule>> modules_;
  std::deque<Kernel> kernels_;
};

} // namespace normrt::level_zero

#endif // NORMRT_LEVEL_ZERO_LEVELZEROMODULE_H
