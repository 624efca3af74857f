// The error of a computation in the compute type, to first order; docs/numerics.md has
// the derivations.
#ifndef NORMC_LIB_REFERENCE_ERRORMODEL_H
#define NORMC_LIB_REFERENCE_ERRORMODEL_H

#include "normc/Reference/Norms.h"

#include <bit>
#include <cmath>

namespace normc::reference {

/// What values are computed in: wider than any compute type, so that the reference's
/// own rounding is far below every bound.
using Real = long double;

/// A sum with the compensation of Neumaier (1974): its error is one rounding of the
/// result, whatever the length.
class Sum {
public:
  void add(Real term) {
    Real next = total + term;
    if (std::fabs(total) >= std::fabs(term))
      lost += (total - next) + term;
    else
      lost += (term - next) + total;
    total = next;
  }
  /// A total that is infinite or NaN has no compensation: inf - inf.
  Real value() const { return std::isfinite(total) ? total + lost : total; }

private:
  Real total = 0;
  Real lost = 0;
};

/// The depth of a pairwise combination of n values.
inline int64_t ceilLog2(int64_t n) {
  return n <= 1 ? 0 : std::bit_width(static_cast<uint64_t>(n - 1));
}

class ErrorModel {
public:
  explicit ErrorModel(const Arithmetic &arithmetic);

  Type compute;
  Real u;       ///< unit roundoff of C
  Real tiny;    ///< what an underflow costs at most: the spacing of C's denormals
  Real flushed; ///< where an exponential may flush to zero: C's smallest normal value
  Real largest; ///< C's largest finite value
  Real tanh, erf, exp; ///< relative errors of the functions

  /// The roundings that a term of a sum of n terms passes through.
  Real chain(int64_t n) const;
  /// The bound of a sum over rows (or over all elements) of terms that are each within
  /// a few roundings; `magnitude` is the sum of their absolute values.
  Real columnSum(Real magnitude, int64_t terms) const;
  /// The relative error of 1 / sqrt(square + epsilon), of which `square` has an error
  /// of `error`; infinity where that error is half of what is under the root.
  Real rootError(Real error, Real underRoot) const;
  /// Whether a sum or product of this magnitude may overflow C on the way.
  bool overflows(Real magnitude) const {
    return std::isfinite(magnitude) && magnitude > largest / 4;
  }

private:
  int64_t longestChain;
};

inline Result makeResult(int64_t elements) {
  return {std::vector<double>(static_cast<size_t>(elements)),
          std::vector<double>(static_cast<size_t>(elements))};
}

/// Stores a value and its bound: infinity where the element is outside of the domain,
/// nothing where NaN or an infinite value follows from the formula.
inline void store(Result &result, int64_t index, Real value, Real bound, bool outside) {
  auto at = static_cast<size_t>(index);
  result.values[at] = static_cast<double>(value);
  if (outside)
    result.bounds[at] = HUGE_VAL;
  else if (std::isfinite(value) && !std::isnan(bound))
    result.bounds[at] = static_cast<double>(bound);
}

/// Sums down the columns with the magnitudes that their bounds need.
class ColumnSums {
public:
  ColumnSums(bool wanted, int64_t cols);
  bool wanted() const { return !sums.empty(); }
  /// `error` is what the term's own error exceeds a few roundings by.
  void add(int64_t col, Real term, Real error = 0) {
    Column &column = sums[static_cast<size_t>(col)];
    column.sum.add(term);
    column.magnitude += std::fabs(term);
    column.error += error;
  }
  /// `terms` terms were added to each. Without elements where nothing is wanted.
  Result finish(const ErrorModel &model, int64_t terms) const;

private:
  struct Column {
    Sum sum;
    Real magnitude = 0;
    Real error = 0;
  };
  std::vector<Column> sums;
};

} // namespace normc::reference

#endif // NORMC_LIB_REFERENCE_ERRORMODEL_H
