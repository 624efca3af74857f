//===- PlanDialect.cpp - Registration and syntax of the plan dialect --------===//
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

/// A map in place, so that a reader of a launch does not look for `#map3` at the top.
static ParseResult parseInlineMap(OpAsmParser &parser, AffineMapAttr &attr) {
  AffineMap map;
  if (parser.parseAffineMap(map))
    return failure();
  attr = AffineMapAttr::get(map);
  return success();
}

static void printInlineMap(OpAsmPrinter &printer, Operation *, AffineMapAttr attr) {
  printer << attr.getValue();
}

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

SmallVector<VariantOp> normc::plan::variantsOf(EntryOp entry) {
  return llvm::to_vector(entry.getBody().front().getOps<VariantOp>());
}
