//===- Codegen.cpp - From the LLVM dialect to SPIR-V ------------------------===//
#include "normc/Target/Spirv.h"

#include "lib/Target/Llvm/Codegen.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/IR/LLVMContext.h"

extern "C" {
void LLVMInitializeSPIRVTarget();
void LLVMInitializeSPIRVTargetInfo();
void LLVMInitializeSPIRVTargetMC();
void LLVMInitializeSPIRVAsmPrinter();
}

using namespace mlir;
using namespace normc;

std::string spirv::architectureOf(const schedule::TargetFacts &target) {
  return StringRef(target.name).split(':').second.str();
}

StringRef spirv::oclocDevice(StringRef architecture) {
  // Debian 12's, 22.43, knows no newer one than pvc.
  return architecture == "pvc" ? "pvc" : "";
}

static std::unique_ptr<llvm::TargetMachine> createTargetMachine(Location loc) {
  static const bool initialized = [] {
    LLVMInitializeSPIRVTarget();
    LLVMInitializeSPIRVTargetInfo();
    LLVMInitializeSPIRVTargetMC();
    LLVMInitializeSPIRVAsmPrinter();
    return true;
  }();
  (void)initialized;
  codegen::MachineOptions options;
  // 1.4 has the shuffles and is what Level Zero drivers of API 1.4 take.
  options.triple = "spirv64v1.4-unknown-unknown";
  return codegen::createTargetMachine(loc, options);
}

static LogicalResult generate(ModuleOp module, llvm::CodeGenFileType kind,
                              SmallVectorImpl<char> &out) {
  std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(module.getLoc());
  if (!machine)
    return failure();
  llvm::LLVMContext context;
  OwningOpRef<ModuleOp> kernels = codegen::kernelsOf(module);
  std::unique_ptr<llvm::Module> code =
      codegen::translate(module, *kernels, context, *machine);
  if (!code)
    return failure();
  // Before the back end: it makes no valid SPIR-V of pointers inside of structs, which
  // only optimized code is free of.
  codegen::optimize(*code, *machine);
  return codegen::emit(module, *code, *machine, kind, out);
}

LogicalResult spirv::serializeToSpirv(ModuleOp module, SmallVectorImpl<char> &spirv) {
  return generate(module, llvm::CodeGenFileType::ObjectFile, spirv);
}

LogicalResult spirv::serializeToText(ModuleOp module, std::string &text) {
  SmallVector<char> out;
  if (failed(generate(module, llvm::CodeGenFileType::AssemblyFile, out)))
    return failure();
  text.assign(out.begin(), out.end());
  return success();
}
