// The element types, and their conversions as exact scalar code.
//
// Everything of the reference computes in double or wider; a tensor's elements are
// widened exactly by decode() and rounded once, to the nearest even, by encode().
#ifndef NORMC_REFERENCE_TYPES_H
#define NORMC_REFERENCE_TYPES_H

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

namespace normc::reference {

enum class Type : uint8_t { F16, BF16, F32, F64 };

/// The name as MLIR spells it: f16, bf16, f32, f64.
std::string_view typeName(Type type);
std::optional<Type> parseType(std::string_view name);
size_t byteSize(Type type);

/// The type that an op on these operands and results computes in: f64 if any of them
/// is f64, else f32.
Type computeType(std::initializer_list<Type> types);
Type computeType(std::span<const Type> types);

/// The value of a bit pattern; exact.
double decode(Type type, uint64_t bits);

/// The bit pattern of `value` rounded once to the nearest even. A NaN stays one and is
/// quiet; what rounds past the largest finite value is infinity.
uint64_t encode(Type type, double value);

/// decode(type, encode(type, value)).
double roundTo(Type type, double value);

/// `count` elements at `bytes` (any alignment), row major, to doubles and back.
void decodeAll(Type type, const std::byte *bytes, std::span<double> values);
void encodeAll(Type type, std::span<const double> values, std::byte *bytes);

/// The largest relative error of one rounding: 2^-11, 2^-8, 2^-24, 2^-53.
double unitRoundoff(Type type);
double largestFinite(Type type);
double smallestNormal(Type type);
/// The spacing of the denormal numbers, which is the smallest positive value.
double smallestDenormal(Type type);

/// The spacing of the values of `type` around `value`: of its binade, of the denormals
/// below the smallest normal value, of the last binade beyond the largest value.
/// `value` is not NaN.
double ulp(Type type, double value);

/// How many values of `type` lie between two bit patterns, counting one end: 0 for the
/// same value (and for +0 and -0). Infinity is one step past the largest value. Two
/// NaNs have distance 0; a NaN and a number UINT64_MAX.
uint64_t ulpDistance(Type type, uint64_t a, uint64_t b);

} // namespace normc::reference

#endif // NORMC_REFERENCE_TYPES_H
