//===- OracleTest.cpp - An entry's source in float64 ------------------------===//
#include "normc/Oracle/Oracle.h"

#include "normc/Compiler/Source.h"

#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;
using namespace normc;

namespace {
struct OracleTest : testing::Test {
  std::string messages;
  llvm::raw_string_ostream stream{messages};
  SourceContext context{stream};
  OwningOpRef<ModuleOp> module;
  llvm::StringMap<oracle::Argument> arguments;

  FailureOr<std::vector<oracle::Output>> run(StringRef source) {
    module = context.readBytes(source, "test.mlir");
    if (!module)
      return failure();
    return oracle::evaluate(*module->getOps<func::FuncOp>().begin(), arguments);
  }
};

/// 1/sqrt of the mean of 1, 4, 9 and 16.
const double kRstd = 1 / std::sqrt(7.5);
const std::vector<double> kX = {1, 2, 3, 4, 2, 4, 6, 8};
} // namespace

TEST_F(OracleTest, TensorsAnswerResultsByName) {
  arguments["x"] = {{2, 4}, kX};
  auto outputs = run(R"mlir(
func.func @f(%x: tensor<?x4xf32> {norm.name = "x"})
    -> (tensor<?x4xf32> {norm.name = "y"}, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %yi = tensor.empty(%n) : tensor<?x4xf32>
  %ri = tensor.empty(%n) : tensor<?xf32>
  %y, %r = norm.rms_norm x(%x : tensor<?x4xf32>) outs y(%yi : tensor<?x4xf32>)
      rstd(%ri : tensor<?xf32>) epsilon = 0.0 -> tensor<?x4xf32>, tensor<?xf32>
  return %y, %r : tensor<?x4xf32>, tensor<?xf32>
})mlir");
  ASSERT_TRUE(succeeded(outputs)) << messages;
  ASSERT_EQ(outputs->size(), 2u);
  EXPECT_EQ((*outputs)[0].name, "y");
  EXPECT_EQ((*outputs)[1].name, "res1");
  EXPECT_EQ((*outputs)[0].shape, (std::vector<int64_t>{2, 4}));
  EXPECT_NEAR((*outputs)[0].result.values[3], 4 * kRstd, 1e-15);
  EXPECT_NEAR((*outputs)[1].result.values[1], kRstd / 2, 1e-15);
  EXPECT_GT((*outputs)[0].result.bounds[3], 0);
}

TEST_F(OracleTest, ResultInAnArgumentHasBothNames) {
  arguments["x"] = {{2, 4}, kX};
  arguments["y"] = {{2, 4}, {}};
  auto outputs = run(R"mlir(
func.func @f(%x: tensor<2x4xf32> {norm.name = "x"}, %y: tensor<2x4xf32> {norm.name = "y"})
    -> (tensor<2x4xf32> {norm.name = "result"}) {
  %0 = norm.rms_norm x(%x : tensor<2x4xf32>) outs y(%y : tensor<2x4xf32>)
      epsilon = 0.0 -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
})mlir");
  ASSERT_TRUE(succeeded(outputs)) << messages;
  ASSERT_EQ(outputs->size(), 2u);
  EXPECT_EQ((*outputs)[0].name, "y");
  EXPECT_EQ((*outputs)[1].name, "result");
  EXPECT_EQ((*outputs)[0].result.values, (*outputs)[1].result.values);
}

/// Doubles x, stores it in bf16, and subtracts x from what was stored.
static constexpr StringLiteral kChain = R"mlir(
func.func @f(%x: memref<1x4xf32> {norm.name = "x"}, %y: memref<1x4xf32> {norm.name = "y"}) {
  %h = memref.alloc() : memref<4xbf16>
  %h2 = memref.expand_shape %h [[0, 1]] output_shape [1, 4]
      : memref<4xbf16> into memref<1x4xbf16>
  row.kernel ins(%x : memref<1x4xf32>) outs(%h2 : memref<1x4xbf16>) norm_dims = 1 {
  ^bb0(%in: memref<1x4xf32>, %out: memref<1x4xbf16>):
    %t = row.load %in : memref<1x4xf32> -> !row.tile<f32>
    %d = row.map ins(%t : !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%e: f32):
      %r = arith.addf %e, %e : f32
      row.yield %r : f32
    }
    row.store %d, %out : !row.tile<f32>, memref<1x4xbf16>
  }
  row.kernel ins(%h2, %x : memref<1x4xbf16>, memref<1x4xf32>) outs(%y : memref<1x4xf32>)
      norm_dims = 1 {
  ^bb0(%hin: memref<1x4xbf16>, %in: memref<1x4xf32>, %out: memref<1x4xf32>):
    %t = row.load %hin : memref<1x4xbf16> -> !row.tile<f32>
    %u = row.load %in : memref<1x4xf32> -> !row.tile<f32>
    %d = row.map ins(%t, %u : !row.tile<f32>, !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32, %b: f32):
      %r = arith.subf %a, %b : f32
      row.yield %r : f32
    }
    row.store %d, %out : !row.tile<f32>, memref<1x4xf32>
  }
  return
})mlir";

TEST_F(OracleTest, IntermediatesAreRoundedToTheirType) {
  // 2 * 1.25390625 is halfway between two values of bf16, 2.5 and 2.5 + 2^-6.
  std::vector<double> x = {1.25, 1.25390625, 1.26f, -3};
  arguments["x"] = {{1, 4}, x};
  arguments["y"] = {{1, 4}, {}};
  auto outputs = run(kChain);
  ASSERT_TRUE(succeeded(outputs)) << messages;
  const reference::Result &y = (*outputs)[0].result;
  EXPECT_EQ(y.values[0], 1.25);
  EXPECT_EQ(y.values[2], reference::roundTo(reference::Type::BF16, 2.52) - 1.26f);
  // A value far from a boundary rounds one way only: its error is that of a
  // subtraction.
  EXPECT_LT(y.bounds[0], 1e-6);
  // Next to a boundary the stored value may be its neighbor, 2^-6 away.
  EXPECT_GE(y.bounds[1], 0x1p-6);
}

TEST_F(OracleTest, NoRows) {
  arguments["x"] = {{0, 4}, {}};
  arguments["dy"] = {{0, 4}, {}};
  arguments["arg2"] = {{0}, {}};
  arguments["dw"] = {{4}, {}};
  auto outputs = run(R"mlir(
func.func @f(%x: memref<?x4xf32> {norm.name = "x"}, %dy: memref<?x4xf32> {norm.name = "dy"},
             %rstd: memref<?xf32>, %dw: memref<4xf32> {norm.name = "dw"}) {
  norm.rms_norm_backward dy(%dy : memref<?x4xf32>) x(%x : memref<?x4xf32>)
      rstd(%rstd : memref<?xf32>) outs dweight(%dw : memref<4xf32>)
  return
})mlir");
  ASSERT_TRUE(succeeded(outputs)) << messages;
  EXPECT_EQ((*outputs)[0].result.values, std::vector<double>(4, 0.0));
}

TEST_F(OracleTest, SaysWhichArgumentIsMissingOrWrong) {
  constexpr StringLiteral kSource = R"mlir(
func.func @f(%x: memref<?x4xf32> {norm.name = "x"}, %y: memref<?x4xf32> {norm.name = "y"}) {
  norm.rms_norm x(%x : memref<?x4xf32>) outs y(%y : memref<?x4xf32>) epsilon = 0.0
  return
})mlir";
  EXPECT_TRUE(failed(run(kSource)));
  EXPECT_NE(messages.find("argument \"x\""), std::string::npos) << messages;
  messages.clear();
  arguments["x"] = {{2, 5}, kX};
  EXPECT_TRUE(failed(run(kSource)));
  EXPECT_NE(messages.find("\"x\" to have the shape"), std::string::npos) << messages;
  messages.clear();
  arguments["x"] = {{1, 4}, kX};
  EXPECT_TRUE(failed(run(kSource)));
  EXPECT_NE(messages.find("expected 4 values"), std::string::npos) << messages;
  messages.clear();
  arguments["x"] = {{2, 4}, {}};
  arguments["y"] = {{2, 4}, {}};
  EXPECT_TRUE(failed(run(kSource)));
  EXPECT_NE(messages.find("written before it reads"), std::string::npos) << messages;
}

TEST_F(OracleTest, OtherOpsAreErrorsAtTheOp) {
  arguments["x"] = {{2, 4}, kX};
  arguments["y"] = {{2, 4}, {}};
  EXPECT_TRUE(failed(run(R"mlir(
func.func @f(%x: memref<2x4xf32> {norm.name = "x"}, %y: memref<2x4xf32> {norm.name = "y"}) {
  memref.copy %x, %y : memref<2x4xf32> to memref<2x4xf32>
  return
})mlir")));
  EXPECT_NE(messages.find("test.mlir:3:3: error: 'memref.copy' op expected a norm op"),
            std::string::npos)
      << messages;
}
