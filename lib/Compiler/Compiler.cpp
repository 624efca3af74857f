//===- Compiler.cpp - From norm IR to a package, in process -----------------===//
#include "normc/Compiler/Compiler.h"

#include "Target.h"
#include "normc/Compiler/Pipelines.h"
#include "normc/Package/Package.h"
#include "normc/Registration.h"
#include "normc/Target/Host.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace normc {

static constexpr StringLiteral kProducer = "normc " NORMC_VERSION;

void registerCompilerDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
}

/// The machine that a host's level is of.
static StringRef architectureOf(const schedule::TargetFacts &host) {
  return StringRef(host.features).starts_with("x86-64") ? "x86_64" : "aarch64";
}

std::optional<schedule::TargetFacts> supportedTarget(StringRef name,
                                                     std::string &error) {
  std::optional<schedule::TargetFacts> facts =
      schedule::lookupTarget({name.data(), name.size()}, error);
  if (!facts)
    return std::nullopt;
  if (facts->backend != schedule::Backend::Host) {
    error =
        ("expected a host target, because this build makes code for the host alone, "
         "but got " +
         name)
            .str();
    return std::nullopt;
  }
  if (architectureOf(*facts) != host::architecture()) {
    error = ("expected a host target of " + host::architecture() +
             ", because its code is linked against this machine's libraries, but got " +
             name)
                .str();
    return std::nullopt;
  }
  return facts;
}

FailureOr<schedule::TargetFacts> findTarget(ModuleOp module, StringRef name) {
  std::string error;
  std::optional<schedule::TargetFacts> facts = supportedTarget(name, error);
  if (!facts)
    return module.emitError() << error;
  return *facts;
}

/// Runs the pipeline that `build` adds to an empty pass manager.
static LogicalResult run(ModuleOp module,
                         llvm::function_ref<void(OpPassManager &)> build) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  build(pm);
  return pm.run(module);
}

LogicalResult lowerToStage(ModuleOp module, StringRef target, Stage stage) {
  if (stage == Stage::Norm)
    return success();
  if (stage == Stage::Row)
    return run(module, buildNormToRowPipeline);
  FailureOr<schedule::TargetFacts> facts = findTarget(module, target);
  if (failed(facts))
    return failure();
  return run(module, [&](OpPassManager &pm) {
    buildNormToRowPipeline(pm);
    buildRowToScheduledPipeline(pm, target);
    if (stage == Stage::Llvm)
      buildScheduledToLlvmPipeline(pm, *facts);
  });
}

LogicalResult emitAssembly(ModuleOp module, StringRef target, std::string &text) {
  FailureOr<schedule::TargetFacts> facts = findTarget(module, target);
  if (failed(facts))
    return failure();
  return host::serializeToAssembly(module, *facts, text);
}

/// Names that make sense together, before any work is done.
static LogicalResult checkTargets(ModuleOp module, ArrayRef<std::string> targets) {
  if (targets.empty())
    return module.emitError("expected a target to compile for, but got none");
  llvm::StringSet<> seen;
  for (const std::string &target : targets) {
    if (failed(findTarget(module, target)))
      return failure();
    if (!seen.insert(target).second)
      return module.emitError() << "expected each target once, because a package holds "
                                   "one set of kernels a target, but got \""
                                << target << "\" twice";
  }
  return success();
}

namespace {
/// One target's kernels, from the row programs on.
struct CompiledTarget {
  schedule::TargetFacts facts;
  OwningOpRef<ModuleOp> module;
  SmallVector<char> object;
};
} // namespace

/// Tells the caller of `compile` how far it is.
class Steps {
public:
  explicit Steps(const CompileOptions &options)
      : options(options), all(2 * options.targets.size() + 1) {}
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

static LogicalResult compileTarget(ModuleOp rows, StringRef target, Steps &steps,
                                   CompiledTarget &result) {
  FailureOr<schedule::TargetFacts> facts = findTarget(rows, target);
  if (failed(facts))
    return failure();
  result.facts = *facts;
  result.module = OwningOpRef<ModuleOp>(rows.clone());
  steps.next("scheduling for " + target);
  if (failed(run(*result.module, [&](OpPassManager &pm) {
        buildRowToScheduledPipeline(pm, target);
        buildScheduledToLlvmPipeline(pm, *facts);
      })))
    return failure();
  steps.next("generating code for " + target);
  return host::serializeToSharedObject(*result.module, *facts, result.object);
}

/// What the package writer takes of a compiled target.
static package::TargetModule packageTarget(StringRef name, CompiledTarget &target) {
  package::TargetModule result;
  result.name = name.str();
  result.backend = target.facts.backend;
  result.architecture = architectureOf(target.facts).str();
  result.features = target.facts.features;
  result.module = *target.module;
  package::Blob blob;
  blob.architecture = result.architecture;
  blob.bytes = target.object;
  result.blobs.push_back(std::move(blob));
  return result;
}

LogicalResult compile(ModuleOp module, const CompileOptions &options,
                      SmallVectorImpl<char> &package) {
  if (failed(checkTargets(module, options.targets)))
    return failure();
  Steps steps(options);
  steps.next("lowering to row programs");
  OwningOpRef<ModuleOp> rows(module.clone());
  if (failed(run(*rows, buildNormToRowPipeline)))
    return failure();
  std::vector<CompiledTarget> targets(options.targets.size());
  std::vector<package::TargetModule> parts;
  for (auto [name, target] : llvm::zip(options.targets, targets)) {
    if (failed(compileTarget(*rows, name, steps, target)))
      return failure();
    parts.push_back(packageTarget(name, target));
  }
  SmallVector<char> source;
  if (options.embed_source && failed(package::writeSource(module, source)))
    return failure();
  LogicalResult result =
      package::buildPackage(parts, {kProducer.str(), source}, package);
  steps.next("done");
  return result;
}

} // namespace normc
