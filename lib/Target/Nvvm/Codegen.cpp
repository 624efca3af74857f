//===- Codegen.cpp - From the NVVM dialect to PTX ---------------------------===//
#include "normc/Target/Nvvm.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/ModuleTranslation.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

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
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) {
    emitError(loc, "expected the NVPTX back end in this LLVM, but got: ") << error;
    return nullptr;
  }
  llvm::TargetOptions options;
  const std::string architecture = nvvm::architectureOf(facts);
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, architecture, ptxVersionOf(architecture), options, std::nullopt,
      std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

/// The kernels as a module of their own, which can be translated.
static OwningOpRef<ModuleOp> codeOf(ModuleOp module) {
  OwningOpRef<ModuleOp> code = ModuleOp::create(module.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(code->getBody());
  for (auto kernels : module.getOps<gpu::GPUModuleOp>())
    for (Operation &op : *kernels.getBody())
      builder.clone(op);
  return code;
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(module, modules);
}

LogicalResult nvvm::serializeToPtx(ModuleOp module, const schedule::TargetFacts &target,
                                   const Toolkit &toolkit, std::string &ptx) {
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(module.getLoc(), target);
  if (!machine)
    return failure();
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);
  llvm::LLVMContext context;
  OwningOpRef<ModuleOp> code = codeOf(module);
  std::unique_ptr<llvm::Module> llvmModule = translateModuleToLLVMIR(*code, context);
  if (!llvmModule)
    return module.emitError("the kernels could not be translated to LLVM IR");
  llvmModule->setDataLayout(machine->createDataLayout());
  llvmModule->setTargetTriple(machine->getTargetTriple());
  if (failed(linkLibdevice(module, toolkit, *llvmModule)))
    return failure();
  optimize(*llvmModule, *machine);
  SmallVector<char> out;
  llvm::raw_svector_ostream stream(out);
  llvm::legacy::PassManager pm;
  if (machine->addPassesToEmitFile(pm, stream, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return module.emitError("the NVPTX back end cannot emit PTX");
  pm.run(*llvmModule);
  ptx.assign(out.begin(), out.end());
  return success();
}
