//===- Row.h - The row dialect ----------------------------------------------===//
#ifndef NORMC_DIALECTS_ROW_ROW_H
#define NORMC_DIALECTS_ROW_ROW_H

#include "normc/Schedule/Facts.h"
#include "normc/Schedule/Tiling.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/Hashing.h"

namespace normc::schedule {
/// Lets the attribute's storage hash its parameter.
inline llvm::hash_code hash_value(const Tiling &tiling) { return hashValue(tiling); }
} // namespace normc::schedule

#include "row/RowEnums.h.inc"

#include "row/RowDialect.h.inc"
#define GET_TYPEDEF_CLASSES
#include "row/RowTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "row/RowAttrs.h.inc"

#define GET_OP_CLASSES
#include "row/RowOps.h.inc"

namespace normc::row {

/// How a value of a row program, or a buffer, is indexed.
enum class Kind { Scalar, Cols, Rows, Tile };
Kind kindOf(mlir::Type type);
/// The scalar type of a value of any kind.
mlir::Type elementTypeOf(mlir::Type type);
/// The type of a value of that kind.
mlir::Type typeOf(Kind kind, mlir::Type elementType);
/// The kind of a function of values of both kinds.
Kind join(Kind a, Kind b);

/// What a use of a kernel's buffer indexes it by: the kind that is loaded, stored or
/// accumulated, or partials. Nothing where the user is no op of this dialect.
std::optional<schedule::Extent> extentOf(mlir::OpOperand &use);
/// The extent of a buffer that a verified program uses.
schedule::Extent extentOf(mlir::BlockArgument buffer);
/// Whether this use writes the buffer.
bool isWrite(mlir::OpOperand &use);

/// The product of the dimensions, where all are static.
std::optional<int64_t> staticProduct(llvm::ArrayRef<int64_t> shape);

} // namespace normc::row

#endif // NORMC_DIALECTS_ROW_ROW_H
