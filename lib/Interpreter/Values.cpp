//===- Values.cpp - Values with the bounds of their errors ------------------===//
#include "Values.h"

#include <algorithm>
#include <tuple>

using namespace mlir;
using namespace normc;
using namespace normc::interpreter;

Precision::Precision(reference::Type type) {
  u = reference::unitRoundoff(type);
  smallestNormal = reference::smallestNormal(type);
  // f32: what the polynomial approximations keep. f64: libm and libdevice state at most
  // 4 units in the last place.
  functionError = type == reference::Type::F32 ? 1e-6 : 8 * u;
}

double Model::chain(int64_t count) const {
  double inOrder =
      double(std::min(std::max<int64_t>(count - 1, 0), options.longestChain));
  return inOrder + (count > 1 ? std::ceil(std::log2(double(count))) : 0.0);
}

reference::Type interpreter::referenceType(Type type) {
  if (type.isF16())
    return reference::Type::F16;
  if (type.isBF16())
    return reference::Type::BF16;
  return type.isF64() ? reference::Type::F64 : reference::Type::F32;
}

std::pair<double, double> interpreter::roundBounded(double value, double bound,
                                                    Type to) {
  reference::Type type = referenceType(to);
  double low = reference::roundTo(type, value - bound);
  double high = reference::roundTo(type, value + bound);
  return {reference::roundTo(type, value), high > low ? high - low : 0.0};
}

Array interpreter::roundArray(const Array &array, Type to) {
  Array result(array.size());
  for (size_t i = 0; i < array.size(); ++i)
    std::tie(result.values[i], result.bounds[i]) =
        roundBounded(array.values[i], array.bounds[i], to);
  return result;
}

double RunningSum::finish(const Model &model, double limit) const {
  if (!std::isfinite(double(total)))
    return 0.0;
  return bound + std::min(model.chain(terms) * model.u, limit) * magnitude;
}
