//===- ScalarOps.cpp - Regions of arith and math ops on arrays --------------===//
#include "ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace normc;
using namespace normc::interpreter;

namespace {

/// A value and the bound of its error.
struct Number {
  double value, bound;
};

/// Evaluates ops on arrays and remembers the results.
class Evaluator {
public:
  explicit Evaluator(const Model &model) : model(model) {}

  void bind(Value value, const Array *array) { arrays[value] = array; }
  const Array &get(Value value) const { return *arrays.at(value); }
  LogicalResult run(Operation *op);

private:
  /// Whether the op is of the group, and was evaluated.
  bool runArithmetic(Operation *op);
  bool runFunction(Operation *op);
  bool runChoice(Operation *op);
  bool runConversion(Operation *op);

  void set(Value value, Array &&array) {
    owned.push_back(std::make_unique<Array>(std::move(array)));
    arrays[value] = owned.back().get();
  }

  /// Applies a function of Numbers to the op's operands, element by element.
  template <typename Function> void apply(Operation *op, Function function);
  /// A function of one operand with its derivative and its own roundings.
  template <typename F, typename D>
  void applyUnary(Operation *op, F function, D derivative, double roundings = 1);

  static Number element(const Array &array, size_t i) {
    size_t index = array.size() == 1 ? 0 : i;
    return {array.values[index], array.bounds[index]};
  }
  /// The bound of a result with its own rounding; none where it is not finite, since
  /// infinities and NaN are compared as they are.
  Number rounded(double value, double error, double roundings = 1) const {
    if (!std::isfinite(value))
      return {value, 0.0};
    double bound = error + roundings * model.u * std::fabs(value);
    // A result below the normal numbers may also be flushed to zero.
    if (roundings > 0 && value != 0 && std::fabs(value) < model.smallestNormal)
      bound += model.smallestNormal;
    return {value, std::isnan(bound) ? HUGE_VAL : bound};
  }

  const Model &model;
  llvm::DenseMap<Value, const Array *> arrays;
  std::vector<std::unique_ptr<Array>> owned;
};

template <typename Function> void Evaluator::apply(Operation *op, Function function) {
  constexpr size_t kArity = 3;
  const Array *operands[kArity] = {};
  size_t count = op->getNumOperands(), length = 1;
  for (size_t k = 0; k < count; ++k) {
    operands[k] = &get(op->getOperand(k));
    length = std::max(length, operands[k]->size());
  }
  Array result(length);
  for (size_t i = 0; i < length; ++i) {
    Number in[kArity] = {};
    for (size_t k = 0; k < count; ++k)
      in[k] = element(*operands[k], i);
    Number out = function(in);
    result.values[i] = out.value;
    result.bounds[i] = out.bound;
  }
  set(op->getResult(0), std::move(result));
}

template <typename F, typename D>
void Evaluator::applyUnary(Operation *op, F function, D derivative, double roundings) {
  apply(op, [&](const Number *in) {
    double value = function(in[0].value);
    double slope = in[0].bound == 0 ? 0.0 : std::fabs(derivative(in[0].value, value));
    return rounded(value, scaled(in[0].bound, slope), roundings);
  });
}

/// The error of a * b from its operands', with the product of both for large ones.
double productError(Number a, Number b) {
  return scaled(a.bound, std::fabs(b.value)) + scaled(b.bound, std::fabs(a.value)) +
         scaled(a.bound, b.bound);
}

bool Evaluator::runArithmetic(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](arith::AddFOp) {
        apply(op, [&](const Number *in) {
          return rounded(in[0].value + in[1].value, in[0].bound + in[1].bound);
        });
        return true;
      })
      .Case([&](arith::SubFOp) {
        apply(op, [&](const Number *in) {
          return rounded(in[0].value - in[1].value, in[0].bound + in[1].bound);
        });
        return true;
      })
      .Case([&](arith::MulFOp) {
        apply(op, [&](const Number *in) {
          return rounded(in[0].value * in[1].value, productError(in[0], in[1]));
        });
        return true;
      })
      .Case([&](arith::DivFOp) {
        apply(op, [&](const Number *in) {
          double quotient = in[0].value / in[1].value;
          // The divisor may be as small as its error lets it be.
          double least = std::max(0.0, std::fabs(in[1].value) - in[1].bound);
          double error = in[0].bound + scaled(in[1].bound, std::fabs(quotient));
          return rounded(quotient, error == 0 ? 0.0 : error / least);
        });
        return true;
      })
      .Case([&](math::FmaOp) {
        apply(op, [&](const Number *in) {
          return rounded(std::fma(in[0].value, in[1].value, in[2].value),
                         productError(in[0], in[1]) + in[2].bound);
        });
        return true;
      })
      .Case([&](arith::NegFOp) {
        apply(op, [](const Number *in) { return Number{-in[0].value, in[0].bound}; });
        return true;
      })
      .Case([&](math::AbsFOp) {
        apply(op, [](const Number *in) {
          return Number{std::fabs(in[0].value), in[0].bound};
        });
        return true;
      })
      .Case([&](math::CopySignOp) {
        apply(op, [](const Number *in) {
          return Number{std::copysign(in[0].value, in[1].value), in[0].bound};
        });
        return true;
      })
      .Default([](Operation *) { return false; });
}

bool Evaluator::runFunction(Operation *op) {
  const double root = 1, function = model.functionError / model.u;
  auto ratio = [](double x, double f) { return f / (2 * x); };
  auto asIs = [](double, double f) { return f; };
  if (isa<math::SqrtOp>(op)) {
    auto slope = [](double, double f) { return 0.5 / f; };
    applyUnary(op, [](double x) { return std::sqrt(x); }, slope, root);
  } else if (isa<math::RsqrtOp>(op)) {
    applyUnary(op, [](double x) { return 1 / std::sqrt(x); }, ratio, function);
  } else if (isa<math::ExpOp>(op)) {
    applyUnary(op, [](double x) { return std::exp(x); }, asIs, function);
  } else if (isa<math::Exp2Op>(op)) {
    auto slope = [](double, double f) { return f * std::numbers::ln2; };
    applyUnary(op, [](double x) { return std::exp2(x); }, slope, function);
  } else if (isa<math::ExpM1Op>(op)) {
    auto slope = [](double, double f) { return f + 1; };
    applyUnary(op, [](double x) { return std::expm1(x); }, slope, function);
  } else if (isa<math::LogOp>(op)) {
    auto slope = [](double x, double) { return 1 / x; };
    applyUnary(op, [](double x) { return std::log(x); }, slope, function);
  } else if (isa<math::Log2Op>(op)) {
    auto slope = [](double x, double) { return std::numbers::log2e / x; };
    applyUnary(op, [](double x) { return std::log2(x); }, slope, function);
  } else if (isa<math::Log1pOp>(op)) {
    auto slope = [](double x, double) { return 1 / (1 + x); };
    applyUnary(op, [](double x) { return std::log1p(x); }, slope, function);
  } else if (auto tanhOp = dyn_cast<math::TanhOp>(op)) {
    bool hardware =
        arith::bitEnumContainsAll(tanhOp.getFastmath(), arith::FastMathFlags::afn);
    auto slope = [](double, double f) { return 1 - f * f; };
    applyUnary(
        op, [](double x) { return std::tanh(x); }, slope,
        hardware ? std::max(function, model.options.hardwareTanhError / model.u)
                 : function);
  } else if (isa<math::ErfOp>(op)) {
    auto slope = [](double x, double) {
      return 2 * std::numbers::inv_sqrtpi * std::exp(-x * x);
    };
    applyUnary(op, [](double x) { return std::erf(x); }, slope, function);
  } else if (isa<math::SinOp>(op)) {
    auto slope = [](double x, double) { return std::cos(x); };
    applyUnary(op, [](double x) { return std::sin(x); }, slope, function);
  } else if (isa<math::CosOp>(op)) {
    auto slope = [](double x, double) { return std::sin(x); };
    applyUnary(op, [](double x) { return std::cos(x); }, slope, function);
  } else if (isa<math::PowFOp>(op)) {
    apply(op, [&](const Number *in) {
      double value = std::pow(in[0].value, in[1].value);
      double error = scaled(in[0].bound, std::fabs(in[1].value * value / in[0].value)) +
                     scaled(in[1].bound, std::fabs(value * std::log(in[0].value)));
      return rounded(value, error, function);
    });
  } else {
    return false;
  }
  return true;
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
Number extremum(Number a, Number b, bool largest, bool propagate) {
  double bound = std::max(a.bound, b.bound);
  if (std::isnan(a.value) || std::isnan(b.value)) {
    if (propagate)
      return {std::nan(""), 0.0};
    return std::isnan(a.value) ? b : a;
  }
  return {(a.value < b.value) == largest ? b.value : a.value, bound};
}

bool Evaluator::runChoice(Operation *op) {
  auto choose = [&](bool largest, bool propagate) {
    apply(op,
          [=](const Number *in) { return extremum(in[0], in[1], largest, propagate); });
    return true;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](arith::MaximumFOp) { return choose(true, true); })
      .Case([&](arith::MinimumFOp) { return choose(false, true); })
      .Case([&](arith::MaxNumFOp) { return choose(true, false); })
      .Case([&](arith::MinNumFOp) { return choose(false, false); })
      .Case([&](arith::CmpFOp compareOp) {
        arith::CmpFPredicate predicate = compareOp.getPredicate();
        apply(op, [=](const Number *in) {
          bool holds = compare(predicate, in[0].value, in[1].value);
          return Number{holds ? 1.0 : 0.0, 0.0};
        });
        return true;
      })
      .Case([&](arith::SelectOp) {
        apply(op, [](const Number *in) { return in[0].value != 0 ? in[1] : in[2]; });
        return true;
      })
      .Case<arith::AndIOp, arith::OrIOp, arith::XOrIOp>([&](auto logic) {
        if (!logic.getType().isInteger(1))
          return false;
        apply(op, [](const Number *in) {
          bool a = in[0].value != 0, b = in[1].value != 0;
          bool result = std::is_same_v<decltype(logic), arith::AndIOp>  ? a && b
                        : std::is_same_v<decltype(logic), arith::OrIOp> ? a || b
                                                                        : a != b;
          return Number{result ? 1.0 : 0.0, 0.0};
        });
        return true;
      })
      .Default([](Operation *) { return false; });
}

bool Evaluator::runConversion(Operation *op) {
  // A function with steps, whose error is the step where the argument may cross one.
  auto steps = [&](auto function) {
    apply(op, [=](const Number *in) {
      double low = function(in[0].value - in[0].bound);
      double high = function(in[0].value + in[0].bound);
      return Number{function(in[0].value), high > low ? high - low : 0.0};
    });
    return true;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](arith::ConstantOp constant) {
        Array result(1);
        if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
          result.values[0] = number.getValueAsDouble();
        else if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
          result.values[0] = integer.getType().isInteger(1)
                                 ? double(integer.getValue().getBoolValue())
                                 : double(integer.getValue().getSExtValue());
        else
          return false;
        set(constant.getResult(), std::move(result));
        return true;
      })
      .Case([&](arith::ExtFOp) {
        apply(op, [](const Number *in) { return in[0]; });
        return true;
      })
      .Case([&](arith::TruncFOp truncate) {
        set(truncate.getResult(),
            roundArray(get(truncate.getIn()), truncate.getType(), model));
        return true;
      })
      .Case(
          [&](math::FloorOp) { return steps([](double x) { return std::floor(x); }); })
      .Case([&](math::CeilOp) { return steps([](double x) { return std::ceil(x); }); })
      .Case(
          [&](math::TruncOp) { return steps([](double x) { return std::trunc(x); }); })
      .Case(
          [&](math::RoundOp) { return steps([](double x) { return std::round(x); }); })
      .Case([&](math::RoundEvenOp) {
        return steps([](double x) { return std::nearbyint(x); });
      })
      .Default([](Operation *) { return false; });
}

LogicalResult Evaluator::run(Operation *op) {
  if (runArithmetic(op) || runFunction(op) || runChoice(op) || runConversion(op))
    return success();
  return op->emitOpError("expected an op that the interpreter knows (arith on floating "
                         "point, comparisons, select, math functions), because it "
                         "computes in float64");
}

} // namespace

FailureOr<std::vector<Array>> interpreter::evaluate(Block &block,
                                                    ArrayRef<const Array *> arguments,
                                                    size_t size, const Model &model) {
  Evaluator evaluator(model);
  for (auto [argument, array] : llvm::zip(block.getArguments(), arguments))
    evaluator.bind(argument, array);
  for (Operation &op : block.without_terminator())
    if (failed(evaluator.run(&op)))
      return failure();
  std::vector<Array> results;
  for (Value yielded : block.getTerminator()->getOperands()) {
    const Array &array = evaluator.get(yielded);
    Array result(size);
    for (size_t i = 0; i < size; ++i) {
      size_t index = array.size() == 1 ? 0 : i;
      result.values[i] = array.values[index];
      result.bounds[i] = array.bounds[index];
    }
    results.push_back(std::move(result));
  }
  return results;
}
