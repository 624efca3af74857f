//===- TargetHooks.h - What one vendor's GPUs have and others lack ----------===//
#ifndef NORMC_LIB_CONVERSION_ROWTOGPU_TARGETHOOKS_H
#define NORMC_LIB_CONVERSION_ROWTOGPU_TARGETHOOKS_H

#include "normc/Schedule/Facts.h"
#include "normc/Schedule/Tiling.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace normc::gpu {

class TargetHooks {
public:
  virtual ~TargetHooks() = default;

  virtual int64_t subgroupSize() const = 0;
  /// Address space numbers of global and of workgroup memory.
  virtual unsigned globalSpace() const = 0;
  virtual unsigned sharedSpace() const = 0;
  /// The start of this workgroup's memory.
  virtual mlir::Value sharedMemory(mlir::ImplicitLocOpBuilder &b) = 0;
  /// Kernels behind this one that were launched for it may start from here on.
  virtual void allowDependents(mlir::ImplicitLocOpBuilder &b) {}
  /// What this kernel was launched behind has finished, and is visible, from here on.
  virtual void awaitDependencies(mlir::ImplicitLocOpBuilder &b) {}
  /// Bulk copies from global to workgroup memory that signal a barrier. A barrier is 8
  /// bytes of workgroup memory and flips its phase, at first 0, when one lane has said
  /// how many bytes to expect and they have arrived.
  virtual bool hasBulkCopies() const { return false; }
  virtual void initBarrier(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier) {}
  virtual void fenceBarriers(mlir::ImplicitLocOpBuilder &b) {}
  virtual void expectBytes(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier,
                           mlir::Value bytes) {}
  virtual void copyToShared(mlir::ImplicitLocOpBuilder &b, mlir::Value to,
                            mlir::Value from, mlir::Value bytes, mlir::Value barrier) {}
  /// Whether the barrier's phase has ended; may wait a while for it.
  virtual mlir::Value testBarrier(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier,
                                  mlir::Value phase) {
    return {};
  }
  /// Clusters: workgroups that run together and reach each other's memory.
  virtual bool hasClusters() const { return false; }
  /// This workgroup's number in its cluster, i64.
  virtual mlir::Value clusterRank(mlir::ImplicitLocOpBuilder &b) { return {}; }
  /// The address that workgroup `rank` of the cluster has at this address of its own.
  virtual mlir::Value inWorkgroup(mlir::ImplicitLocOpBuilder &b, mlir::Value pointer,
                                  mlir::Value rank) {
    return {};
  }
  /// Waits for all lanes of the cluster and what they have written.
  virtual void clusterBarrier(mlir::ImplicitLocOpBuilder &b) {}
  /// The same value, of which the compiler may assume nothing: it is neither computed
  /// earlier nor kept in another form.
  virtual mlir::Value pin(mlir::ImplicitLocOpBuilder &b, mlir::Value value) {
    return value;
  }
  /// Widens a vector of bf16, given as 16-bit integers, to f32; null to leave it to
  /// the generic conversion.
  virtual mlir::Value widenBf16(mlir::ImplicitLocOpBuilder &b, mlir::Value bits) {
    return {};
  }
};

} // namespace normc::gpu

#endif // NORMC_LIB_CONVERSION_ROWTOGPU_TARGETHOOKS_H
