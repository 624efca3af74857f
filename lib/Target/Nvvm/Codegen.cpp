//===- Codegen.cpp - From the NVVM dialect to PTX ---------------------------===//
#include "normc/Target/Nvvm.h"

#include "lib/Target/Llvm/Codegen.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/IR/LLVMContext.h"

extern "C" {
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

using namespace mlir;
using namespace normc;

std::string nvvm::architectureOf(const schedule::TargetFacts &target) {
  StringRef name = target.name;
  return name.substr(name.find(':') + 1).str();
}

/// Below PTX 8.6 the back end cannot select bulk copies into generic shared memory;
/// sm_120 came with 8.7 (PTX ISA, "Release Notes"). Older drivers take the older one.
static StringRef ptxVersionOf(StringRef architecture) {
  return architecture.starts_with("sm_12") ? "+ptx87" : "+ptx86";
}

static std::unique_ptr<llvm::TargetMachine>
createTargetMachine(Location loc, const schedule::TargetFacts &facts) {
  static const bool initialized = [] {
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialized;
  codegen::MachineOptions options;
  options.triple = "nvptx64-nvidia-cuda";
  options.cpu = nvvm::architectureOf(facts);
  options.features = ptxVersionOf(options.cpu).str();
  options.level = llvm::CodeGenOptLevel::Aggressive;
  return codegen::createTargetMachine(loc, options);
}

LogicalResult nvvm::serializeToPtx(ModuleOp module, const schedule::TargetFacts &target,
                                   const Toolkit &toolkit, std::string &ptx) {
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(module.getLoc(), target);
  if (!machine)
    return failure();
  registerNVVMDialectTranslation(*module.getContext());
  llvm::LLVMContext context;
  OwningOpRef<ModuleOp> kernels = codegen::kernelsOf(module);
  std::unique_ptr<llvm::Module> code =
      codegen::translate(module, *kernels, context, *machine);
  if (!code || failed(linkLibdevice(module, toolkit, *code)))
    return failure();
  codegen::optimize(*code, *machine);
  SmallVector<char> out;
  if (failed(codegen::emit(module, *code, *machine, llvm::CodeGenFileType::AssemblyFile,
                           out)))
    return failure();
  ptx.assign(out.begin(), out.end());
  return success();
}
