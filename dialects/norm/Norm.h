//===- Norm.h - The norm dialect --------------------------------------------===//
#ifndef NORMC_DIALECTS_NORM_NORM_H
#define NORMC_DIALECTS_NORM_NORM_H

#include "normc/Schedule/Facts.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/Hashing.h"

namespace normc::schedule {
llvm::hash_code hash_value(const TargetFacts &facts);
} // namespace normc::schedule

#include "norm/NormEnums.h.inc"

#include "norm/NormDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "norm/NormAttrs.h.inc"

#include "norm/NormInterfaces.h.inc"

#define GET_OP_CLASSES
#include "norm/NormOps.h.inc"

#endif // NORMC_DIALECTS_NORM_NORM_H
