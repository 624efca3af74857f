//===- SpirvToolkit.h - What Intel's offline compiler adds, where there is one ---===//
//
// SPIR-V needs no tool. With ocloc it becomes machine code of one chip at compile time,
// and its warnings say which kernels spill.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_TARGET_SPIRVTOOLKIT_H
#define NORMC_TARGET_SPIRVTOOLKIT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace normc::spirv {

/// Programs of an installed toolkit; empty where it has none.
struct Toolkit {
  std::string ocloc;
};

/// The ocloc of that path, or for "" the first of PATH; for "off" none. A path that is
/// no program is an error: nothing, and what was expected.
std::optional<Toolkit> findToolkit(llvm::StringRef ocloc, std::string &error);

/// Whether there is an ocloc and it makes machine code of a chip; it has the names that
/// targets have ("pvc"), 22.43 no newer one than that.
bool hasCodeFor(const Toolkit &toolkit, llvm::StringRef device);

/// A kernel that does not fit into the registers, as ocloc reports it.
struct Spill {
  std::string kernel;
  /// Registers that the kernel has, and instructions that spill.
  int64_t registers = 0;
  int64_t spills = 0;
};

/// Reads the spills from what ocloc prints.
std::vector<Spill> parseOclocReport(llvm::StringRef report);

/// Runs ocloc, as a process of its own that is ended after a minute, on SPIR-V for
/// `device` ("pvc"). Fails, with its message as a diagnostic of `module`, where it
/// refuses.
mlir::LogicalResult compileNative(mlir::ModuleOp module, const Toolkit &toolkit,
                                  llvm::ArrayRef<char> spirv, llvm::StringRef device,
                                  llvm::SmallVectorImpl<char> &native,
                                  std::vector<Spill> &spills);

} // namespace normc::spirv

#endif // NORMC_TARGET_SPIRVTOOLKIT_H
