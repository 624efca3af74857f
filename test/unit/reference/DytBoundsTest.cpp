// The bounds hold for a dyt in float that keeps the rules of docs/numerics.md, and do
// not for one whose tanh is the hardware's where it must not be.
#include "TestHelpers.h"

#include <cmath>
#include <functional>

namespace normc::reference {
namespace {

struct DytCase {
  int64_t rows = 300, cols = 24;
  std::vector<double> x, dy, weight;
  double alpha = 0.7, shift = 0;
  Activation activation;
  Arithmetic arithmetic;

  DytCase(Activation activation, double scale)
      : x(make("normal:1:300x24:" + std::to_string(scale))),
        dy(make("normal:2:300x24")), weight(make("normal:3:24")),
        activation(activation) {
    alpha = roundTo(Type::F32, alpha);
    if (activation == Activation::Erf)
      shift = roundTo(Type::F32, 0.3);
  }

  DytGradients reference() const {
    return dytBackward({.rows = rows,
                        .cols = cols,
                        .dy = dy.data(),
                        .x = x.data(),
                        .alpha = alpha,
                        .shift = shift,
                        .weight = weight.data(),
                        .activation = activation,
                        .arithmetic = arithmetic});
  }

  float argument(int64_t i) const {
    return static_cast<float>(alpha) * static_cast<float>(x[i]) +
           static_cast<float>(shift);
  }
};

using Pair = std::pair<float, float>;

/// f and f' as SEMANTICS defines them for a backward pass.
Pair activate(Activation activation, float u) {
  if (activation == Activation::Erf)
    return {std::erf(u), 1.1283791670955126f * std::exp(-u * u)};
  float e = std::exp2(-2 * std::fabs(u) * 1.4426950408889634f), r = 1 / (1 + e);
  float f = std::fabs(u) < 1e-3f ? u : std::copysign((1 - e) * r, u);
  return {f, 4 * e * r * r};
}

struct DytChecks {
  Comparison dx, dweight, dalpha;
};

DytChecks checkDyt(const DytCase &c, const std::function<Pair(float)> &function) {
  Floats dx(c.x.size()), dweight(24);
  std::vector<float> terms;
  for (int64_t i = 0; i < c.rows * c.cols; ++i) {
    auto [f, slope] = function(c.argument(i));
    auto dy = static_cast<float>(c.dy[i]);
    float g = dy * static_cast<float>(c.weight[i % c.cols]) * slope;
    dx[i] = g * static_cast<float>(c.alpha);
    dweight[i % c.cols] += dy * f;
    terms.push_back(g * static_cast<float>(c.x[i]));
  }
  float dalpha = laneSum(
      static_cast<int64_t>(terms.size()), [&](int64_t i) { return terms[i]; }, 64);
  DytGradients reference = c.reference();
  return {compareValues(dx, Type::F32, reference.dx),
          compareValues(dweight, Type::F32, reference.dweight),
          compareValues(Floats{dalpha}, Type::F32, reference.dalpha)};
}

TEST(DytBounds, BackwardInFloatIsWithin) {
  for (Activation activation : {Activation::Tanh, Activation::Erf})
    for (double scale : {0.001, 1.0, 5.0, 100.0}) {
      DytChecks out = checkDyt(DytCase(activation, scale),
                               [&](float u) { return activate(activation, u); });
      EXPECT_TRUE(out.dx.pass) << scale << ' ' << describe(out.dx);
      EXPECT_TRUE(out.dweight.pass) << scale << ' ' << describe(out.dweight);
      EXPECT_TRUE(out.dalpha.pass) << scale << ' ' << describe(out.dalpha);
    }
}

TEST(DytBounds, HardwareTanhInABackwardIsCaught) {
  DytChecks out = checkDyt(DytCase(Activation::Tanh, 3), [](float u) -> Pair {
    auto t = static_cast<float>(std::tanh(u) * (1 - 0x1p-11));
    return {t, 1 - t * t};
  });
  EXPECT_FALSE(out.dx.pass);
  EXPECT_FALSE(out.dweight.pass);
}

TEST(DytBounds, HardwareTanhInABackwardIsAnOption) {
  DytCase c(Activation::Tanh, 3);
  c.arithmetic.backwardTanhError = 0x1p-11;
  DytChecks out = checkDyt(c, [](float u) -> Pair {
    auto t = static_cast<float>(std::tanh(u) * (1 - 0x1p-11));
    return {t, 1 - t * t};
  });
  EXPECT_TRUE(out.dx.pass) << describe(out.dx);
  EXPECT_TRUE(out.dweight.pass) << describe(out.dweight);
  EXPECT_TRUE(out.dalpha.pass) << describe(out.dalpha);
}

TEST(DytBounds, HardwareTanhInAForwardIsAnOption) {
  std::vector<double> x = make("normal:1:4x64", Type::BF16);
  DytInputs inputs{.rows = 4, .cols = 64, .x = x.data(), .alpha = 1};
  Floats y;
  for (double value : x)
    y.push_back(static_cast<float>(std::tanh(value) * (1 + 0x1p-11)));
  EXPECT_FALSE(compareValues(y, Type::BF16, dyt(inputs)).pass);
  inputs.arithmetic.forwardTanhError = 0x1p-11;
  EXPECT_TRUE(compareValues(y, Type::BF16, dyt(inputs)).pass);
}

TEST(DytBounds, ForwardInFloatIsWithin) {
  std::vector<double> x = make("normal:1:64x24:2"), w = make("normal:2:24"),
                      b = make("normal:3:24");
  for (Activation activation : {Activation::Tanh, Activation::Erf}) {
    Floats y;
    for (size_t i = 0; i < x.size(); ++i) {
      float u = 0.5f * static_cast<float>(x[i]);
      float f = activation == Activation::Tanh ? std::tanh(u) : std::erf(u);
      y.push_back(f * static_cast<float>(w[i % 24]) + static_cast<float>(b[i % 24]));
    }
    Comparison out = compareValues(y, Type::F32,
                                   dyt({.rows = 64,
                                        .cols = 24,
                                        .x = x.data(),
                                        .alpha = 0.5,
                                        .weight = w.data(),
                                        .bias = b.data(),
                                        .activation = activation}));
    EXPECT_TRUE(out.pass) << describe(out);
  }
}

} // namespace
} // namespace normc::reference
