//===- Codegen.cpp - From the LLVM dialect to what a back end emits ---------===//
#include "lib/Target/Llvm/Codegen.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/ModuleTranslation.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"

using namespace mlir;
using namespace normc;

std::unique_ptr<llvm::TargetMachine>
codegen::createTargetMachine(Location loc, const MachineOptions &options) {
  llvm::Triple triple(options.triple);
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) {
    emitError(loc, "expected a back end for ")
        << options.triple << " in this LLVM, but got: " << error;
    return nullptr;
  }
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, options.cpu, options.features, llvm::TargetOptions(), options.relocation,
      std::nullopt, options.level));
}

OwningOpRef<ModuleOp> codegen::kernelsOf(ModuleOp module) {
  OwningOpRef<ModuleOp> code = ModuleOp::create(module.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(code->getBody());
  for (auto kernels : module.getOps<gpu::GPUModuleOp>())
    for (Operation &op : *kernels.getBody())
      builder.clone(op);
  return code;
}

std::unique_ptr<llvm::Module> codegen::translate(ModuleOp module, ModuleOp code,
                                                 llvm::LLVMContext &context,
                                                 llvm::TargetMachine &machine) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  code.getContext()->appendDialectRegistry(registry);
  std::unique_ptr<llvm::Module> result = translateModuleToLLVMIR(code, context);
  if (!result) {
    module.emitError("the kernels could not be translated to LLVM IR");
    return nullptr;
  }
  result->setDataLayout(machine.createDataLayout());
  result->setTargetTriple(machine.getTargetTriple());
  return result;
}

void codegen::optimize(llvm::Module &code, llvm::TargetMachine &machine) {
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
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(code, modules);
}

LogicalResult codegen::emit(ModuleOp module, llvm::Module &code,
                            llvm::TargetMachine &machine, llvm::CodeGenFileType kind,
                            SmallVectorImpl<char> &out) {
  llvm::raw_svector_ostream stream(out);
  llvm::legacy::PassManager pm;
  if (machine.addPassesToEmitFile(pm, stream, nullptr, kind))
    return module.emitError("the back end of ")
           << machine.getTargetTriple().str() << " cannot emit this kind of file";
  pm.run(code);
  return success();
}
