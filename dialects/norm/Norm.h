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
/// Lets the attribute's storage hash its parameter.
llvm::hash_code hash_value(const TargetFacts &facts);
} // namespace normc::schedule

namespace normc::norm {

/// What indexes an operand: a whole element (x, y, dy, dx), the row (mean, rstd), the
/// column (weight, bias and their gradients), or nothing (alpha, shift).
enum class Role { Tile, Rows, Cols, Scalar };

/// An operand as the op's definition speaks of it.
struct NamedOperand {
  /// The name without `_init`: "x", "weight", "dweight".
  llvm::StringRef name;
  Role role;
  bool is_init;
  /// Index of the operand segment, present ones and absent ones counted.
  unsigned segment;
  mlir::Value value;
};

/// What the generated classes delegate to.
namespace shared {
using Effects = llvm::SmallVectorImpl<
    mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>;

mlir::MutableOperandRange initRange(mlir::Operation *op);
llvm::SmallVector<mlir::Value> selectOperands(llvm::ArrayRef<NamedOperand> operands,
                                              bool inits);
/// On memrefs an op reads its inputs and writes its inits; on tensors it has no effect.
void addEffects(mlir::DestinationStyleOpInterface op, Effects &effects);
/// A result has the shape of its init.
llvm::LogicalResult reifyShapes(mlir::OpBuilder &builder,
                                mlir::DestinationStyleOpInterface op,
                                mlir::ReifiedRankedShapedTypeDims &shapes);
/// Replaces the op by itself on buffers.
llvm::LogicalResult bufferize(mlir::DestinationStyleOpInterface op,
                              mlir::RewriterBase &rewriter,
                              const mlir::bufferization::BufferizationOptions &options,
                              mlir::bufferization::BufferizationState &state);
/// Constraints c1 to c9 of every op.
llvm::LogicalResult verifyShared(mlir::Operation *op);
} // namespace shared
} // namespace normc::norm

#include "norm/NormEnums.h.inc"

#include "norm/NormDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "norm/NormAttrs.h.inc"

#include "norm/NormInterfaces.h.inc"

#define GET_OP_CLASSES
#include "norm/NormOps.h.inc"

#endif // NORMC_DIALECTS_NORM_NORM_H
