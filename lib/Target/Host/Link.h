//===- Link.h - Links an object to a shared object, in process --------------===//
#ifndef NORMC_LIB_TARGET_HOST_LINK_H
#define NORMC_LIB_TARGET_HOST_LINK_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace normc::host {

/// Links `object` to an ELF shared object. It names the C math library among what it
/// needs when the object calls it.
mlir::LogicalResult linkSharedObject(mlir::Location loc, llvm::StringRef object,
                                     llvm::SmallVectorImpl<char> &shared);

} // namespace normc::host

#endif // NORMC_LIB_TARGET_HOST_LINK_H
