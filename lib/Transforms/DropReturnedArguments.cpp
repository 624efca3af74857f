//===- DropReturnedArguments.cpp - Results that are arguments already -------===//
//
// Upstream's drop-equivalent-buffer-results leaves public functions alone, and entries
// are public.
//
//===----------------------------------------------------------------------===//
#include "dialects/norm/Norm.h"
#include "normc/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

namespace normc {
#define GEN_PASS_DEF_DROPRETURNEDARGUMENTSPASS
#include "normc/Transforms/Passes.h.inc"
} // namespace normc

using namespace mlir;
using namespace normc;

namespace {
/// The argument of the function whose buffer `value` is.
BlockArgument findArgument(Value value, func::FuncOp function) {
  while (auto cast = value.getDefiningOp<memref::CastOp>())
    value = cast.getSource();
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &function.getBody().front())
    return {};
  return argument;
}

/// A name that the result was given, for an argument that has none but its position's.
void takeName(func::FuncOp function, unsigned result, unsigned argument) {
  constexpr StringLiteral kName = "norm.name";
  auto ofResult = function.getResultAttrOfType<StringAttr>(result, kName);
  auto ofArgument = function.getArgAttrOfType<StringAttr>(argument, kName);
  bool isGiven = ofResult && ofResult != ("res" + Twine(result)).str();
  if (isGiven && (!ofArgument || ofArgument == ("arg" + Twine(argument)).str()))
    function.setArgAttr(argument, kName, ofResult);
}

void drop(func::FuncOp function) {
  auto returnOp = dyn_cast<func::ReturnOp>(function.getBody().front().getTerminator());
  if (!returnOp)
    return;
  BitVector dropped(function.getNumResults());
  SmallVector<Value> kept;
  for (auto [i, value] : llvm::enumerate(returnOp.getOperands())) {
    BlockArgument argument;
    if (isa<MemRefType>(value.getType()))
      argument = findArgument(value, function);
    if (!argument) {
      kept.push_back(value);
      continue;
    }
    dropped.set(i);
    takeName(function, i, argument.getArgNumber());
    function.setArgAttr(argument.getArgNumber(), "norm.out",
                        UnitAttr::get(function.getContext()));
  }
  returnOp.getOperandsMutable().assign(kept);
  // Fails only where the type cannot be rebuilt; a function type always can.
  LogicalResult erased = function.eraseResults(dropped);
  (void)erased;
}

struct DropReturnedArgumentsPass
    : normc::impl::DropReturnedArgumentsPassBase<DropReturnedArgumentsPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!function.getBody().hasOneBlock())
        continue;
      // Callers would have to change with it; entries have none.
      auto uses = SymbolTable::getSymbolUses(function, module);
      if (uses && uses->empty())
        drop(function);
    }
  }
};
} // namespace
