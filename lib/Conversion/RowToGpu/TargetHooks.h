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
  /// Kernels behind this one may start from here on.
  virtual void allowDependents(mlir::ImplicitLocOpBuilder &b) {}
  /// Kernels before this one have finished from here on.
  virtual void awaitDependencies(mlir::ImplicitLocOpBuilder &b) {}
  /// Widens a vector of bf16, given as 16-bit integers, to f32; null to leave it to
  /// the generic conversion.
  virtual mlir::Value widenBf16(mlir::ImplicitLocOpBuilder &b, mlir::Value bits) {
    return {};
  }
};

} // namespace normc::gpu

#endif // NORMC_LIB_CONVERSION_ROWTOGPU_TARGETHOOKS_H
