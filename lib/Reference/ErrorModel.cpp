#include "ErrorModel.h"

#include <algorithm>

namespace normc::reference {

ErrorModel::ErrorModel(const Arithmetic &arithmetic)
    : compute(arithmetic.compute), u(unitRoundoff(compute)),
      tiny(smallestDenormal(compute)), flushed(smallestNormal(compute)),
      largest(largestFinite(compute)),
      longestChain(std::max<int64_t>(arithmetic.longestChain, 1)) {
  tanh = erf = exp = functionError(compute);
}

double functionError(Type compute) {
  // f32: 1e-6 relative is what the kernels' approximations of tanh, erf and exp have to
  // keep. f64: libm's and libdevice's are within 4 units in the last place, 8 u.
  return compute == Type::F32 ? 1e-6 : 8 * unitRoundoff(compute);
}

Real ErrorModel::chain(int64_t n) const {
  int64_t serial = std::clamp<int64_t>(n, 1, longestChain);
  return static_cast<Real>(serial + ceilLog2((n + serial - 1) / serial));
}

Real ErrorModel::columnSum(Real magnitude, int64_t terms) const {
  // Eight roundings are more than any term of a parameter gradient has.
  Real relative = (chain(terms) + 8) * u;
  if (compute == Type::F32)
    relative = std::min(relative, Real(1e-5));
  return relative * magnitude + static_cast<Real>(terms) * 8 * tiny;
}

Real ErrorModel::rootError(Real error, Real underRoot) const {
  if (error == 0)
    return 6 * u;
  Real delta = error / underRoot;
  if (delta >= Real(0.5))
    return HUGE_VAL;
  // Six roundings: epsilon's addition, a division, and a hardware reciprocal root with
  // 2^-22.9 (PTX ISA, rsqrt.approx.f32).
  return 1 / std::sqrt(1 - delta) - 1 + 6 * u;
}

ColumnSums::ColumnSums(bool wanted, int64_t cols)
    : sums(wanted ? static_cast<size_t>(cols) : 0) {}

Result ColumnSums::finish(const ErrorModel &model, int64_t terms) const {
  Result result = makeResult(static_cast<int64_t>(sums.size()));
  for (size_t i = 0; i < sums.size(); ++i) {
    const Column &column = sums[i];
    // A sum of no terms is written, not computed.
    Real bound = terms ? model.columnSum(column.magnitude, terms) + column.error : 0;
    store(result, static_cast<int64_t>(i), column.sum.value(), bound,
          model.overflows(column.magnitude));
  }
  return result;
}

} // namespace normc::reference
