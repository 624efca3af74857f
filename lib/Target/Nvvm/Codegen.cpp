//===- Codegen.cpp - From the NVVM dialect to PTX ---------------------------===//
#include "normc/Target/Nvvm.h"

#include "lib/Target/Llvm/Codegen.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

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

/// The oldest that the kernels' instructions take, so that old drivers compile them
/// (PTX ISA 9.0, "Release Notes", and each instruction's "PTX ISA Notes"): bulk copies
/// are 8.0's, st.async 8.1's; sm_100 came with 8.6, sm_120 with 8.7. The runtime needs
/// a driver that takes 8.0 anyway.
static StringRef ptxVersionOf(StringRef architecture) {
  return llvm::StringSwitch<StringRef>(architecture)
      .Case("sm_80", "+ptx80")
      .Case("sm_90", "+ptx81")
      .Case("sm_100", "+ptx86")
      .Default("+ptx87");
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

/// Joins the PTX of several kernels: what stands before the first one's code is the
/// same in each, and so are names that several of them declare.
static void joinPtx(ArrayRef<SmallVector<char, 0>> parts, std::string &ptx) {
  llvm::StringSet<> declared;
  for (auto [i, part] : llvm::enumerate(parts)) {
    StringRef rest(part.data(), part.size());
    if (i > 0)
      rest = rest.split(".address_size 64\n").second;
    while (!rest.empty()) {
      auto [line, next] = rest.split('\n');
      if (!line.starts_with(".extern ") || declared.insert(line).second)
        ptx.append(line).append("\n");
      rest = next;
    }
  }
}

LogicalResult nvvm::serializeToPtx(ModuleOp module, const schedule::TargetFacts &target,
                                   const Toolkit &toolkit, unsigned threads,
                                   std::string &ptx) {
  registerNVVMDialectTranslation(*module.getContext());
  OwningOpRef<ModuleOp> kernels = codegen::kernelsOf(module);
  codegen::EmitOptions options = {
      .machine = [&] { return createTargetMachine(module.getLoc(), target); },
      .prepare =
          [&](llvm::Module &code, llvm::TargetMachine &) {
            return linkLibdevice(module, toolkit, code);
          },
      .kind = llvm::CodeGenFileType::AssemblyFile,
      .threads = threads};
  std::vector<SmallVector<char, 0>> parts;
  if (failed(codegen::emitKernels(module, *kernels, options, parts)))
    return failure();
  ptx.clear();
  joinPtx(parts, ptx);
  return success();
}
