//===- RowEmitter.h - What every lowering of row kernels emits --------------===//
//
// Index arithmetic, constants, accesses with their conversions, and the scalar regions
// of maps and reduces on vectors. Knows nothing of rows, lanes or targets.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_LIB_CONVERSION_ROWEMISSION_ROWEMITTER_H
#define NORMC_LIB_CONVERSION_ROWEMISSION_ROWEMITTER_H

#include "dialects/row/Row.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace normc {

class RowEmitter {
protected:
  explicit RowEmitter(mlir::ImplicitLocOpBuilder &builder) : b(builder) {}

  /// 64-bit integers.
  mlir::Value index(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value minimum(mlir::Value a, mlir::Value b);

  /// A constant of a float type or of a vector of one.
  mlir::Value floatConstant(mlir::Type type, double value);
  mlir::VectorType vectorOf(int64_t lanes, mlir::Type element);
  mlir::Value splat(mlir::Value scalar, int64_t lanes);
  mlir::Value extract(mlir::Value vector, int64_t lane);
  mlir::Value gather(llvm::ArrayRef<mlir::Value> scalars);
  /// The sum of the values, added in pairs.
  mlir::Value addTree(llvm::SmallVector<mlir::Value> values);

  /// total + term, as one fused multiply-add where the term is a product.
  mlir::Value addTo(mlir::Value total, mlir::Value term);
  /// The same for a sum that is emitted already.
  mlir::Value fuseProduct(mlir::Value sum);

  mlir::Value elementPointer(mlir::Value base, mlir::Value offset, mlir::Type element);
  /// Loads `width` elements (a scalar for width 0) and converts them to `to`. Lanes
  /// that are not in the mask are zero.
  mlir::Value load(mlir::Value pointer, mlir::Type element, int64_t width,
                   mlir::Value mask, mlir::Type to);
  /// Rounds once to `element` and stores.
  void store(mlir::Value value, mlir::Value pointer, mlir::Type element,
             mlir::Value mask);
  /// The same for a vector whose address is a multiple of its bytes: not into the
  /// caches, which need not bring what was there before then.
  void storePastCaches(mlir::Value vector, mlir::Value pointer, mlir::Type element);
  /// Conversion of a scalar or vector, rounded once to nearest even.
  mlir::Value convert(mlir::Value value, mlir::Type element);
  /// The value of a row.round.
  mlir::Value roundValue(row::RoundOp op, mlir::Value value);

  /// Emits the scalar region on vectors of `lanes` (scalars for 0).
  llvm::SmallVector<mlir::Value> inlineRegion(mlir::Region &region,
                                              mlir::ValueRange args, int64_t lanes);

  mlir::ImplicitLocOpBuilder &b;

private:
  /// The value rounded once to `element`, in the type that it has in memory.
  mlir::Value asStored(mlir::Value value, mlir::Type element);
  mlir::Value roundToOdd(mlir::Value wide);
};

} // namespace normc

#endif // NORMC_LIB_CONVERSION_ROWEMISSION_ROWEMITTER_H
