//===- Codegen.cpp - From the LLVM dialect to SPIR-V ------------------------===//
#include "normc/Process/Isolated.h"
#include "normc/Target/Spirv.h"

#include "lib/Target/Llvm/Codegen.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"

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
  // LLVM's own passes have optimized already, and with more the back end's combiner
  // makes (x << 4) & 240 to (x & 255) << 4, which is wrong.
  options.level = llvm::CodeGenOptLevel::None;
  std::unique_ptr<llvm::TargetMachine> machine =
      codegen::createTargetMachine(loc, options);
  // Registers the passes that a copy of this process then finds registered: it must
  // not wait for a lock that another thread held when the copy was made.
  static const bool registered = [&] {
    llvm::SmallVector<char> nothing;
    llvm::raw_svector_ostream stream(nothing);
    llvm::legacy::PassManager passes;
    return machine && !machine->addPassesToEmitFile(passes, stream, nullptr,
                                                    llvm::CodeGenFileType::ObjectFile);
  }();
  (void)registered;
  return machine;
}

/// The type with 16-bit integers for bf16; the type itself where it has none.
static llvm::Type *withoutBf16(llvm::Type *type) {
  if (!type->getScalarType()->isBFloatTy())
    return type;
  llvm::Type *integer = llvm::Type::getInt16Ty(type->getContext());
  if (auto *vector = llvm::dyn_cast<llvm::VectorType>(type))
    return llvm::VectorType::get(integer, vector->getElementCount());
  return integer;
}

/// Values of bf16 become integers: they are only moved about by now, and the optimizer
/// makes more of it than the back end, which has no such type, takes back.
static void removeBf16(llvm::Module &code) {
  llvm::SmallVector<llvm::Instruction *> casts;
  for (llvm::Function &function : code)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      for (llvm::Use &operand : instruction.operands())
        if (auto *constant = llvm::dyn_cast<llvm::Constant>(operand.get()))
          if (llvm::Type *type = withoutBf16(constant->getType());
              type != constant->getType())
            operand.set(llvm::ConstantExpr::getBitCast(constant, type));
      instruction.mutateType(withoutBf16(instruction.getType()));
      if (llvm::isa<llvm::BitCastInst>(instruction))
        casts.push_back(&instruction);
    }
  for (llvm::Instruction *cast : casts)
    if (cast->getType() == cast->getOperand(0)->getType()) {
      cast->replaceAllUsesWith(cast->getOperand(0));
      cast->eraseFromParent();
    }
}

/// Vectors of one element become scalars: SPIR-V has none (SPIR-V 1.6, OpTypeVector).
static void scalarizeSingles(llvm::Module &code, llvm::TargetMachine &machine) {
  llvm::ScalarizerPassOptions options;
  options.ScalarizeLoadStore = true;
  // The widest vector, 16 of f64: longer ones than one element stay whole.
  options.ScalarizeMinBits = 1024;
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::ScalarizerPass(options));
  passes.addPass(llvm::InstCombinePass());
  codegen::runPasses(code, machine, {}, [&](llvm::PassBuilder &) {
    llvm::ModulePassManager all;
    all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
    return all;
  });
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
  removeBf16(*code);
  // Before the back end: it makes no valid SPIR-V of pointers inside of structs, which
  // only optimized code is free of.
  codegen::optimize(*code, *machine);
  scalarizeSingles(*code, *machine);
  // The back end keeps, in static variables, the numbers of basic blocks by the address
  // of their function (SPIRVModuleAnalysis::MAI): threads would share them, and a
  // module whose functions lie where those of an earlier one did gets ids twice. Each
  // copy of this process has them as they were at its start. It also contains fatal
  // errors.
  std::string error;
  bool isDone = runIsolated(
      {},
      [&](SmallVectorImpl<char> &bytes) {
        return succeeded(codegen::emit(module, *code, *machine, kind, bytes));
      },
      out, error);
  return isDone ? success()
                : module.emitError("expected SPIR-V of LLVM's back end, but got: ")
                      << error;
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
