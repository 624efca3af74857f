//===- Explain.cpp - What was decided for each kernel, and why --------------===//
#include "normc/Compiler/Explain.h"

#include "Target.h"
#include "dialects/norm/Norm.h"
#include "dialects/plan/Plan.h"
#include "normc/Analysis/KernelFacts.h"
#include "normc/Compiler/Pipelines.h"
#include "normc/Plan/Passes.h"
#include "normc/Schedule/Tuned.h"

#include "mlir/IR/AffineExprVisitor.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace normc {

namespace {
/// Expressions over an entry's symbols, as text over the shapes of its parameters.
class Printer {
public:
  explicit Printer(plan::EntryOp entry) : names(entry.getNumSymbols()) {
    for (plan::ParamAttr param : entry.getParamAttrs())
      for (auto [dim, expr] : llvm::enumerate(param.getShape().getResults()))
        if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
          if (std::string &name = names[symbol.getPosition()]; name.empty())
            name = (param.getName() + ".shape[" + Twine(dim) + "]").str();
    llvm::append_range(names, StringRefs{"compute_units", "resident", "clusters"});
  }

  std::string print(AffineExpr expr) const {
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      return names[symbol.getPosition()];
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return std::to_string(constant.getValue());
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary)
      return "?";
    return operand(binary.getLHS()) + word(expr.getKind()) + operand(binary.getRHS());
  }

  /// The least of the map's results.
  std::string print(AffineMap map) const {
    if (map.getNumResults() == 1)
      return print(map.getResult(0));
    std::string text = "min(";
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      text += (i ? ", " : "") + print(expr);
    return text + ")";
  }

private:
  using StringRefs = std::initializer_list<const char *>;

  static const char *word(AffineExprKind kind) {
    switch (kind) {
    case AffineExprKind::Add:
      return " + ";
    case AffineExprKind::Mul:
      return " * ";
    case AffineExprKind::Mod:
      return " mod ";
    case AffineExprKind::FloorDiv:
      return " floordiv ";
    default:
      return " ceildiv ";
    }
  }
  std::string operand(AffineExpr expr) const {
    return isa<AffineBinaryOpExpr>(expr) ? "(" + print(expr) + ")" : print(expr);
  }

  std::vector<std::string> names;
};
} // namespace

static std::string describeGuards(plan::EntryOp entry, plan::VariantOp variant,
                                  const Printer &printer) {
  SmallVector<plan::ParamAttr> params = entry.getParamAttrs();
  std::string text;
  for (auto guard : variant.getGuards().getAsRange<plan::GuardAttr>()) {
    text += text.empty() ? "" : ", ";
    switch (guard.getKind()) {
    case plan::GuardKind::collapsible:
      text += params[guard.getParam()].getName().str() + " walks with one stride";
      break;
    case plan::GuardKind::aligned:
      text += params[guard.getParam()].getName().str() + " is aligned to " +
              std::to_string(guard.getValue()) + " bytes";
      break;
    case plan::GuardKind::at_least:
      text +=
          printer.print(guard.getExpr()) + " >= " + std::to_string(guard.getValue());
      break;
    case plan::GuardKind::at_most:
      text +=
          printer.print(guard.getExpr()) + " <= " + std::to_string(guard.getValue());
      break;
    }
  }
  return text;
}

/// The kernel that a launch runs.
static row::KernelOp kernelOf(ModuleOp module, plan::LaunchOp launch) {
  auto function = module.lookupSymbol<func::FuncOp>(launch.getKernel());
  return *function.getOps<row::KernelOp>().begin();
}

using Resources = llvm::StringMap<nvvm::KernelResources>;

static std::optional<nvvm::KernelResources> resourcesOf(const Resources &resources,
                                                        StringRef kernel) {
  auto found = resources.find(kernel);
  if (found == resources.end())
    return std::nullopt;
  return found->second;
}

/// Makes the kernels' code, for what it takes.
static FailureOr<Resources> measureResources(ModuleOp outlined,
                                             const schedule::TargetFacts &target,
                                             const nvvm::Toolkit &toolkit) {
  Resources resources;
  if (target.backend != schedule::Backend::Cuda || toolkit.ptxas.empty())
    return resources;
  OwningOpRef<ModuleOp> copy(outlined.clone());
  PassManager pm(outlined.getContext(), ModuleOp::getOperationName());
  buildScheduledToLlvmPipeline(pm, target);
  CompiledTarget compiled;
  if (failed(pm.run(*copy)) ||
      failed(generateCode(std::move(copy), target, toolkit, {}, 0, compiled)))
    return failure();
  for (const nvvm::KernelResources &kernel : compiled.resources)
    resources[kernel.kernel] = kernel;
  return resources;
}

static VariantExplanation explainVariant(ModuleOp module, plan::EntryOp entry,
                                         plan::VariantOp variant,
                                         const schedule::TargetFacts &target,
                                         const Resources &resources) {
  Printer printer(entry);
  VariantExplanation result;
  result.guards = describeGuards(entry, variant, printer);
  for (auto workspace : variant.getOps<plan::WorkspaceOp>())
    result.workspaces.push_back(printer.print(workspace.getBytes()));
  // A finalize adds as many partials as the kernel before it has workgroups.
  std::optional<int64_t> partials;
  for (auto launch : variant.getOps<plan::LaunchOp>()) {
    row::KernelOp kernel = kernelOf(module, launch);
    schedule::KernelFacts facts = row::computeKernelFacts(kernel);
    if (facts.is_finalize)
      facts.rows = partials;
    schedule::Tiling tiling = kernel.getTiling()->getValue();
    schedule::Decision decision = schedule::decisionOf(facts, target, tiling);
    partials = schedule::rowWorkgroups(facts, target, tiling);
    result.launches.push_back({launch.getKernel().str(), decision.strategy, tiling,
                               printer.print(launch.getGrid()),
                               decision.kernels.front().cost, decision.bound,
                               resourcesOf(resources, launch.getKernel())});
  }
  return result;
}

/// For which rows the variant has a kernel, in words: "" for any.
static std::string rowsOf(row::KernelOp kernel) {
  if (std::optional<uint64_t> most = kernel.getMaxRows())
    return "at most " + std::to_string(*most) + " rows";
  return "";
}

static std::string textOf(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

/// Candidates of every kernel of a variant whose choice is the decisions', before any
/// is split.
static std::vector<ChoiceExplanation>
explainChoices(plan::VariantOp variant, const schedule::TargetFacts &target,
               size_t candidates) {
  schedule::TargetFacts facts = target;
  if (auto own = variant->getAttrOfType<norm::TargetAttr>("norm.target"))
    facts = own.getFacts();
  std::vector<ChoiceExplanation> choices;
  for (auto kernel : variant.getOps<row::KernelOp>()) {
    // Strategies of few rows are the plan's choice, others the user's.
    if (kernel.getTiling() || (kernel.getStrategy() && !kernel.getMaxRows()))
      continue;
    ChoiceExplanation &choice = choices.emplace_back();
    choice.kernel = kernel.getKernelName().value_or("kernel").str();
    choice.rows = rowsOf(kernel);
    if (std::optional<uint64_t> most = kernel.getMaxRows())
      choice.max_rows = static_cast<int64_t>(*most);
    choice.target = schedule::tuningTarget(facts);
    choice.facts = schedule::factsKey(row::computeKernelFacts(kernel), facts);
    std::optional<schedule::Strategy> asked;
    if (std::optional<row::Strategy> strategy = kernel.getStrategy())
      asked = *strategy == row::Strategy::cluster ? schedule::Strategy::Cluster
                                                  : schedule::Strategy::Direct;
    for (const schedule::Ranked &ranked :
         schedule::rank(row::computeKernelFacts(kernel), facts, candidates, asked)) {
      const schedule::Decision &decision = ranked.decision;
      choice.candidates.push_back({schedule::describe(decision, facts),
                                   decision.strategy,
                                   decision.model_ns,
                                   {},
                                   ranked.lost});
      for (const schedule::KernelChoice &part : decision.kernels)
        choice.candidates.back().kernels.push_back(
            {part.role,
             textOf(row::TilingAttr::get(kernel.getContext(), part.tiling))});
    }
  }
  return choices;
}

FailureOr<std::vector<EntryExplanation>> explain(ModuleOp module, StringRef target,
                                                 const nvvm::Toolkit &toolkit,
                                                 size_t candidates, StringRef tunings) {
  // Decisions need a machine's numbers, not its code generator.
  std::string unknown;
  FailureOr<schedule::TargetFacts> facts;
  if (auto known = schedule::lookupTarget({target.data(), target.size()}, unknown))
    facts = *known;
  else
    facts = findTarget(module, target);
  if (failed(facts))
    return failure();
  OwningOpRef<ModuleOp> copy(module.clone());
  PassManager toRow(module.getContext(), ModuleOp::getOperationName());
  buildNormToRowPipeline(toRow);
  if (failed(toRow.run(*copy)))
    return failure();
  PassManager toEntries(module.getContext(), ModuleOp::getOperationName());
  buildRowToEntriesPipeline(toEntries, facts->name, tunings);
  if (failed(toEntries.run(*copy)))
    return failure();
  // In the order of the entries and their variants, which stays.
  std::vector<std::vector<ChoiceExplanation>> choices;
  copy->walk([&](plan::VariantOp variant) {
    choices.push_back(explainChoices(variant, *facts, candidates));
  });
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  buildEntriesToScheduledPipeline(pm, tunings);
  pm.addPass(plan::createPlanOutlineKernelsPass());
  if (failed(pm.run(*copy)))
    return failure();
  FailureOr<Resources> resources = measureResources(*copy, *facts, toolkit);
  if (failed(resources))
    return failure();
  std::vector<EntryExplanation> entries;
  size_t next = 0;
  for (auto entry : copy->getOps<plan::EntryOp>()) {
    EntryExplanation &explanation = entries.emplace_back();
    explanation.entry = entry.getSymName().str();
    for (auto variant : entry.getOps<plan::VariantOp>()) {
      explanation.variants.push_back(
          explainVariant(*copy, entry, variant, *facts, *resources));
      explanation.variants.back().choices = std::move(choices[next++]);
    }
  }
  return entries;
}

} // namespace normc
