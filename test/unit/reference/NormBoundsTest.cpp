// The bounds hold for computations in float that keep the rules of docs/numerics.md,
// and do not for those that break one: each fault here was seen in a real kernel.
#include "TestHelpers.h"

#include <cmath>
#include <optional>

namespace normc::reference {
namespace {

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

TEST(NormBounds, LayerNormInFloatIsWithin) {
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

TEST(NormBounds, VarianceOfSquaresIsCaught) {
  EXPECT_FALSE(
      checkLayerNorm({1, 4, "ramp:40000:#", 1e-5f}, Variance::OfSquares).y.pass);
  EXPECT_FALSE(
      checkLayerNorm({4, 32768, "normal:1:#:0.01:100", 1e-5f}, Variance::OfSquares)
          .rstd.pass);
}

TEST(NormBounds, UncorrectedMeanOfAConstantRowIsCaught) {
  EXPECT_FALSE(
      checkLayerNorm({4, 127, "const:1234.1:#", 1e-12f}, Variance::UncorrectedMean)
          .y.pass);
}

TEST(NormBounds, AnotherEpsilonIsCaught) {
  EXPECT_FALSE(
      checkLayerNorm({4, 24, "normal:1:#", 1e-5f}, Variance::TwoPass, 0.0f).rstd.pass);
  EXPECT_FALSE(
      checkLayerNorm({4, 4096, "normal:1:#:0.01", 1e-5f}, Variance::TwoPass, 1e-6f)
          .y.pass);
}

TEST(NormBounds, PaddingThatIsCountedIsCaught) {
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

TEST(NormBounds, LayerNormBackwardInFloatIsWithin) {
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

TEST(NormBounds, PartialsInBf16AreCaught) {
  NormBackwardCase c(4096, 24, "");
  Result dweight = c.reference().dweight;
  EXPECT_FALSE(
      compareValues(c.dweightInFloat(16, Type::BF16), Type::F32, dweight).pass);
  EXPECT_TRUE(compareValues(c.dweightInFloat(16, Type::F32), Type::F32, dweight).pass);
}

TEST(NormBounds, ALostRowIsCaught) {
  NormBackwardCase c(4096, 24, "");
  Result dweight = c.reference().dweight;
  --c.rows;
  // All columns but those in which the row's term is next to nothing.
  EXPECT_GT(compareValues(c.dweightInFloat(16, Type::F32), Type::F32, dweight).failures,
            20);
}

TEST(NormBounds, RmsNormInFloatIsWithin) {
  for (int64_t cols : {1, 17, 128, 4096})
    for (const char *suffix : {"", ":1e-22", ":1e15", ":300:60000", ":0:0.1"})
      for (Cast cast : {Cast::AfterWeight, Cast::BeforeWeight})
        for (Type type : {Type::F16, Type::BF16, Type::F32}) {
          if (type == Type::F16 && *suffix != 0)
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
            // The longest chains that are allowed, whose roundings have one direction
            // where all values are the same.
            int64_t lanes = cols == 4096 ? 4 : 32;
            Floats values = floatsOf({&x[row * cols], &x[row * cols] + cols});
            float square =
                laneSum(cols, [&](int64_t i) { return values[i] * values[i]; }, lanes);
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

TEST(NormBounds, AShorterChainIsATighterBound) {
  std::vector<double> x = make("normal:1:1x4096");
  RmsNormInputs inputs{.rows = 1, .cols = 4096, .x = x.data(), .epsilon = 1e-6};
  double usual = rmsNorm(inputs).rstd.bounds[0];
  inputs.arithmetic.longestChain = 64;
  EXPECT_LT(rmsNorm(inputs).rstd.bounds[0], usual / 10);

  LayerNormInputs layer{.rows = 1, .cols = 4096, .x = x.data(), .epsilon = 1e-6};
  double usualMean = layerNorm(layer).mean.bounds[0];
  layer.arithmetic.longestChain = 64;
  EXPECT_LT(layerNorm(layer).mean.bounds[0], usualMean / 8);
}

TEST(NormBounds, ParameterGradientsOfF32AreWithinTheStatedShare) {
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
