//===- NvvmHooks.h - What NVIDIA's GPUs have --------------------------------===//
#ifndef NORMC_LIB_CONVERSION_ROWTOGPU_NVVMHOOKS_H
#define NORMC_LIB_CONVERSION_ROWTOGPU_NVVMHOOKS_H

#include "TargetHooks.h"

namespace normc::gpu {

class NvvmHooks : public TargetHooks {
public:
  /// The kernels stand in `module`. Dependent launches, bulk
  /// copies and clusters need sm_90.
  NvvmHooks(mlir::gpu::GPUModuleOp module, bool isHopper,
            schedule::AsyncCopy asyncCopy = schedule::AsyncCopy::Bulk)
      : module(module), isHopper(isHopper), asyncCopy(asyncCopy) {}

  void beginKernel(mlir::gpu::GPUFuncOp kernel,
                   const schedule::Tiling &tiling) override;
  int64_t subgroupSize() const override { return 32; }
  unsigned globalSpace() const override { return 1; }
  unsigned sharedSpace() const override { return 3; }
  mlir::Value sharedMemory(mlir::ImplicitLocOpBuilder &b) override;
  void allowDependents(mlir::ImplicitLocOpBuilder &b) override;
  void awaitDependencies(mlir::ImplicitLocOpBuilder &b) override;
  bool hasBulkCopies() const override { return isHopper; }
  void initBarrier(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier,
                   int64_t arrivals) override;
  void fenceBarriers(mlir::ImplicitLocOpBuilder &b) override;
  void expectBytes(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier,
                   mlir::Value bytes) override;
  void copyToShared(mlir::ImplicitLocOpBuilder &b, mlir::Value to, mlir::Value from,
                    mlir::Value bytes, mlir::Value barrier) override;
  void arriveAt(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier) override;
  mlir::Value testBarrier(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier,
                          mlir::Value phase, bool ofCluster) override;
  void fenceForCopies(mlir::ImplicitLocOpBuilder &b) override;
  void copyFromShared(mlir::ImplicitLocOpBuilder &b, mlir::Value to, mlir::Value from,
                      mlir::Value bytes) override;
  void endCopyGroup(mlir::ImplicitLocOpBuilder &b) override;
  void awaitCopiesRead(mlir::ImplicitLocOpBuilder &b, int64_t pending) override;
  bool hasLaneCopies() const override {
    return asyncCopy == schedule::AsyncCopy::PerLane;
  }
  void copyLane(mlir::ImplicitLocOpBuilder &b, mlir::Value to, mlir::Value from,
                int64_t bytes) override;
  void endLaneCopyGroup(mlir::ImplicitLocOpBuilder &b) override;
  void awaitLaneCopies(mlir::ImplicitLocOpBuilder &b, int64_t pending) override;
  bool hasClusters() const override { return isHopper; }
  mlir::Value clusterRank(mlir::ImplicitLocOpBuilder &b) override;
  mlir::Value inWorkgroup(mlir::ImplicitLocOpBuilder &b, mlir::Value pointer,
                          mlir::Value rank) override;
  void sendToWorkgroup(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                       mlir::Value pointer, mlir::Value barrier) override;
  void subgroupBarrier(mlir::ImplicitLocOpBuilder &b) override;
  void clusterBarrier(mlir::ImplicitLocOpBuilder &b) override;
  mlir::Value pin(mlir::ImplicitLocOpBuilder &b, mlir::Value value) override;
  mlir::Value widenBf16(mlir::ImplicitLocOpBuilder &b, mlir::Value bits) override;

private:
  mlir::gpu::GPUModuleOp module;
  bool isHopper;
  schedule::AsyncCopy asyncCopy;
};

} // namespace normc::gpu

#endif // NORMC_LIB_CONVERSION_ROWTOGPU_NVVMHOOKS_H
