//===- Compiler.h - From norm IR to a package, in process -------------------===//
#ifndef NORMC_COMPILER_COMPILER_H
#define NORMC_COMPILER_COMPILER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <string>
#include <vector>

namespace normc {

/// How far a module is taken.
enum class Stage {
  /// As parsed and verified.
  Norm,
  /// Buffers and row programs.
  Row,
  /// Entries with variants, strategies and tilings.
  Scheduled,
  /// Kernels in the LLVM dialect, and the plan that launches them.
  Llvm,
};

struct CompileOptions {
  /// Names as for --target: "host", "host:x86-64-v3".
  std::vector<std::string> targets = {"host"};
  /// Keep the source in the package, for checks against the reference.
  bool embed_source = true;
  /// Called as work proceeds: what is done now, steps done, steps in all.
  std::function<void(llvm::StringRef, size_t, size_t)> progress;
};

/// Takes `module` to `stage` for one target, in place. Errors are diagnostics of the
/// module's context.
mlir::LogicalResult lowerToStage(mlir::ModuleOp module, llvm::StringRef target,
                                 Stage stage);

/// Assembly text of the kernels of a module at Stage::Llvm.
mlir::LogicalResult emitAssembly(mlir::ModuleOp module, llvm::StringRef target,
                                 std::string &text);

/// Compiles to the bytes of a package. `module` is left as it is.
mlir::LogicalResult compile(mlir::ModuleOp module, const CompileOptions &options,
                            llvm::SmallVectorImpl<char> &package);

} // namespace normc

#endif // NORMC_COMPILER_COMPILER_H
