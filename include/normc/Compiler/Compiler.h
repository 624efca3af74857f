//===- Compiler.h - From norm IR to a package, in process -------------------===//
//
// The compiler as a library: modules go in, stages of the way, assembly or the bytes of
// a package come out. Nothing is printed: errors and remarks are diagnostics of the
// module's context. There is no global state, so different contexts may be used from
// different threads at the same time; one context by one thread at a time.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_COMPILER_COMPILER_H
#define NORMC_COMPILER_COMPILER_H

#include "normc/Schedule/Facts.h"
#include "normc/Target/NvvmToolkit.h"
#include "normc/Target/SpirvToolkit.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <optional>
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
  /// Names as for --target: "host", "host:x86-64-v3", "cuda:sm_90", "spirv:pvc". At
  /// least one, none twice.
  std::vector<std::string> targets = {"host"};
  /// For CUDA targets, as of nvvm::findToolkit. Without ptxas the package holds PTX,
  /// which the driver compiles at load, and a remark says so.
  nvvm::Toolkit toolkit;
  /// For SPIR-V targets, as of spirv::findToolkit. With ocloc machine code stands
  /// beside the SPIR-V, for chips that it knows.
  spirv::Toolkit spirv_toolkit;
  /// The path of a table of decisions that were measured, or "": what it says of a
  /// kernel is not left to the model. It has lines for every target.
  std::string tunings;
  /// Keep the source in the package, for checks against the reference.
  bool embed_source = true;
  /// Threads that work on one target's kernels: 0 is as many as the process may run on,
  /// 1 starts none. The package is the same for any number.
  unsigned threads = 0;
  /// Called as work proceeds: what is done now, steps done, steps in all.
  std::function<void(llvm::StringRef, size_t, size_t)> progress;
};

/// The numbers of a target that this build makes code for; nothing, and why as
/// "expected ..., but got ...", for one that is not known, that comes with a later
/// build, or that is a host of another architecture than this machine's. "cuda:native"
/// is the newest one that the first installed device runs, under its own name.
std::optional<schedule::TargetFacts> supportedTarget(llvm::StringRef name,
                                                     std::string &error);

/// The dialects that a source may use and the interfaces that compiling it needs. A
/// context whose modules are compiled is made with these.
void registerCompilerDialects(mlir::DialectRegistry &registry);

/// Takes `module` from norm IR to `stage` for one target, in place. Fails for a target
/// that is not supported, whatever the stage but Norm and Row, which depend on no
/// target and ignore it. `tunings` is as in CompileOptions. After a failure the module
/// is valid IR between two stages, good for nothing but printing.
mlir::LogicalResult lowerToStage(mlir::ModuleOp module, llvm::StringRef target,
                                 Stage stage, llvm::StringRef tunings = "");

/// Assembly text of the kernels of a module at Stage::Llvm, which was lowered for the
/// same target: PTX for CUDA, the text of the SPIR-V for Intel's.
mlir::LogicalResult emitAssembly(mlir::ModuleOp module, llvm::StringRef target,
                                 const nvvm::Toolkit &toolkit, std::string &text);

/// The SPIR-V module of the kernels of a module at Stage::Llvm, which was lowered for
/// the same SPIR-V target.
mlir::LogicalResult emitSpirv(mlir::ModuleOp module, llvm::StringRef target,
                              llvm::SmallVectorImpl<char> &spirv);

/// Compiles to the bytes of a package, appended to `package`. `module` is left as it
/// is, and so is `package` on a failure.
mlir::LogicalResult compile(mlir::ModuleOp module, const CompileOptions &options,
                            llvm::SmallVectorImpl<char> &package);

} // namespace normc

#endif // NORMC_COMPILER_COMPILER_H
