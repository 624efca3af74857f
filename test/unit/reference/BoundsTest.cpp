// The bounds hold for computations in float that keep the rules of docs/numerics.md,
// and do not for those that break one: each fault here was seen in a real kernel.
#include "TestHelpers.h"

#include <cmath>
#include <functional>

namespace normc::reference {
namespace {

using Floats = std::vector<float>;

Floats floatsOf(const std::vector<double> &values) {
  return Floats(values.begin(), values.end());
}

/// The sum of term(0..n-1) as `lanes` serial chains that are combined pairwise.
template <typename Term> float laneSum(int64_t n, Term term, int64_t lanes = 32) {
  Floats partial(static_cast<size_t>(lanes));
  for (int64_t i = 0; i < n; ++i)
    partial[static_cast<size_t>(i % lanes)] += term(i);
  for (int64_t width = lanes / 2; width >= 1; width /= 2)
    for (int64_t i = 0; i < width; ++i)
      partial[static_cast<size_t>(i)] += partial[static_cast<size_t>(i + width)];
  return partial[0];
}

enum class Variance { TwoPass, Merged, OfSquares, UncorrectedMean };

struct FloatMoments {
  float mean = 0, centered = 0; ///< centered: sum of (x - mean)^2
};

FloatMoments twoPass(const float *x, int64_t n, bool correct) {
  float mean = laneSum(n, [&](int64_t i) { return x[i]; }) / static_cast<float>(n);
  if (correct)
    mean += laneSum(n, [&](int64_t i) { return x[i] - mean; }) / static_cast<float>(n);
  return {mean, laneSum(n, [&](int64_t i) { return (x[i] - mean) * (x[i] - mean); })};
}

/// Chan, Golub and LeVeque (1983), pairwise down to 32 values.
FloatMoments merged(const float *x, int64_t n) {
  if (n <= 32)
    return twoPass(x, n, true);
  int64_t half = n / 2;
  FloatMoments a = merged(x, half), b = merged(x + half, n - half);
  float delta = b.mean - a.mean;
  float share = static_cast<float>(n - half) / static_cast<float>(n);
  return {a.mean + delta * share,
          a.centered + b.centered + delta * delta * share * static_cast<float>(half)};
}

FloatMoments momentsBy(Variance how, const float *x, int64_t n) {
  switch (how) {
  case Variance::TwoPass:
    return twoPass(x, n, true);
  case Variance::UncorrectedMean:
    return twoPass(x, n, false);
  case Variance::Merged:
    return merged(x, n);
  case Variance::OfSquares:
    break;
  }
  float mean = laneSum(n, [&](int64_t i) { return x[i]; }) / static_cast<float>(n);
  float square = laneSum(n, [&](int64_t i) { return x[i] * x[i]; });
  return {mean, square - static_cast<float>(n) * mean * mean};
}

struct LayerNormCase {
  int64_t rows, cols;
  std::string x; ///< a specification without its shape
  float epsilon;
};

std::vector<double> valuesOf(const LayerNormCase &c) {
  size_t at = c.x.find('#');
  return make(c.x.substr(0, at) + shapeOf(c.rows, c.cols) + c.x.substr(at + 1));
}

struct FloatLayerNorm {
  Floats y, mean, rstd;
};

FloatLayerNorm layerNormInFloat(const LayerNormCase &c, const Floats &x,
                                const Floats &w, const Floats &b, Variance how) {
  FloatLayerNorm out{Floats(x.size()), {}, {}};
  for (int64_t row = 0; row < c.rows; ++row) {
    FloatMoments m = momentsBy(how, &x[row * c.cols], c.cols);
    float rstd = 1 / std::sqrt(m.centered / static_cast<float>(c.cols) + c.epsilon);
    out.mean.push_back(m.mean);
    out.rstd.push_back(rstd);
    for (int64_t i = 0; i < c.cols; ++i)
      out.y[row * c.cols + i] = (x[row * c.cols + i] - m.mean) * rstd * w[i] + b[i];
  }
  return out;
}

struct LayerNormChecks {
  Comparison y, mean, rstd;
  bool pass() const { return y.pass && mean.pass && rstd.pass; }
};

/// `epsilon` replaces the right one in what is checked.
LayerNormChecks checkLayerNorm(const LayerNormCase &c, Variance how,
                               std::optional<float> epsilon = {}) {
  std::vector<double> x = valuesOf(c);
  std::vector<double> w = make("normal:2:" + std::to_string(c.cols));
  std::vector<double> b = make("normal:3:" + std::to_string(c.cols));
  LayerNormResults reference = layerNorm({.rows = c.rows,
                                          .cols = c.cols,
                                          .x = x.data(),
                                          .weight = w.data(),
                                          .bias = b.data(),
                                          .epsilon = c.epsilon});
  LayerNormCase checked = c;
  checked.epsilon = epsilon.value_or(c.epsilon);
  FloatLayerNorm out =
      layerNormInFloat(checked, floatsOf(x), floatsOf(w), floatsOf(b), how);
  return {compareValues(out.y, Type::F32, reference.y),
          compareValues(out.mean, Type::F32, reference.mean),
          compareValues(out.rstd, Type::F32, reference.rstd)};
}

std::vector<LayerNormCase> layerNormCases() {
  std::vector<LayerNormCase> cases;
  for (int64_t cols : {1, 2, 3, 17, 24, 127, 256, 1000, 4096, 32768})
    for (const char *x : {"normal:1:#", "normal:1:#:0.01:100", "uniform:1:#:1:1",
                          "normal:1:#:1e-20", "normal:1:#:1e-38", "normal:1:#:1e15",
                          "const:0.1:#", "const:1234.1:#", "ramp:40000:#"})
      for (float epsilon : {1e-5f, 1e-12f})
        cases.push_back({4, cols, x, epsilon});
  return cases;
}

TEST(Bounds, LayerNormInFloatIsWithin) {
  int64_t elements = 0, excluded = 0;
  for (const LayerNormCase &c : layerNormCases())
    for (Variance how : {Variance::TwoPass, Variance::Merged}) {
      LayerNormChecks out = checkLayerNorm(c, how);
      EXPECT_TRUE(out.pass()) << c.x << ' ' << c.cols << ' ' << c.epsilon << "\ny "
                              << describe(out.y) << "\nmean " << describe(out.mean)
                              << "\nrstd " << describe(out.rstd);
      elements += out.y.elements;
      excluded += out.y.excluded;
    }
  // Excluded is what no computation in f32 can have.
  EXPECT_LT(excluded, elements / 10);
}

TEST(Bounds, VarianceOfSquaresIsCaught) {
  EXPECT_FALSE(
      checkLayerNorm({1, 4, "ramp:40000:#", 1e-5f}, Variance::OfSquares).y.pass);
  EXPECT_FALSE(
      checkLayerNorm({4, 32768, "normal:1:#:0.01:100", 1e-5f}, Variance::OfSquares)
          .rstd.pass);
}

TEST(Bounds, UncorrectedMeanOfAConstantRowIsCaught) {
  EXPECT_FALSE(
      checkLayerNorm({4, 127, "const:1234.1:#", 1e-12f}, Variance::UncorrectedMean)
          .y.pass);
}

TEST(Bounds, AnotherEpsilonIsCaught) {
  EXPECT_FALSE(
      checkLayerNorm({4, 24, "normal:1:#", 1e-5f}, Variance::TwoPass, 0.0f).rstd.pass);
  EXPECT_FALSE(
      checkLayerNorm({4, 4096, "normal:1:#:0.01", 1e-5f}, Variance::TwoPass, 1e-6f)
          .y.pass);
}

TEST(Bounds, PaddingThatIsCountedIsCaught) {
  // 17 columns in a vector of 32: the mean of the padded row.
  std::vector<double> x = make("normal:1:1x17");
  std::vector<double> padded = x;
  padded.resize(32);
  LayerNormResults right =
      layerNorm({.rows = 1, .cols = 17, .x = x.data(), .epsilon = 0});
  LayerNormResults wrong =
      layerNorm({.rows = 1, .cols = 32, .x = padded.data(), .epsilon = 0});
  wrong.y.values.resize(17);
  EXPECT_FALSE(compareValues(wrong.y.values, Type::F32, right.y).pass);
  EXPECT_FALSE(compareValues(wrong.rstd.values, Type::F32, right.rstd).pass);
}

struct NormBackwardCase {
  int64_t rows, cols;
  std::vector<double> x, dy, weight, mean, rstd;

  NormBackwardCase(int64_t rows, int64_t cols, const std::string &suffix)
      : rows(rows), cols(cols), x(make("normal:1:" + shapeOf(rows, cols) + suffix)),
        dy(make("normal:2:" + shapeOf(rows, cols))),
        weight(make("normal:3:" + std::to_string(cols))) {
    LayerNormResults forward =
        layerNorm({.rows = rows, .cols = cols, .x = x.data(), .epsilon = 1e-5});
    for (double value : forward.mean.values)
      mean.push_back(roundTo(Type::F32, value));
    for (double value : forward.rstd.values)
      rstd.push_back(roundTo(Type::F32, value));
  }

  NormGradients reference() const {
    return layerNormBackward({.rows = rows,
                              .cols = cols,
                              .dy = dy.data(),
                              .x = x.data(),
                              .mean = mean.data(),
                              .rstd = rstd.data(),
                              .weight = weight.data()});
  }

  float xh(int64_t row, int64_t col) const {
    return (static_cast<float>(x[row * cols + col]) - static_cast<float>(mean[row])) *
           static_cast<float>(rstd[row]);
  }
  float g(int64_t row, int64_t col) const {
    return static_cast<float>(dy[row * cols + col]) * static_cast<float>(weight[col]);
  }

  Floats dxInFloat() const {
    Floats dx(x.size());
    for (int64_t row = 0; row < rows; ++row) {
      auto n = static_cast<float>(cols);
      float a = laneSum(cols, [&](int64_t i) { return g(row, i); }) / n;
      float b = laneSum(cols, [&](int64_t i) { return g(row, i) * xh(row, i); }) / n;
      for (int64_t i = 0; i < cols; ++i)
        dx[row * cols + i] =
            static_cast<float>(rstd[row]) * (g(row, i) - a - xh(row, i) * b);
    }
    return dx;
  }

  /// Sums of blocks of rows, each partial rounded to `partial`, then summed.
  Floats dweightInFloat(int64_t blocks, Type partial) const {
    Floats dweight(static_cast<size_t>(cols));
    int64_t height = (rows + blocks - 1) / blocks;
    for (int64_t col = 0; col < cols; ++col)
      for (int64_t block = 0; block * height < rows; ++block) {
        float sum = 0;
        for (int64_t row = block * height; row < std::min((block + 1) * height, rows);
             ++row)
          sum += static_cast<float>(dy[row * cols + col]) * xh(row, col);
        dweight[col] += static_cast<float>(roundTo(partial, sum));
      }
    return dweight;
  }
};

TEST(Bounds, LayerNormBackwardInFloatIsWithin) {
  for (int64_t cols : {1, 2, 24, 127, 4096})
    for (int64_t rows : {1, 5, 600})
      for (const char *suffix : {"", ":0.01:100", ":1e-20", ":1e15"}) {
        if (rows * cols > 1000000)
          continue;
        NormBackwardCase c(rows, cols, suffix);
        NormGradients reference = c.reference();
        Comparison dx = compareValues(c.dxInFloat(), Type::F32, reference.dx);
        Comparison dweight =
            compareValues(c.dweightInFloat(8, Type::F32), Type::F32, reference.dweight);
        EXPECT_TRUE(dx.pass) << rows << ' ' << cols << suffix << ' ' << describe(dx);
        EXPECT_TRUE(dweight.pass)
            << rows << ' ' << cols << suffix << ' ' << describe(dweight);
      }
}

TEST(Bounds, PartialsInBf16AreCaught) {
  NormBackwardCase c(4096, 24, "");
  Result dweight = c.reference().dweight;
  EXPECT_FALSE(
      compareValues(c.dweightInFloat(16, Type::BF16), Type::F32, dweight).pass);
  EXPECT_TRUE(compareValues(c.dweightInFloat(16, Type::F32), Type::F32, dweight).pass);
}

TEST(Bounds, ALostRowIsCaught) {
  NormBackwardCase c(4096, 24, "");
  Result dweight = c.reference().dweight;
  --c.rows;
  // All columns but those in which the row's term is next to nothing.
  EXPECT_GT(compareValues(c.dweightInFloat(16, Type::F32), Type::F32, dweight).failures,
            20);
}

TEST(Bounds, RmsNormInFloatIsWithin) {
  for (int64_t cols : {1, 17, 128, 4096})
    for (const char *suffix : {"", ":1e-22", ":1e15", ":300:60000"})
      for (Cast cast : {Cast::AfterWeight, Cast::BeforeWeight})
        for (Type type : {Type::F16, Type::BF16, Type::F32}) {
          if (type == Type::F16 && std::string(suffix).size() > 0)
            continue;
          std::vector<double> x = make("normal:1:" + shapeOf(8, cols) + suffix, type);
          std::vector<double> w = make("normal:2:" + std::to_string(cols), type);
          RmsNormResults reference = rmsNorm({.rows = 8,
                                              .cols = cols,
                                              .x = x.data(),
                                              .weight = w.data(),
                                              .weightOffset = 1,
                                              .epsilon = 1e-6,
                                              .cast = cast,
                                              .xType = type});
          Floats y(x.size());
          for (int64_t row = 0; row < 8; ++row) {
            Floats values = floatsOf({&x[row * cols], &x[row * cols] + cols});
            float square =
                laneSum(cols, [&](int64_t i) { return values[i] * values[i]; });
            float rstd = 1 / std::sqrt(square / static_cast<float>(cols) + 1e-6f);
            for (int64_t i = 0; i < cols; ++i) {
              float xh = values[i] * rstd;
              if (cast == Cast::BeforeWeight)
                xh = static_cast<float>(roundTo(type, xh));
              y[row * cols + i] = xh * (1 + static_cast<float>(w[i]));
            }
          }
          Comparison out = compareValues(y, type, reference.y);
          EXPECT_TRUE(out.pass) << cols << suffix << ' ' << describe(out);
          EXPECT_EQ(out.excluded, 0);
        }
}

struct DytCase {
  int64_t rows = 300, cols = 24;
  std::vector<double> x, dy, weight;
  double alpha = 0.7, shift = 0;
  Activation activation;

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
                        .activation = activation});
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

TEST(Bounds, DytBackwardInFloatIsWithin) {
  for (Activation activation : {Activation::Tanh, Activation::Erf})
    for (double scale : {0.001, 1.0, 5.0, 100.0}) {
      DytChecks out = checkDyt(DytCase(activation, scale),
                               [&](float u) { return activate(activation, u); });
      EXPECT_TRUE(out.dx.pass) << scale << ' ' << describe(out.dx);
      EXPECT_TRUE(out.dweight.pass) << scale << ' ' << describe(out.dweight);
      EXPECT_TRUE(out.dalpha.pass) << scale << ' ' << describe(out.dalpha);
    }
}

TEST(Bounds, HardwareTanhInABackwardIsCaught) {
  DytChecks out = checkDyt(DytCase(Activation::Tanh, 3), [](float u) -> Pair {
    auto t = static_cast<float>(std::tanh(u) * (1 - 0x1p-11));
    return {t, 1 - t * t};
  });
  EXPECT_FALSE(out.dx.pass);
  EXPECT_FALSE(out.dweight.pass);
}

TEST(Bounds, HardwareTanhInAForwardIsAnOption) {
  std::vector<double> x = make("normal:1:4x64", Type::BF16);
  DytInputs inputs{.rows = 4, .cols = 64, .x = x.data(), .alpha = 1};
  Floats y;
  for (double value : x)
    y.push_back(static_cast<float>(std::tanh(value) * (1 + 0x1p-11)));
  EXPECT_FALSE(compareValues(y, Type::BF16, dyt(inputs)).pass);
  inputs.arithmetic.forwardTanhError = 0x1p-11;
  EXPECT_TRUE(compareValues(y, Type::BF16, dyt(inputs)).pass);
}

TEST(Bounds, DytForwardInFloatIsWithin) {
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

TEST(Bounds, AShorterChainIsATighterBound) {
  std::vector<double> x = make("normal:1:1x4096");
  RmsNormInputs inputs{.rows = 1, .cols = 4096, .x = x.data(), .epsilon = 1e-6};
  double usual = rmsNorm(inputs).rstd.bounds[0];
  inputs.arithmetic.longestChain = 64;
  EXPECT_LT(rmsNorm(inputs).rstd.bounds[0], usual / 10);
}

TEST(Bounds, ParameterGradientsOfF32AreWithinTheStatedShare) {
  NormBackwardCase c(4096, 24, "");
  NormGradients out = c.reference();
  for (int64_t col = 0; col < 24; ++col) {
    double magnitude = 0;
    for (int64_t row = 0; row < c.rows; ++row)
      magnitude += std::fabs(c.dy[row * 24 + col]);
    EXPECT_NEAR(out.dbias.bounds[col], 1e-5 * magnitude, 1e-9 * magnitude);
  }
}

} // namespace
} // namespace normc::reference
