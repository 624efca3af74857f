// Values that are known without any formula of ours, and what happens at the edges.
#include "TestHelpers.h"

#include <cmath>
#include <limits>

namespace normc::reference {
namespace {

const double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

LayerNormResults layerNormOf(const std::vector<double> &x, int64_t cols, double epsilon,
                             const double *bias = nullptr) {
  return layerNorm({.rows = static_cast<int64_t>(x.size()) / cols,
                    .cols = cols,
                    .x = x.data(),
                    .bias = bias,
                    .epsilon = epsilon});
}

TEST(LayerNormValues, LargeMean) {
  LayerNormResults out = layerNormOf({40000, 40001, 40002, 40003}, 4, 1e-5);
  const double expected[] = {-1.3416355, -0.4472118, 0.4472118, 1.3416355};
  for (int i = 0; i < 4; ++i)
    EXPECT_NEAR(out.y.values[i], expected[i], 1e-7);
  EXPECT_EQ(out.mean.values[0], 40001.5);
  EXPECT_NEAR(out.rstd.values[0], 1 / std::sqrt(1.25 + roundTo(Type::F32, 1e-5)),
              1e-15);
  for (double bound : out.y.bounds)
    EXPECT_LT(bound, 0.02); // two roundings of the mean of 40001.5, times rstd
}

TEST(LayerNormValues, SmallVarianceOnALargeMean) {
  // As f32 inputs: 4e-6 is their spacing at 100, so their variance is 1e-4 still.
  const int64_t cols = 32768;
  LayerNormResults out = layerNormOf(make("normal:7:8x32768:0.01:100"), cols, 0);
  double average = 0;
  for (double rstd : out.rstd.values)
    average += 1 / (rstd * rstd) / 8;
  // Of 2^18 values: a standard deviation of 0.28%, and within 1%.
  EXPECT_NEAR(average, 1e-4, 1e-6);
  for (int row = 0; row < 8; ++row)
    EXPECT_LT(out.rstd.bounds[row], 0.01 * out.rstd.values[row]);
}

TEST(LayerNormValues, ConstantRowsGiveTheBiasAndNothingIsAllowedBesideIt) {
  for (int64_t cols : {1, 3, 24, 127, 256, 768, 4096})
    for (float value : {1234.0f, 1234.1f, 0.1f, -3e-39f})
      for (double epsilon : {1e-5, 1e-12}) {
        std::vector<double> x(cols, value), bias(cols, 0.75);
        LayerNormResults out = layerNormOf(x, cols, epsilon, bias.data());
        EXPECT_EQ(out.y.values, bias);
        out = layerNormOf(x, cols, epsilon);
        EXPECT_EQ(out.y.values, std::vector<double>(cols));
        // What 1.2e-4, the rounding of the mean, would become.
        std::vector<double> wrong(cols, 1.2e-4 / std::sqrt(epsilon));
        EXPECT_EQ(compareValues(wrong, Type::F32, out.y).failures, cols);
        EXPECT_TRUE(compareValues(std::vector<double>(cols), Type::F32, out.y).pass);
      }
}

TEST(LayerNormValues, TinyEpsilonIsKept) {
  // 1e-12 is below f16's smallest value.
  LayerNormResults out = layerNormOf(std::vector<double>(64, 2.5), 64, 1e-12);
  EXPECT_NEAR(out.rstd.values[0], 1e6, 1);
  EXPECT_TRUE(compareValues(std::vector<double>(64), Type::F16, out.y).pass);
}

TEST(LayerNormValues, EpsilonZeroOnAConstantRowIsZeroTimesInfinity) {
  LayerNormResults out = layerNormOf({2, 2, 2}, 3, 0);
  EXPECT_EQ(out.rstd.values[0], inf);
  for (double y : out.y.values)
    EXPECT_TRUE(std::isnan(y));
}

TEST(LayerNormValues, NanAndInfinityStayInTheirRow) {
  LayerNormResults out =
      layerNormOf({1, 2, nan, 1, 2, 3, inf, 1, 2, 1, -inf, inf}, 3, 1e-5);
  for (int row : {0, 2, 3}) {
    EXPECT_TRUE(std::isnan(out.rstd.values[row]));
    EXPECT_EQ(out.rstd.bounds[row], 0);
    for (int i = 0; i < 3; ++i)
      EXPECT_TRUE(std::isnan(out.y.values[row * 3 + i])) << row;
  }
  EXPECT_NEAR(out.y.values[4], 0, 1e-15);
  EXPECT_TRUE(std::isnan(out.mean.values[0]));
  EXPECT_EQ(out.mean.bounds[0], 0);
  // A corrected mean of a row with an infinity may be NaN or infinite.
  EXPECT_EQ(out.mean.bounds[2], inf);
}

TEST(LayerNormValues, SquaresThatOverflowF32AreExcluded) {
  LayerNormResults out = layerNormOf({1e20, -1e20, 3, 4}, 2, 1e-5);
  Comparison y =
      compareValues(std::vector<double>{nan, 0, -0.99998, 0.99998}, Type::F32, out.y);
  EXPECT_TRUE(y.pass) << describe(y);
  EXPECT_EQ(y.excluded, 2);
  std::vector<double> x = {1e20, -1e20};
  LayerNormResults wide = layerNorm({.rows = 1,
                                     .cols = 2,
                                     .x = x.data(),
                                     .epsilon = 1e-5,
                                     .arithmetic = {Type::F64}});
  EXPECT_TRUE(std::isfinite(wide.y.bounds[0]));
  EXPECT_NEAR(wide.y.values[0], 1, 1e-15);
}

TEST(LayerNormValues, ASpreadBelowTheSpacingOfTheMeanIsExcluded) {
  // Half of the values are one spacing of f32 above the others: the mean rounds by as
  // much as they deviate.
  LayerNormResults out = layerNormOf({16777216, 16777218, 1, 3}, 2, 1e-12);
  EXPECT_EQ(out.y.bounds[0], inf);
  EXPECT_EQ(out.rstd.bounds[0], inf);
  EXPECT_LT(out.mean.bounds[0], 10);
  EXPECT_LT(out.y.bounds[2], 1e-5);
}

TEST(LayerNormValues, NoRows) {
  LayerNormResults out = layerNorm({.rows = 0, .cols = 4, .x = nullptr, .epsilon = 1});
  EXPECT_TRUE(out.y.values.empty());
  EXPECT_TRUE(out.mean.values.empty());
  NormGradients gradients = layerNormBackward({.rows = 0,
                                               .cols = 4,
                                               .dy = nullptr,
                                               .x = nullptr,
                                               .mean = nullptr,
                                               .rstd = nullptr});
  EXPECT_TRUE(gradients.dx.values.empty());
  EXPECT_EQ(gradients.dweight.values, std::vector<double>(4));
  EXPECT_EQ(gradients.dbias.bounds, std::vector<double>(4));
}

TEST(LayerNormValues, FlattenedNormalizedDimensions) {
  // [5, 8, 16] normalized over [8, 16]: one weight an element, 128 of them.
  const int64_t rows = 5, cols = 128;
  std::vector<double> x = make("normal:1:5x8x16"), dy = make("normal:2:5x8x16");
  LayerNormResults forward = layerNormOf(x, cols, 1e-5);
  NormGradients out = layerNormBackward({.rows = rows,
                                         .cols = cols,
                                         .dy = dy.data(),
                                         .x = x.data(),
                                         .mean = forward.mean.values.data(),
                                         .rstd = forward.rstd.values.data()});
  ASSERT_EQ(out.dweight.values.size(), 128u);
  for (int64_t col = 0; col < cols; ++col) {
    double expected = 0, plain = 0;
    for (int64_t row = 0; row < rows; ++row) {
      expected += dy[row * cols + col] * forward.y.values[row * cols + col];
      plain += dy[row * cols + col];
    }
    EXPECT_NEAR(out.dweight.values[col], expected, 1e-13);
    EXPECT_NEAR(out.dbias.values[col], plain, 1e-13);
  }
}

TEST(LayerNormValues, DxIsOrthogonalToOnesAndToXh) {
  const int64_t cols = 512;
  std::vector<double> x = make("normal:1:1x512"), dy = make("normal:2:1x512");
  LayerNormResults forward = layerNormOf(x, cols, 0);
  NormGradients out = layerNormBackward({.rows = 1,
                                         .cols = cols,
                                         .dy = dy.data(),
                                         .x = x.data(),
                                         .mean = forward.mean.values.data(),
                                         .rstd = forward.rstd.values.data()});
  double sum = 0, product = 0;
  for (int64_t i = 0; i < cols; ++i) {
    sum += out.dx.values[i];
    product += out.dx.values[i] * forward.y.values[i];
  }
  EXPECT_NEAR(sum, 0, 1e-12);
  EXPECT_NEAR(product, 0, 1e-12);
}

TEST(RmsNormValues, SquaresBeyondF16) {
  std::vector<double> x = {300, 60000, -300, 60000};
  RmsNormResults out = rmsNorm(
      {.rows = 1, .cols = 4, .x = x.data(), .epsilon = 1e-6, .xType = Type::F16});
  double root = std::sqrt((2 * 300.0 * 300 + 2 * 6e4 * 6e4) / 4);
  for (int i = 0; i < 4; ++i) {
    EXPECT_NEAR(out.y.values[i], x[i] / root, 1e-15);
    EXPECT_LT(out.y.bounds[i], 2e-6);
  }
}

TEST(RmsNormValues, OffsetIsAddedUnrounded) {
  // 1.00390625 lies between two values of bf16, whose rounding is 1.
  std::vector<double> x = {1, 1}, weight = {0.00390625, 0};
  RmsNormResults out = rmsNorm({.rows = 1,
                                .cols = 2,
                                .x = x.data(),
                                .weight = weight.data(),
                                .weightOffset = 1,
                                .epsilon = 0});
  EXPECT_DOUBLE_EQ(out.y.values[0], 1.00390625);
  EXPECT_DOUBLE_EQ(out.y.values[1], 1);
  EXPECT_TRUE(compareValues(std::vector<double>{1.00390625, 1}, Type::F32, out.y).pass);
  EXPECT_EQ(compareValues(std::vector<double>{1, 1}, Type::F32, out.y).failures, 1);
}

TEST(RmsNormValues, CastRoundsBeforeTheWeight) {
  std::vector<double> x = make("normal:3:4x32", Type::BF16);
  std::vector<double> weight = make("normal:4:32", Type::BF16);
  RmsNormInputs inputs{.rows = 4,
                       .cols = 32,
                       .x = x.data(),
                       .weight = weight.data(),
                       .epsilon = 1e-6,
                       .xType = Type::BF16};
  RmsNormResults after = rmsNorm(inputs);
  inputs.cast = Cast::BeforeWeight;
  RmsNormResults before = rmsNorm(inputs);
  for (int64_t i = 0; i < 128; ++i) {
    double h = roundTo(Type::BF16, x[i] * after.rstd.values[i / 32]);
    EXPECT_EQ(before.y.values[i], h * weight[i % 32]);
  }
  // The two definitions are told apart.
  EXPECT_GT(compareValues(after.y.values, Type::F32, before.y).failures, 60);
  EXPECT_GT(compareValues(before.y.values, Type::F32, after.y).failures, 60);
}

TEST(RmsNormValues, CastAllowsTheNeighbourOnlyNextToAMiddle) {
  // 1 + 2^-8 is the middle of two values of bf16; rstd is 1.
  std::vector<double> x = {1 + 0x1p-8, 1.25}, rstd = {1}, dy = {1, 1};
  RmsNormBackwardInputs inputs{.rows = 1,
                               .cols = 2,
                               .dy = dy.data(),
                               .x = x.data(),
                               .rstd = rstd.data(),
                               .cast = Cast::BeforeWeight,
                               .xType = Type::BF16};
  NormGradients out = rmsNormBackward(inputs);
  EXPECT_EQ(out.dweight.values[0], 1);
  EXPECT_GE(out.dweight.bounds[0], 0x1p-7);
  EXPECT_LT(out.dweight.bounds[1], 1e-5);
}

TEST(RmsNormValues, ZerosWithEpsilon) {
  std::vector<double> x(8);
  RmsNormResults out = rmsNorm({.rows = 1, .cols = 8, .x = x.data(), .epsilon = 1e-12});
  EXPECT_NEAR(out.rstd.values[0], 1e6, 0.1);
  EXPECT_EQ(out.y.values, x);
}

TEST(DytValues, Activations) {
  std::vector<double> x = {0, 0.5, -2}, weight = {1, 2, 3}, bias = {0, 1, -1};
  DytInputs inputs{.rows = 1,
                   .cols = 3,
                   .x = x.data(),
                   .alpha = 2,
                   .weight = weight.data(),
                   .bias = bias.data()};
  Result y = dyt(inputs);
  EXPECT_EQ(y.values[0], 0);
  EXPECT_NEAR(y.values[1], 2 * 0.7615941559557649 + 1, 1e-15);
  EXPECT_NEAR(y.values[2], -3 * 0.9993292997390670 - 1, 1e-15);
  inputs.activation = Activation::Erf;
  inputs.shift = -1;
  y = dyt(inputs);
  EXPECT_NEAR(y.values[0], -0.8427007929497149, 1e-15);
  EXPECT_NEAR(y.values[1], 1, 1e-15);
}

class InfiniteAlpha : public testing::TestWithParam<double> {
protected:
  static constexpr int64_t rows = 5, cols = 7;
  std::vector<double> x = make("normal:1:5x7"), dy = make("normal:2:5x7");

  DytGradients backward() {
    return dytBackward({.rows = rows,
                        .cols = cols,
                        .dy = dy.data(),
                        .x = x.data(),
                        .alpha = GetParam()});
  }
};

TEST_P(InfiniteAlpha, WithoutAZeroInX) {
  DytGradients out = backward();
  for (int64_t col = 0; col < cols; ++col) {
    double expected = 0;
    for (int64_t row = 0; row < rows; ++row)
      expected += std::copysign(dy[row * cols + col], GetParam() * x[row * cols + col] *
                                                          dy[row * cols + col]);
    EXPECT_NEAR(out.dweight.values[col], expected, 1e-14);
    EXPECT_GT(out.dweight.bounds[col], 1e-6);
    EXPECT_LT(out.dweight.bounds[col], 1e-3);
    EXPECT_TRUE(std::isfinite(out.dbias.values[col]));
  }
  // f' is 0, so g is; 0 * alpha is NaN, and 0 * x is 0.
  for (double dx : out.dx.values)
    EXPECT_TRUE(std::isnan(dx));
  EXPECT_EQ(out.dalpha.values[0], 0);
  EXPECT_EQ(out.dshift.values[0], 0);
  // g may be no more than zero: a bound would let 0 * alpha be something else.
  EXPECT_LT(out.dshift.bounds[0], 1e-42);
}

TEST_P(InfiniteAlpha, OneZeroInXReachesItsColumnAndAlphaOnly) {
  x[2 * cols + 3] = 0;
  DytGradients out = backward();
  for (int64_t col = 0; col < cols; ++col) {
    EXPECT_EQ(std::isnan(out.dweight.values[col]), col == 3);
    EXPECT_TRUE(std::isfinite(out.dbias.values[col]));
  }
  EXPECT_TRUE(std::isnan(out.dalpha.values[0]));
  Result y = dyt({.rows = rows, .cols = cols, .x = x.data(), .alpha = GetParam()});
  for (int64_t i = 0; i < rows * cols; ++i) {
    EXPECT_EQ(std::isnan(y.values[i]), i == 2 * cols + 3);
    if (i != 2 * cols + 3) {
      EXPECT_EQ(std::fabs(y.values[i]), 1);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Signs, InfiniteAlpha, testing::Values(inf, -inf));

} // namespace
} // namespace normc::reference
