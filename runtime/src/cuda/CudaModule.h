// The kernels of a CUDA target, loaded by the driver from cubins or from PTX.
#ifndef NORMRT_CUDA_CUDAMODULE_H
#define NORMRT_CUDA_CUDAMODULE_H

#include "runtime/src/Backend.h"
#include "runtime/src/cuda/CudaDevice.h"

#include <vector>

namespace normrt::cuda {

class CudaModule final : public Module {
public:
  /// Loads the kernels of a verified target that fits the device, which must outlive
  /// the module.
  static Status load(const CudaDevice &device, const schema::Target &target,
                     std::unique_ptr<Module> &module);
  explicit CudaModule(const CudaDevice &device) : device_(device) {}
  ~CudaModule() override;

  /// Opts in to the launch's shared memory and cluster size, and asks how much of it
  /// the device holds. UNSUPPORTED where that is nothing.
  Status prepare(const LaunchShape &shape, Residency &residency) override;

  Function function(int kernel) const { return kernels_[size_t(kernel)].function; }

private:
  struct Kernel {
    std::string name;
    Function function = nullptr;
    int maxThreads = 0;
    int staticSharedBytes = 0;
    /// The largest that was opted in to.
    int64_t dynamicSharedBytes = 0;
    bool nonPortableClusters = false;
    /// -1 where the driver does not tell.
    int paramCount = -1;
  };

  Status loadKernels(const schema::Target &target);
  Status loadBlobFor(const schema::Target &target, int blob, Library &library);
  Status loadBlob(const schema::Blob &blob, Library &library);
  Status findKernel(const schema::Kernel &kernel, Library library);
  Status countParams(Kernel &kernel) const;
  Status checkParams(const Kernel &kernel, int argCount) const;
  Status checkLimits(const Kernel &kernel, const LaunchShape &shape) const;
  Status optIn(Kernel &kernel, const LaunchShape &shape) const;
  Status countClusters(const Kernel &kernel, const LaunchShape &shape,
                       int64_t &clusters) const;

  const CudaDevice &device_;
  /// One for each blob of the target; null for those that were not loaded.
  std::vector<Library> libraries_;
  std::vector<Kernel> kernels_;
};

} // namespace normrt::cuda

#endif // NORMRT_CUDA_CUDAMODULE_H
