//===- ExpressionsTest.cpp - Affine maps against postfix expressions --------===//
#include "lib/Package/Expressions.h"

#include "test/unit/package/Modules.h"

#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace normc;
using normrt::schema::ExprOp;
using normrt::schema::ExprT;

namespace {

int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}

int64_t apply(ExprOp op, int64_t a, int64_t b) {
  switch (op) {
  case ExprOp::add:
    return a + b;
  case ExprOp::mul:
    return a * b;
  case ExprOp::floordiv:
    return floorDiv(a, b);
  case ExprOp::ceildiv:
    return -floorDiv(-a, b);
  case ExprOp::mod:
    return a - b * floorDiv(a, b);
  case ExprOp::min:
    return std::min(a, b);
  default:
    ADD_FAILURE() << "unexpected operation";
    return 0;
  }
}

/// `values`: the entry's symbols, then compute_units, resident, resident_clusters.
int64_t evaluate(const ExprT &expr, ArrayRef<int64_t> values, unsigned numSymbols) {
  SmallVector<int64_t> stack;
  for (const auto &term : expr.terms) {
    switch (term.op()) {
    case ExprOp::constant:
      stack.push_back(term.value());
      break;
    case ExprOp::symbol:
      stack.push_back(values[term.value()]);
      break;
    case ExprOp::compute_units:
    case ExprOp::resident:
    case ExprOp::resident_clusters:
      stack.push_back(values[numSymbols + int(term.op()) - int(ExprOp::compute_units)]);
      break;
    default: {
      int64_t b = stack.pop_back_val(), a = stack.pop_back_val();
      stack.push_back(apply(term.op(), a, b));
    }
    }
  }
  EXPECT_EQ(stack.size(), 1u);
  return stack.back();
}

/// A random expression over non-negative values as the plan builds them, made as an
/// affine expression, which simplifies itself, and as a number, which does not.
class RandomExpr {
public:
  RandomExpr(MLIRContext *context, uint32_t seed, ArrayRef<int64_t> values)
      : context(context), random(seed), values(values) {}

  std::pair<AffineExpr, int64_t> make(int depth) {
    if (depth == 0 || pick(4) == 0)
      return leaf();
    auto [a, x] = make(depth - 1);
    switch (pick(5)) {
    case 0: {
      auto [b, y] = make(depth - 1);
      return {a + b, x + y};
    }
    case 1: {
      auto [b, y] = leaf();
      return {a * b, x * y};
    }
    case 2: {
      auto [b, y] = divisor();
      return {a.floorDiv(b), floorDiv(x, y)};
    }
    case 3: {
      auto [b, y] = divisor();
      return {a.ceilDiv(b), -floorDiv(-x, y)};
    }
    default: {
      auto [b, y] = divisor();
      return {a % b, x - y * floorDiv(x, y)};
    }
    }
  }

private:
  int pick(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); }
  std::pair<AffineExpr, int64_t> constant(int64_t value) {
    return {getAffineConstantExpr(value, context), value};
  }
  std::pair<AffineExpr, int64_t> symbol() {
    int i = pick(values.size());
    return {getAffineSymbolExpr(i, context), values[i]};
  }
  std::pair<AffineExpr, int64_t> leaf() {
    return pick(2) ? symbol() : constant(pick(40));
  }
  std::pair<AffineExpr, int64_t> divisor() {
    constexpr int64_t kDivisors[] = {1, 2, 3, 4, 8, 16, 32, 64, 100};
    auto result = pick(4) == 0 ? symbol() : constant(kDivisors[pick(9)]);
    return result.second > 0 ? result : constant(7);
  }

  MLIRContext *context;
  std::mt19937 random;
  ArrayRef<int64_t> values;
};

std::string text(AffineExpr expr) {
  std::string result;
  llvm::raw_string_ostream(result) << expr;
  return result;
}

TEST(Expressions, AgreeWithArithmeticOnRandomSymbols) {
  test::PlanContext plan;
  std::mt19937 random(20240611);
  for (uint32_t seed = 0; seed < 20000; ++seed) {
    int64_t values[5];
    for (int64_t &value : values)
      value = std::uniform_int_distribution<int64_t>(0, seed % 2 ? 5 : 70000)(random);
    auto [expr, expected] = RandomExpr(&plan.context, seed, values).make(4);
    ASSERT_EQ(evaluate(*package::makeExpr(expr, 2), values, 2), expected)
        << "seed " << seed << ": " << text(expr);
  }
}

TEST(Expressions, TakeTheLeastOfTheResults) {
  test::PlanContext plan;
  AffineExpr s0 = getAffineSymbolExpr(0, &plan.context),
             units = getAffineSymbolExpr(1, &plan.context),
             resident = getAffineSymbolExpr(2, &plan.context);
  AffineMap map =
      AffineMap::get(0, 4, {s0.ceilDiv(8), units * resident, s0}, &plan.context);
  auto expr = package::makeExpr(map, 1);
  EXPECT_EQ(evaluate(*expr, {800, 3, 4, 0}, 1), 12);
  EXPECT_EQ(evaluate(*expr, {80, 3, 4, 0}, 1), 10);
  EXPECT_EQ(evaluate(*expr, {0, 3, 4, 0}, 1), 0);
}

std::string printed(AffineExpr expr) {
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(normrt::schema::Expr::Pack(builder, package::makeExpr(expr, 2).get()));
  return package::exprText(
      *flatbuffers::GetRoot<normrt::schema::Expr>(builder.GetBufferPointer()));
}

TEST(Expressions, PrintAsPeopleWriteThem) {
  test::PlanContext plan;
  auto s = [&](unsigned i) { return getAffineSymbolExpr(i, &plan.context); };
  EXPECT_EQ(printed(s(0)), "s0");
  EXPECT_EQ(printed((s(0) + s(1)) * 4), "(s0 + s1) * 4");
  EXPECT_EQ(printed(s(0) * s(1) + 4), "s0 * s1 + 4");
  EXPECT_EQ(printed(s(0).ceilDiv(64) * 512), "ceildiv(s0, 64) * 512");
  EXPECT_EQ(printed(s(0) - s(1)), "s0 - s1");
  EXPECT_EQ(printed(s(0) * s(1) - 3), "s0 * s1 - 3");
  EXPECT_EQ(printed(-(s(0) % 8)), "-mod(s0, 8)");
  EXPECT_EQ(printed(s(0).floorDiv(s(2))), "floordiv(s0, compute_units)");
  EXPECT_EQ(printed(s(3) * s(4)), "resident * resident_clusters");
}

} // namespace
