//===- Codegen.h - From the LLVM dialect to what a back end emits -----------===//
//
// The steps that every target takes which one of LLVM's back ends serves. A target adds
// what is its own between them: attributes of functions, libraries to link.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_LIB_TARGET_LLVM_CODEGEN_H
#define NORMC_LIB_TARGET_LLVM_CODEGEN_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Target/TargetMachine.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class PassBuilder;
class PipelineTuningOptions;
} // namespace llvm

namespace normc::codegen {

/// Which of LLVM's back ends, and for which processor.
struct MachineOptions {
  std::string triple;
  std::string cpu;
  std::string features;
  std::optional<llvm::Reloc::Model> relocation;
  llvm::CodeGenOptLevel level = llvm::CodeGenOptLevel::Default;
};

/// The back end of the triple, which the caller has initialized. Null, with a
/// diagnostic at `loc`, where this LLVM has none.
std::unique_ptr<llvm::TargetMachine> createTargetMachine(mlir::Location loc,
                                                         const MachineOptions &options);

/// The kernels of the gpu.modules of `module`, in a module of their own, which can be
/// translated.
mlir::OwningOpRef<mlir::ModuleOp> kernelsOf(mlir::ModuleOp module);

/// Translates `code`, which holds ops of the builtin and the LLVM dialect and of those
/// that the caller has registered a translation of. Null, with a diagnostic at
/// `module`, from which the code was taken, where that fails.
std::unique_ptr<llvm::Module> translate(mlir::ModuleOp module, mlir::ModuleOp code,
                                        llvm::LLVMContext &context,
                                        llvm::TargetMachine &machine);

/// How the kernels of a module become what a back end emits.
struct EmitOptions {
  /// A back end of one thread's own. Null after a diagnostic.
  std::function<std::unique_ptr<llvm::TargetMachine>()> machine;
  /// What is a target's own between translation and optimization.
  std::function<mlir::LogicalResult(llvm::Module &, llvm::TargetMachine &)> prepare;
  llvm::CodeGenFileType kind;
  /// Kernels that are worked on at once: 0 is as many as the process may run on, 1
  /// starts no thread.
  unsigned threads;
};

/// Emits each kernel of `code`, which was taken from `module`, on its own, in their
/// order. The result does not depend on the number of threads.
mlir::LogicalResult emitKernels(mlir::ModuleOp module, mlir::ModuleOp code,
                                const EmitOptions &options,
                                std::vector<llvm::SmallVector<char, 0>> &emitted);

/// Runs the passes that `passes` makes, with every analysis at hand.
void runPasses(llvm::Module &code, llvm::TargetMachine &machine,
               const llvm::PipelineTuningOptions &tuning,
               llvm::function_ref<llvm::ModulePassManager(llvm::PassBuilder &)> passes);

/// LLVM's own pipeline without what the kernels have done already: they come unrolled
/// and in vectors.
void optimize(llvm::Module &code, llvm::TargetMachine &machine);

/// Appends the assembly text or the object file of `code` to `out`. Fails with a
/// diagnostic at `module` where the back end has no such file.
mlir::LogicalResult emit(mlir::ModuleOp module, llvm::Module &code,
                         llvm::TargetMachine &machine, llvm::CodeGenFileType kind,
                         llvm::SmallVectorImpl<char> &out);

} // namespace normc::codegen

#endif // NORMC_LIB_TARGET_LLVM_CODEGEN_H
