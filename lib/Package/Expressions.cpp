//===- Expressions.cpp - Affine maps to postfix expressions and back --------===//
#include "lib/Package/Expressions.h"

using namespace mlir;
using namespace normc;
using normrt::schema::ExprOp;
using normrt::schema::ExprT;
using normrt::schema::ExprTerm;

namespace {
/// Appends the terms of expressions.
struct TermWriter {
  std::vector<ExprTerm> &terms;
  unsigned num_symbols;

  void append(AffineExpr expr) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return push(ExprOp::constant, constant.getValue());
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      return appendSymbol(symbol.getPosition());
    auto binary = cast<AffineBinaryOpExpr>(expr);
    append(binary.getLHS());
    append(binary.getRHS());
    push(opOf(expr.getKind()));
  }

  void push(ExprOp op, int64_t value = 0) { terms.push_back(ExprTerm(op, value)); }

private:
  void appendSymbol(unsigned position) {
    if (position < num_symbols)
      return push(ExprOp::symbol, position);
    constexpr ExprOp kDevice[] = {ExprOp::compute_units, ExprOp::resident,
                                  ExprOp::resident_clusters};
    push(kDevice[position - num_symbols]);
  }

  static ExprOp opOf(AffineExprKind kind) {
    switch (kind) {
    case AffineExprKind::Add:
      return ExprOp::add;
    case AffineExprKind::Mul:
      return ExprOp::mul;
    case AffineExprKind::FloorDiv:
      return ExprOp::floordiv;
    case AffineExprKind::CeilDiv:
      return ExprOp::ceildiv;
    case AffineExprKind::Mod:
      return ExprOp::mod;
    default:
      llvm_unreachable("constants and symbols are handled, maps have no dimensions");
    }
  }
};
} // namespace

std::unique_ptr<ExprT> package::makeExpr(AffineMap map, unsigned numSymbols) {
  auto expr = std::make_unique<ExprT>();
  TermWriter writer{expr->terms, numSymbols};
  for (auto [i, result] : llvm::enumerate(map.getResults())) {
    writer.append(result);
    if (i > 0)
      writer.push(ExprOp::min);
  }
  return expr;
}

std::unique_ptr<ExprT> package::makeExpr(AffineExpr expr, unsigned numSymbols) {
  auto result = std::make_unique<ExprT>();
  TermWriter{result->terms, numSymbols}.append(expr);
  return result;
}

std::unique_ptr<ExprT> package::makeExpr(int64_t value) {
  auto expr = std::make_unique<ExprT>();
  expr->terms.push_back(ExprTerm(ExprOp::constant, value));
  return expr;
}

namespace {
/// Text, and how tight it binds: 0 a sum, 1 a product, 2 anything else.
struct Infix {
  std::string text;
  int precedence;

  std::string in(int outer) const {
    return precedence < outer ? "(" + text + ")" : text;
  }
};
} // namespace

static Infix combine(ExprOp op, const Infix &lhs, const Infix &rhs) {
  auto call = [&](StringRef name) {
    return Infix{(name + "(" + lhs.text + ", " + rhs.text + ")").str(), 2};
  };
  switch (op) {
  case ExprOp::add:
    if (rhs.precedence > 0 && StringRef(rhs.text).starts_with("-"))
      return {lhs.in(0) + " - " + rhs.text.substr(1), 0};
    return {lhs.in(0) + " + " + rhs.in(0), 0};
  case ExprOp::mul:
    if (rhs.text == "-1")
      return {"-" + lhs.in(2), 1};
    return {lhs.in(1) + " * " + rhs.in(1), 1};
  case ExprOp::floordiv:
    return call("floordiv");
  case ExprOp::ceildiv:
    return call("ceildiv");
  case ExprOp::mod:
    return call("mod");
  case ExprOp::min:
    return call("min");
  default:
    return call("max");
  }
}

std::string package::exprText(const normrt::schema::Expr &expr) {
  SmallVector<Infix> stack;
  for (const ExprTerm *term : *expr.terms()) {
    switch (term->op()) {
    case ExprOp::constant:
      stack.push_back({std::to_string(term->value()), 2});
      break;
    case ExprOp::symbol:
      stack.push_back({"s" + std::to_string(term->value()), 2});
      break;
    case ExprOp::compute_units:
    case ExprOp::resident:
    case ExprOp::resident_clusters:
      stack.push_back({normrt::schema::EnumNameExprOp(term->op()), 2});
      break;
    default:
      Infix rhs = stack.pop_back_val(), lhs = stack.pop_back_val();
      stack.push_back(combine(term->op(), lhs, rhs));
    }
  }
  return stack.back().text;
}
