//===- Compiler.cpp - From norm IR to a package, in process -----------------===//
#include "normc/Compiler/Compiler.h"

#include "Target.h"
#include "normc/Compiler/Pipelines.h"
#include "normc/Package/Package.h"
#include "normc/Target/Host.h"
#include "normc/Target/Nvvm.h"
#include "normc/Target/Spirv.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace normc {

static constexpr StringLiteral kProducer = "normc " NORMC_VERSION;

/// Runs the pipeline that `build` adds to an empty pass manager.
static LogicalResult run(ModuleOp module,
                         llvm::function_ref<void(OpPassManager &)> build) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  build(pm);
  return pm.run(module);
}

LogicalResult lowerToStage(ModuleOp module, StringRef target, Stage stage,
                           StringRef tunings) {
  if (stage == Stage::Norm)
    return success();
  if (stage == Stage::Row)
    return run(module, buildNormToRowPipeline);
  FailureOr<schedule::TargetFacts> facts = findTarget(module, target);
  if (failed(facts))
    return failure();
  return run(module, [&](OpPassManager &pm) {
    buildNormToRowPipeline(pm);
    buildRowToScheduledPipeline(pm, facts->name, tunings);
    if (stage == Stage::Llvm)
      buildScheduledToLlvmPipeline(pm, *facts);
  });
}

LogicalResult emitAssembly(ModuleOp module, StringRef target,
                           const nvvm::Toolkit &toolkit, std::string &text) {
  FailureOr<schedule::TargetFacts> facts = findTarget(module, target);
  if (failed(facts))
    return failure();
  switch (facts->backend) {
  case schedule::Backend::Host:
    return host::serializeToAssembly(module, *facts, text);
  case schedule::Backend::Cuda:
    return nvvm::serializeToPtx(module, *facts, toolkit, 0, text);
  case schedule::Backend::LevelZero:
    return spirv::serializeToText(module, text);
  }
  llvm_unreachable("all backends are handled");
}

LogicalResult emitSpirv(ModuleOp module, StringRef target,
                        SmallVectorImpl<char> &spirv) {
  FailureOr<schedule::TargetFacts> facts = findTarget(module, target);
  if (failed(facts))
    return failure();
  if (facts->backend != schedule::Backend::LevelZero)
    return module.emitError() << "expected a spirv target, because no other has "
                                 "SPIR-V, but got "
                              << target;
  return spirv::serializeToSpirv(module, spirv);
}

/// Targets that make sense together, before any work is done.
static FailureOr<std::vector<schedule::TargetFacts>>
findTargets(ModuleOp module, ArrayRef<std::string> names) {
  if (names.empty())
    return module.emitError("expected a target to compile for, but got none");
  llvm::StringSet<> seen;
  std::vector<schedule::TargetFacts> targets;
  for (const std::string &name : names) {
    FailureOr<schedule::TargetFacts> facts = findTarget(module, name);
    if (failed(facts))
      return failure();
    if (!seen.insert(facts->name).second)
      return module.emitError() << "expected each target once, because a package holds "
                                   "one set of kernels a target, but got \""
                                << facts->name << "\" twice";
    targets.push_back(*facts);
  }
  return targets;
}

namespace {
/// Tells the caller of `compile` how far it is.
class Steps {
public:
  explicit Steps(const CompileOptions &options)
      : options(options), all(3 * options.targets.size() + 2) {}
  void next(const Twine &what) {
    if (options.progress)
      options.progress(what.str(), done, all);
    ++done;
  }

private:
  const CompileOptions &options;
  size_t done = 0;
  size_t all;
};
} // namespace

static LogicalResult compileTarget(ModuleOp rows, const schedule::TargetFacts &facts,
                                   const CompileOptions &options, Steps &steps,
                                   CompiledTarget &result) {
  OwningOpRef<ModuleOp> module(rows.clone());
  steps.next("scheduling for " + facts.name);
  if (failed(run(*module, [&](OpPassManager &pm) {
        buildRowToScheduledPipeline(pm, facts.name, options.tunings);
      })))
    return failure();
  steps.next("lowering for " + facts.name);
  if (failed(run(*module,
                 [&](OpPassManager &pm) { buildScheduledToLlvmPipeline(pm, facts); })))
    return failure();
  steps.next("generating code for " + facts.name);
  return generateCode(std::move(module), facts, options.toolkit, options.spirv_toolkit,
                      options.threads, result);
}

LogicalResult compile(ModuleOp module, const CompileOptions &options,
                      SmallVectorImpl<char> &package) {
  FailureOr<std::vector<schedule::TargetFacts>> facts =
      findTargets(module, options.targets);
  if (failed(facts))
    return failure();
  Steps steps(options);
  steps.next("lowering to row programs");
  OwningOpRef<ModuleOp> rows(module.clone());
  if (failed(run(*rows, buildNormToRowPipeline)))
    return failure();
  std::vector<CompiledTarget> targets(facts->size());
  std::vector<package::TargetModule> parts;
  for (auto [target, compiled] : llvm::zip_equal(*facts, targets)) {
    if (failed(compileTarget(*rows, target, options, steps, compiled)))
      return failure();
    parts.push_back(packageTarget(target, compiled));
  }
  steps.next("writing the package");
  SmallVector<char> source;
  if (options.embed_source && failed(package::writeSource(module, source)))
    return failure();
  LogicalResult result =
      package::buildPackage(parts, {kProducer.str(), source}, package);
  steps.next("done");
  return result;
}

} // namespace normc
