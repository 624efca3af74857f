//===- NvvmHooks.h - What NVIDIA's GPUs have --------------------------------===//
#ifndef NORMC_LIB_CONVERSION_ROWTOGPU_NVVMHOOKS_H
#define NORMC_LIB_CONVERSION_ROWTOGPU_NVVMHOOKS_H

#include "TargetHooks.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace normc::gpu {

class NvvmHooks : public TargetHooks {
public:
  /// The kernels stand in `module`. Dependent launches need sm_90.
  NvvmHooks(mlir::gpu::GPUModuleOp module, bool hasDependentLaunch)
      : module(module), hasDependentLaunch(hasDependentLaunch) {}

  int64_t subgroupSize() const override { return 32; }
  unsigned globalSpace() const override { return 1; }
  unsigned sharedSpace() const override { return 3; }
  mlir::Value sharedMemory(mlir::ImplicitLocOpBuilder &b) override;
  void allowDependents(mlir::ImplicitLocOpBuilder &b) override;
  void awaitDependencies(mlir::ImplicitLocOpBuilder &b) override;
  mlir::Value widenBf16(mlir::ImplicitLocOpBuilder &b, mlir::Value bits) override;

private:
  mlir::gpu::GPUModuleOp module;
  bool hasDependentLaunch;
};

} // namespace normc::gpu

#endif // NORMC_LIB_CONVERSION_ROWTOGPU_NVVMHOOKS_H
