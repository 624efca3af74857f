// A host tensor, and tensors made from a short specification.
#ifndef NORMC_REFERENCE_ARRAY_H
#define NORMC_REFERENCE_ARRAY_H

#include "normc/Reference/Types.h"

#include <string>
#include <vector>

namespace normc::reference {

/// A value, or what is wrong: the library reports a user's error without an exception,
/// since its callers are built without them.
template <typename T> struct ErrorOr {
  std::optional<T> value;
  std::string error; ///< "expected X, because Y, but got Z"; empty with a value

  explicit operator bool() const { return value.has_value(); }
  T &operator*() { return *value; }
  const T &operator*() const { return *value; }
  T *operator->() { return &*value; }
  const T *operator->() const { return &*value; }

  static ErrorOr ok(T result) { return {std::move(result), {}}; }
  static ErrorOr fail(std::string message) {
    return {std::nullopt, std::move(message)};
  }
};

/// Owns its elements. The first lies at bytes.data(), strides are in elements and not
/// negative; elements between them (padding) are zero.
struct Array {
  Type type = Type::F32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  std::vector<std::byte> bytes;

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  int64_t elements() const;
  bool isRowMajor() const;
  /// The elements in row-major order, whatever the strides.
  std::vector<double> toDoubles() const;
};

std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &shape);

/// A row-major array of zeros.
Array makeArray(Type type, std::vector<int64_t> shape);

/// A row-major array of values in row-major order, each rounded to `type`; there are as
/// many values as elements.
Array makeArray(Type type, std::vector<int64_t> shape, std::span<const double> values);

/// The same elements with other strides, which do not let two elements overlap except
/// where a stride is 0: then the last of them in row-major order stays.
Array withStrides(const Array &array, std::vector<int64_t> strides);

/// Makes an array from a specification:
///   normal:SEED:SHAPE[:SCALE[:OFFSET]]   standard normal, times SCALE, plus OFFSET
///   uniform:SEED:SHAPE[:SCALE[:OFFSET]]  uniform in [-1, 1), times SCALE, plus OFFSET
///   const:VALUE:SHAPE                    one number, nan, inf or -inf
///   ramp:START:SHAPE                     START, START + 1, ... in row-major order
/// SHAPE is dimensions with an x between them (4x128), or the word scalar for rank 0.
/// Values are made in double from a counter, so they are the same on every machine and
/// for every number of threads, and rounded once to `type`.
ErrorOr<Array> generate(std::string_view specification, Type type);

/// "4x128", or "scalar"; at most 2^40 elements in all.
ErrorOr<std::vector<int64_t>> parseShape(std::string_view text);
std::string formatShape(const std::vector<int64_t> &shape);

} // namespace normc::reference

#endif // NORMC_REFERENCE_ARRAY_H
