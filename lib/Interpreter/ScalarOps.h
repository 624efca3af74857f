//===- ScalarOps.h - Regions of arith and math ops on arrays ----------------===//
#ifndef NORMC_LIB_INTERPRETER_SCALAROPS_H
#define NORMC_LIB_INTERPRETER_SCALAROPS_H

#include "normc/Interpreter/Interpreter.h"
#include "normc/Reference/Types.h"

#include "llvm/ADT/DenseMap.h"

namespace normc::interpreter {

/// Values of one kind with the bounds of their errors: one a column, or a single one
/// that stands for all.
struct Array {
  std::vector<double> values;
  std::vector<double> bounds;

  Array() = default;
  explicit Array(size_t size) : values(size), bounds(size) {}
  size_t size() const { return values.size(); }
};

/// The numbers of the type that the checked kernel computes in.
struct Model {
  Model(mlir::Type accumulator, const Options &options);

  /// Relative error of one rounding; below `smallestNormal` it is absolute.
  double u, smallestNormal;
  /// Relative error of exp, tanh, erf and their like.
  double functionError;
  Options options;
  /// Roundings that one of `count` summed terms passes through.
  double chain(int64_t count) const;
};

/// Evaluates the region for each element of its arguments, which have `size` elements
/// or one. Answers what the region yields. Fails with a diagnostic at an op that is not
/// known.
llvm::FailureOr<std::vector<Array>> evaluate(mlir::Block &block,
                                             llvm::ArrayRef<const Array *> arguments,
                                             size_t size, const Model &model);

/// Rounds to the nearest even value of `to`.
Array roundArray(const Array &array, mlir::Type to, const Model &model);

reference::Type referenceType(mlir::Type type);

/// a * b for a derivative and an error: an error of zero stays one, whatever it is
/// multiplied with.
inline double scaled(double error, double factor) {
  return error == 0 || factor == 0 ? 0.0 : error * factor;
}

} // namespace normc::interpreter

#endif // NORMC_LIB_INTERPRETER_SCALAROPS_H
