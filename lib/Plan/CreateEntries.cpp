//===- CreateEntries.cpp - From functions to plan.entry ---------------------===//
#include "dialects/norm/Norm.h"
#include "lib/Plan/EntryBody.h"
#include "lib/Plan/Variants.h"
#include "normc/Plan/KernelAbi.h"
#include "normc/Plan/Passes.h"
#include "normc/Plan/Shapes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace normc::plan {
#define GEN_PASS_DEF_PLANCREATEENTRIESPASS
#include "normc/Plan/Passes.h.inc"
} // namespace normc::plan

using namespace mlir;
using namespace normc;
using namespace normc::plan;

static constexpr StringLiteral kNameAttr = "norm.name";
static constexpr StringLiteral kOutAttr = "norm.out";
static constexpr StringLiteral kTargetAttr = "norm.target";

//===----------------------------------------------------------------------===//
// Checks of the function
//===----------------------------------------------------------------------===//

/// Names end up in C headers and Python signatures.
static bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

static LogicalResult checkSignature(func::FuncOp func) {
  if (func.isExternal() || !func.isPublic())
    return func.emitOpError("expected a public function with a body, because every "
                            "function of the module is an entry, but got a ")
           << (func.isExternal() ? "declaration" : "private one");
  if (func.getNumResults() != 0)
    return func.emitOpError(
               "expected no results, because an entry writes its outputs to "
               "parameters (norm-bufferize makes them), but got ")
           << func.getNumResults();
  if (!isIdentifier(func.getName()))
    return func.emitOpError("expected a name of letters, digits and _, because it "
                            "becomes a name in C, but got \"")
           << func.getName() << "\"";
  if (!func.getBody().hasOneBlock())
    return func.emitOpError("expected one block, because an entry's kernels run in "
                            "order, but got ")
           << func.getBody().getBlocks().size();
  if (func.getNumArguments() == 0)
    return func.emitOpError("expected at least one parameter, but got none");
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes())) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref || !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
                       memref.getElementType()))
      return func.emitOpError("expected parameter ")
             << i << " to be a memref of f16, bf16, f32 or f64, but got " << type;
    if (memref.getMemorySpace())
      return func.emitOpError("expected parameter ")
             << i << " in the default memory space, because it is in the device's "
             << "memory, but got " << type;
  }
  if (func.getBody().front().getOps<row::KernelOp>().empty())
    return checkBody(func.getBody().front()).failed()
               ? failure()
               : LogicalResult(func.emitOpError(
                     "expected at least one norm op or row.kernel, but got none"));
  return success();
}

/// The norm dialect checks that each name is an identifier.
static FailureOr<SmallVector<std::string>> parameterNames(func::FuncOp func) {
  SmallVector<std::string> names;
  llvm::StringMap<unsigned> taken;
  for (unsigned i = 0; i < func.getNumArguments(); ++i) {
    auto attr = func.getArgAttrOfType<StringAttr>(i, kNameAttr);
    std::string name = attr ? attr.str() : "arg" + std::to_string(i);
    auto [entry, isNew] = taken.try_emplace(name, i);
    if (!isNew)
      return func.emitOpError("expected a name of its own for each parameter, but "
                              "parameters ")
             << entry->second << " and " << i << " are both \"" << name << "\"";
    names.push_back(std::move(name));
  }
  return names;
}

//===----------------------------------------------------------------------===//
// How parameters are used
//===----------------------------------------------------------------------===//

namespace {
/// How the kernels use one parameter.
struct ParamUse {
  int64_t contiguous_dims = 0;
  /// Trailing dimensions that are columns, for each way in which rows walk over two or
  /// more outer ones.
  llvm::SmallSetVector<int64_t, 2> collapsible;
  /// Lanes of a GPU access several of its elements at once where they may.
  bool wide = false;
};
} // namespace

/// Whether rows of the kernel's tiles, without gaps, may begin at aligned addresses.
static bool canBeAligned(row::KernelOp kernel) {
  const int64_t cols = staticCols(kernel);
  bool accessesColumns = false;
  for (unsigned i = 0; i < kernel.getNumBuffers(); ++i) {
    if (!isIndexedByColumn(kernel, i))
      continue;
    accessesColumns = true;
    const int64_t bytes =
        cast<MemRefType>(kernel.getBuffer(i).getType()).getElementTypeBitWidth() / 8;
    if (ShapedType::isStatic(cols) && cols * bytes % kAlignedBytes != 0)
      return false;
  }
  return accessesColumns && !isFinalize(kernel);
}

static llvm::MapVector<Value, ParamUse> parameterUses(Block &body) {
  llvm::MapVector<Value, ParamUse> uses;
  for (auto kernel : body.getOps<row::KernelOp>()) {
    const bool alignable = canBeAligned(kernel);
    for (unsigned i = 0; i < kernel.getNumBuffers(); ++i) {
      Root root = rootOf(kernel->getOperand(i));
      if (!isa<BlockArgument>(root.base))
        continue;
      ParamUse &use = uses[root.base];
      int64_t rank = cast<MemRefType>(root.base.getType()).getRank();
      bool byRow = isIndexedByRow(kernel, i);
      int64_t inner = byRow ? innerShape(kernel, i).size() : rank;
      use.contiguous_dims = std::max(use.contiguous_dims, root.reshaped ? rank : inner);
      if (byRow && !root.reshaped && rank - inner >= 2)
        use.collapsible.insert(inner);
      use.wide |= alignable && isIndexedByColumn(kernel, i);
    }
  }
  for (auto &[param, use] : uses)
    if (use.contiguous_dims == cast<MemRefType>(param.getType()).getRank())
      use.collapsible.clear(); // contiguous parameters walk with one stride
  return uses;
}

//===----------------------------------------------------------------------===//
// The entry
//===----------------------------------------------------------------------===//

namespace {

class EntryBuilder {
public:
  EntryBuilder(func::FuncOp func, const schedule::TargetFacts &target,
               const Tunings &tunings)
      : func(func), target(target), tunings(tunings), body(func.getBody().front()),
        context(func.getContext()), builder(func) {}

  LogicalResult build() {
    if (failed(checkSignature(func)) || failed(checkBody(body)))
      return failure();
    FailureOr<SmallVector<std::string>> names = parameterNames(func);
    if (failed(names))
      return failure();
    FailureOr<Shapes> solved = Shapes::solve(body, func.getArguments(), {});
    if (failed(solved))
      return failure();
    shapes = &*solved;
    uses = parameterUses(body);
    FailureOr<ArrayAttr> params = makeParams(*names);
    if (failed(params))
      return failure();
    makeEntry(*names, *params);
    func.erase();
    return success();
  }

private:
  AffineMap map(ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(0, shapes->numSymbols() + 3, exprs, context);
  }

  FailureOr<ArrayAttr> makeParams(ArrayRef<std::string> names) {
    llvm::DenseSet<Value> written = writtenRoots(body);
    SmallVector<Attribute> params;
    for (BlockArgument argument : func.getArguments()) {
      unsigned i = argument.getArgNumber();
      bool isOut = written.contains(argument);
      if (func.getArgAttr(i, kOutAttr) && !isOut)
        return func.emitOpError("expected a kernel to write parameter \"")
               << names[i] << "\", because it is marked " << kOutAttr
               << ", but none does";
      auto type = cast<MemRefType>(argument.getType());
      SmallVector<AffineExpr> dims;
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        dims.push_back(shapes->dim(argument, dim));
      params.push_back(ParamAttr::get(
          context, names[i], isOut ? Direction::out : Direction::in,
          type.getElementType(), map(dims), uses.lookup(argument).contiguous_dims));
    }
    return ArrayAttr::get(context, params);
  }

  /// The expression as a caller knows it: "-(x.shape[0] mod 8)".
  std::string describe(AffineExpr expr, ArrayRef<std::string> names) {
    SmallVector<std::string> symbols(shapes->numSymbols());
    for (BlockArgument argument : llvm::reverse(func.getArguments()))
      for (int64_t i = 0; i < cast<MemRefType>(argument.getType()).getRank(); ++i)
        if (auto symbol = dyn_cast<AffineSymbolExpr>(shapes->dim(argument, i)))
          symbols[symbol.getPosition()] =
              names[argument.getArgNumber()] + ".shape[" + std::to_string(i) + "]";
    std::string text;
    llvm::raw_string_ostream(text) << expr;
    std::string result;
    for (StringRef rest = text; !rest.empty();) {
      unsigned position;
      StringRef next = rest;
      if (next.consume_front("s") && !next.consumeInteger(10, position)) {
        result += symbols[position];
        rest = next;
      } else {
        result += rest.front();
        rest = rest.drop_front();
      }
    }
    return result;
  }

  ArrayAttr requirements(ArrayRef<std::string> names) {
    SmallVector<Attribute> result;
    for (const Demand &demand : shapes->demands()) {
      std::string what =
          demand.at_least == 1 ? "cols" : describe(demand.expr, names) + " (a reshape)";
      result.push_back(
          RequirementAttr::get(context, what, map(demand.expr), demand.at_least));
    }
    return result.empty() ? ArrayAttr() : ArrayAttr::get(context, result);
  }

  SmallVector<Attribute> collapsibleGuards() {
    SmallVector<Attribute> result;
    for (BlockArgument argument : func.getArguments())
      for (int64_t inner : uses.lookup(argument).collapsible)
        result.push_back(GuardAttr::get(context, GuardKind::collapsible,
                                        argument.getArgNumber(), inner, AffineMap()));
    return result;
  }

  /// For the host's vectors alignment does not matter.
  SmallVector<Attribute> alignedGuards() {
    SmallVector<Attribute> result;
    if (target.backend == schedule::Backend::Host)
      return result;
    for (BlockArgument argument : func.getArguments())
      if (uses.lookup(argument).wide)
        result.push_back(GuardAttr::get(context, GuardKind::aligned,
                                        argument.getArgNumber(), kAlignedBytes,
                                        AffineMap()));
    return result;
  }

  void makeEntry(ArrayRef<std::string> names, ArrayAttr params) {
    Location loc = func.getLoc();
    auto entry = EntryOp::create(builder, loc, func.getSymNameAttr(),
                                 builder.getI64IntegerAttr(shapes->numSymbols()),
                                 params, requirements(names));
    for (NamedAttribute attr : func->getDiscardableAttrs())
      entry->setDiscardableAttr(attr.getName(), attr.getValue());
    SmallVector<Location> locs;
    for (BlockArgument argument : func.getArguments())
      locs.push_back(argument.getLoc());
    Block *block =
        builder.createBlock(&entry.getBody(), {}, func.getArgumentTypes(), locs);
    makeVariants(*block);
  }

  GuardAttr compare(GuardKind kind, AffineExpr expr, int64_t value) {
    return GuardAttr::get(context, kind, -1, value, map({expr}));
  }

  void makeVariants(Block &entry) {
    const SmallVector<Attribute> collapsible = collapsibleGuards();
    const SmallVector<Attribute> aligned = alignedGuards();
    VariantPlanner planner(body, *shapes, target, !aligned.empty(), tunings);
    for (const VariantPlan &plan : planner.variants(!collapsible.empty())) {
      SmallVector<Attribute> guards;
      if (plan.aligned)
        llvm::append_range(guards, aligned);
      if (plan.collapsed)
        llvm::append_range(guards, collapsible);
      if (plan.few_rows)
        for (const FewRowsOf &one : planner.fewRows(plan))
          addGuard(guards, compare(GuardKind::at_most, one.rows, one.few.rows));
      if (plan.clusters)
        guards.push_back(
            compare(GuardKind::at_least,
                    getAffineSymbolExpr(shapes->numSymbols(), context), // units
                    target.max_cluster_size));
      makeVariant(entry, guards, plan, planner);
    }
  }

  /// Of two bounds of one number of rows the lower one.
  static void addGuard(SmallVector<Attribute> &guards, GuardAttr guard) {
    for (Attribute &other : guards) {
      auto bound = cast<GuardAttr>(other);
      if (bound.getKind() != guard.getKind() || bound.getExpr() != guard.getExpr())
        continue;
      if (guard.getValue() < bound.getValue())
        other = guard;
      return;
    }
    guards.push_back(guard);
  }

  void makeVariant(Block &entry, ArrayRef<Attribute> guards, const VariantPlan &plan,
                   const VariantPlanner &planner) {
    builder.setInsertionPointToEnd(&entry);
    auto variant = VariantOp::create(builder, func.getLoc(),
                                     ArrayAttr::get(context, guards), plan.collapsed);
    if (schedule::TargetFacts facts = planner.targetOf(plan); !(facts == target))
      variant->setAttr(kTargetAttr, norm::TargetAttr::get(context, facts));
    builder.createBlock(&variant.getBody());
    IRMapping mapping;
    mapping.map(body.getArguments(), entry.getArguments());
    for (Operation &op : body.without_terminator()) {
      if (isa<memref::DeallocOp>(op))
        continue;
      Operation *copy = builder.clone(op, mapping);
      if (plan.few_rows)
        for (const FewRowsOf &one : planner.fewRows(plan))
          if (one.kernel == &op)
            setFewRows(cast<row::KernelOp>(copy), one.few);
    }
  }

  static void setFewRows(row::KernelOp kernel, const schedule::FewRows &few) {
    kernel.setMaxRows(few.rows);
    kernel.setStrategy(few.strategy == schedule::Strategy::Cluster
                           ? row::Strategy::cluster
                           : row::Strategy::direct);
  }

  func::FuncOp func;
  const schedule::TargetFacts &target;
  const Tunings &tunings;
  Block &body;
  MLIRContext *context;
  OpBuilder builder;
  Shapes *shapes = nullptr;
  llvm::MapVector<Value, ParamUse> uses;
};

/// Whether the module holds entries and what they launch, and nothing that would be
/// passed over without a word.
LogicalResult checkModule(ModuleOp module) {
  for (Operation &op : *module.getBody())
    if (!isa<func::FuncOp, EntryOp>(op))
      return op.emitError("expected functions alone at the top of the module, because "
                          "each is an entry of the package and nothing else is, but "
                          "got ")
             << op.getName();
  if (module.getOps<EntryOp>().empty())
    return module.emitError("expected a function, because a package without entries "
                            "has nothing to launch, but got none");
  return success();
}

struct PlanCreateEntriesPass
    : public plan::impl::PlanCreateEntriesPassBase<PlanCreateEntriesPass> {
  using PlanCreateEntriesPassBase::PlanCreateEntriesPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return table.read(tunings, context);
  }

  void runOnOperation() override {
    auto target = getOperation()->getAttrOfType<norm::TargetAttr>(kTargetAttr);
    const schedule::TargetFacts facts =
        target ? target.getFacts() : schedule::TargetFacts();
    SmallVector<func::FuncOp> funcs;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (!func->hasAttr(kKernelAttr))
        funcs.push_back(func);
    for (func::FuncOp func : funcs)
      if (failed(EntryBuilder(func, facts, table).build()))
        return signalPassFailure();
    if (failed(checkModule(getOperation())))
      return signalPassFailure();
  }

  Tunings table;
};

} // namespace
