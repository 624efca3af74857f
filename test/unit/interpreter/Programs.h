//===- Programs.h - Runs norm ops and row programs in tests -----------------===//
#ifndef NORMC_TEST_UNIT_INTERPRETER_PROGRAMS_H
#define NORMC_TEST_UNIT_INTERPRETER_PROGRAMS_H

#include "normc/Interpreter/Interpreter.h"
#include "normc/Reference/Types.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>
#include <string>
#include <vector>

namespace normc::test {

/// Input arrays by the name of the function's argument.
using Inputs = std::map<std::string, std::vector<double>>;
using Outputs = std::map<std::string, interpreter::Output>;

/// A module of one function whose body is row kernels and constants of no interest.
class Program {
public:
  Program();
  ~Program();

  /// Parses MLIR text; the name of an argument is its norm.name, or the name it has in
  /// the text's signature where `arguments` gives them in order.
  bool parse(const std::string &text, std::vector<std::string> arguments = {});
  bool parseFile(const std::string &path);
  /// convert-norm-to-row, and what follows it in the compiler if `canonicalize`.
  bool convert(bool canonicalize);

  /// Runs all kernels in order; a kernel's outputs are inputs of the later ones,
  /// rounded to the type of their buffer. `failed` is set, and nothing answered, on an
  /// error.
  Outputs run(const Inputs &inputs, int64_t rows, int64_t cols, bool &failed,
              const interpreter::Options &options = {});

  /// What was diagnosed since the last call.
  std::string takeDiagnostics();
  /// The IR, for messages.
  std::string print();

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<std::string> arguments;
  std::string diagnostics;
};

/// A kernel of one map over x (%a) and w, one value a column (%b).
std::string mapProgram(const std::string &body, const std::string &type = "f32");

/// y = f(x, w) of one row, with its bounds, and without.
interpreter::Output mapRow(const std::string &body, std::vector<double> x,
                           std::vector<double> w, const std::string &type = "f32");
std::vector<double> runMap(const std::string &body, std::vector<double> x,
                           std::vector<double> w, const std::string &type = "f32");

/// `count` values of a fixed sequence that looks normal with that mean and deviation,
/// rounded to the type. Another `seed` is another sequence.
std::vector<double> sample(unsigned seed, int64_t count, reference::Type type,
                           double mean = 0, double deviation = 1);

} // namespace normc::test

#endif // NORMC_TEST_UNIT_INTERPRETER_PROGRAMS_H
