// Each op that a region may hold, against the C library or C++'s integers.
#include "dialects/row/ScalarOps.h"
#include "Programs.h"
#include "lib/Interpreter/ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <sstream>

using namespace normc;
using namespace normc::test;

namespace {

std::string readAll(const std::string &path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Whether the text has the word, and not only as a part of a longer one.
bool hasWord(const std::string &text, const std::string &word) {
  auto isPart = [&](size_t at) {
    return at < text.size() && (std::isalnum(text[at]) || text[at] == '_');
  };
  for (size_t at = text.find(word); at != std::string::npos;
       at = text.find(word, at + 1))
    if (!isPart(at - 1) && !isPart(at + word.size()))
      return true;
  return false;
}

// What the verifier admits is interpreted, documented, and compiled by a test.
TEST(ScalarOps, OneListEverywhere) {
  std::string description = readAll(NORMC_SOURCE_DIR "/dialects/row/RowOps.td");
  std::string compiled = readAll(NORMC_SOURCE_DIR "/test/norm-run/scalar_ops.mlir");
  for (const row::ScalarOp &op : row::scalarOps()) {
    std::string name = op.name.str();
    EXPECT_TRUE(interpreter::isKnown(name)) << name;
    EXPECT_TRUE(hasWord(description, name.substr(name.find('.') + 1))) << name;
    EXPECT_TRUE(hasWord(compiled, name)) << name;
  }
  mlir::MLIRContext context;
  context.loadDialect<mlir::arith::ArithDialect, mlir::math::MathDialect>();
  for (mlir::RegisteredOperationName op : context.getRegisteredOperations()) {
    auto name = op.getStringRef();
    EXPECT_EQ(interpreter::isKnown(name), row::findScalarOp(name) != nullptr)
        << name.str();
  }
}

TEST(ScalarOps, Functions) {
  const std::vector<double> inside = {-0.75, -0.25, 0.125, 0.5};
  const std::vector<double> positive = {0.25, 1.5, 2.5, 3.75};
  const std::vector<double> any = {-3.75, -2.5, -0.5, 0.25, 1.5};
  const std::vector<double> aboveOne = {1, 1.5, 20};
  struct {
    const char *name;
    double (*function)(double);
    const std::vector<double> &values;
  } const functions[] = {
      {"acos", std::acos, inside},
      {"acosh", std::acosh, aboveOne},
      {"asin", std::asin, inside},
      {"asinh", std::asinh, any},
      {"atan", std::atan, any},
      {"atanh", std::atanh, inside},
      {"cbrt", std::cbrt, any},
      {"ceil", std::ceil, any},
      {"cos", std::cos, any},
      {"cosh", std::cosh, any},
      {"erf", std::erf, any},
      {"erfc", std::erfc, any},
      {"exp", std::exp, any},
      {"exp2", std::exp2, any},
      {"expm1", std::expm1, any},
      {"floor", std::floor, any},
      {"log", std::log, positive},
      {"log10", std::log10, positive},
      {"log1p", std::log1p, inside},
      {"log2", std::log2, positive},
      {"round", std::round, any},
      {"roundeven", std::nearbyint, any},
      {"sin", std::sin, any},
      {"sinh", std::sinh, any},
      {"sqrt", std::sqrt, positive},
      {"tan", std::tan, any},
      {"tanh", std::tanh, any},
      {"trunc", std::trunc, any},
      {"absf", std::fabs, any},
      {"rsqrt", [](double x) { return 1 / std::sqrt(x); }, positive},
  };
  for (const auto &[name, function, values] : functions) {
    auto results =
        runMap(std::string("%c = math.") + name + " %a : f64\nrow.yield %c : f64",
               values, std::vector<double>(values.size()), "f64");
    ASSERT_EQ(results.size(), values.size());
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_EQ(results[i], function(values[i])) << name << "(" << values[i] << ")";
  }
}

TEST(ScalarOps, FunctionsOfTwo) {
  auto run = [](const std::string &op, double x, double w) {
    return runMap("%c = " + op + " %a, %b : f64\nrow.yield %c : f64", {x}, {w},
                  "f64")[0];
  };
  for (double x : {-7.5, -0.5, 3.0})
    for (double w : {-2.0, 0.75, 4.0}) {
      EXPECT_EQ(run("arith.addf", x, w), x + w);
      EXPECT_EQ(run("arith.subf", x, w), x - w);
      EXPECT_EQ(run("arith.mulf", x, w), x * w);
      EXPECT_EQ(run("arith.divf", x, w), x / w);
      EXPECT_EQ(run("arith.remf", x, w), std::fmod(x, w));
      EXPECT_EQ(run("math.atan2", x, w), std::atan2(x, w));
      EXPECT_EQ(run("math.copysign", x, w), std::copysign(x, w));
      if (x > 0)
        EXPECT_EQ(run("math.powf", x, w), std::pow(x, w));
    }
  EXPECT_EQ(
      runMap("%c = math.fma %a, %b, %a : f64\nrow.yield %c : f64", {3}, {4}, "f64")[0],
      15);
  EXPECT_EQ(runMap("%c = arith.negf %a : f32\nrow.yield %c : f32", {3}, {0})[0], -3);
}

TEST(ScalarOps, Questions) {
  double inf = HUGE_VAL, nan = std::nan("");
  auto holds = [&](const std::string &op) {
    return runMap("%c = " + op +
                      " %a : f32\n%d = arith.uitofp %c : i1 to f32\n"
                      "row.yield %d : f32",
                  {1, -inf, nan}, {0, 0, 0});
  };
  EXPECT_EQ(holds("math.isfinite"), (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(holds("math.isnan"), (std::vector<double>{0, 0, 1}));
}

/// The integer function of the bits of two f64, for which `body` computes %k from %i
/// and %j.
uint64_t runIntegers(const std::string &body, uint64_t i, uint64_t j) {
  auto results =
      runMap("%i = arith.bitcast %a : f64 to i64\n"
             "%j = arith.bitcast %b : f64 to i64\n" +
                 body + "\n%r = arith.bitcast %k : i64 to f64\nrow.yield %r : f64",
             {std::bit_cast<double>(i)}, {std::bit_cast<double>(j)}, "f64");
  return std::bit_cast<uint64_t>(results[0]);
}

using Unsigned = uint64_t;
using Signed = int64_t;

TEST(ScalarOps, Integers) {
  struct {
    const char *name;
    Unsigned (*function)(Unsigned, Unsigned);
  } const functions[] = {
      {"addi", [](Unsigned i, Unsigned j) { return i + j; }},
      {"subi", [](Unsigned i, Unsigned j) { return i - j; }},
      {"muli", [](Unsigned i, Unsigned j) { return i * j; }},
      {"andi", [](Unsigned i, Unsigned j) { return i & j; }},
      {"ori", [](Unsigned i, Unsigned j) { return i | j; }},
      {"xori", [](Unsigned i, Unsigned j) { return i ^ j; }},
      {"maxui", [](Unsigned i, Unsigned j) { return std::max(i, j); }},
      {"minui", [](Unsigned i, Unsigned j) { return std::min(i, j); }},
      {"maxsi",
       [](Unsigned i, Unsigned j) { return Unsigned(std::max(Signed(i), Signed(j))); }},
      {"minsi",
       [](Unsigned i, Unsigned j) { return Unsigned(std::min(Signed(i), Signed(j))); }},
  };
  // Bits that are numbers: those of a NaN are not kept.
  const Unsigned values[] = {1, 0x3ff0000000000000, 0xbff8000000000001, 12345678901};
  for (auto [name, function] : functions)
    for (Unsigned i : values)
      for (Unsigned j : values) {
        Unsigned expected = function(i, j);
        if (std::isnan(std::bit_cast<double>(expected)))
          continue;
        EXPECT_EQ(
            runIntegers(std::string("%k = arith.") + name + " %i, %j : i64", i, j),
            expected)
            << name << " of " << i << ", " << j;
      }
}

TEST(ScalarOps, ShiftsAndWidths) {
  auto shift = [](const std::string &op, Unsigned i, int by) {
    return runIntegers("%shift = arith.constant " + std::to_string(by) +
                           " : i64\n%k = " + op + " %i, %shift : i64",
                       i, 0);
  };
  EXPECT_EQ(shift("arith.shli", 5, 3), 40u);
  EXPECT_EQ(shift("arith.shrui", 0xbff8000000000001, 52), 0xbffu);
  EXPECT_EQ(Signed(shift("arith.shrsi", 0xbff8000000000001, 8) & 0x000fffffffffffff),
            Signed(0xbff8000000000001) >> 8 & 0x000fffffffffffff);
  auto narrow = [](const std::string &extension, Unsigned i) {
    return runIntegers("%n = arith.trunci %i : i64 to i16\n%k = arith." + extension +
                           " %n : i16 to i64",
                       i, 0);
  };
  EXPECT_EQ(narrow("extui", 0x18001), 0x8001u);
  EXPECT_EQ(narrow("extsi", 0x10001), 1u);
  EXPECT_EQ(
      runIntegers("%n = arith.trunci %i : i64 to i8\n%wide = arith.extsi %n : i8 to "
                  "i64\n%k = math.absi %wide : i64",
                  0x80, 0),
      0x80u);
}

TEST(ScalarOps, Extended) {
  auto run = [](const std::string &op, const std::string &result, int i, int j) {
    return runMap("%i = arith.fptosi %a : f32 to i8\n%j = arith.fptosi %b : f32 to i8\n"
                  "%l, %h = arith." +
                      op + "\n%r = " + result +
                      " to f32\n"
                      "row.yield %r : f32",
                  {double(i)}, {double(j)})[0];
  };
  std::string low = "arith.sitofp %l : i8", high = "arith.sitofp %h : i8";
  EXPECT_EQ(run("mulsi_extended %i, %j : i8", high, -100, 100), -10000 >> 8);
  EXPECT_EQ(run("mulsi_extended %i, %j : i8", low, -100, 100), int8_t(-10000));
  EXPECT_EQ(run("mului_extended %i, %j : i8", high, -100, 100), 156 * 100 >> 8);
  EXPECT_EQ(run("addui_extended %i, %j : i8, i1", low, -100, 100), 0);
  EXPECT_EQ(run("addui_extended %i, %j : i8, i1", "arith.uitofp %h : i1", -100, 100),
            1);
  EXPECT_EQ(run("addui_extended %i, %j : i8, i1", "arith.uitofp %h : i1", 27, 100), 0);
}

TEST(ScalarOps, IntegerComparisons) {
  auto run = [](const std::string &predicate) {
    return runMap("%i = arith.fptosi %a : f32 to i32\n%j = arith.fptosi %b : f32 to "
                  "i32\n%c = arith.cmpi " +
                      predicate +
                      ", %i, %j : i32\n"
                      "%r = arith.uitofp %c : i1 to f32\nrow.yield %r : f32",
                  {-1, 2, 2}, {2, -1, 2});
  };
  EXPECT_EQ(run("eq"), (std::vector<double>{0, 0, 1}));
  EXPECT_EQ(run("ne"), (std::vector<double>{1, 1, 0}));
  EXPECT_EQ(run("slt"), (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(run("sle"), (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(run("sgt"), (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(run("sge"), (std::vector<double>{0, 1, 1}));
  EXPECT_EQ(run("ult"), (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(run("ule"), (std::vector<double>{0, 1, 1}));
  EXPECT_EQ(run("ugt"), (std::vector<double>{1, 0, 0}));
  EXPECT_EQ(run("uge"), (std::vector<double>{1, 0, 1}));
}

TEST(ScalarOps, Conversions) {
  EXPECT_EQ(
      runMap("%i = arith.fptoui %a : f32 to i8\n%r = arith.uitofp %i : i8 to f32\n"
             "row.yield %r : f32",
             {200.75, -0.5}, {0, 0}),
      (std::vector<double>{200, 0}));
  EXPECT_EQ(
      runMap("%i = arith.fptosi %a : f32 to i8\n%r = arith.sitofp %i : i8 to f32\n"
             "row.yield %r : f32",
             {-100.75, 7.5}, {0, 0}),
      (std::vector<double>{-100, 7}));
  EXPECT_EQ(runMap("%i = arith.bitcast %a : f32 to i32\n%j = arith.uitofp %i : i32 to "
                   "f32\nrow.yield %j : f32",
                   {1, -1}, {0, 0}),
            (std::vector<double>{0x3f800000, 0xbf800000}));
  EXPECT_EQ(
      runMap(
          "%n = arith.truncf %a : f32 to bf16\n%i = arith.bitcast %n : bf16 to "
          "i16\n%wide = arith.extui %i : i16 to i32\n%r = arith.uitofp %wide : i32 to "
          "f32\nrow.yield %r : f32",
          {-1}, {0}),
      (std::vector<double>{0xbf80}));
}

// What the kernel may compute otherwise than double does is in the bound.
TEST(ScalarOps, BoundsOfChoices) {
  // a * b is 1 up to its rounding: the kernel may find it above 1 or not.
  std::string body = "%p = arith.mulf %a, %b : f32\n%one = arith.constant 1.0 : f32\n"
                     "%two = arith.constant 2.0 : f32\n%c = arith.cmpf ogt, %p, %one : "
                     "f32\n%r = arith.select %c, %one, %two : f32\nrow.yield %r : f32";
  auto unsure = mapRow(body, {1, 3}, {1, 1});
  EXPECT_EQ(unsure.values, (std::vector<double>{2, 1}));
  EXPECT_EQ(unsure.bounds, (std::vector<double>{1, 0}));
}

TEST(ScalarOps, BoundsOfIntegers) {
  auto bounds = [](const std::string &body) {
    return mapRow("%p = arith.mulf %a, %b : f32\n" + body + "\nrow.yield %r : f32",
                  {3, 3.5}, {1, 1})
        .bounds;
  };
  // 3 is a step, 3.5 is not.
  EXPECT_EQ(
      bounds("%i = arith.fptosi %p : f32 to i32\n%r = arith.sitofp %i : i32 to f32"),
      (std::vector<double>{1, 0}));
  EXPECT_EQ(
      bounds("%i = arith.fptosi %p : f32 to i32\n%three = arith.constant 3 : i32\n"
             "%j = arith.andi %i, %three : i32\n"
             "%r = arith.sitofp %j : i32 to f32"),
      (std::vector<double>{3, 0}));
  // Past the width, or out of range, nothing is known.
  EXPECT_EQ(
      bounds("%c = arith.constant 32 : i32\n%i = arith.fptosi %a : f32 to i32\n%j = "
             "arith.shli %i, %c : i32\n%r = arith.sitofp %j : i32 to f32"),
      (std::vector<double>{HUGE_VAL, HUGE_VAL}));
  EXPECT_EQ(
      bounds("%c = arith.constant 1.0e10 : f32\n%i = arith.fptosi %c : f32 to i32\n"
             "%r = arith.sitofp %i : i32 to f32"),
      (std::vector<double>{HUGE_VAL, HUGE_VAL}));
  // The bits of a rounded product may be one off, and so may the number of them.
  auto there =
      bounds("%i = arith.bitcast %p : f32 to i32\n%r = arith.bitcast %i : i32 to f32");
  EXPECT_GT(there[0], 0);
  EXPECT_LE(there[0], 0x1p-21);
}

// f32 in a kernel of f64 has the roundings of f32.
TEST(ScalarOps, NarrowArithmeticInWide) {
  auto bound =
      mapRow("%n = arith.truncf %a : f64 to f32\n%m = arith.addf %n, %n : f32\n"
             "%r = arith.extf %m : f32 to f64\nrow.yield %r : f64",
             {1}, {0}, "f64")
          .bounds[0];
  EXPECT_EQ(bound, 2 * 0x1p-24);
}

} // namespace
