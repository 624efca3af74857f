//===- Codegen.cpp - From the LLVM dialect to an object ---------------------===//
#include "Link.h"
#include "MaskedAccess.h"
#include "normc/Target/Host.h"

#include "lib/Target/Llvm/Codegen.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace normc;

StringRef host::architecture() {
#if defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#else
#error "the host target knows x86_64 and aarch64"
#endif
}

namespace {

std::unique_ptr<llvm::TargetMachine>
createTargetMachine(Location loc, const schedule::TargetFacts &target) {
  static const bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  codegen::MachineOptions options;
  options.triple = llvm::sys::getDefaultTargetTriple();
  StringRef cpu = target.features;
  options.cpu = cpu.starts_with("x86-64") ? cpu.str() : "generic";
  options.relocation = llvm::Reloc::PIC_;
  return codegen::createTargetMachine(loc, options);
}

/// Only what is to become code: the plan stays behind.
OwningOpRef<ModuleOp> codeOf(ModuleOp module) {
  OwningOpRef<ModuleOp> code = ModuleOp::create(module.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(code->getBody());
  for (LLVM::LLVMFuncOp function : module.getOps<LLVM::LLVMFuncOp>())
    builder.clone(*function);
  return code;
}

/// What the back end may take for granted of every kernel.
void addAttributes(llvm::Module &code, const llvm::TargetMachine &machine) {
  for (llvm::Function &function : code) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    // 512-bit vectors are what the kernels are written in where there are any.
    function.addFnAttr("prefer-vector-width", "512");
    function.addFnAttr(llvm::Attribute::NoUnwind);
    for (llvm::Argument &arg : function.args())
      if (arg.getType()->isPointerTy())
        arg.addAttr(llvm::Attribute::ReadOnly);
  }
}

/// The code of each function.
LogicalResult generate(ModuleOp module, const schedule::TargetFacts &target,
                       llvm::CodeGenFileType kind, unsigned threads,
                       std::vector<SmallVector<char, 0>> &parts) {
  OwningOpRef<ModuleOp> kernels = codeOf(module);
  codegen::EmitOptions options = {
      .machine = [&] { return createTargetMachine(module.getLoc(), target); },
      .prepare =
          [](llvm::Module &code, llvm::TargetMachine &machine) {
            addAttributes(code, machine);
            host::shareMaskedAccesses(code, machine);
            return success();
          },
      .kind = kind,
      .threads = threads};
  return codegen::emitKernels(module, *kernels, options, parts);
}

} // namespace

LogicalResult host::serializeToAssembly(ModuleOp module,
                                        const schedule::TargetFacts &target,
                                        std::string &text) {
  std::vector<SmallVector<char, 0>> parts;
  if (failed(generate(module, target, llvm::CodeGenFileType::AssemblyFile, 1, parts)))
    return failure();
  text.clear();
  for (const SmallVector<char, 0> &part : parts)
    text.append(part.begin(), part.end());
  return success();
}

LogicalResult host::serializeToSharedObject(ModuleOp module,
                                            const schedule::TargetFacts &target,
                                            unsigned threads,
                                            SmallVectorImpl<char> &object) {
  std::vector<SmallVector<char, 0>> relocatables;
  if (failed(generate(module, target, llvm::CodeGenFileType::ObjectFile, threads,
                      relocatables)))
    return failure();
  return linkSharedObject(module, relocatables, object);
}
