//===- Run.h - Times packages on a device -----------------------------------===//
#ifndef NORMC_TOOLS_NORMBENCH_RUN_H
#define NORMC_TOOLS_NORMBENCH_RUN_H

#include "Compile.h"
#include "Results.h"

#include "normc/Measure/Tensors.h"

namespace normc::bench {

/// A device of the runtime, and entries of packages loaded on it.
class Device {
public:
  static llvm::Expected<Device> open(const std::string &name);

  normrt_device *get() const { return handle.get(); }
  const normrt_device_info &info() const { return facts; }
  /// The target whose code fits it best.
  const std::string &target() const { return nativeTarget; }
  /// Fills in what the results say of the device.
  void describe(Results &results) const;

  struct PackageReleaser {
    void operator()(normrt_package *package) const { normrt_package_release(package); }
  };
  using Package = std::unique_ptr<normrt_package, PackageReleaser>;
  llvm::Expected<Package> load(const std::string &path) const;

private:
  struct Releaser {
    void operator()(normrt_device *device) const { normrt_device_release(device); }
  };
  std::unique_ptr<normrt_device, Releaser> handle;
  normrt_device_info facts = {};
  std::string nativeTarget;
};

/// The entry of a package by its name, or, where that is "", its only one.
llvm::Expected<normrt_entry *> entryOf(normrt_package *package,
                                       const std::string &name);

/// Times the cells from a folder of packages, in order, each beside its mover, and the
/// copy. What fails has its reason as its result and does not stop the others. `tell`
/// is called after each.
llvm::Error runCells(const Device &device, llvm::StringRef folder,
                     llvm::ArrayRef<Cell> cells, const measure::Effort &effort,
                     Results &results, llvm::function_ref<llvm::Error()> tell);

} // namespace normc::bench

#endif // NORMC_TOOLS_NORMBENCH_RUN_H
