// What the interpreter does with single ops, with wrong input, and with edges.
#include "Programs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace normc;
using namespace normc::test;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(Interpreter, Extrema) {
  double nan = std::nan("");
  auto op = [](const char *name) {
    return std::string("%c = arith.") + name + " %a, %b : f32\nrow.yield %c : f32";
  };
  EXPECT_EQ(runMap(op("maximumf"), {1, 2}, {2, 1}), (std::vector<double>{2, 2}));
  EXPECT_EQ(runMap(op("minimumf"), {1, 2}, {2, 1}), (std::vector<double>{1, 1}));
  EXPECT_TRUE(std::isnan(runMap(op("maximumf"), {1}, {nan})[0]));
  EXPECT_TRUE(std::isnan(runMap(op("minimumf"), {nan}, {1})[0]));
  EXPECT_EQ(runMap(op("maxnumf"), {1, nan}, {nan, 2}), (std::vector<double>{1, 2}));
  EXPECT_EQ(runMap(op("minnumf"), {1, nan}, {nan, 2}), (std::vector<double>{1, 2}));
}

TEST(Interpreter, Choices) {
  auto select = [](const char *predicate) {
    return std::string("%c = arith.cmpf ") + predicate +
           ", %a, %b : f32\n%d = arith.select %c, %a, %b : f32\nrow.yield %d : f32";
  };
  double nan = std::nan("");
  EXPECT_EQ(runMap(select("olt"), {1, 3}, {2, 2}), (std::vector<double>{1, 2}));
  EXPECT_EQ(runMap(select("oge"), {1, 2}, {2, 2}), (std::vector<double>{2, 2}));
  EXPECT_EQ(runMap(select("olt"), {nan}, {2})[0], 2);
  EXPECT_TRUE(std::isnan(runMap(select("ult"), {nan}, {2})[0]));
  EXPECT_TRUE(std::isnan(runMap(select("uno"), {nan}, {2})[0]));
  EXPECT_EQ(
      runMap("%c = arith.cmpf olt, %a, %b : f32\n%d = arith.cmpf ogt, %a, %b : f32\n"
             "%e = arith.ori %c, %d : i1\n%f = arith.select %e, %a, %b : f32\n"
             "row.yield %f : f32",
             {1, 5}, {3, 3}),
      (std::vector<double>{1, 5}));
}

TEST(Interpreter, RoundsWhereTheProgramDoes) {
  // 1 + 2^-9 lies between two bf16 numbers and is neither of them after a map alone.
  EXPECT_EQ(
      runMap("%c = arith.addf %a, %b : f32\nrow.yield %c : f32", {1}, {0x1p-9})[0],
      1 + 0x1p-9);
  std::string rounds =
      "%c = arith.addf %a, %b : f32\n%d = arith.truncf %c : f32 to bf16\n"
      "%e = arith.extf %d : bf16 to f32\nrow.yield %e : f32";
  EXPECT_EQ(runMap(rounds, {1}, {0x1p-9})[0], 1);
  EXPECT_EQ(runMap(rounds, {1}, {0x1.8p-8})[0], 1 + 0x1p-7);
}

TEST(Interpreter, RoundBoundHoldsTheStep) {
  // x * w is at a boundary of bf16 up to the rounding of f32: the result may be either.
  std::string text = mapProgram("%c = arith.mulf %a, %b : f32\nrow.yield %c : f32");
  std::string store = "row.store %2, %by";
  text.replace(text.find(store), store.size(),
               "%3 = row.round %2 to bf16 : !row.tile<f32>\nrow.store %3, %by");
  Program program;
  ASSERT_TRUE(program.parse(text, {"x", "w", "y"})) << program.takeDiagnostics();
  bool failed = false;
  auto outputs = program.run({{"x", {1 + 0x1p-8, 1.0}}, {"w", {1, 1}}}, 1, 2, failed);
  ASSERT_FALSE(failed) << program.takeDiagnostics();
  EXPECT_EQ(outputs["y"].bounds[0], 0x1p-7);
  EXPECT_EQ(outputs["y"].bounds[1], 0);
}

TEST(Interpreter, SizesAreChecked) {
  Program program;
  ASSERT_TRUE(program.parse(mapProgram("row.yield %a : f32"), {"x", "w", "y"}));
  bool failed = false;
  program.run({{"x", {1, 2, 3}}, {"w", {1, 2}}}, 2, 2, failed);
  EXPECT_TRUE(failed);
  EXPECT_NE(
      program.takeDiagnostics().find("expected 4 values of input 0, because the "
                                     "kernel runs on 2 rows of 2 columns, but got 3"),
      std::string::npos);
  program.run({{"x", {}}, {"w", {}}}, 2, 0, failed);
  EXPECT_TRUE(failed);
  EXPECT_NE(program.takeDiagnostics().find("cols of at least 1"), std::string::npos);
}

/// The moments of one row.
std::pair<double, double> momentsOf(const std::vector<double> &row) {
  Program program;
  EXPECT_TRUE(program.parse(
      "func.func @f(%x: memref<?x?xf32>, %m: memref<?xf32>, %s: memref<?xf32>) {\n"
      "row.kernel ins(%x : memref<?x?xf32>) outs(%m, %s : memref<?xf32>, "
      "memref<?xf32>) "
      "norm_dims = 1 {\n"
      "^bb0(%bx: memref<?x?xf32>, %bm: memref<?xf32>, %bs: memref<?xf32>):\n"
      "%0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>\n"
      "%1, %2 = row.moments %0 : !row.tile<f32> -> !row.vec<rows, f32>, "
      "!row.vec<rows, f32>\n"
      "row.store %1, %bm : !row.vec<rows, f32>, memref<?xf32>\n"
      "row.store %2, %bs : !row.vec<rows, f32>, memref<?xf32>\n}\nreturn\n}",
      {"x", "m", "s"}))
      << program.takeDiagnostics();
  bool failed = false;
  auto outputs = program.run({{"x", row}}, 1, row.size(), failed);
  EXPECT_FALSE(failed);
  return {outputs["m"].values.at(0), outputs["s"].values.at(0)};
}

TEST(Interpreter, MomentsDoNotCancel) {
  EXPECT_EQ(momentsOf({40000, 40001, 40002, 40003}), (std::pair{40001.5, 5.0}));
  double value = double(1234.1f);
  EXPECT_EQ(momentsOf(std::vector<double>(127, value)), (std::pair{value, 0.0}));
  EXPECT_EQ(momentsOf({3}), (std::pair{3.0, 0.0}));
  EXPECT_TRUE(std::isnan(momentsOf({1, kInf}).second));
}

// A split: partials of one workgroup, W = 2 * 3 + 1 padded to 8, and their finalize.
TEST(Interpreter, PartialsAndFinalize) {
  const char *text = R"(
func.func @f(%x: memref<?x?xf32>, %a: memref<?xbf16>, %b: memref<?xf32>, %s: memref<f32>) {
  %p = row.partials : memref<?x?xf32>
  row.kernel ins(%x : memref<?x?xf32>) outs(%p : memref<?x?xf32>) norm_dims = 1 {
  ^bb0(%bx: memref<?x?xf32>, %bp: memref<?x?xf32>):
    %0 = row.load %bx : memref<?x?xf32> -> !row.tile<f32>
    %1 = row.map ins(%0 : !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%e: f32):
      %2 = arith.mulf %e, %e : f32
      row.yield %2 : f32
    }
    row.accumulate %0, %bp to cols slot 0 : !row.tile<f32>, memref<?x?xf32>
    row.accumulate %1, %bp to cols slot 1 : !row.tile<f32>, memref<?x?xf32>
    row.accumulate %1, %bp to scalar slot 0 : !row.tile<f32>, memref<?x?xf32>
  }
  row.kernel ins(%p : memref<?x?xf32>)
      outs(%a, %b, %s : memref<?xbf16>, memref<?xf32>, memref<f32>) norm_dims = 1 {
  ^bb0(%bp: memref<?x?xf32>, %ba: memref<?xbf16>, %bb: memref<?xf32>, %bs: memref<f32>):
    row.finalize %bp, %ba to cols slot 0 of 2 : memref<?x?xf32>, memref<?xbf16>
    row.finalize %bp, %bb to cols slot 1 of 2 : memref<?x?xf32>, memref<?xf32>
    row.finalize %bp, %bs to scalar slot 0 of 2 : memref<?x?xf32>, memref<f32>
  }
  return
})";
  Program program;
  ASSERT_TRUE(program.parse(text, {"x", "a", "b", "s"})) << program.takeDiagnostics();
  bool failed = false;
  auto outputs = program.run({{"x", {1, 2, 3, 4, 5, 6}}}, 2, 3, failed);
  ASSERT_FALSE(failed) << program.takeDiagnostics();
  EXPECT_EQ(outputs["a"].values, (std::vector<double>{5, 7, 9}));
  EXPECT_EQ(outputs["b"].values, (std::vector<double>{17, 29, 45}));
  EXPECT_EQ(outputs["s"].values, (std::vector<double>{91}));
}

// dyt backward with an infinite alpha: e is 0 where u is infinite, so dweight and dbias
// stay finite, and dx is 0 * inf.
TEST(Interpreter, InfiniteAlpha) {
  const char *text = R"(
func.func @f(%dy: memref<?x?xf32>, %x: memref<?x?xf32>, %alpha: memref<f32>,
             %dx: memref<?x?xf32>, %dalpha: memref<f32>, %dweight: memref<?xf32>,
             %dbias: memref<?xf32>) {
  norm.dyt_backward dy(%dy : memref<?x?xf32>) x(%x : memref<?x?xf32>)
    alpha(%alpha : memref<f32>) outs dx(%dx : memref<?x?xf32>)
    dalpha(%dalpha : memref<f32>) dweight(%dweight : memref<?xf32>)
    dbias(%dbias : memref<?xf32>)
  return
})";
  for (double alpha : {kInf, -kInf}) {
    Program program;
    ASSERT_TRUE(
        program.parse(text, {"dy", "x", "alpha", "dx", "dalpha", "dweight", "dbias"}));
    ASSERT_TRUE(program.convert(true));
    bool failed = false;
    auto outputs =
        program.run({{"dy", {1, 2, 3, 4}}, {"x", {1, -1, 2, -0.5}}, {"alpha", {alpha}}},
                    2, 2, failed);
    ASSERT_FALSE(failed) << program.takeDiagnostics();
    double sign = alpha > 0 ? 1 : -1;
    EXPECT_EQ(outputs["dweight"].values, (std::vector<double>{sign * 4, -sign * 6}));
    EXPECT_EQ(outputs["dbias"].values, (std::vector<double>{4, 6}));
    EXPECT_EQ(outputs["dalpha"].values[0], 0);
    for (double value : outputs["dx"].values)
      EXPECT_TRUE(std::isnan(value));
    for (double bound : outputs["dweight"].bounds)
      EXPECT_LT(bound, 1e-5 * 10);
  }
}

} // namespace
