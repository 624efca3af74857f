#include "ErrorModel.h"

namespace normc::reference {
namespace {

/// f(u) and f'(u) with the errors that the compute type makes in u and in them.
struct Activated {
  Real f, slope;
  Real fError, slopeError;
};

class Evaluator {
public:
  /// `tanhError` is the relative error of a tanh, 0 for the usual.
  Evaluator(const ErrorModel &model, Activation activation, double alpha, double shift,
            double tanhError)
      : model(model), activation(activation), alpha(alpha), shift(shift),
        approximate(tanhError > 0), tanhError(approximate ? tanhError : model.tanh) {}

  Activated operator()(double x) const {
    Real product = alpha * x;
    Real argument = product + shift;
    // An infinite argument is exact, and so are f and f' there: +-1 and 0.
    bool exact = std::isinf(argument);
    Real error =
        exact ? Real(0)
              : model.u * (std::fabs(product) + std::fabs(argument)) + model.tiny;
    Activated result = activation == Activation::Tanh ? atTanh(argument, error)
                                                      : atErf(argument, error);
    if (exact)
      result.slopeError = 0;
    return result;
  }

private:
  Activated atTanh(Real argument, Real error) const {
    Real f = std::tanh(argument);
    // 1 - tanh^2 without its cancellation.
    Real e = std::exp(-2 * std::fabs(argument));
    Real slope = 4 * e / ((1 + e) * (1 + e));
    Real fError = tanhError * std::fabs(f) + slope * error;
    if (approximate) // 1 - f * f, of that f
      return {f, slope, fError, 2 * std::fabs(f) * fError + 2 * model.u};
    Real relative =
        model.tanh + 2 * std::fabs(f) * error + 4 * model.u * std::fabs(argument);
    return {f, slope, fError, exponentialError(slope, relative)};
  }

  Activated atErf(Real argument, Real error) const {
    constexpr Real twoOverRootPi = 1.128379167095512573896158903121545172L;
    Real f = std::erf(argument);
    Real slope = twoOverRootPi * std::exp(-argument * argument);
    Real relative =
        model.exp + 2 * std::fabs(argument) * error + 4 * model.u * argument * argument;
    return {f, slope, model.erf * std::fabs(f) + slope * error,
            exponentialError(slope, relative)};
  }

  /// An exponential below C's normal values may be flushed to zero.
  Real exponentialError(Real slope, Real relative) const {
    return std::fmin(slope * relative, 2 * slope + 2) + 4 * model.flushed;
  }

  const ErrorModel &model;
  Activation activation;
  Real alpha, shift;
  bool approximate;
  Real tanhError;
};

Real weightAt(const double *weight, int64_t col) {
  return weight ? weight[col] : Real(1);
}

} // namespace

Result dyt(const DytInputs &inputs) {
  const ErrorModel model(inputs.arithmetic);
  const Evaluator evaluate(model, inputs.activation, inputs.alpha, inputs.shift,
                           inputs.arithmetic.forwardTanhError);
  Result y = makeResult(inputs.rows * inputs.cols);
  for (int64_t i = 0; i < inputs.rows * inputs.cols; ++i) {
    int64_t col = i % inputs.cols;
    Activated at = evaluate(inputs.x[i]);
    Real weight = weightAt(inputs.weight, col);
    Real bias = inputs.bias ? inputs.bias[col] : 0.0;
    Real product = at.f * weight;
    Real bound = at.fError * std::fabs(weight) + model.u * std::fabs(product) +
                 model.u * std::fabs(product + bias) + 2 * model.tiny;
    store(y, i, product + bias, bound,
          model.overflows(std::fabs(product) + std::fabs(bias)));
  }
  return y;
}

DytGradients dytBackward(const DytBackwardInputs &inputs) {
  const ErrorModel model(inputs.arithmetic);
  const Real u = model.u;
  const Evaluator evaluate(model, inputs.activation, inputs.alpha, inputs.shift,
                           inputs.arithmetic.backwardTanhError);
  const int64_t elements = inputs.rows * inputs.cols;
  const Real alpha = inputs.alpha;
  DytGradients gradients;
  if (inputs.mask.dx)
    gradients.dx = makeResult(elements);
  ColumnSums dalpha(inputs.mask.dalpha, 1), dshift(inputs.mask.dshift, 1);
  ColumnSums dweight(inputs.mask.dweight, inputs.cols);
  ColumnSums dbias(inputs.mask.dbias, inputs.cols);
  const bool needsX =
      inputs.mask.dx || inputs.mask.dalpha || inputs.mask.dshift || inputs.mask.dweight;
  for (int64_t i = 0; i < elements; ++i) {
    int64_t col = i % inputs.cols;
    Real dy = inputs.dy[i];
    if (dbias.wanted())
      dbias.add(col, dy);
    if (!needsX)
      continue;
    Real x = inputs.x[i];
    Activated at = evaluate(inputs.x[i]);
    Real upstream = dy * weightAt(inputs.weight, col);
    Real g = upstream * at.slope;
    Real gError =
        std::fabs(upstream) * at.slopeError + 3 * u * std::fabs(g) + model.tiny;
    if (dweight.wanted()) {
      // Backward, tanh is (1 - e) / (1 + e): 1 - e is rounded to a multiple of u.
      Real fError = at.fError + (inputs.activation == Activation::Tanh ? u : Real(0));
      dweight.add(col, dy * at.f, std::fabs(dy) * fError);
    }
    if (dalpha.wanted())
      dalpha.add(0, g * x, gError * std::fabs(x));
    if (dshift.wanted())
      dshift.add(0, g, gError);
    if (inputs.mask.dx) {
      Real bound =
          gError * std::fabs(alpha) + 2 * u * std::fabs(g * alpha) + model.tiny;
      store(gradients.dx, i, g * alpha, bound,
            model.overflows(std::fabs(upstream)) ||
                model.overflows(std::fabs(g * alpha)));
    }
  }
  gradients.dalpha = dalpha.finish(model, elements);
  gradients.dshift = dshift.finish(model, elements);
  gradients.dweight = dweight.finish(model, inputs.rows);
  gradients.dbias = dbias.finish(model, inputs.rows);
  return gradients;
}

} // namespace normc::reference
