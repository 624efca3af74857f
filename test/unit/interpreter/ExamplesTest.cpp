// The row programs of examples/row, interpreted, against their formulas.
#include "Programs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace normc;
using namespace normc::test;
using reference::Type;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

/// Two doubles that came about by some tens of roundings each.
constexpr double kClose = 1e-14;

Outputs runExample(const std::string &name, const Inputs &inputs, int64_t rows,
                   int64_t cols) {
  Program program;
  EXPECT_TRUE(program.parseFile(NORMC_EXAMPLES_DIR "/row/" + name + ".mlir"))
      << program.takeDiagnostics();
  bool failed = false;
  Outputs outputs = program.run(inputs, rows, cols, failed);
  EXPECT_FALSE(failed) << program.takeDiagnostics();
  return outputs;
}

std::vector<double> softmax(const std::vector<double> &x, int64_t rows, int64_t cols) {
  std::vector<double> y(x.size());
  for (int64_t row = 0; row < rows; ++row) {
    const double *in = &x[row * cols];
    double largest = *std::max_element(in, in + cols), sum = 0;
    for (int64_t i = 0; i < cols; ++i)
      sum += std::exp(in[i] - largest);
    for (int64_t i = 0; i < cols; ++i)
      y[row * cols + i] = std::exp(in[i] - largest) / sum;
  }
  return y;
}

void expectClose(const std::vector<double> &got, const std::vector<double> &want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i)
    ASSERT_LE(std::fabs(got[i] - want[i]), kClose * (std::fabs(want[i]) + 1))
        << "at " << i << ": " << got[i] << ", expected " << want[i];
}

TEST(Examples, SoftmaxForward) {
  for (int64_t cols : {1, 2, 7, 100}) {
    auto x = sample(cols, 5 * cols, Type::F32, 0, 30);
    auto want = softmax(x, 5, cols);
    expectClose(runExample("softmax_forward", {{"x", x}}, 5, cols)["y"].values, want);
    expectClose(runExample("softmax_online", {{"x", x}}, 5, cols)["y"].values, want);
  }
}

TEST(Examples, SoftmaxOfMinusInfinity) {
  // Masked elements are -inf: they get 0, the others are as if they were alone. In the
  // online form a pair of them meets as it is combined; NaN there would spread.
  std::vector<double> x = {-kInf, -kInf, 1, -kInf, 1, -kInf, -kInf, -kInf};
  std::vector<double> want = {0, 0, 0.5, 0, 0.5, 0, 0, 0};
  expectClose(runExample("softmax_forward", {{"x", x}}, 1, 8)["y"].values, want);
  expectClose(runExample("softmax_online", {{"x", x}}, 1, 8)["y"].values, want);
  // A row of nothing else is NaN, as by the formula, and no other row is.
  std::vector<double> rows = {-kInf, -kInf, 3, 3};
  for (const char *name : {"softmax_forward", "softmax_online"}) {
    auto y = runExample(name, {{"x", rows}}, 2, 2)["y"].values;
    EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1])) << name;
    EXPECT_EQ(y[2], 0.5) << name;
  }
}

TEST(Examples, SoftmaxOfNaN) {
  std::vector<double> x = {1, std::nan(""), 2, 3, 3, 3};
  for (const char *name : {"softmax_forward", "softmax_online"}) {
    auto y = runExample(name, {{"x", x}}, 2, 3)["y"].values;
    for (int i = 0; i < 3; ++i)
      EXPECT_TRUE(std::isnan(y[i])) << name;
    EXPECT_NEAR(y[3], 1.0 / 3, kClose) << name;
  }
}

TEST(Examples, SoftmaxBackward) {
  int64_t rows = 4, cols = 33;
  auto x = sample(1, rows * cols, Type::F32), dy = sample(2, rows * cols, Type::F32);
  auto y = softmax(x, rows, cols);
  for (double &value : y)
    value = reference::roundTo(Type::F32, value);
  auto dx =
      runExample("softmax_backward", {{"dy", dy}, {"y", y}}, rows, cols)["dx"].values;
  std::vector<double> want(dx.size());
  for (int64_t row = 0; row < rows; ++row) {
    // The Jacobian, one entry at a time: dy_j * y_j * (delta_ij - y_i).
    for (int64_t i = 0; i < cols; ++i)
      for (int64_t j = 0; j < cols; ++j) {
        double yi = y[row * cols + i], yj = y[row * cols + j];
        want[row * cols + i] += dy[row * cols + j] * yi * ((i == j) - yj);
      }
  }
  expectClose(dx, want);
}

TEST(Examples, L2Normalize) {
  std::vector<double> x = {3, 4, 0, 0, 0, 0, -2, 0, 0};
  auto outputs = runExample("l2_normalize", {{"x", x}}, 3, 3);
  // The bound on the division: 1/5 is rounded before 3 is multiplied with it.
  expectClose(outputs["y"].values, {0.6, 0.8, 0, 0, 0, 0, -1, 0, 0});
  expectClose(outputs["norm"].values, {5, 0, 2});
  EXPECT_TRUE(std::isnan(
      runExample("l2_normalize", {{"x", {1, std::nan("")}}}, 1, 2)["y"].values[0]));
}

TEST(Examples, AddRmsNorm) {
  int64_t rows = 6, cols = 40;
  auto x = sample(1, rows * cols, Type::BF16, 0, 3);
  auto residual = sample(2, rows * cols, Type::BF16, 0, 3);
  auto weight = sample(3, cols, Type::BF16, 1, 0.5);
  auto outputs =
      runExample("add_rms_norm", {{"x", x}, {"residual", residual}, {"weight", weight}},
                 rows, cols);
  double epsilon = double(1.0e-6f);
  std::vector<double> sum(rows * cols), y(rows * cols);
  for (int64_t row = 0; row < rows; ++row) {
    double squares = 0;
    for (int64_t i = row * cols; i < (row + 1) * cols; ++i) {
      sum[i] = reference::roundTo(Type::BF16, x[i] + residual[i]);
      squares += sum[i] * sum[i];
    }
    for (int64_t i = 0; i < cols; ++i)
      y[row * cols + i] =
          sum[row * cols + i] / std::sqrt(squares / cols + epsilon) * weight[i];
  }
  // The addition of two bf16 and its rounding are exact in double: the same bits.
  EXPECT_EQ(outputs["sum"].values, sum);
  expectClose(outputs["y"].values, y);
}

} // namespace
