//===- MaskedAccess.h - Masked accesses that a processor has not -------------===//
#ifndef NORMC_LIB_TARGET_HOST_MASKEDACCESS_H
#define NORMC_LIB_TARGET_HOST_MASKEDACCESS_H

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace normc::host {

/// Masked loads and stores that the processor has no instruction for, as AVX2 has none
/// of 16-bit elements, become calls of a function of the module for each kind: the back
/// end makes a branch for every lane of each, which is most of its work on a kernel
/// whose columns are dynamic, and they stand in what is left of a row alone. Masks that
/// are constant stay: they need no branch.
void shareMaskedAccesses(llvm::Module &code, llvm::TargetMachine &machine);

} // namespace normc::host

#endif // NORMC_LIB_TARGET_HOST_MASKEDACCESS_H
