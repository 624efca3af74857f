//===- PlanDialect.cpp - The plan dialect -----------------------------------===//
#include "dialects/plan/Plan.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace normc::plan;

#include "plan/PlanDialect.cpp.inc"
#include "plan/PlanEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "plan/PlanAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "plan/PlanOps.cpp.inc"

void PlanDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "plan/PlanOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "plan/PlanAttrs.cpp.inc"
      >();
}

/// (C3): some parameter's dimension is the symbol alone.
static bool isBound(ArrayAttr params, unsigned symbol) {
  return llvm::any_of(params.getAsRange<ParamAttr>(), [&](ParamAttr param) {
    return llvm::any_of(param.getShape().getResults(), [&](AffineExpr dim) {
      auto bare = dyn_cast<AffineSymbolExpr>(dim);
      return bare && bare.getPosition() == symbol;
    });
  });
}

LogicalResult EntryOp::verify() {
  Block &block = getBody().front();
  if (getParams().size() != block.getNumArguments())
    return emitOpError("expected as many params as region arguments, ")
           << block.getNumArguments() << ", but got " << getParams().size()
           << " (entry_c1)";
  for (auto [param, arg] :
       llvm::zip_equal(getParams().getAsRange<ParamAttr>(), block.getArguments())) {
    auto type = dyn_cast<MemRefType>(arg.getType());
    if (!type || type.getRank() != param.getShape().getNumResults())
      return emitOpError("expected parameter ")
             << param.getName() << " to be a memref of rank "
             << param.getShape().getNumResults() << ", but got " << arg.getType()
             << " (entry_c1)";
  }
  for (Operation &op : block)
    if (!isa<VariantOp>(op))
      return op.emitOpError("expected plan.variant alone in an entry (entry_c2)");
  if (block.empty() || !cast<VariantOp>(block.back()).getGuards().empty())
    return emitOpError("expected the last variant to have no guards, because it "
                       "must always work (entry_c2)");
  for (int64_t symbol = 0; symbol < int64_t(getNumSymbols()); ++symbol)
    if (!isBound(getParams(), symbol))
      return emitOpError("expected a dimension that is symbol s")
             << symbol << " alone, because launches bind it there (entry_c3)";
  return success();
}
