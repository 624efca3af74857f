//===- Oracle.h - An entry's source, computed in float64 --------------------===//
//
// Runs a function as the user wrote it, on tensors or on memrefs, one op at a time:
// norm ops by normc::reference, row.kernels by the interpreter of row programs. It
// shares nothing with what compiles the function, bufferization included.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_ORACLE_ORACLE_H
#define NORMC_ORACLE_ORACLE_H

#include "normc/Reference/Norms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace normc::oracle {

/// What the caller passes for one parameter of the function.
struct Argument {
  std::vector<int64_t> shape;
  /// Row major, each a value of the parameter's type. Not copied: they must outlive the
  /// evaluation. Empty for a parameter that is only written.
  llvm::ArrayRef<double> values;
};

struct Options {
  /// The longest chain of dependent additions that the checked code has; the bounds
  /// grow with it.
  int64_t longest_chain = 1024;
  /// The checked code may use a tanh that is off by 2^-11 where the op allows it.
  bool hardware_tanh = false;
};

/// What one output parameter must hold.
struct Output {
  std::string name;
  reference::Type type;
  std::vector<int64_t> shape;
  /// Row major. The values are not rounded to `type`; the bounds are those of a
  /// computation in the op's compute type before that rounding (see Norms.h).
  reference::Result result;
};

/// Runs `function` on arguments by parameter name (`norm.name`, by default argN and
/// resN, as in the package). Every argument that is read needs values; one that is
/// written needs a shape. Answers the outputs in the order of the package's parameters:
/// arguments that are written, then results.
///
/// An intermediate value is rounded to its declared type, as the compiled entry stores
/// it. Where rounding errors may have moved the compiled one to a neighbor, the bounds
/// of what is computed from it say so.
///
/// Fails with a diagnostic at the function or at the op that cannot be run.
llvm::FailureOr<std::vector<Output>>
evaluate(mlir::func::FuncOp function, const llvm::StringMap<Argument> &arguments,
         const Options &options = {});

} // namespace normc::oracle

#endif // NORMC_ORACLE_ORACLE_H
