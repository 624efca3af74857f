#include "ErrorModel.h"

#include <algorithm>

namespace normc::reference {
namespace {

Real weightAt(const double *weight, Real offset, int64_t col) {
  return weight ? offset + weight[col] : Real(1);
}

/// x * rstd as the weight sees it, and how far the compute type's may be from it.
struct Normalized {
  Real value;
  Real error;
};

Normalized normalized(Real xh, Real error, Cast cast, Type xType) {
  if (cast == Cast::AfterWeight)
    return {xh, error};
  // Rounding is monotonic: what is within `error` of xh rounds to between these. They
  // are one value except where xh lies next to the middle of two.
  auto round = [&](Real value) -> Real {
    return roundTo(xType, static_cast<double>(value));
  };
  Real value = round(xh);
  if (!std::isfinite(value) || !std::isfinite(error))
    return {value, error};
  return {value, std::max(round(xh + error) - value, value - round(xh - error))};
}

} // namespace

RmsNormResults rmsNorm(const RmsNormInputs &inputs) {
  const ErrorModel model(inputs.arithmetic);
  const Real u = model.u;
  const Real epsilon = roundTo(model.compute, inputs.epsilon);
  const Real offset = roundTo(model.compute, inputs.weightOffset);
  const Real n = static_cast<Real>(inputs.cols);
  RmsNormResults results{makeResult(inputs.rows * inputs.cols),
                         makeResult(inputs.rows)};
  for (int64_t row = 0; row < inputs.rows; ++row) {
    const double *x = inputs.x + row * inputs.cols;
    Sum squares;
    for (int64_t col = 0; col < inputs.cols; ++col)
      squares.add(static_cast<Real>(x[col]) * x[col]);
    Real square = squares.value() / n;
    // A row of zeros is exact. Elsewhere a square may underflow.
    Real error = square == 0
                     ? Real(0)
                     : (model.chain(inputs.cols) + 4) * u * square + 2 * model.tiny;
    Real rstd = 1 / std::sqrt(square + epsilon);
    Real rstdError = model.rootError(error, square + epsilon);
    bool outside = model.overflows(squares.value()) ||
                   (std::isfinite(square) && std::isinf(rstdError));
    store(results.rstd, row, rstd, rstdError * rstd, outside);
    for (int64_t col = 0; col < inputs.cols; ++col) {
      Real xh = x[col] * rstd;
      Normalized h = normalized(xh, std::fabs(xh) * (rstdError + u) + model.tiny,
                                inputs.cast, inputs.xType);
      Real weight = weightAt(inputs.weight, offset, col);
      Real y = h.value * weight;
      Real bound = h.error * std::fabs(weight) + 3 * u * std::fabs(y) + model.tiny;
      store(results.y, row * inputs.cols + col, y, bound,
            outside || model.overflows(std::fabs(y)));
    }
  }
  return results;
}

NormGradients rmsNormBackward(const RmsNormBackwardInputs &inputs) {
  const ErrorModel model(inputs.arithmetic);
  const Real u = model.u;
  const Real offset = roundTo(model.compute, inputs.weightOffset);
  const Real n = static_cast<Real>(inputs.cols);
  const Real chain = model.chain(inputs.cols) + 6;
  NormGradients gradients;
  if (inputs.mask.dx)
    gradients.dx = makeResult(inputs.rows * inputs.cols);
  ColumnSums dweight(inputs.mask.dweight, inputs.cols);
  for (int64_t row = 0; row < inputs.rows; ++row) {
    const double *x = inputs.x + row * inputs.cols;
    const double *dy = inputs.dy + row * inputs.cols;
    Real rstd = inputs.rstd[row];
    Sum sumGxh;
    Real sizeGxh = 0;
    for (int64_t col = 0; col < inputs.cols; ++col) {
      Real xh = x[col] * rstd;
      Real gxh = dy[col] * weightAt(inputs.weight, offset, col) * xh;
      sumGxh.add(gxh);
      sizeGxh += std::fabs(gxh);
      if (!dweight.wanted())
        continue;
      Normalized h =
          normalized(xh, u * std::fabs(xh) + model.tiny, inputs.cast, inputs.xType);
      // Without the cast the error of xh is one of the term's few roundings.
      Real error = inputs.cast == Cast::BeforeWeight ? h.error * std::fabs(dy[col]) : 0;
      dweight.add(col, dy[col] * h.value, error);
    }
    if (!inputs.mask.dx)
      continue;
    Real b = sumGxh.value() / n;
    for (int64_t col = 0; col < inputs.cols; ++col) {
      Real xh = x[col] * rstd;
      Real g = dy[col] * weightAt(inputs.weight, offset, col);
      Real terms = std::fabs(g) + std::fabs(xh * b);
      Real bound =
          std::fabs(rstd) * (u * (8 * terms + chain * std::fabs(xh) * sizeGxh / n) +
                             8 * model.tiny * (1 + std::fabs(xh)));
      store(gradients.dx, row * inputs.cols + col, rstd * (g - xh * b), bound,
            model.overflows(sizeGxh) || model.overflows(std::fabs(rstd) * terms));
    }
  }
  gradients.dweight = dweight.finish(model, inputs.rows);
  return gradients;
}

} // namespace normc::reference
