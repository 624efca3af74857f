//===- RowDialect.cpp - Registration of the row dialect ---------------------===//
#include "dialects/row/Row.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace normc::row;

#include "row/RowDialect.cpp.inc"
#include "row/RowEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "row/RowTypes.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "row/RowAttrs.cpp.inc"

void RowDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "row/RowOps.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "row/RowTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "row/RowAttrs.cpp.inc"
      >();
}
