// Gradients against central differences of the forward formulas, which are written here
// a second time, in long double. With steps of 1e-6 the differences are exact to about
// 1e-12 (the third derivative) + 1e-13 (the rounding of long double over the step).
#include "TestHelpers.h"

#include <cmath>
#include <functional>

namespace normc::reference {
namespace {

using Real = long double;
using Reals = std::vector<Real>;

constexpr int64_t rows = 3;
constexpr double differenceTolerance = 1e-10;

/// What a forward is differentiated by.
struct Parameters {
  int64_t cols;
  Reals x, weight, bias, alpha = {0.7L}, shift = {0.2L};
  bool hasWeight = true;
  Real offset = 0;

  Real weightAt(int64_t col) const {
    return hasWeight ? offset + weight[col] : 1 + weight[col];
  }
};

Reals wide(const std::vector<double> &values) {
  return Reals(values.begin(), values.end());
}

std::vector<double> narrowed(const Reals &values) {
  return std::vector<double>(values.begin(), values.end());
}

using Forward = std::function<Reals(const Parameters &)>;

Reals layerNormForward(const Parameters &p, Real epsilon) {
  Reals y(p.x.size());
  for (int64_t row = 0; row < rows; ++row) {
    const Real *x = &p.x[row * p.cols];
    Real mean = 0, variance = 0;
    for (int64_t i = 0; i < p.cols; ++i)
      mean += x[i] / p.cols;
    for (int64_t i = 0; i < p.cols; ++i)
      variance += (x[i] - mean) * (x[i] - mean) / p.cols;
    for (int64_t i = 0; i < p.cols; ++i)
      y[row * p.cols + i] =
          (x[i] - mean) / std::sqrt(variance + epsilon) * p.weightAt(i) + p.bias[i];
  }
  return y;
}

Reals rmsNormForward(const Parameters &p, Real epsilon) {
  Reals y(p.x.size());
  for (int64_t row = 0; row < rows; ++row) {
    const Real *x = &p.x[row * p.cols];
    Real square = 0;
    for (int64_t i = 0; i < p.cols; ++i)
      square += x[i] * x[i] / p.cols;
    for (int64_t i = 0; i < p.cols; ++i)
      y[row * p.cols + i] = x[i] / std::sqrt(square + epsilon) * p.weightAt(i);
  }
  return y;
}

Reals dytForward(const Parameters &p, Activation activation) {
  Reals y(p.x.size());
  for (size_t i = 0; i < y.size(); ++i) {
    auto col = static_cast<int64_t>(i) % p.cols;
    Real u = p.alpha[0] * p.x[i] + (activation == Activation::Erf ? p.shift[0] : 0);
    y[i] =
        (activation == Activation::Erf ? std::erf(u) : std::tanh(u)) * p.weightAt(col) +
        p.bias[col];
  }
  return y;
}

/// d(sum of dy * forward)/d(member[i]) for all i.
Reals differences(const Forward &forward, const Parameters &at, const Reals &dy,
                  Reals Parameters::*member) {
  auto loss = [&](const Parameters &p) {
    Reals y = forward(p);
    Real sum = 0;
    for (size_t i = 0; i < y.size(); ++i)
      sum += dy[i] * y[i];
    return sum;
  };
  Reals result((at.*member).size());
  constexpr Real step = 1e-6L;
  for (size_t i = 0; i < result.size(); ++i) {
    Parameters up = at, down = at;
    (up.*member)[i] += step;
    (down.*member)[i] -= step;
    result[i] = (loss(up) - loss(down)) / (2 * step);
  }
  return result;
}

/// An empty expectation stands for a gradient that was not asked for.
void expectNear(const Result &got, const Reals &expected, const char *what) {
  ASSERT_EQ(got.values.size(), expected.size()) << what;
  ASSERT_EQ(got.bounds.size(), expected.size()) << what;
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(got.values[i], static_cast<double>(expected[i]),
                differenceTolerance * (1 + std::fabs(static_cast<double>(expected[i]))))
        << what << ' ' << i;
    EXPECT_TRUE(std::isfinite(got.bounds[i])) << what << ' ' << i;
  }
}

Parameters makeParameters(int64_t cols, bool hasWeight, double offset) {
  Parameters p{cols, {}, {}, {}};
  p.x = wide(make("normal:1:" + shapeOf(rows, cols) + ":1.5:0.5", Type::F64));
  p.weight = hasWeight ? wide(make("normal:2:" + std::to_string(cols), Type::F64))
                       : Reals(cols);
  p.bias = wide(make("normal:3:" + std::to_string(cols), Type::F64));
  p.hasWeight = hasWeight;
  p.offset = offset;
  return p;
}

constexpr Arithmetic inF64 = {Type::F64};

struct Weight {
  bool present;
  double offset;
};

class GradientsTest : public testing::TestWithParam<std::tuple<int64_t, Weight>> {
protected:
  void SetUp() override {
    auto [width, weightOfCase] = GetParam();
    cols = width;
    p = makeParameters(cols, weightOfCase.present, weightOfCase.offset);
    dyWide = wide(make("normal:4:" + shapeOf(rows, cols), Type::F64));
    x = narrowed(p.x), weight = narrowed(p.weight), bias = narrowed(p.bias);
    dy = narrowed(dyWide);
  }

  const double *weightPointer() const { return p.hasWeight ? weight.data() : nullptr; }
  double offset() const { return static_cast<double>(p.offset); }

  int64_t cols = 0;
  Parameters p;
  Reals dyWide;
  std::vector<double> x, weight, bias, dy;
};

class WeightedGradientsTest : public GradientsTest {};
class DytGradientsTest : public GradientsTest {};

TEST_P(WeightedGradientsTest, LayerNorm) {
  constexpr double epsilon = 1e-2;
  LayerNormResults forward = layerNorm({.rows = rows,
                                        .cols = cols,
                                        .x = x.data(),
                                        .weight = weightPointer(),
                                        .bias = bias.data(),
                                        .weightOffset = offset(),
                                        .epsilon = epsilon,
                                        .arithmetic = inF64});
  auto formula = [&](const Parameters &q) { return layerNormForward(q, epsilon); };
  expectNear(forward.y, formula(p), "y");
  const Reals dx = differences(formula, p, dyWide, &Parameters::x);
  const Reals dweight = differences(formula, p, dyWide, &Parameters::weight);
  const Reals dbias = differences(formula, p, dyWide, &Parameters::bias);
  for (int mask = 0; mask < 8; ++mask) {
    NormMask wanted{(mask & 1) != 0, (mask & 2) != 0, (mask & 4) != 0};
    bool statistics = wanted.dx || wanted.dweight;
    NormGradients got =
        layerNormBackward({.rows = rows,
                           .cols = cols,
                           .dy = dy.data(),
                           .x = statistics ? x.data() : nullptr,
                           .mean = statistics ? forward.mean.values.data() : nullptr,
                           .rstd = statistics ? forward.rstd.values.data() : nullptr,
                           .weight = weightPointer(),
                           .weightOffset = offset(),
                           .mask = wanted,
                           .arithmetic = inF64});
    expectNear(got.dx, wanted.dx ? dx : Reals(), "dx");
    expectNear(got.dweight, wanted.dweight ? dweight : Reals(), "dweight");
    expectNear(got.dbias, wanted.dbias ? dbias : Reals(), "dbias");
  }
}

TEST_P(WeightedGradientsTest, RmsNorm) {
  constexpr double epsilon = 1e-2;
  RmsNormResults forward = rmsNorm({.rows = rows,
                                    .cols = cols,
                                    .x = x.data(),
                                    .weight = weightPointer(),
                                    .weightOffset = offset(),
                                    .epsilon = epsilon,
                                    .arithmetic = inF64});
  auto formula = [&](const Parameters &q) { return rmsNormForward(q, epsilon); };
  expectNear(forward.y, formula(p), "y");
  const Reals dx = differences(formula, p, dyWide, &Parameters::x);
  const Reals dweight = differences(formula, p, dyWide, &Parameters::weight);
  // The weight's gradient of before_weight is that of h * (o + w), linear in w.
  Reals dweightOfRounded(cols);
  for (int64_t i = 0; i < rows * cols; ++i)
    dweightOfRounded[i % cols] +=
        dyWide[i] * roundTo(Type::BF16, x[i] * forward.rstd.values[i / cols]);
  for (Cast cast : {Cast::AfterWeight, Cast::BeforeWeight})
    for (int mask = 0; mask < 4; ++mask) {
      NormMask wanted{(mask & 1) != 0, (mask & 2) != 0, false};
      NormGradients got = rmsNormBackward({.rows = rows,
                                           .cols = cols,
                                           .dy = dy.data(),
                                           .x = x.data(),
                                           .rstd = forward.rstd.values.data(),
                                           .weight = weightPointer(),
                                           .weightOffset = offset(),
                                           .cast = cast,
                                           .xType = Type::BF16,
                                           .mask = wanted,
                                           .arithmetic = inF64});
      const Reals &expected = cast == Cast::AfterWeight ? dweight : dweightOfRounded;
      expectNear(got.dx, wanted.dx ? dx : Reals(), "dx");
      expectNear(got.dweight, wanted.dweight ? expected : Reals(), "dweight");
      expectNear(got.dbias, {}, "dbias");
    }
}

TEST_P(DytGradientsTest, Dyt) {
  for (Activation activation : {Activation::Tanh, Activation::Erf}) {
    auto formula = [&](const Parameters &q) { return dytForward(q, activation); };
    const bool erf = activation == Activation::Erf;
    auto alpha = static_cast<double>(p.alpha[0]);
    auto shift = erf ? static_cast<double>(p.shift[0]) : 0.0;
    expectNear(dyt({.rows = rows,
                    .cols = cols,
                    .x = x.data(),
                    .alpha = alpha,
                    .shift = shift,
                    .weight = weightPointer(),
                    .bias = bias.data(),
                    .activation = activation,
                    .arithmetic = inF64}),
               formula(p), "y");
    auto by = [&](Reals Parameters::*member) {
      return differences(formula, p, dyWide, member);
    };
    const Reals dx = by(&Parameters::x), dalpha = by(&Parameters::alpha),
                dshift = by(&Parameters::shift), dweight = by(&Parameters::weight),
                dbias = by(&Parameters::bias);
    for (int mask = 0; mask < 32; ++mask) {
      DytMask wanted{(mask & 1) != 0, (mask & 2) != 0, erf && (mask & 4) != 0,
                     (mask & 8) != 0, (mask & 16) != 0};
      DytGradients got = dytBackward({.rows = rows,
                                      .cols = cols,
                                      .dy = dy.data(),
                                      .x = x.data(),
                                      .alpha = alpha,
                                      .shift = shift,
                                      .weight = weightPointer(),
                                      .activation = activation,
                                      .mask = wanted,
                                      .arithmetic = inF64});
      expectNear(got.dx, wanted.dx ? dx : Reals(), "dx");
      expectNear(got.dalpha, wanted.dalpha ? dalpha : Reals(), "dalpha");
      expectNear(got.dshift, wanted.dshift ? dshift : Reals(), "dshift");
      expectNear(got.dweight, wanted.dweight ? dweight : Reals(), "dweight");
      expectNear(got.dbias, wanted.dbias ? dbias : Reals(), "dbias");
    }
  }
}

const auto widths = testing::Values<int64_t>(1, 2, 7, 24);

INSTANTIATE_TEST_SUITE_P(Shapes, WeightedGradientsTest,
                         testing::Combine(widths, testing::Values(Weight{false, 0},
                                                                  Weight{true, 0},
                                                                  Weight{true, 1})));
// dyt has no offset.
INSTANTIATE_TEST_SUITE_P(Shapes, DytGradientsTest,
                         testing::Combine(widths, testing::Values(Weight{false, 0},
                                                                  Weight{true, 0})));

} // namespace
} // namespace normc::reference
