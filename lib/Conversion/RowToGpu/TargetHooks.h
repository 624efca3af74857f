//===- TargetHooks.h - What one vendor's GPUs have and others lack ----------===//
#ifndef NORMC_LIB_CONVERSION_ROWTOGPU_TARGETHOOKS_H
#define NORMC_LIB_CONVERSION_ROWTOGPU_TARGETHOOKS_H

#include "normc/Schedule/Facts.h"
#include "normc/Schedule/Tiling.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace normc::gpu {

class TargetHooks {
public:
  virtual ~TargetHooks() = default;

  /// Called for each kernel before its body: what the target wants to know of it.
  virtual void beginKernel(mlir::gpu::GPUFuncOp kernel,
                           const schedule::Tiling &tiling) {}
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
  /// bytes of workgroup memory and flips its phase, at first 0, when as many lanes have
  /// arrived as it was made for and the bytes that they said to expect are there.
  virtual bool hasBulkCopies() const { return false; }
  virtual void initBarrier(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier,
                           int64_t arrivals) {}
  virtual void fenceBarriers(mlir::ImplicitLocOpBuilder &b) {}
  virtual void expectBytes(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier,
                           mlir::Value bytes) {}
  virtual void copyToShared(mlir::ImplicitLocOpBuilder &b, mlir::Value to,
                            mlir::Value from, mlir::Value bytes, mlir::Value barrier) {}
  /// One lane's arrival, behind all that it has read and written.
  virtual void arriveAt(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier) {}
  /// Whether the barrier's phase has ended; may wait a while for it. `ofCluster`: what
  /// other workgroups have sent is awaited.
  virtual mlir::Value testBarrier(mlir::ImplicitLocOpBuilder &b, mlir::Value barrier,
                                  mlir::Value phase, bool ofCluster) {
    return {};
  }
  /// Bulk copies from workgroup to global memory, by one lane; in groups, which end in
  /// order. What lanes have written is copied where each of them was behind
  /// fenceForCopies before a barrier.
  virtual void fenceForCopies(mlir::ImplicitLocOpBuilder &b) {}
  virtual void copyFromShared(mlir::ImplicitLocOpBuilder &b, mlir::Value to,
                              mlir::Value from, mlir::Value bytes) {}
  virtual void endCopyGroup(mlir::ImplicitLocOpBuilder &b) {}
  /// Until all groups of this lane but the last `pending` have read their source.
  virtual void awaitCopiesRead(mlir::ImplicitLocOpBuilder &b, int64_t pending) {}
  /// Copies of 4, 8 or 16 bytes from global to workgroup memory by every lane for
  /// itself, in groups; awaited, they are visible to the lane.
  virtual bool hasLaneCopies() const { return false; }
  virtual void copyLane(mlir::ImplicitLocOpBuilder &b, mlir::Value to, mlir::Value from,
                        int64_t bytes) {}
  virtual void endLaneCopyGroup(mlir::ImplicitLocOpBuilder &b) {}
  virtual void awaitLaneCopies(mlir::ImplicitLocOpBuilder &b, int64_t pending) {}
  /// Clusters: workgroups that run together and reach each other's memory.
  virtual bool hasClusters() const { return false; }
  /// This workgroup's number in its cluster, i64.
  virtual mlir::Value clusterRank(mlir::ImplicitLocOpBuilder &b) { return {}; }
  /// The address that workgroup `rank` of the cluster has at this address of its own.
  virtual mlir::Value inWorkgroup(mlir::ImplicitLocOpBuilder &b, mlir::Value pointer,
                                  mlir::Value rank) {
    return {};
  }
  /// Stores a value into some workgroup's memory and counts its bytes at a barrier
  /// there.
  virtual void sendToWorkgroup(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                               mlir::Value pointer, mlir::Value barrier) {}
  /// Waits for all lanes of the subgroup.
  virtual void subgroupBarrier(mlir::ImplicitLocOpBuilder &b) {}
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
