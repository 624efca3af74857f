//===- NvvmToolkit.h - What NVIDIA's toolkit adds, where there is one -------===//
//
// PTX needs no tool. With ptxas it becomes machine code at compile time, and its report
// says what the kernels take; with libdevice, f64 has transcendental functions.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_TARGET_NVVMTOOLKIT_H
#define NORMC_TARGET_NVVMTOOLKIT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace normc::nvvm {

/// Files of an installed toolkit; empty where it has none.
struct Toolkit {
  std::string ptxas;
  std::string libdevice;
};

/// The toolkit of a ptxas: the one of that path, or for "" the first of PATH, CUDA_HOME
/// and /usr/local/cuda; for "off" none. A path that is no program is an error: nothing,
/// and what was expected.
std::optional<Toolkit> findToolkit(llvm::StringRef ptxas, std::string &error);

/// What one kernel takes, as ptxas reports it.
struct KernelResources {
  std::string kernel;
  int64_t registers_per_lane = 0;
  int64_t spill_store_bytes = 0;
  int64_t spill_load_bytes = 0;
  int64_t stack_bytes = 0;
  int64_t static_shared_bytes = 0;
};

/// Reads the report of `ptxas -v`, one entry a kernel in its order.
std::vector<KernelResources> parsePtxasReport(llvm::StringRef report);

/// Runs ptxas, as a process of its own, on PTX for `architecture` ("sm_90"). Fails,
/// with its message as a diagnostic of `module`, where it refuses.
mlir::LogicalResult assemble(mlir::ModuleOp module, const Toolkit &toolkit,
                             llvm::StringRef ptx, llvm::StringRef architecture,
                             llvm::SmallVectorImpl<char> &cubin,
                             std::vector<KernelResources> &resources);

/// Links the functions of libdevice that `code`, which was translated from `module`,
/// calls. Without a libdevice any such call is an error at the op that it came from.
mlir::LogicalResult linkLibdevice(mlir::ModuleOp module, const Toolkit &toolkit,
                                  llvm::Module &code);

/// "sm_90", as the driver says of the first device; nothing, and why, without one.
std::optional<std::string> installedArchitecture(std::string &error);

} // namespace normc::nvvm

#endif // NORMC_TARGET_NVVMTOOLKIT_H
