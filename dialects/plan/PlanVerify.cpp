//===- PlanVerify.cpp - Verifiers of the plan dialect -----------------------===//
#include "dialects/plan/Plan.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace normc::plan;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

LogicalResult GuardAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                GuardKind kind, int64_t param, int64_t value,
                                AffineMap expr) {
  bool compares = kind == GuardKind::at_least || kind == GuardKind::at_most;
  if (compares != bool(expr) || compares == (param >= 0))
    return emitError() << "expected " << (compares ? "expr" : "param")
                       << " alone, because that is what " << stringifyGuardKind(kind)
                       << " asks about";
  if (kind == GuardKind::aligned && value < 1)
    return emitError() << "expected an alignment of at least 1 byte, but got " << value;
  return success();
}

LogicalResult ArgAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              ArgKind kind, int64_t buffer, int64_t dim,
                              AffineMap expr) {
  bool isExpr = kind == ArgKind::expr;
  bool isStride = kind == ArgKind::stride || kind == ArgKind::row_stride;
  if (isExpr != bool(expr) || isExpr == (buffer >= 0) || isStride != (dim >= 0))
    return emitError() << "expected "
                       << (isExpr     ? "expr"
                           : isStride ? "buffer and dim"
                                      : "buffer")
                       << " alone, because " << stringifyArgKind(kind)
                       << " is made from that";
  return success();
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

namespace {
/// Which of the three symbols behind an entry's own a map may use.
enum class Scope { Shapes, Variants, Launches };
} // namespace

/// (entry_c4): `map` ranges over the entry's symbols and what `scope` knows.
static LogicalResult verifyMap(Operation *op, EntryOp entry, AffineMap map, Scope scope,
                               StringRef what) {
  if (map.getNumDims() != 0 || map.getNumSymbols() != entry.getNumMapSymbols())
    return op->emitOpError("expected ")
           << what << " to be a map from 0 dimensions and " << entry.getNumMapSymbols()
           << " symbols, because the entry has that many with the device's three, but "
              "got "
           << AffineMapAttr::get(map) << " (entry_c4)";
  unsigned first = entry.getNumSymbols() + (scope == Scope::Variants ? 1 : 0);
  for (unsigned symbol = first;
       scope != Scope::Launches && symbol < entry.getNumMapSymbols(); ++symbol)
    if (map.isFunctionOfSymbol(symbol))
      return op->emitOpError("expected ")
             << what << " not to use s" << symbol
             << ", because that is not known there, but got " << AffineMapAttr::get(map)
             << " (entry_c4)";
  return success();
}

static LogicalResult verifyExpr(Operation *op, EntryOp entry, AffineMap map,
                                Scope scope, StringRef what, StringRef constraint) {
  if (map.getNumResults() != 1)
    return op->emitOpError("expected ")
           << what << " to have one result, but got " << AffineMapAttr::get(map) << " ("
           << constraint << ")";
  return verifyMap(op, entry, map, scope, what);
}

//===----------------------------------------------------------------------===//
// plan.entry
//===----------------------------------------------------------------------===//

/// (entry_c3): some parameter's dimension is the symbol alone.
static bool isBound(ArrayAttr params, unsigned symbol) {
  return llvm::any_of(params.getAsRange<ParamAttr>(), [&](ParamAttr param) {
    return llvm::any_of(param.getShape().getResults(), [&](AffineExpr dim) {
      auto bare = dyn_cast<AffineSymbolExpr>(dim);
      return bare && bare.getPosition() == symbol;
    });
  });
}

static LogicalResult verifyParam(EntryOp entry, ParamAttr param, BlockArgument arg) {
  auto type = dyn_cast<MemRefType>(arg.getType());
  int64_t rank = param.getShape().getNumResults();
  if (!type || type.getRank() != rank ||
      type.getElementType() != param.getElementType())
    return entry.emitOpError("expected parameter ")
           << param.getName() << " to be a memref of rank " << rank << " and "
           << param.getElementType() << ", but got " << arg.getType() << " (entry_c1)";
  if (!isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type.getElementType()))
    return entry.emitOpError("expected parameter ")
           << param.getName() << " to be of f16, bf16, f32 or f64, but got "
           << type.getElementType() << " (entry_c1)";
  if (param.getContiguousDims() < 0 || param.getContiguousDims() > rank)
    return entry.emitOpError("expected contiguous_dims of ")
           << param.getName() << " from 0 to its rank " << rank << ", but got "
           << param.getContiguousDims() << " (entry_c1)";
  return verifyMap(entry, entry, param.getShape(), Scope::Shapes, "a shape");
}

static LogicalResult verifyParams(EntryOp entry) {
  Block &block = entry.getBody().front();
  if (entry.getParams().size() != block.getNumArguments())
    return entry.emitOpError("expected as many params as region arguments, ")
           << block.getNumArguments() << ", but got " << entry.getParams().size()
           << " (entry_c1)";
  llvm::StringSet<> names;
  for (auto [param, arg] :
       llvm::zip_equal(entry.getParamAttrs(), block.getArguments())) {
    if (failed(verifyParam(entry, param, arg)))
      return failure();
    if (param.getName().empty() || !names.insert(param.getName()).second)
      return entry.emitOpError(
                 "expected a name of its own for each parameter, but got \"")
             << param.getName() << "\" (entry_c5)";
  }
  for (int64_t symbol = 0; symbol < int64_t(entry.getNumSymbols()); ++symbol)
    if (!isBound(entry.getParams(), symbol))
      return entry.emitOpError("expected a dimension that is symbol s")
             << symbol << " alone, because launches bind it there (entry_c3)";
  return success();
}

LogicalResult EntryOp::verify() {
  if (int64_t(getNumSymbols()) < 0)
    return emitOpError("expected at least 0 symbols, but got ")
           << int64_t(getNumSymbols()) << " (entry_c3)";
  if (failed(verifyParams(*this)))
    return failure();
  for (Operation &op : getBody().front())
    if (!isa<VariantOp>(op))
      return op.emitOpError("expected plan.variant alone in an entry (entry_c2)");
  SmallVector<VariantOp> variants = variantsOf(*this);
  if (variants.empty() || !variants.back().getGuards().empty())
    return emitOpError("expected the last variant to have no guards, because it "
                       "must always work (entry_c2)");
  if (ArrayAttr requirements = getRequirementsAttr())
    for (auto requirement : requirements.getAsRange<RequirementAttr>())
      if (failed(verifyExpr(*this, *this, requirement.getExpr(), Scope::Shapes,
                            "a requirement", "entry_c4")))
        return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// plan.variant and plan.workspace
//===----------------------------------------------------------------------===//

LogicalResult VariantOp::verify() {
  auto entry = cast<EntryOp>((*this)->getParentOp());
  SmallVector<ParamAttr> params = entry.getParamAttrs();
  for (auto guard : getGuards().getAsRange<GuardAttr>()) {
    if (guard.getExpr()) {
      if (failed(verifyExpr(*this, entry, guard.getExpr(), Scope::Variants, "a guard",
                            "variant_c1")))
        return failure();
      continue;
    }
    if (guard.getParam() >= int64_t(params.size()))
      return emitOpError("expected a guard's param below ")
             << params.size() << ", because the entry has that many, but got "
             << guard.getParam() << " (variant_c1)";
    int64_t rank = params[guard.getParam()].getShape().getNumResults();
    if (guard.getKind() == GuardKind::collapsible &&
        (guard.getValue() < 0 || guard.getValue() > rank))
      return emitOpError("expected a guard's value from 0 to ")
             << rank << ", because " << params[guard.getParam()].getName()
             << " has that rank, but got " << guard.getValue() << " (variant_c1)";
  }
  return success();
}

LogicalResult WorkspaceOp::verify() {
  auto entry = dyn_cast_or_null<EntryOp>((*this)->getParentOp()->getParentOp());
  if (!entry)
    return success(); // the variant's own verifier says so
  return verifyExpr(*this, entry, getBytes(), Scope::Variants, "bytes", "workspace_c1");
}

//===----------------------------------------------------------------------===//
// plan.launch
//===----------------------------------------------------------------------===//

static bool isParam(Value buffer, EntryOp entry) {
  auto arg = dyn_cast<BlockArgument>(buffer);
  return arg && arg.getOwner() == &entry.getBody().front();
}

/// (launch_c4)
static bool hasRowStride(LaunchOp launch, ParamAttr param, int64_t index, int64_t dim) {
  int64_t rank = param.getShape().getNumResults();
  if (rank - dim <= 1 || param.getContiguousDims() == rank)
    return true;
  auto guards = cast<VariantOp>(launch->getParentOp()).getGuards();
  return llvm::any_of(guards.getAsRange<GuardAttr>(), [&](GuardAttr guard) {
    return guard.getKind() == GuardKind::collapsible && guard.getParam() == index &&
           guard.getValue() <= dim;
  });
}

static LogicalResult verifyStride(LaunchOp launch, EntryOp entry, ArgAttr arg) {
  Value buffer = launch.getBuffers()[arg.getBuffer()];
  if (!isParam(buffer, entry))
    return launch.emitOpError("expected a stride of a parameter, because a workspace "
                              "has no strides of its own, but got buffer ")
           << arg.getBuffer() << " (launch_c3)";
  int64_t index = cast<BlockArgument>(buffer).getArgNumber();
  auto param = cast<ParamAttr>(entry.getParams()[index]);
  int64_t rank = param.getShape().getNumResults();
  bool isRow = arg.getKind() == ArgKind::row_stride;
  if (arg.getDim() >= rank + (isRow ? 1 : 0))
    return launch.emitOpError("expected dim ")
           << (isRow ? "at most " : "below ") << rank << ", because " << param.getName()
           << " has that rank, but got " << arg.getDim() << " (launch_c3)";
  if (isRow && !hasRowStride(launch, param, index, arg.getDim()))
    return launch.emitOpError("expected a collapsible guard on ")
           << param.getName()
           << ", because its row stride is an argument, but the variant has none "
              "(launch_c4)";
  return success();
}

static LogicalResult verifyArg(LaunchOp launch, EntryOp entry, ArgAttr arg) {
  if (arg.getKind() == ArgKind::expr)
    return verifyExpr(launch, entry, arg.getExpr(), Scope::Launches, "an argument",
                      "launch_c3");
  if (arg.getBuffer() >= int64_t(launch.getBuffers().size()))
    return launch.emitOpError("expected an argument's buffer below ")
           << launch.getBuffers().size()
           << ", because the launch has that many, but got " << arg.getBuffer()
           << " (launch_c3)";
  return arg.getKind() == ArgKind::pointer ? success()
                                           : verifyStride(launch, entry, arg);
}

LogicalResult LaunchOp::verify() {
  auto entry = dyn_cast_or_null<EntryOp>((*this)->getParentOp()->getParentOp());
  if (!entry)
    return success(); // the variant's own verifier says so
  for (auto [index, buffer] : llvm::enumerate(getBuffers()))
    if (!isParam(buffer, entry) && !buffer.getDefiningOp<WorkspaceOp>())
      return emitOpError("expected buffer ")
             << index
             << " to be a parameter of the entry or a plan.workspace (launch_c1)";
  if (getGrid().getNumResults() == 0)
    return emitOpError("expected at least one result of grid, but got ")
           << getGridAttr() << " (launch_c2)";
  if (failed(verifyMap(*this, entry, getGrid(), Scope::Launches, "grid")))
    return failure();
  if (int64_t(getWorkgroupSize()) < 1 || int64_t(getClusterSize()) < 1 ||
      int64_t(getDynamicSharedBytes()) < 0)
    return emitOpError("expected workgroup_size and cluster_size of at least 1 and "
                       "dynamic_shared_bytes of at least 0, but got ")
           << int64_t(getWorkgroupSize()) << ", " << int64_t(getClusterSize())
           << " and " << int64_t(getDynamicSharedBytes()) << " (launch_c2)";
  for (auto arg : getArgs().getAsRange<ArgAttr>())
    if (failed(verifyArg(*this, entry, arg)))
      return failure();
  Block *variant = (*this)->getBlock();
  if (getDependent() && *variant->getOps<LaunchOp>().begin() == *this)
    return emitOpError("expected a launch ahead of a dependent one, because its kernel "
                       "waits for that, but got none (launch_c6)");
  return success();
}

/// In the module itself or, when the kernels were lowered for a GPU, in one inside it.
static bool hasKernel(ModuleOp module, StringAttr name,
                      SymbolTableCollection &symbols) {
  if (symbols.lookupSymbolIn<FunctionOpInterface>(module, name))
    return true;
  return llvm::any_of(*module.getBody(), [&](Operation &op) {
    return op.hasTrait<OpTrait::SymbolTable>() &&
           symbols.lookupSymbolIn<FunctionOpInterface>(&op, name);
  });
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto module = (*this)->getParentOfType<ModuleOp>();
  if (!module || !hasKernel(module, getKernelAttr().getAttr(), symbols))
    return emitOpError("expected ")
           << getKernelAttr() << " to be a function of the module (launch_c5)";
  return success();
}
