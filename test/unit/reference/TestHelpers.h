// Values for the reference's tests.
#ifndef NORMC_TEST_UNIT_REFERENCE_TESTHELPERS_H
#define NORMC_TEST_UNIT_REFERENCE_TESTHELPERS_H

#include "normc/Reference/Array.h"
#include "normc/Reference/Compare.h"
#include "normc/Reference/Norms.h"

#include <gtest/gtest.h>

namespace normc::reference {

/// Values of a generator's specification, rounded to `type`.
inline std::vector<double> make(const std::string &specification,
                                Type type = Type::F32) {
  ErrorOr<Array> array = generate(specification, type);
  EXPECT_TRUE(array) << array.error;
  return array ? array->toDoubles() : std::vector<double>();
}

inline std::string shapeOf(int64_t rows, int64_t cols) {
  return std::to_string(rows) + "x" + std::to_string(cols);
}

/// Values as a result of `type`.
template <typename Number>
Comparison compareValues(const std::vector<Number> &values, Type type,
                         const Result &reference) {
  std::vector<double> wide(values.begin(), values.end());
  std::vector<std::byte> bytes(wide.size() * byteSize(type));
  encodeAll(type, wide, bytes.data());
  EXPECT_EQ(values.size(), reference.values.size());
  return compare(bytes.data(), type, reference, static_cast<int64_t>(values.size()));
}

// What imitations of kernels in float are made of.

using Floats = std::vector<float>;

inline Floats floatsOf(const std::vector<double> &values) {
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

} // namespace normc::reference

#endif // NORMC_TEST_UNIT_REFERENCE_TESTHELPERS_H
