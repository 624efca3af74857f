//===- ScalarFloats.cpp - Arithmetic, comparisons and choices ---------------===//
#include "ScalarRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace normc;
using namespace normc::interpreter;

namespace {

/// The error of a * b from its operands', with the product of both for large ones.
double productError(Number a, Number b) {
  return scaled(a.bound, std::fabs(b.value)) + scaled(b.bound, std::fabs(a.value)) +
         scaled(a.bound, b.bound);
}

Number divide(const Context &context, const Number *in) {
  double quotient = in[0].value / in[1].value;
  // The divisor may be as small as its error lets it be.
  double least = std::max(0.0, std::fabs(in[1].value) - in[1].bound);
  double error = in[0].bound + scaled(in[1].bound, std::fabs(quotient));
  return context.rounded(quotient, error == 0 ? 0.0 : error / least);
}

/// What is left of in[0] is exact, but for the errors of the operands: it is another
/// multiple of in[1] that is taken off where the quotient may cross an integer.
Number remainder(const Context &context, const Number *in) {
  double value = std::fmod(in[0].value, in[1].value);
  if (in[0].bound == 0 && in[1].bound == 0)
    return context.rounded(value, 0, 0);
  double least = std::max(0.0, std::fabs(in[1].value) - in[1].bound);
  double quotient = std::fabs(in[0].value / in[1].value);
  double off = (in[0].bound + scaled(in[1].bound, quotient)) / least;
  bool crosses = !(std::floor(quotient - off) == std::floor(quotient + off));
  double error = in[0].bound + scaled(in[1].bound, quotient + off);
  return context.rounded(value, crosses ? error + std::fabs(in[1].value) : error, 0);
}

void addArithmetic(RuleTable &table) {
  table.add<arith::AddFOp>([](const Context &context, const Number *in) {
    return context.rounded(in[0].value + in[1].value, in[0].bound + in[1].bound);
  });
  table.add<arith::SubFOp>([](const Context &context, const Number *in) {
    return context.rounded(in[0].value - in[1].value, in[0].bound + in[1].bound);
  });
  table.add<arith::MulFOp>([](const Context &context, const Number *in) {
    return context.rounded(in[0].value * in[1].value, productError(in[0], in[1]));
  });
  table.add<math::FmaOp>([](const Context &context, const Number *in) {
    return context.rounded(std::fma(in[0].value, in[1].value, in[2].value),
                           productError(in[0], in[1]) + in[2].bound);
  });
  table.add<arith::DivFOp>(divide);
  table.add<arith::RemFOp>(remainder);
  table.add<arith::NegFOp>([](const Context &, const Number *in) {
    return Number{-in[0].value, in[0].bound};
  });
  table.add<math::AbsFOp>([](const Context &, const Number *in) {
    return Number{std::fabs(in[0].value), in[0].bound};
  });
  table.add<math::CopySignOp>([](const Context &, const Number *in) {
    return Number{std::copysign(in[0].value, in[1].value), in[0].bound};
  });
}

/// Adds a function with steps, whose error is the step where the operand may cross one.
template <typename Op> void addSteps(RuleTable &table, double (*function)(double)) {
  table.add<Op>([=](const Context &, const Number *in) {
    double low = function(in[0].value - in[0].bound);
    double high = function(in[0].value + in[0].bound);
    return Number{function(in[0].value), high > low ? high - low : 0.0};
  });
}

/// Whether two numbers compare so.
bool compare(arith::CmpFPredicate predicate, double a, double b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::OEQ:
    return a == b;
  case P::OGT:
    return a > b;
  case P::OGE:
    return a >= b;
  case P::OLT:
    return a < b;
  case P::OLE:
    return a <= b;
  case P::ONE:
    return !unordered && a != b;
  case P::ORD:
    return !unordered;
  case P::UEQ:
    return unordered || a == b;
  case P::UGT:
    return unordered || a > b;
  case P::UGE:
    return unordered || a >= b;
  case P::ULT:
    return unordered || a < b;
  case P::ULE:
    return unordered || a <= b;
  case P::UNE:
    return unordered || a != b;
  case P::UNO:
    return unordered;
  case P::AlwaysTrue:
    return true;
  }
  llvm_unreachable("all predicates are handled");
}

/// The larger or smaller number; `propagate`: NaN where either is NaN, else the other.
template <typename Op>
void addExtremum(RuleTable &table, bool largest, bool propagate) {
  table.add<Op>([=](const Context &, const Number *in) {
    auto [a, b] = std::pair(in[0], in[1]);
    if (std::isnan(a.value) || std::isnan(b.value)) {
      if (propagate)
        return Number{std::nan("")};
      return std::isnan(a.value) ? b : a;
    }
    return Number{(a.value < b.value) == largest ? b.value : a.value,
                  std::max(a.bound, b.bound)};
  });
}

/// The chosen one; how far it is from the other where the kernel may choose that.
Number select(const Context &, const Number *in) {
  bool first = in[0].integer != 0;
  Number chosen = in[first ? 1 : 2], other = in[first ? 2 : 1];
  if (in[0].bound == 0)
    return chosen;
  double apart = std::fabs(chosen.value - other.value) +
                 std::fabs(double(chosen.integer) - double(other.integer));
  if (apart > 0 || other.bound > 0)
    chosen.bound = std::max(chosen.bound, apart + other.bound);
  if (std::isnan(chosen.bound))
    chosen.bound = HUGE_VAL;
  return chosen;
}

void addChoices(RuleTable &table) {
  addExtremum<arith::MaximumFOp>(table, true, true);
  addExtremum<arith::MinimumFOp>(table, false, true);
  addExtremum<arith::MaxNumFOp>(table, true, false);
  addExtremum<arith::MinNumFOp>(table, false, false);
  table.add<arith::CmpFOp>([](const Context &context, const Number *in) {
    auto predicate = cast<arith::CmpFOp>(context.op).getPredicate();
    double errors = in[0].bound + in[1].bound;
    bool unsure = errors > 0 && std::fabs(in[0].value - in[1].value) <= errors;
    return Number{0, unsure ? 1.0 : 0.0,
                  -int64_t(compare(predicate, in[0].value, in[1].value))};
  });
  table.add<arith::SelectOp>(select);
}

/// Adds a question about one number.
template <typename Op> void addTest(RuleTable &table, bool (*holds)(double)) {
  table.add<Op>([=](const Context &, const Number *in) {
    return Number{0, 0, -int64_t(holds(in[0].value))};
  });
}

} // namespace

void interpreter::addFloatRules(RuleTable &table) {
  addArithmetic(table);
  addChoices(table);
  addSteps<math::FloorOp>(table, std::floor);
  addSteps<math::CeilOp>(table, std::ceil);
  addSteps<math::TruncOp>(table, std::trunc);
  addSteps<math::RoundOp>(table, std::round);
  addSteps<math::RoundEvenOp>(table, std::nearbyint);
  addTest<math::IsFiniteOp>(table, [](double x) { return std::isfinite(x); });
  addTest<math::IsNaNOp>(table, [](double x) { return std::isnan(x); });
}
