//===- ScalarFunctions.cpp - Functions of the math dialect ------------------===//
#include "ScalarRules.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <numbers>

using namespace mlir;
using namespace normc;
using namespace normc::interpreter;

namespace {

/// A function of one number with its derivative, of x and f(x).
struct Function {
  double (*value)(double);
  double (*slope)(double x, double f);
};

/// `roundings`: of the function itself, beside what it makes of its operand's error.
Number apply(const Context &context, const Function &function, Number x,
             double roundings) {
  double value = function.value(x.value);
  double slope = x.bound == 0 ? 0.0 : std::fabs(function.slope(x.value, value));
  return context.rounded(value, scaled(x.bound, slope), roundings);
}

double ofLibrary(const Context &context) {
  return context.precision.functionError / context.precision.u;
}

template <typename Op> void add(RuleTable &table, Function function) {
  table.add<Op>([=](const Context &context, const Number *in) {
    return apply(context, function, in[0], ofLibrary(context));
  });
}

double erfSlope(double x, double) {
  return 2 * std::numbers::inv_sqrtpi * std::exp(-x * x);
}

void addTrigonometric(RuleTable &table) {
  auto ofArc = [](double x, double) { return 1 / std::sqrt(1 - x * x); };
  add<math::SinOp>(table, {std::sin, [](double x, double) { return std::cos(x); }});
  add<math::CosOp>(table, {std::cos, [](double x, double) { return std::sin(x); }});
  add<math::TanOp>(table, {std::tan, [](double, double f) { return 1 + f * f; }});
  add<math::AsinOp>(table, {std::asin, ofArc});
  add<math::AcosOp>(table, {std::acos, ofArc});
  add<math::AtanOp>(table,
                    {std::atan, [](double x, double) { return 1 / (1 + x * x); }});
  table.add<math::Atan2Op>([](const Context &context, const Number *in) {
    auto [y, x] = std::pair(in[0], in[1]);
    double square = x.value * x.value + y.value * y.value;
    double error =
        scaled(y.bound, std::fabs(x.value)) + scaled(x.bound, std::fabs(y.value));
    error = error == 0 ? 0.0 : error / square;
    // Left of zero the angle jumps where y changes its sign.
    if (y.bound > 0 && std::fabs(y.value) <= y.bound && x.value - x.bound < 0)
      error += 2 * std::numbers::pi;
    return context.rounded(std::atan2(y.value, x.value), error, ofLibrary(context));
  });
}

void addHyperbolic(RuleTable &table) {
  constexpr Function tanh{std::tanh, [](double, double f) { return 1 - f * f; }};
  add<math::SinhOp>(table, {std::sinh, [](double x, double) { return std::cosh(x); }});
  add<math::CoshOp>(table, {std::cosh, [](double x, double) { return std::sinh(x); }});
  add<math::AsinhOp>(
      table, {std::asinh, [](double x, double) { return 1 / std::sqrt(x * x + 1); }});
  add<math::AcoshOp>(
      table, {std::acosh, [](double x, double) { return 1 / std::sqrt(x * x - 1); }});
  add<math::AtanhOp>(table,
                     {std::atanh, [](double x, double) { return 1 / (1 - x * x); }});
  table.add<math::TanhOp>([tanh](const Context &context, const Number *in) {
    bool hardware = arith::bitEnumContainsAll(
        cast<math::TanhOp>(context.op).getFastmath(), arith::FastMathFlags::afn);
    double roundings = ofLibrary(context);
    if (hardware)
      roundings =
          std::max(roundings, context.options.hardwareTanhError / context.precision.u);
    return apply(context, tanh, in[0], roundings);
  });
}

void addExponential(RuleTable &table) {
  using std::numbers::ln10, std::numbers::ln2;
  add<math::ExpOp>(table, {std::exp, [](double, double f) { return f; }});
  add<math::Exp2Op>(table, {std::exp2, [](double, double f) { return f * ln2; }});
  add<math::ExpM1Op>(table, {std::expm1, [](double, double f) { return f + 1; }});
  add<math::LogOp>(table, {std::log, [](double x, double) { return 1 / x; }});
  add<math::Log2Op>(table, {std::log2, [](double x, double) { return 1 / (x * ln2); }});
  add<math::Log10Op>(table,
                     {std::log10, [](double x, double) { return 1 / (x * ln10); }});
  add<math::Log1pOp>(table, {std::log1p, [](double x, double) { return 1 / (1 + x); }});
  table.add<math::PowFOp>([](const Context &context, const Number *in) {
    auto [x, y] = std::pair(in[0], in[1]);
    double value = std::pow(x.value, y.value);
    double error = scaled(x.bound, std::fabs(y.value * value / x.value)) +
                   scaled(y.bound, std::fabs(value * std::log(x.value)));
    return context.rounded(value, error, ofLibrary(context));
  });
}

} // namespace

void interpreter::addFunctionRules(RuleTable &table) {
  addTrigonometric(table);
  addHyperbolic(table);
  addExponential(table);
  add<math::ErfOp>(table, {std::erf, erfSlope});
  add<math::ErfcOp>(table, {std::erfc, erfSlope});
  add<math::CbrtOp>(table, {std::cbrt, [](double x, double f) { return f / (3 * x); }});
  add<math::RsqrtOp>(table, {[](double x) { return 1 / std::sqrt(x); },
                             [](double x, double f) { return f / (2 * x); }});
  table.add<math::SqrtOp>([](const Context &context, const Number *in) {
    constexpr Function root{std::sqrt, [](double, double f) { return 0.5 / f; }};
    return apply(context, root, in[0], /*roundings=*/1);
  });
}
