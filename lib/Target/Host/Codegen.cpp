//===- Codegen.cpp - From the LLVM dialect to an object ---------------------===//
#include "Link.h"
#include "normc/Target/Host.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/ModuleTranslation.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
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
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string error;
  const llvm::Target *machine = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!machine) {
    emitError(loc, "expected a back end for ")
        << triple.str() << ", but got: " << error;
    return nullptr;
  }
  StringRef cpu = target.features;
  if (!cpu.starts_with("x86-64"))
    cpu = "generic";
  llvm::TargetOptions options;
  return std::unique_ptr<llvm::TargetMachine>(
      machine->createTargetMachine(triple, cpu, "", options, llvm::Reloc::PIC_,
                                   std::nullopt, llvm::CodeGenOptLevel::Default));
}

/// Only what is to become code: the plan stays behind.
OwningOpRef<ModuleOp> codeOf(ModuleOp module) {
  OwningOpRef<ModuleOp> code = ModuleOp::create(module.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(code->getBody());
  for (LLVM::LLVMFuncOp function : module.getOps<LLVM::LLVMFuncOp>())
    builder.clone(*function);
  return code;
}

std::unique_ptr<llvm::Module> translate(ModuleOp module, llvm::LLVMContext &context,
                                        llvm::TargetMachine &machine) {
  OwningOpRef<ModuleOp> code = codeOf(module);
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  module.getContext()->appendDialectRegistry(registry);
  std::unique_ptr<llvm::Module> result = translateModuleToLLVMIR(*code, context);
  if (!result)
    return nullptr;
  result->setDataLayout(machine.createDataLayout());
  result->setTargetTriple(machine.getTargetTriple());
  for (llvm::Function &function : *result) {
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
  return result;
}

/// LLVM's own pipeline without what the kernels have done already: they come unrolled
/// and in vectors.
void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = false;
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

LogicalResult generate(ModuleOp module, const schedule::TargetFacts &target,
                       llvm::CodeGenFileType kind, SmallVectorImpl<char> &out) {
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(module.getLoc(), target);
  if (!machine)
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code = translate(module, context, *machine);
  if (!code)
    return module.emitError("the kernels could not be translated to LLVM IR");
  optimize(*code, *machine);
  llvm::raw_svector_ostream stream(out);
  llvm::legacy::PassManager pm;
  if (machine->addPassesToEmitFile(pm, stream, nullptr, kind))
    return module.emitError("the back end cannot emit this kind of file");
  pm.run(*code);
  return success();
}

} // namespace

LogicalResult host::serializeToAssembly(ModuleOp module,
                                        const schedule::TargetFacts &target,
                                        std::string &text) {
  SmallVector<char> out;
  if (failed(generate(module, target, llvm::CodeGenFileType::AssemblyFile, out)))
    return failure();
  text.assign(out.begin(), out.end());
  return success();
}

LogicalResult host::serializeToSharedObject(ModuleOp module,
                                            const schedule::TargetFacts &target,
                                            SmallVectorImpl<char> &object) {
  SmallVector<char> relocatable;
  if (failed(generate(module, target, llvm::CodeGenFileType::ObjectFile, relocatable)))
    return failure();
  return linkSharedObject(module.getLoc(),
                          StringRef(relocatable.data(), relocatable.size()), object);
}
