//===- ScalarIntegers.cpp - Integer arithmetic ------------------------------===//
//
// Integers come of floating-point numbers, by a conversion or as their bits, and are as
// uncertain as those. Where an operand may only be one more or less than it is, each
// combination is tried; where it may be further off, the ends of its range are for a
// function that is monotone in each operand, and of others nothing can be said.
//
//===----------------------------------------------------------------------===//
#include "ScalarRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <optional>

using namespace mlir;
using namespace normc;
using namespace normc::interpreter;

namespace {

/// Of one or two integers; nothing where the op's result is undefined.
using Function =
    std::function<std::optional<int64_t>(const Context &, int64_t a, int64_t b)>;

/// The least, the actual and the largest value of an operand.
SmallVector<int64_t, 3> around(Number number, unsigned width) {
  if (number.bound == 0)
    return {number.integer};
  if (width == 1)
    return {number.integer, -1 - number.integer};
  auto step = int64_t(number.bound);
  return {wrapped(uint64_t(number.integer) - step, width), number.integer,
          wrapped(uint64_t(number.integer) + step, width)};
}

Number evaluate(const Context &context, const Function &function, bool monotone,
                const Number *in) {
  constexpr double kFurthest = 0x1p62;
  std::optional<int64_t> value = function(context, in[0].integer, in[1].integer);
  Number result{0, 0, value.value_or(0)};
  double widest = std::max(in[0].bound, in[1].bound);
  if (!value || widest > (monotone ? kFurthest : 1.0)) {
    result.bound = HUGE_VAL;
    return result;
  }
  unsigned width = widthOf(context.op->getOperand(0));
  for (int64_t a : around(in[0], width))
    for (int64_t b : around(in[1], width)) {
      std::optional<int64_t> other = function(context, a, b);
      double apart = other ? std::fabs(double(*other) - double(*value)) : HUGE_VAL;
      result.bound = std::max(result.bound, apart);
    }
  return result;
}

/// Adds an op of one result of its operands' width.
template <typename Op>
void add(RuleTable &table, int64_t (*function)(int64_t, int64_t),
         bool monotone = false) {
  table.add<Op>([=](const Context &context, const Number *in) {
    auto wrapping = [=](const Context &context, int64_t a, int64_t b) {
      return std::optional(wrapped(function(a, b), widthOf(context.op->getResult(0))));
    };
    return evaluate(context, wrapping, monotone, in);
  });
}

/// The bits without the sign's extension.
uint64_t unsignedOf(int64_t value, unsigned width) {
  return width == 64 ? value : uint64_t(value) & ((uint64_t(1) << width) - 1);
}

uint64_t unsignedOperand(const Context &context, int64_t value) {
  return unsignedOf(value, widthOf(context.op->getOperand(0)));
}

/// Adds a shift of `bits` by an amount, which is undefined from the width on.
template <typename Op>
void addShift(RuleTable &table,
              uint64_t (*shift)(int64_t value, uint64_t bits, uint64_t by)) {
  table.add<Op>([=](const Context &context, const Number *in) {
    auto function = [=](const Context &context, int64_t a,
                        int64_t b) -> std::optional<int64_t> {
      unsigned width = widthOf(context.op->getResult(0));
      uint64_t by = unsignedOf(b, width);
      if (by >= width)
        return std::nullopt;
      return wrapped(shift(a, unsignedOf(a, width), by), width);
    };
    return evaluate(context, function, /*monotone=*/false, in);
  });
}

/// Adds the larger or smaller one by their bits.
template <typename Op> void addUnsignedExtremum(RuleTable &table, bool largest) {
  table.add<Op>([=](const Context &context, const Number *in) {
    auto function = [=](const Context &context, int64_t a, int64_t b) {
      bool less = unsignedOperand(context, a) < unsignedOperand(context, b);
      return std::optional(less == largest ? b : a);
    };
    return evaluate(context, function, /*monotone=*/false, in);
  });
}

/// Adds a product of twice the width: its low half, then its high one.
template <typename Op> void addProduct(RuleTable &table, bool isSigned) {
  table.addForResults<Op>([=](const Context &context, const Number *in, Number *out) {
    for (bool high : {false, true}) {
      auto half = [=](const Context &context, int64_t a, int64_t b) {
        unsigned width = widthOf(context.op->getResult(0));
        __int128 product = isSigned ? __int128(a) * b
                                    : __int128((unsigned __int128)unsignedOf(a, width) *
                                               unsignedOf(b, width));
        return std::optional(wrapped(uint64_t(product >> (high ? width : 0)), width));
      };
      out[high] = evaluate(context, half, /*monotone=*/false, in);
    }
  });
}

bool compare(const Context &context, int64_t a, int64_t b) {
  uint64_t p = unsignedOperand(context, a), q = unsignedOperand(context, b);
  using P = arith::CmpIPredicate;
  switch (cast<arith::CmpIOp>(context.op).getPredicate()) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
    return a < b;
  case P::sle:
    return a <= b;
  case P::sgt:
    return a > b;
  case P::sge:
    return a >= b;
  case P::ult:
    return p < q;
  case P::ule:
    return p <= q;
  case P::ugt:
    return p > q;
  case P::uge:
    return p >= q;
  }
  llvm_unreachable("all predicates are handled");
}

void addComparison(RuleTable &table) {
  table.add<arith::CmpIOp>([](const Context &context, const Number *in) {
    bool holds = compare(context, in[0].integer, in[1].integer);
    double errors = in[0].bound + in[1].bound;
    // With the sign's bit as one like others, the ends of a range say little.
    bool isUnsigned =
        cast<arith::CmpIOp>(context.op).getPredicate() >= arith::CmpIPredicate::ult;
    double apart = std::fabs(double(in[0].integer) - double(in[1].integer));
    bool unsure = errors > 0 && (isUnsigned || apart <= errors);
    return Number{0, unsure ? 1.0 : 0.0, -int64_t(holds)};
  });
}

/// Adds a conversion to an integer of another width.
template <typename Op>
void addWidth(RuleTable &table,
              int64_t (*function)(int64_t value, unsigned from, unsigned to)) {
  table.add<Op>([=](const Context &context, const Number *in) {
    auto resize = [=](const Context &context, int64_t a, int64_t) {
      return std::optional(function(a, widthOf(context.op->getOperand(0)),
                                    widthOf(context.op->getResult(0))));
    };
    return evaluate(context, resize, /*monotone=*/false, in);
  });
}

void addSums(RuleTable &table) {
  add<arith::AddIOp>(
      table, [](int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); },
      /*monotone=*/true);
  add<arith::SubIOp>(
      table, [](int64_t a, int64_t b) { return int64_t(uint64_t(a) - uint64_t(b)); },
      /*monotone=*/true);
  add<arith::MulIOp>(
      table, [](int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); },
      /*monotone=*/true);
  table.addForResults<arith::AddUIExtendedOp>(
      [](const Context &context, const Number *in, Number *out) {
        auto sum = [](const Context &context, int64_t a, int64_t b) {
          return std::optional(
              wrapped(uint64_t(a) + uint64_t(b), widthOf(context.op->getResult(0))));
        };
        auto carries = [](const Context &context, int64_t a, int64_t b) {
          unsigned width = widthOf(context.op->getResult(0));
          uint64_t p = unsignedOf(a, width);
          return std::optional(-int64_t(unsignedOf(p + uint64_t(b), width) < p));
        };
        out[0] = evaluate(context, sum, /*monotone=*/false, in);
        out[1] = evaluate(context, carries, /*monotone=*/false, in);
      });
}

} // namespace

void interpreter::addIntegerRules(RuleTable &table) {
  addSums(table);
  addProduct<arith::MulSIExtendedOp>(table, true);
  addProduct<arith::MulUIExtendedOp>(table, false);
  add<arith::AndIOp>(table, [](int64_t a, int64_t b) { return a & b; });
  add<arith::OrIOp>(table, [](int64_t a, int64_t b) { return a | b; });
  add<arith::XOrIOp>(table, [](int64_t a, int64_t b) { return a ^ b; });
  add<arith::MaxSIOp>(table, [](int64_t a, int64_t b) { return std::max(a, b); }, true);
  add<arith::MinSIOp>(table, [](int64_t a, int64_t b) { return std::min(a, b); }, true);
  add<math::AbsIOp>(
      table, [](int64_t a, int64_t) { return a < 0 ? int64_t(-uint64_t(a)) : a; });
  addUnsignedExtremum<arith::MaxUIOp>(table, true);
  addUnsignedExtremum<arith::MinUIOp>(table, false);
  addShift<arith::ShLIOp>(
      table, [](int64_t, uint64_t bits, uint64_t by) { return bits << by; });
  addShift<arith::ShRUIOp>(
      table, [](int64_t, uint64_t bits, uint64_t by) { return bits >> by; });
  addShift<arith::ShRSIOp>(table, [](int64_t value, uint64_t, uint64_t by) {
    return uint64_t(value >> by);
  });
  addComparison(table);
  addWidth<arith::ExtSIOp>(table, [](int64_t a, unsigned, unsigned) { return a; });
  addWidth<arith::ExtUIOp>(table, [](int64_t a, unsigned from, unsigned) {
    return int64_t(unsignedOf(a, from));
  });
  addWidth<arith::TruncIOp>(
      table, [](int64_t a, unsigned, unsigned to) { return wrapped(a, to); });
}
