// The kernels of a host target, loaded by the system's dynamic loader.
#ifndef NORMRT_HOSTMODULE_H
#define NORMRT_HOSTMODULE_H

#include "runtime/src/Backend.h"
#include "runtime/src/ThreadPool.h"

#include <vector>

namespace normrt {

class HostModule final : public Module {
public:
  /// Loads every blob of a verified target and finds every kernel.
  static Status load(const schema::Target &target, std::unique_ptr<Module> &module);
  ~HostModule() override;

  /// A worker is a compute unit and runs one workgroup at a time. There are no
  /// clusters.
  Status prepare(const LaunchShape &, Residency &residency) override {
    residency = {.workgroups = 1, .clusters = 0};
    return Status();
  }

  HostKernel kernel(int index) const { return kernels_[size_t(index)]; }

private:
  Status loadBlob(const schema::Blob &blob);
  Status findKernel(const schema::Kernel &kernel);

  std::vector<void *> libraries_;
  std::vector<HostKernel> kernels_;
};

} // namespace normrt

#endif // NORMRT_HOSTMODULE_H
