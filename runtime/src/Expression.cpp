#include "runtime/src/Expression.h"

#include "runtime/src/Limits.h"

#include <algorithm>
#include <limits>

namespace normrt {
namespace {

using schema::ExprOp;

/// Rounds to minus infinity, as MLIR's floordiv.
int64_t floorDiv(int64_t lhs, int64_t rhs) {
  const int64_t quotient = lhs / rhs;
  return quotient - ((lhs % rhs != 0) && ((lhs < 0) != (rhs < 0)) ? 1 : 0);
}

/// Rounds to plus infinity, as MLIR's ceildiv.
int64_t ceilDiv(int64_t lhs, int64_t rhs) {
  const int64_t quotient = lhs / rhs;
  return quotient + ((lhs % rhs != 0) && ((lhs < 0) == (rhs < 0)) ? 1 : 0);
}

Status divide(ExprOp op, int64_t lhs, int64_t rhs, int64_t &value) {
  if (rhs == 0)
    return Status::error(NORMRT_STATUS_INVALID_ARGUMENT,
                         "expected a divisor other than 0, because the plan computes ",
                         schema::EnumNameExprOp(op), " of ", lhs, " and it");
  // The one quotient that does not fit.
  if (lhs == std::numeric_limits<int64_t>::min() && rhs == -1) {
    if (op == ExprOp::mod) {
      value = 0;
      return Status();
    }
    return Status::error(NORMRT_STATUS_OVERFLOW, "expected ",
                         schema::EnumNameExprOp(op), " of ", lhs,
                         " and -1 to fit in 64 bits, but it does not");
  }
  if (op == ExprOp::floordiv)
    value = floorDiv(lhs, rhs);
  else if (op == ExprOp::ceildiv)
    value = ceilDiv(lhs, rhs);
  else
    value = lhs - floorDiv(lhs, rhs) * rhs;
  return Status();
}

Status combine(ExprOp op, int64_t lhs, int64_t rhs, int64_t &value) {
  bool overflow = false;
  switch (op) {
  case ExprOp::add:
    overflow = __builtin_add_overflow(lhs, rhs, &value);
    break;
  case ExprOp::mul:
    overflow = __builtin_mul_overflow(lhs, rhs, &value);
    break;
  case ExprOp::min:
    value = std::min(lhs, rhs);
    break;
  case ExprOp::max:
    value = std::max(lhs, rhs);
    break;
  default:
    return divide(op, lhs, rhs, value);
  }
  if (overflow)
    return Status::error(NORMRT_STATUS_OVERFLOW, "expected ",
                         schema::EnumNameExprOp(op), " of ", lhs, " and ", rhs,
                         " to fit in 64 bits, but it does not");
  return Status();
}

/// Whether the operation pushes a value; `value` is then what it pushes.
bool leaf(ExprOp op, int64_t operand, const Environment &environment, int64_t &value) {
  switch (op) {
  case ExprOp::constant:
    value = operand;
    return true;
  case ExprOp::symbol:
    value = environment.symbols[operand];
    return true;
  case ExprOp::compute_units:
    value = environment.computeUnits;
    return true;
  case ExprOp::resident:
    value = environment.resident;
    return true;
  case ExprOp::resident_clusters:
    value = environment.residentClusters;
    return true;
  default:
    return false;
  }
}

/// Whether the operation takes no operands.
bool isLeaf(ExprOp op) {
  int64_t ignored;
  static constexpr int64_t kNoSymbol = 0;
  return leaf(op, 0, Environment{&kNoSymbol}, ignored);
}

std::string leafText(ExprOp op, int64_t operand,
                     const std::vector<std::string> &symbols, const char *suffix) {
  if (op == ExprOp::constant)
    return std::to_string(operand) + suffix;
  if (op == ExprOp::symbol)
    return symbols[size_t(operand)];
  return schema::EnumNameExprOp(op);
}

} // namespace

Expression::Expression(const schema::Expr &expr) {
  terms_.reserve(expr.terms()->size());
  for (const schema::ExprTerm *term : *expr.terms())
    terms_.push_back({term->op(), term->value()});
}

int Expression::symbol() const {
  return terms_.size() == 1 && terms_[0].op == ExprOp::symbol ? int(terms_[0].value)
                                                              : -1;
}

bool Expression::isConstant() const {
  return terms_.size() == 1 && terms_[0].op == ExprOp::constant;
}

Status Expression::evaluate(const Environment &environment, int64_t &value) const {
  if (terms_.size() == 1) {
    leaf(terms_[0].op, terms_[0].value, environment, value);
    return Status();
  }
  return evaluateTerms(environment, value);
}

Status Expression::evaluateTerms(const Environment &environment, int64_t &value) const {
  // The verifier has bounded the depth and matched operands to operations.
  int64_t stack[kMaxExprDepth];
  int depth = 0;
  for (const Term &term : terms_) {
    int64_t pushed;
    if (leaf(term.op, term.value, environment, pushed)) {
      stack[depth++] = pushed;
      continue;
    }
    --depth;
    NORMRT_TRY(combine(term.op, stack[depth - 1], stack[depth], stack[depth - 1]));
  }
  value = stack[0];
  return Status();
}

std::string Expression::text(const std::vector<std::string> &symbols,
                             const char *suffix) const {
  std::vector<std::string> stack;
  for (const Term &term : terms_) {
    if (isLeaf(term.op)) {
      stack.push_back(leafText(term.op, term.value, symbols, suffix));
      continue;
    }
    const std::string rhs = std::move(stack.back());
    stack.pop_back();
    std::string &lhs = stack.back();
    const bool infix = term.op == ExprOp::add || term.op == ExprOp::mul;
    lhs = infix ? concat("(", lhs, term.op == ExprOp::add ? " + " : " * ", rhs, ")")
                : concat(schema::EnumNameExprOp(term.op), "(", lhs, ", ", rhs, ")");
  }
  return stack.front();
}

} // namespace normrt
