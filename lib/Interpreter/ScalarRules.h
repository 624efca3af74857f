//===- ScalarRules.h - What each scalar op computes -------------------------===//
#ifndef NORMC_LIB_INTERPRETER_SCALARRULES_H
#define NORMC_LIB_INTERPRETER_SCALARRULES_H

#include "Values.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"

#include <functional>

namespace normc::interpreter {

/// A value and the bound of its error: of a floating-point type in `value`, of an
/// integer type in `integer`, sign-extended from its width.
struct Number {
  double value = 0, bound = 0;
  int64_t integer = 0;
};

/// One op that is evaluated, element by element.
struct Context {
  mlir::Operation *op;
  /// Of the type that the op's result has.
  Precision precision;
  const Options &options;

  /// A result with its own roundings. No bound where it is not finite, since infinities
  /// and NaN are compared as they are.
  Number rounded(double value, double error, double roundings = 1) const;
};

/// Computes an op's results from its operands.
using Rule = std::function<void(const Context &, const Number *in, Number *out)>;

/// The rules by the ops' names.
class RuleTable {
public:
  /// A rule of an op of one result: Number(const Context &, const Number *in).
  template <typename Op, typename Function> void add(Function function) {
    rules[Op::getOperationName()] = [function](const Context &context, const Number *in,
                                               Number *out) {
      *out = function(context, in);
    };
  }
  template <typename Op> void addForResults(Rule rule) {
    rules[Op::getOperationName()] = std::move(rule);
  }
  /// Null where there is none.
  const Rule *find(llvm::StringRef name) const {
    auto rule = rules.find(name);
    return rule == rules.end() ? nullptr : &rule->second;
  }

private:
  llvm::StringMap<Rule> rules;
};

void addFloatRules(RuleTable &table);
void addFunctionRules(RuleTable &table);
void addIntegerRules(RuleTable &table);
void addConversionRules(RuleTable &table);

/// The number of bits of an integer type.
inline unsigned widthOf(mlir::Value value) {
  return value.getType().getIntOrFloatBitWidth();
}

/// The low `width` bits, sign-extended: what an integer of that width holds. i1 is 0 or
/// -1.
inline int64_t wrapped(uint64_t bits, unsigned width) {
  unsigned unused = 64 - width;
  return static_cast<int64_t>(bits << unused) >> unused;
}

} // namespace normc::interpreter

#endif // NORMC_LIB_INTERPRETER_SCALARRULES_H
