//===- ScalarConversions.cpp - From one type to another ---------------------===//
#include "ScalarRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace normc;
using namespace normc::interpreter;

namespace {

/// An integer as a number of the result's type.
Number fromInteger(const Context &context, double value, double bound) {
  reference::Type type = referenceType(context.op->getResult(0).getType());
  bool exact = reference::roundTo(type, value) == value;
  return context.rounded(value, bound, exact ? 0 : 1);
}

/// Toward zero; undefined outside of [least, past).
Number toInteger(Number in, double least, double past) {
  double low = std::trunc(in.value - in.bound), high = std::trunc(in.value + in.bound);
  if (!(low >= least && high < past))
    return {0, HUGE_VAL};
  double value = std::trunc(in.value);
  return {0, high - low, value < 0x1p63 ? int64_t(value) : int64_t(uint64_t(value))};
}

Number bitsOf(Number in, Type from) {
  reference::Type type = referenceType(from);
  unsigned width = from.getIntOrFloatBitWidth();
  auto bits = [&](double value) {
    return wrapped(reference::encode(type, value), width);
  };
  Number result{0, 0, bits(in.value)};
  double low = in.value - in.bound, high = in.value + in.bound;
  // Of a NaN's bits, and those of numbers of either sign, too little is the same.
  if (std::isnan(in.value) || (in.bound > 0 && !(low > 0 || high < 0)))
    result.bound = HUGE_VAL;
  else
    result.bound = std::max(std::fabs(double(bits(low)) - double(result.integer)),
                            std::fabs(double(bits(high)) - double(result.integer)));
  return result;
}

Number numberOf(Number in, Type to) {
  reference::Type type = referenceType(to);
  unsigned width = to.getIntOrFloatBitWidth();
  auto number = [&](uint64_t bits) {
    return reference::decode(type,
                             width == 64 ? bits : bits & ((uint64_t(1) << width) - 1));
  };
  Number result{number(in.integer)};
  if (in.bound == 0)
    return result;
  auto step = int64_t(std::min(in.bound, 0x1p62));
  double low = number(uint64_t(in.integer) - step);
  double high = number(uint64_t(in.integer) + step);
  result.bound =
      std::max(std::fabs(low - result.value), std::fabs(high - result.value));
  // The number is monotone in its bits as long as the sign stays.
  if (std::signbit(low) != std::signbit(high) || !std::isfinite(result.bound) ||
      in.bound > 0x1p62)
    result.bound = HUGE_VAL;
  return result;
}

} // namespace

void interpreter::addConversionRules(RuleTable &table) {
  table.add<arith::ExtFOp>([](const Context &, const Number *in) { return in[0]; });
  table.add<arith::TruncFOp>([](const Context &context, const Number *in) {
    auto [value, bound] =
        roundBounded(in[0].value, in[0].bound, context.op->getResult(0).getType());
    return Number{value, bound};
  });
  table.add<arith::SIToFPOp>([](const Context &context, const Number *in) {
    return fromInteger(context, double(in[0].integer), in[0].bound);
  });
  table.add<arith::UIToFPOp>([](const Context &context, const Number *in) {
    unsigned width = widthOf(context.op->getOperand(0));
    double value = double(in[0].integer);
    if (in[0].integer < 0)
      value = width == 64 ? double(uint64_t(in[0].integer)) : value + std::exp2(width);
    // What may be of another sign is far away as an unsigned number.
    bool sure = in[0].bound < std::fabs(double(in[0].integer)) || in[0].bound == 0;
    return fromInteger(context, value, sure ? in[0].bound : std::exp2(width));
  });
  table.add<arith::FPToSIOp>([](const Context &context, const Number *in) {
    double limit = std::exp2(widthOf(context.op->getResult(0)) - 1);
    return toInteger(in[0], -limit, limit);
  });
  table.add<arith::FPToUIOp>([](const Context &context, const Number *in) {
    unsigned width = widthOf(context.op->getResult(0));
    Number result = toInteger(in[0], 0, std::exp2(width));
    result.integer = wrapped(result.integer, width);
    return result;
  });
  table.add<arith::BitcastOp>([](const Context &context, const Number *in) {
    Type from = context.op->getOperand(0).getType();
    Type to = context.op->getResult(0).getType();
    if (isa<FloatType>(from) == isa<FloatType>(to))
      return in[0];
    return isa<FloatType>(from) ? bitsOf(in[0], from) : numberOf(in[0], to);
  });
}
