//===- OutlineKernels.cpp - Kernels to functions, and their launches --------===//
#include "lib/Plan/EntryBody.h"
#include "lib/Plan/KernelNames.h"
#include "lib/Plan/LaunchBuilder.h"
#include "normc/Plan/KernelAbi.h"
#include "normc/Plan/Passes.h"
#include "normc/Plan/Shapes.h"

#include "dialects/norm/Norm.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

namespace normc::plan {
#define GEN_PASS_DEF_PLANOUTLINEKERNELSPASS
#include "normc/Plan/Passes.h.inc"
} // namespace normc::plan

using namespace mlir;
using namespace normc;
using namespace normc::plan;

static bool areIdentical(row::KernelOp a, row::KernelOp b) {
  return a->getAttrDictionary() == b->getAttrDictionary() &&
         a.getProperties() == b.getProperties() &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

namespace {

/// Makes the kernel functions of a module, one for identical kernels.
class Outliner {
public:
  explicit Outliner(ModuleOp module) : module(module), symbols(module) {}

  StringAttr outline(row::KernelOp kernel, const KernelForm &form) {
    std::string name = kernelName(kernel, form);
    SmallVector<Outlined> &same = by_name[name];
    for (Outlined &outlined : same)
      if (outlined.form == form &&
          areIdentical(*outlined.func.getBody().getOps<row::KernelOp>().begin(),
                       kernel))
        return outlined.func.getSymNameAttr();
    func::FuncOp func = makeFunction(kernel, name, form);
    same.push_back({func, form});
    return func.getSymNameAttr();
  }

private:
  struct Outlined {
    func::FuncOp func;
    KernelForm form;
  };

  func::FuncOp makeFunction(row::KernelOp kernel, StringRef name,
                            const KernelForm &form) {
    OpBuilder builder(module.getContext());
    Location loc = kernel.getLoc();
    auto types = kernel.getBody().getArgumentTypes();
    auto func = func::FuncOp::create(
        builder, loc, name, builder.getFunctionType(SmallVector<Type>(types), {}));
    func.setPrivate();
    func->setAttr(kKernelAttr, builder.getUnitAttr());
    if (form.collapsed)
      func->setAttr(kCollapsedAttr, builder.getUnitAttr());
    if (form.alignment == Alignment::Aligned)
      func->setAttr(kAlignedAttr, builder.getUnitAttr());
    builder.setInsertionPointToStart(func.addEntryBlock());
    Operation *copy = builder.clone(*kernel);
    copy->setOperands(func.getArguments());
    func::ReturnOp::create(builder, loc);
    symbols.insert(func, module.getBody()->end()); // makes the name unique
    return func;
  }

  ModuleOp module;
  SymbolTable symbols;
  llvm::StringMap<SmallVector<Outlined>> by_name;
};

struct PlanOutlineKernelsPass
    : public plan::impl::PlanOutlineKernelsPassBase<PlanOutlineKernelsPass> {
  void runOnOperation() override {
    Outliner outliner(getOperation());
    SmallVector<EntryOp> entries = llvm::to_vector(getOperation().getOps<EntryOp>());
    for (EntryOp entry : entries)
      for (VariantOp variant : variantsOf(entry))
        if (failed(outlineVariant(entry, variant, outliner)))
          return signalPassFailure();
  }

  static LogicalResult checkLaunches(VariantOp variant) {
    if (!variant.getBody().front().getOps<LaunchOp>().empty())
      return success();
    return variant.emitOpError("expected a row.kernel or a plan.launch, because an "
                               "entry writes its outputs by those, but got none");
  }

  static LogicalResult outlineVariant(EntryOp entry, VariantOp variant,
                                      Outliner &outliner) {
    Block &body = variant.getBody().front();
    if (body.getOps<row::KernelOp>().empty())
      return checkLaunches(variant); // outlined before
    norm::TargetAttr target;
    for (Operation *op = variant; op && !target; op = op->getParentOp())
      target = op->getAttrOfType<norm::TargetAttr>("norm.target");
    if (!target)
      return entry.emitOpError("expected a norm.target attribute on it or the module, "
                               "because grids depend on the target "
                               "(norm-attach-target)");
    if (failed(checkBody(body)))
      return failure();
    FailureOr<Shapes> shapes = Shapes::solve(
        body, entry.getBody().front().getArguments(), entry.getParamAttrs());
    if (failed(shapes))
      return failure();
    const schedule::TargetFacts &facts = target.getFacts();
    // What the variant may choose is chosen.
    variant->removeAttr("norm.target");
    return LaunchBuilder(variant, *shapes, facts)
        .run([&](row::KernelOp kernel, const KernelForm &form) {
          return outliner.outline(kernel, form);
        });
  }
};

} // namespace
