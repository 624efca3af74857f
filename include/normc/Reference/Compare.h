// A result against the reference, element by element.
#ifndef NORMC_REFERENCE_COMPARE_H
#define NORMC_REFERENCE_COMPARE_H

#include "normc/Reference/Norms.h"

#include <string>

namespace normc::reference {

struct Comparison {
  int64_t elements = 0;
  int64_t excluded = 0;   ///< outside of the domain: their bound is infinite
  int64_t failures = 0;   ///< beyond the tolerance, mismatches included
  int64_t mismatches = 0; ///< NaN or infinite on one side only, or the other infinity
  double maxAbs = 0;      ///< largest |result - reference|
  double maxRel = 0;      ///< the same over |reference|, where that is not 0
  uint64_t maxUlp = 0;    ///< from the rounded reference, in values of the type
  /// The element whose error is the largest part of its tolerance (a mismatch before
  /// all others); -1 where nothing was compared.
  int64_t worst = -1;
  double worstResult = 0, worstReference = 0;
  double worstTolerance = 0;
  bool pass = true; ///< no failure; excluded elements do not fail
};

/// The largest error that a right result of `type` may have against `value`: `bound`
/// before the rounding to `type`, and the rounding.
double tolerance(Type type, double value, double bound);

/// Compares `elements` row-major elements of `type` at `result` with the reference,
/// which has at least as many.
Comparison compare(const std::byte *result, Type type, const Result &reference,
                   int64_t elements);
/// All elements of the reference.
Comparison compare(const std::byte *result, Type type, const Result &reference);

/// One line: pass or fail, the maxima, the worst element and its tolerance.
std::string describe(const Comparison &comparison);

} // namespace normc::reference

#endif // NORMC_REFERENCE_COMPARE_H
