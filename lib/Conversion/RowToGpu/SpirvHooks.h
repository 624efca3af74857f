//===- SpirvHooks.h - What SPIR-V kernels have ------------------------------===//
#ifndef NORMC_LIB_CONVERSION_ROWTOGPU_SPIRVHOOKS_H
#define NORMC_LIB_CONVERSION_ROWTOGPU_SPIRVHOOKS_H

#include "TargetHooks.h"

namespace normc::gpu {

class SpirvHooks : public TargetHooks {
public:
  explicit SpirvHooks(int64_t subgroup) : subgroup(subgroup) {}

  void beginKernel(mlir::gpu::GPUFuncOp kernel,
                   const schedule::Tiling &tiling) override;
  int64_t subgroupSize() const override { return subgroup; }
  unsigned globalSpace() const override { return 1; }
  unsigned sharedSpace() const override { return 3; }
  mlir::Value sharedMemory(mlir::ImplicitLocOpBuilder &b) override;
  mlir::Value widenBf16(mlir::ImplicitLocOpBuilder &b, mlir::Value bits) override;

private:
  int64_t subgroup;
  mlir::gpu::GPUFuncOp kernel;
  mlir::Value shared;
};

} // namespace normc::gpu

#endif // NORMC_LIB_CONVERSION_ROWTOGPU_SPIRVHOOKS_H
