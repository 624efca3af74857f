//===- Isolated.h - Runs a back end in a process of its own -----------------===//
#ifndef NORMC_LIB_TARGET_SPIRV_ISOLATED_H
#define NORMC_LIB_TARGET_SPIRV_ISOLATED_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace normc::spirv {

/// Runs `body` in a copy of this process, which sees all that this thread sees and
/// changes none of it, and gives the bytes that it made. False, and why in `error`,
/// where it answers false, ends in any other way, or takes more than two minutes.
bool runIsolated(llvm::function_ref<bool(llvm::SmallVectorImpl<char> &bytes)> body,
                 llvm::SmallVectorImpl<char> &bytes, std::string &error);

} // namespace normc::spirv

#endif // NORMC_LIB_TARGET_SPIRV_ISOLATED_H
