//===- Link.h - Links an object to a shared object, in process --------------===//
#ifndef NORMC_LIB_TARGET_HOST_LINK_H
#define NORMC_LIB_TARGET_HOST_LINK_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace normc::host {

/// Links `objects`, compiled from `module`, to an ELF shared object. It names the C
/// math library among what it needs when one of them calls it. A function that neither
/// that nor the C library has is an error at its caller in the module.
mlir::LogicalResult linkSharedObject(mlir::ModuleOp module,
                                     llvm::ArrayRef<llvm::SmallVector<char, 0>> objects,
                                     llvm::SmallVectorImpl<char> &shared);

} // namespace normc::host

#endif // NORMC_LIB_TARGET_HOST_LINK_H
