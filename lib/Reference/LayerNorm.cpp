#include "ErrorModel.h"

#include <algorithm>

namespace normc::reference {
namespace {

/// The exact moments of a row, and how far the compute type's may be from them.
struct Moments {
  Real mean = 0, variance = 0;
  Real meanError = 0, varianceError = 0;
  bool constant = true; ///< one finite value, repeated
  bool finite = true;
  bool outside = false;
};

/// The roundings that the mean itself goes through: its own, the correction's, and one
/// for each merge of two counts' moments; a lane or a subgroup has at least sixteen
/// values before its moments are merged with another's.
Real meanRoundings(int64_t cols) {
  return static_cast<Real>(2 + ceilLog2((cols + 15) / 16));
}

Moments momentsOf(const double *x, int64_t cols, const ErrorModel &model) {
  Moments moments;
  Real least = x[0], most = x[0], largest = 0;
  Sum sum;
  for (int64_t i = 0; i < cols; ++i) {
    moments.finite &= std::isfinite(x[i]) != 0;
    moments.constant &= x[i] == x[0];
    least = std::min<Real>(least, x[i]);
    most = std::max<Real>(most, x[i]);
    largest = std::max<Real>(largest, std::fabs(x[i]));
    sum.add(static_cast<Real>(x[i]) - x[0]);
  }
  // Moments of x - x[0], so that a row of one value has exactly that mean.
  Real n = static_cast<Real>(cols);
  moments.mean = x[0] + sum.value() / n;
  moments.constant &= moments.finite;

  Sum squares, deviations;
  Real largestDeviation = 0;
  for (int64_t i = 0; i < cols; ++i) {
    Real deviation = x[i] - moments.mean;
    squares.add(deviation * deviation);
    deviations.add(std::fabs(deviation));
    largestDeviation = std::max(largestDeviation, std::fabs(deviation));
  }
  moments.variance = squares.value() / n;
  if (!moments.finite)
    return moments;

  Real range = most - least;
  moments.outside = model.overflows(n * largest) || model.overflows(n * range * range);
  moments.meanError = meanRoundings(cols) * model.u * std::fabs(moments.mean);
  if (moments.constant)
    return moments;
  Real spread = deviations.value() / n + largestDeviation;
  // The correction is a quotient, which may underflow, and so may what it is added to.
  moments.meanError += (model.chain(cols) + 4) * model.u * spread + 2 * model.tiny;
  moments.varianceError = (model.chain(cols) + 6) * model.u * moments.variance +
                          2 * moments.meanError * std::sqrt(moments.variance) +
                          moments.meanError * moments.meanError + 2 * model.tiny;
  return moments;
}

Real weightAt(const double *weight, Real offset, int64_t col) {
  return weight ? offset + weight[col] : Real(1);
}

} // namespace

LayerNormResults layerNorm(const LayerNormInputs &inputs) {
  const ErrorModel model(inputs.arithmetic);
  const Real u = model.u;
  const Real epsilon = roundTo(model.compute, inputs.epsilon);
  const Real offset = roundTo(model.compute, inputs.weightOffset);
  LayerNormResults results{makeResult(inputs.rows * inputs.cols),
                           makeResult(inputs.rows), makeResult(inputs.rows)};
  for (int64_t row = 0; row < inputs.rows; ++row) {
    const double *x = inputs.x + row * inputs.cols;
    Moments moments = momentsOf(x, inputs.cols, model);
    Real rstd = 1 / std::sqrt(moments.variance + epsilon);
    Real rstdError = model.rootError(moments.varianceError, moments.variance + epsilon);
    bool outside = moments.outside || (moments.finite && std::isinf(rstdError));
    bool hasNan = std::isnan(moments.mean) &&
                  std::any_of(x, x + inputs.cols, [](double v) { return v != v; });
    // The mean of a row with an infinity may be NaN: its corrections are inf - inf.
    store(results.mean, row, moments.mean, moments.meanError,
          moments.outside || (!moments.finite && !hasNan));
    store(results.rstd, row, rstd, rstdError * rstd, outside);
    // In a row of one value the deviations are exactly zero.
    Real centerError = moments.constant ? Real(0) : moments.meanError;
    for (int64_t col = 0; col < inputs.cols; ++col) {
      Real deviation = x[col] - moments.mean;
      Real xh = deviation * rstd;
      Real weight = weightAt(inputs.weight, offset, col);
      Real bias = inputs.bias ? inputs.bias[col] : 0.0;
      Real xhError = rstd * (centerError + u * std::fabs(deviation)) +
                     std::fabs(xh) * (rstdError + u);
      Real product = xh * weight;
      Real bound = xhError * std::fabs(weight) + 3 * u * std::fabs(product) +
                   u * std::fabs(product + bias) + 2 * model.tiny;
      // An infinite weight takes the sign of xh, which may not be known.
      bool unsure = std::isinf(weight) && xhError > 0 && xhError >= std::fabs(xh);
      store(results.y, row * inputs.cols + col, product + bias, bound,
            outside || unsure || model.overflows(std::fabs(product) + std::fabs(bias)));
    }
  }
  return results;
}

NormGradients layerNormBackward(const LayerNormBackwardInputs &inputs) {
  const ErrorModel model(inputs.arithmetic);
  const Real u = model.u;
  const Real offset = roundTo(model.compute, inputs.weightOffset);
  const Real n = static_cast<Real>(inputs.cols);
  const Real chain = model.chain(inputs.cols) + 6;
  NormGradients gradients;
  if (inputs.mask.dx)
    gradients.dx = makeResult(inputs.rows * inputs.cols);
  const bool needsX = inputs.mask.dx || inputs.mask.dweight;
  ColumnSums dweight(inputs.mask.dweight, inputs.cols);
  ColumnSums dbias(inputs.mask.dbias, inputs.cols);
  for (int64_t row = 0; row < inputs.rows; ++row) {
    const double *x = needsX ? inputs.x + row * inputs.cols : nullptr;
    const double *dy = inputs.dy + row * inputs.cols;
    Real mean = needsX ? inputs.mean[row] : 0.0;
    Real rstd = needsX ? inputs.rstd[row] : 1.0;
    Sum sumG, sumGxh;
    Real sizeG = 0, sizeGxh = 0;
    for (int64_t col = 0; col < inputs.cols; ++col) {
      if (dbias.wanted())
        dbias.add(col, dy[col]);
      if (!needsX)
        continue;
      Real xh = (x[col] - mean) * rstd;
      Real g = dy[col] * weightAt(inputs.weight, offset, col);
      if (dweight.wanted())
        dweight.add(col, dy[col] * xh);
      sumG.add(g);
      sumGxh.add(g * xh);
      sizeG += std::fabs(g);
      sizeGxh += std::fabs(g * xh);
    }
    if (!inputs.mask.dx)
      continue;
    Real a = sumG.value() / n, b = sumGxh.value() / n;
    bool outside = model.overflows(sizeG) || model.overflows(sizeGxh);
    for (int64_t col = 0; col < inputs.cols; ++col) {
      Real xh = (x[col] - mean) * rstd;
      Real g = dy[col] * weightAt(inputs.weight, offset, col);
      Real terms = std::fabs(g) + std::fabs(a) + std::fabs(xh * b);
      Real sums = sizeG / n + std::fabs(xh) * sizeGxh / n;
      Real bound = std::fabs(rstd) * (u * (8 * terms + chain * sums) +
                                      8 * model.tiny * (1 + std::fabs(xh)));
      store(gradients.dx, row * inputs.cols + col, rstd * (g - a - xh * b), bound,
            outside || model.overflows(std::fabs(rstd) * terms));
    }
  }
  gradients.dweight = dweight.finish(model, inputs.rows);
  gradients.dbias = dbias.finish(model, inputs.rows);
  return gradients;
}

} // namespace normc::reference
