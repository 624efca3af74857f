// What a SPIR-V module says of itself, read before a driver sees it: a driver may end
// the process on one that is cut short.
#ifndef NORMRT_LEVEL_ZERO_SPIRVMODULE_H
#define NORMRT_LEVEL_ZERO_SPIRVMODULE_H

#include "runtime/src/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace normrt::level_zero {

struct SpirvKernel {
  std::string name;
  /// The subgroup size that the kernel requires; 0 for any.
  int subgroupSize = 0;
  int paramCount = 0;
};

/// Reads the kernels of a module, in its order. TRUNCATED for a module that ends inside
/// of an instruction or of a function, or before a kernel that it names, CORRUPTED for
/// what is no module.
Status readSpirv(std::span<const uint8_t> bytes, std::vector<SpirvKernel> &kernels);

} // namespace normrt::level_zero

#endif // NORMRT_LEVEL_ZERO_SPIRVMODULE_H
