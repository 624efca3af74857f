//===- Isolated.h - Runs a function in a process of its own -----------------===//
//
// For code of others that may end the process, or that keeps state of its own. The copy
// is made by fork and has the calling thread alone: the function must not wait for
// another one. What the program's other threads held at that moment stays held, which
// malloc and the compiler's own objects are safe from, and the time limit contains.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_PROCESS_ISOLATED_H
#define NORMC_PROCESS_ISOLATED_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <string>

namespace normc {

struct IsolationLimits {
  /// From the start to the last byte.
  unsigned seconds = 120;
  /// Of a core's time.
  unsigned cpu_seconds = 120;
  /// That the copy may map beyond what this process has; 0: any.
  uint64_t memory_bytes = 0;
};

/// Runs `body` in a copy of this process, which sees all that this thread sees and
/// changes none of it, and gives the bytes that it made. False, and why in `error`,
/// where it answers false, ends in any other way, or passes a limit: what it wrote to
/// stderr if anything. Signal handlers of this process do not run in the copy.
bool runIsolated(const IsolationLimits &limits,
                 llvm::function_ref<bool(llvm::SmallVectorImpl<char> &bytes)> body,
                 llvm::SmallVectorImpl<char> &bytes, std::string &error);

} // namespace normc

#endif // NORMC_PROCESS_ISOLATED_H
