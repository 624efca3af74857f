//===- Plan.h - The plan dialect --------------------------------------------===//
#ifndef NORMC_DIALECTS_PLAN_PLAN_H
#define NORMC_DIALECTS_PLAN_PLAN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "plan/PlanEnums.h.inc"

#include "plan/PlanDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "plan/PlanAttrs.h.inc"

#define GET_OP_CLASSES
#include "plan/PlanOps.h.inc"

namespace normc::plan {

/// The variants of an entry, in the order in which they are tried.
llvm::SmallVector<VariantOp> variantsOf(EntryOp entry);

} // namespace normc::plan

#endif // NORMC_DIALECTS_PLAN_PLAN_H
