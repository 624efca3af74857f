//===- Target.h - The code of a target that this build compiles for ---------===//
#ifndef NORMC_LIB_COMPILER_TARGET_H
#define NORMC_LIB_COMPILER_TARGET_H

#include "normc/Package/Package.h"
#include "normc/Schedule/Facts.h"
#include "normc/Target/NvvmToolkit.h"
#include "normc/Target/SpirvToolkit.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <vector>

namespace normc {

/// The numbers of the target of that name; an error at `module` for one that is not
/// known, or that this build makes no code for.
llvm::FailureOr<schedule::TargetFacts> findTarget(mlir::ModuleOp module,
                                                  llvm::StringRef name);

/// One target's launches, and its code in the forms that a package holds.
struct CompiledTarget {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  struct Code {
    package::BlobFormat format;
    llvm::SmallVector<char> bytes;
  };
  /// The one that fits best comes first; each has all kernels.
  std::vector<Code> codes;
  /// What the kernels take, where the code generator says so.
  std::vector<nvvm::KernelResources> resources;
};

/// Makes the code of `module`, which is at Stage::Llvm for `facts`, and takes it over.
mlir::LogicalResult generateCode(mlir::OwningOpRef<mlir::ModuleOp> module,
                                 const schedule::TargetFacts &facts,
                                 const nvvm::Toolkit &toolkit,
                                 const spirv::Toolkit &spirvToolkit, unsigned threads,
                                 CompiledTarget &result);

/// What the package writer takes of a compiled target, which it refers to.
package::TargetModule packageTarget(const schedule::TargetFacts &facts,
                                    const CompiledTarget &target);

} // namespace normc

#endif // NORMC_LIB_COMPILER_TARGET_H
