//===- Interpreter.h - Row programs in float64 ------------------------------===//
//
// Runs a row.kernel one row at a time in double: what a lowering of any row program,
// also one written by hand, is compared with. It shares no code with the lowerings and
// knows no tiling.
//
// Every value is rounded to double only, except where the program rounds: row.round,
// and a truncation inside a map. Results are not rounded to the buffer's type. Beside
// each stands a bound on the error of a computation in the program's accumulator type
// C, before the last rounding: the same contract as of normc::reference::Result.
//
// The bound is a running error analysis to first order (Higham, Accuracy and Stability
// of Numerical Algorithms, 3.3): loaded values have the errors that
// the options give (none by default), an operation hands on its
// operands' errors times its derivatives and adds one unit roundoff of its result (a
// few for exp, tanh and their like), and a sum of n terms adds for each term the
// roundings that it passes through: at most `longestChain` in order, log2(n) more
// where partial sums are combined. A row.round whose argument may lie on either side
// of a boundary adds the step between the two results.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_INTERPRETER_INTERPRETER_H
#define NORMC_INTERPRETER_INTERPRETER_H

#include "dialects/row/Row.h"
#include "normc/Schedule/Facts.h"

#include <vector>

namespace normc::interpreter {

struct Options {
  /// The longest chain of dependent additions that the checked kernel may have.
  int64_t longestChain = 1024;
  /// Relative error of a tanh with `afn`; 0: that of every other function. The
  /// hardware's is 2^-11.
  double hardwareTanhError = 0x1p-11;
  /// How far the checked kernel's inputs may be from those that are given, laid out as
  /// they are: another kernel computed them. Empty, or empty for an input: not at all.
  llvm::ArrayRef<llvm::ArrayRef<double>> inputErrors;
};

/// What an output holds after the kernel, row major.
struct Output {
  schedule::Extent extent;
  schedule::ElementType type;
  std::vector<double> values;
  /// Infinite where nothing can be said of a finite value.
  std::vector<double> bounds;
};

/// Runs the program on `rows` rows of `cols` columns. `inputs` has one dense row-major
/// array for each input of the kernel, widened exactly: rows * cols values for a tile,
/// rows, cols, 1; partials are [rows, W] of a kernel of finalizes, where rows is the
/// number of partials and cols the columns of a segment. Outputs come in the kernel's
/// order; partials as the one row that a single workgroup over all rows writes.
/// Fails with a diagnostic at the kernel or at the op that it cannot run.
llvm::FailureOr<std::vector<Output>>
interpret(row::KernelOp kernel, llvm::ArrayRef<llvm::ArrayRef<double>> inputs,
          int64_t rows, int64_t cols, const Options &options = {});

} // namespace normc::interpreter

#endif // NORMC_INTERPRETER_INTERPRETER_H
