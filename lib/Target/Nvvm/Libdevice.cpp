//===- Libdevice.cpp - Links NVIDIA's mathematical functions ----------------===//
#include "normc/Target/NvvmToolkit.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace mlir;
using namespace normc;

static constexpr llvm::StringLiteral kPrefix = "__nv_";

static bool isMissing(const llvm::Function &function) {
  return function.isDeclaration() && function.getName().starts_with(kPrefix);
}

/// What the call was before it was one of libdevice's, as in "math.exp": the name
/// without what it says of the type.
static LogicalResult reportCalls(ModuleOp module) {
  module.walk([&](LLVM::CallOp call) {
    std::optional<StringRef> callee = call.getCallee();
    if (!callee || !callee->starts_with(kPrefix))
      return WalkResult::advance();
    emitError(call.getLoc())
        << "expected libdevice (nvvm/libdevice/libdevice.10.bc beside ptxas), because "
        << callee->drop_front(kPrefix.size())
        << " has no instruction on this target, but got none; --ptxas names the ptxas "
           "of a CUDA toolkit";
    return WalkResult::interrupt();
  });
  return failure();
}

LogicalResult nvvm::linkLibdevice(ModuleOp module, const Toolkit &toolkit,
                                  llvm::Module &code) {
  if (llvm::none_of(code, isMissing))
    return success();
  if (toolkit.libdevice.empty())
    return reportCalls(module);
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> library =
      llvm::parseIRFile(toolkit.libdevice, diagnostic, code.getContext());
  if (!library)
    return module.emitError("expected LLVM bitcode in \"")
           << toolkit.libdevice << "\", but got: " << diagnostic.getMessage();
  library->setTargetTriple(code.getTargetTriple());
  library->setDataLayout(code.getDataLayout());
  auto internalize = [](llvm::Module &linked, const llvm::StringSet<> &names) {
    llvm::internalizeModule(linked, [&](const llvm::GlobalValue &value) {
      return !value.hasName() || !names.contains(value.getName());
    });
  };
  if (llvm::Linker::linkModules(code, std::move(library),
                                llvm::Linker::Flags::LinkOnlyNeeded, internalize))
    return module.emitError("libdevice cannot be linked to the kernels");
  if (auto missing = llvm::find_if(code, isMissing); missing != code.end())
    return module.emitError("expected ")
           << missing->getName() << " in \"" << toolkit.libdevice
           << "\", but it has no such function";
  return success();
}
