//===- Values.h - Values with the bounds of their errors --------------------===//
#ifndef NORMC_LIB_INTERPRETER_VALUES_H
#define NORMC_LIB_INTERPRETER_VALUES_H

#include "normc/Interpreter/Interpreter.h"
#include "normc/Reference/Types.h"

#include <cmath>
#include <utility>

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

reference::Type referenceType(mlir::Type type);

/// The numbers of a type that a kernel computes in.
struct Precision {
  explicit Precision(reference::Type type);

  /// Relative error of one rounding; below `smallestNormal` it is absolute.
  double u, smallestNormal;
  /// Relative error of exp, tanh, erf and their like.
  double functionError;
};

/// What is known of the kernel that is checked.
struct Model : Precision {
  Model(mlir::Type accumulator, const Options &options)
      : Precision(referenceType(accumulator)), options(options) {}

  Options options;
  /// How many roundings of the kernel one of the program stands for.
  double roundingsEach = 1;
  /// Roundings that one of `count` summed terms passes through.
  double chain(int64_t count) const;
};

/// A value and the bound of its error, rounded to the nearest even value of `to`: more
/// by the step between both results where the value may lie on either side of one.
std::pair<double, double> roundBounded(double value, double bound, mlir::Type to);
Array roundArray(const Array &array, mlir::Type to);

/// a * b for a derivative and an error: an error of zero stays one, whatever it is
/// multiplied with.
inline double scaled(double error, double factor) {
  return error == 0 || factor == 0 ? 0.0 : error * factor;
}

/// A sum, with what its bound needs.
class RunningSum {
public:
  void add(double value, double error) {
    total += value;
    magnitude += std::fabs(value);
    bound += error;
    ++terms;
  }
  double value() const { return double(total); }
  /// `limit`: the largest relative error of the sum that the kernel may have.
  double finish(const Model &model, double limit = HUGE_VAL) const;

private:
  long double total = 0;
  double magnitude = 0, bound = 0;
  int64_t terms = 0;
};

} // namespace normc::interpreter

#endif // NORMC_LIB_INTERPRETER_VALUES_H
