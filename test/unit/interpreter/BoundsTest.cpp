// The interpreter's bounds hold for what really computes in f32: each program is
// imitated here in float, rounding every operation, in the worst order that a lowering
// may take (all terms of a sum in one chain), and must stay within them. They must not
// be so wide either that a wrong result passes.
#include "Programs.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace normc;
using namespace normc::test;
using reference::Type;

namespace {

Outputs runText(const std::string &text, std::vector<std::string> names,
                const Inputs &inputs, int64_t rows, int64_t cols, bool convert) {
  Program program;
  EXPECT_TRUE(program.parse(text, std::move(names))) << program.takeDiagnostics();
  if (convert)
    EXPECT_TRUE(program.convert(true)) << program.takeDiagnostics();
  bool failed = false;
  Outputs outputs = program.run(inputs, rows, cols, failed);
  EXPECT_FALSE(failed) << program.takeDiagnostics();
  return outputs;
}

/// Each of `got` within the bound of the exact result; the largest share of it.
void expectWithin(const interpreter::Output &exact, const std::vector<float> &got,
                  double leastShare) {
  double share = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    double error = std::fabs(double(got[i]) - exact.values[i]);
    ASSERT_LE(error, exact.bounds[i]) << "at " << i << " of " << exact.values[i];
    share = std::max(share, error / exact.bounds[i]);
  }
  EXPECT_GE(share, leastShare) << "the bounds are wider than they need be";
}

TEST(Bounds, LayerNorm) {
  int64_t rows = 50, cols = 200;
  auto x = sample(1, rows * cols, Type::F32, 3, 1);
  auto weight = sample(2, cols, Type::F32, 1, 0.5), bias = sample(3, cols, Type::F32);
  auto outputs = runText(R"(
func.func @f(%x: memref<?x?xf32>, %w: memref<?xf32>, %b: memref<?xf32>, %y: memref<?x?xf32>) {
  norm.layer_norm x(%x : memref<?x?xf32>) weight(%w : memref<?xf32>)
    bias(%b : memref<?xf32>) outs y(%y : memref<?x?xf32>) epsilon = 1.0e-5
  return
})",
                         {"x", "w", "b", "y"}, {{"x", x}, {"w", weight}, {"b", bias}},
                         rows, cols, true);
  std::vector<float> y(rows * cols);
  for (int64_t row = 0; row < rows; ++row) {
    float mean = 0, shift = 0, m2 = 0;
    for (int64_t i = 0; i < cols; ++i)
      mean += float(x[row * cols + i]);
    mean /= float(cols);
    for (int64_t i = 0; i < cols; ++i)
      shift += float(x[row * cols + i]) - mean;
    mean += shift / float(cols);
    for (int64_t i = 0; i < cols; ++i) {
      float centered = float(x[row * cols + i]) - mean;
      m2 = std::fma(centered, centered, m2);
    }
    float rstd = 1.0f / std::sqrt(std::fma(m2, 1.0f / float(cols), 1.0e-5f));
    for (int64_t i = 0; i < cols; ++i)
      y[row * cols + i] = std::fma((float(x[row * cols + i]) - mean) * rstd,
                                   float(weight[i]), float(bias[i]));
  }
  expectWithin(outputs["y"], y, 1e-3);
}

TEST(Bounds, SoftmaxReductions) {
  int64_t rows = 20, cols = 300;
  auto x = sample(4, rows * cols, Type::F32, 0, 4);
  std::vector<float> y(rows * cols);
  for (int64_t row = 0; row < rows; ++row) {
    const double *in = &x[row * cols];
    float largest = float(*std::max_element(in, in + cols)), sum = 0;
    for (int64_t i = 0; i < cols; ++i)
      sum += std::exp(float(in[i]) - largest);
    float inverse = 1.0f / sum;
    for (int64_t i = 0; i < cols; ++i)
      y[row * cols + i] = std::exp(float(in[i]) - largest) * inverse;
  }
  for (const char *name : {"softmax_forward", "softmax_online"}) {
    Program program;
    ASSERT_TRUE(
        program.parseFile(NORMC_EXAMPLES_DIR "/row/" + std::string(name) + ".mlir"));
    bool failed = false;
    auto outputs = program.run({{"x", x}}, rows, cols, failed);
    ASSERT_FALSE(failed);
    expectWithin(outputs["y"], y, 1e-3);
  }
}

TEST(Bounds, DytBackward) {
  int64_t rows = 400, cols = 16;
  auto x = sample(5, rows * cols, Type::F32), dy = sample(6, rows * cols, Type::F32);
  auto weight = sample(7, cols, Type::F32, 1, 0.5);
  auto outputs =
      runText(R"(
func.func @f(%dy: memref<?x?xf32>, %x: memref<?x?xf32>, %a: memref<f32>, %w: memref<?xf32>,
             %dx: memref<?x?xf32>, %da: memref<f32>, %dw: memref<?xf32>) {
  norm.dyt_backward dy(%dy : memref<?x?xf32>) x(%x : memref<?x?xf32>)
    alpha(%a : memref<f32>) weight(%w : memref<?xf32>) outs dx(%dx : memref<?x?xf32>)
    dalpha(%da : memref<f32>) dweight(%dw : memref<?xf32>)
  return
})",
              {"dy", "x", "a", "w", "dx", "da", "dw"},
              {{"dy", dy}, {"x", x}, {"a", {0.75}}, {"w", weight}}, rows, cols, true);
  std::vector<float> dx(rows * cols), dweight(cols), dalpha(1);
  for (int64_t i = 0; i < rows * cols; ++i) {
    float u = 0.75f * float(x[i]), e = std::exp(-2.0f * std::fabs(u));
    float r = 1.0f / (1.0f + e), derivative = 4.0f * e * r * r;
    float g = float(dy[i]) * float(weight[i % cols]) * derivative;
    float series = std::fma(u * u, 2.0f / 15.0f, -1.0f / 3.0f);
    float f = std::fabs(u) < 0.1f ? std::fma(u * (u * u), series, u)
                                  : std::copysign((1.0f - e) * r, u);
    dx[i] = g * 0.75f;
    dalpha[0] += g * float(x[i]);
    dweight[i % cols] += float(dy[i]) * f;
  }
  expectWithin(outputs["dx"], dx, 1e-3);
  expectWithin(outputs["da"], dalpha, 1e-4);
  expectWithin(outputs["dw"], dweight, 1e-4);
}

} // namespace
