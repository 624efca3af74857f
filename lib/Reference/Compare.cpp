#include "normc/Reference/Compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

namespace normc::reference {
namespace {

/// Infinity as a result of overflow: the value one spacing past the largest.
double pastLargest(Type type) {
  double largest = largestFinite(type);
  return type == Type::F64 ? largest : largest + ulp(type, largest);
}

/// Whether the rounded reference may be infinite though the reference is finite, or
/// the other way round; then both are taken as the first value past the largest.
bool reachesInfinity(Type type, double value, double bound) {
  return std::isfinite(value) &&
         std::fabs(value) + bound >=
             largestFinite(type) - ulp(type, largestFinite(type)) / 2;
}

class Comparer {
public:
  Comparer(Type type) : type(type) {}

  void element(int64_t index, uint64_t bits, double value, double bound) {
    ++out.elements;
    if (std::isinf(bound) || std::isnan(bound)) {
      ++out.excluded;
      return;
    }
    double result = decode(type, bits);
    if (reachesInfinity(type, value, bound))
      finite(index, bits, clamped(result),
             std::copysign(std::min(std::fabs(value), pastLargest(type)), value),
             bound);
    else if (std::isfinite(result) && std::isfinite(value))
      finite(index, bits, result, value, bound);
    else if (result == value || (std::isnan(result) && std::isnan(value)))
      keepWorst(index, 0, result, value, 0);
    else
      mismatch(index, result, value);
  }

  Comparison finish() {
    out.pass = out.failures == 0;
    return out;
  }

private:
  double clamped(double result) const {
    return std::isinf(result) ? std::copysign(pastLargest(type), result) : result;
  }

  void finite(int64_t index, uint64_t bits, double result, double value, double bound) {
    if (std::isnan(result))
      return mismatch(index, result, value);
    double error = std::fabs(result - value);
    double allowed = tolerance(type, value, bound);
    out.maxAbs = std::max(out.maxAbs, error);
    if (value != 0)
      out.maxRel = std::max(out.maxRel, error / std::fabs(value));
    out.maxUlp = std::max(out.maxUlp, ulpDistance(type, bits, encode(type, value)));
    if (!(error <= allowed))
      ++out.failures;
    keepWorst(index, error / allowed, result, value, allowed);
  }

  void mismatch(int64_t index, double result, double value) {
    ++out.failures;
    ++out.mismatches;
    keepWorst(index, HUGE_VAL, result, value, 0);
  }

  void keepWorst(int64_t index, double part, double result, double value,
                 double allowed) {
    if (out.worst >= 0 && !(part > worstPart))
      return;
    worstPart = part;
    out.worst = index;
    out.worstResult = result;
    out.worstReference = value;
    out.worstTolerance = allowed;
  }

  Type type;
  Comparison out;
  double worstPart = 0;
};

} // namespace

double tolerance(Type type, double value, double bound) {
  // The reference is itself a double: its last half unit matters where the result is.
  double own = std::fabs(value) * unitRoundoff(Type::F64);
  return bound + own + ulp(type, std::fabs(value) + bound) / 2;
}

Comparison compare(const std::byte *result, Type type, const Result &reference,
                   int64_t elements) {
  Comparer comparer(type);
  size_t bytes = byteSize(type);
  for (int64_t i = 0; i < elements; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, result + static_cast<size_t>(i) * bytes, bytes);
    auto at = static_cast<size_t>(i);
    comparer.element(i, bits, reference.values[at], reference.bounds[at]);
  }
  return comparer.finish();
}

Comparison compare(const std::byte *result, Type type, const Result &reference) {
  return compare(result, type, reference,
                 static_cast<int64_t>(reference.values.size()));
}

std::string describe(const Comparison &comparison) {
  std::ostringstream out;
  out.precision(9);
  out << (comparison.pass ? "pass" : "FAIL") << ": " << comparison.elements
      << " elements, max abs " << comparison.maxAbs << ", max rel " << comparison.maxRel
      << ", max ulp " << comparison.maxUlp;
  if (comparison.failures)
    out << ", " << comparison.failures << " beyond the tolerance";
  if (comparison.mismatches)
    out << " (" << comparison.mismatches << " in NaN or infinity)";
  if (comparison.excluded)
    out << ", " << comparison.excluded << " outside the domain";
  if (comparison.worst >= 0)
    out << "; worst at " << comparison.worst << ": got " << comparison.worstResult
        << ", expected " << comparison.worstReference << " within "
        << comparison.worstTolerance;
  return out.str();
}

} // namespace normc::reference
