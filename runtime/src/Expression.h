// An expression of the plan: postfix over an entry's symbols, evaluated with checked
// 64-bit arithmetic.
#ifndef NORMRT_EXPRESSION_H
#define NORMRT_EXPRESSION_H

#include "runtime/src/Status.h"

#include "runtime/schema/package_generated.h"

#include <cstdint>
#include <string>
#include <vector>

namespace normrt {

/// What an expression may refer to.
struct Environment {
  const int64_t *symbols = nullptr;
  int64_t computeUnits = 0;
  int64_t resident = 0;
  int64_t residentClusters = 0;
};

class Expression {
public:
  Expression() = default;
  /// From an expression of a verified package.
  explicit Expression(const schema::Expr &expr);

  /// The value; OVERFLOW or INVALID_ARGUMENT (a division by zero) name the operation.
  Status evaluate(const Environment &environment, int64_t &value) const;

  /// The symbol, where the expression is nothing but a symbol; else -1.
  int symbol() const;
  /// Whether the expression is nothing but a number.
  bool isConstant() const;
  /// The number of such an expression.
  int64_t constant() const { return terms_.front().value; }
  /// Calls visit(symbol) for each symbol in it.
  template <class Visit> void forEachSymbol(Visit visit) const {
    for (const Term &term : terms_)
      if (term.op == schema::ExprOp::symbol)
        visit(int(term.value));
  }

  /// The expression as people write it: "ceildiv(x.shape[0], 8)". `symbols` has the
  /// name of each symbol; `suffix` comes behind each number.
  std::string text(const std::vector<std::string> &symbols,
                   const char *suffix = "") const;

private:
  struct Term {
    schema::ExprOp op;
    int64_t value;
  };
  Status evaluateTerms(const Environment &environment, int64_t &value) const;

  std::vector<Term> terms_;
};

} // namespace normrt

#endif // NORMRT_EXPRESSION_H
