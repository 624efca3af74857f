//===- Codegen.cpp - From the LLVM dialect to what a back end emits ---------===//
#include "lib/Target/Llvm/Codegen.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/ModuleTranslation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/Threading.h"

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

namespace {

/// One kernel on its way, in a context of its own, so that a thread may work on it.
struct Unit {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> code;
};

/// The kernel, and what it refers to.
OwningOpRef<ModuleOp> moduleOf(ModuleOp code, LLVM::LLVMFuncOp kernel) {
  OwningOpRef<ModuleOp> part = ModuleOp::create(kernel.getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(part->getBody());
  llvm::StringSet<> used;
  if (auto uses = SymbolTable::getSymbolUses(kernel))
    for (const SymbolTable::SymbolUse &use : *uses)
      used.insert(use.getSymbolRef().getRootReference().getValue());
  for (Operation &op : *code.getBody()) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    if (&op == kernel || (symbol && used.contains(symbol.getName())))
      builder.clone(op);
  }
  return part;
}

} // namespace

LogicalResult codegen::emitKernels(ModuleOp module, ModuleOp code,
                                   const EmitOptions &options,
                                   std::vector<SmallVector<char, 0>> &emitted) {
  std::vector<Unit> units;
  for (LLVM::LLVMFuncOp kernel : code.getOps<LLVM::LLVMFuncOp>()) {
    if (kernel.isExternal())
      continue;
    Unit &unit = units.emplace_back();
    unit.context = std::make_unique<llvm::LLVMContext>();
    unit.machine = options.machine();
    if (!unit.machine)
      return failure();
    unit.code =
        translate(module, *moduleOf(code, kernel), *unit.context, *unit.machine);
    if (!unit.code || failed(options.prepare(*unit.code, *unit.machine)))
      return failure();
  }
  emitted.assign(units.size(), {});
  std::vector<LogicalResult> results(units.size(), failure());
  auto work = [&](size_t i) {
    optimize(*units[i].code, *units[i].machine);
    results[i] = codegen::emit(module, *units[i].code, *units[i].machine, options.kind,
                               emitted[i]);
  };
  if (options.threads == 1 || units.size() < 2) {
    for (size_t i = 0; i < units.size(); ++i)
      work(i);
  } else {
    llvm::DefaultThreadPool pool(llvm::hardware_concurrency(options.threads));
    for (size_t i = 0; i < units.size(); ++i)
      pool.async(work, i);
    pool.wait();
  }
  return success(llvm::all_of(results, succeeded));
}

void codegen::runPasses(
    llvm::Module &code, llvm::TargetMachine &machine,
    const llvm::PipelineTuningOptions &tuning,
    llvm::function_ref<llvm::ModulePassManager(llvm::PassBuilder &)> passes) {
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
  passes(builder).run(code, modules);
}

void codegen::optimize(llvm::Module &code, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = false;
  runPasses(code, machine, tuning, [](llvm::PassBuilder &builder) {
    return builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2);
  });
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
