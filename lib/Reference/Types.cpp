#include "normc/Reference/Types.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace normc::reference {
namespace {

static_assert(std::endian::native == std::endian::little,
              "elements are copied by their low bytes");

/// A binary interchange format of IEEE 754 (bf16 is f32 without its low half).
struct Format {
  std::string_view name;
  unsigned bytes;
  int mantissaBits;
  int exponentBits;

  constexpr int bias() const { return (1 << (exponentBits - 1)) - 1; }
  constexpr uint64_t signBit() const {
    return uint64_t{1} << (mantissaBits + exponentBits);
  }
  constexpr uint64_t infinity() const {
    return ((uint64_t{1} << exponentBits) - 1) << mantissaBits;
  }
};

constexpr std::array<Format, 4> formats = {
    {{"f16", 2, 10, 5}, {"bf16", 2, 7, 8}, {"f32", 4, 23, 8}, {"f64", 8, 52, 11}}};

constexpr const Format &formatOf(Type type) {
  return formats[static_cast<size_t>(type)];
}

constexpr int doubleBits = 52;
constexpr int doubleBias = 1023;
constexpr uint64_t doubleMantissa = (uint64_t{1} << doubleBits) - 1;

/// `significand` / 2^shift, to the nearest even; 1 <= shift <= 53.
constexpr uint64_t shiftRounding(uint64_t significand, int shift) {
  uint64_t quotient = significand >> shift;
  uint64_t rest = significand & ((uint64_t{1} << shift) - 1);
  uint64_t half = uint64_t{1} << (shift - 1);
  return quotient + (rest > half || (rest == half && (quotient & 1)) ? 1 : 0);
}

template <const Format &format> uint64_t encodeAs(double value) {
  uint64_t bits = std::bit_cast<uint64_t>(value);
  if constexpr (format.bytes == 8)
    return bits;
  uint64_t sign = (bits >> 63) ? format.signBit() : 0;
  int exponent = static_cast<int>((bits >> doubleBits) & 0x7ff);
  uint64_t mantissa = bits & doubleMantissa;
  constexpr int dropped = doubleBits - format.mantissaBits;
  if (exponent == 0x7ff) {
    uint64_t quiet = uint64_t{1} << (format.mantissaBits - 1);
    uint64_t payload = mantissa ? (mantissa >> dropped) | quiet : 0;
    return sign | format.infinity() | payload;
  }
  // A denormal double lies below half of every smaller format's smallest value.
  if (exponent == 0)
    return sign;
  uint64_t significand = mantissa | (uint64_t{1} << doubleBits);
  int scale = exponent - doubleBias + format.bias();
  if (scale < 1) {
    int shift = dropped + 1 - scale;
    // The significand is below 2^53, half of a unit of any larger shift.
    return shift > 53 ? sign : sign | shiftRounding(significand, shift);
  }
  // A carry out of the mantissa raises the exponent, up to infinity: by design of the
  // formats the patterns are in the order of the values.
  uint64_t rounded = (static_cast<uint64_t>(scale - 1) << format.mantissaBits) +
                     shiftRounding(significand, dropped);
  return sign | std::min(rounded, format.infinity());
}

template <const Format &format> double decodeAs(uint64_t bits) {
  if constexpr (format.bytes == 8)
    return std::bit_cast<double>(bits);
  uint64_t magnitude = bits & (format.signBit() - 1);
  uint64_t sign = (bits & format.signBit()) ? uint64_t{1} << 63 : 0;
  constexpr int added = doubleBits - format.mantissaBits;
  if (magnitude >= format.infinity())
    return std::bit_cast<double>(sign | (uint64_t{0x7ff} << doubleBits) |
                                 ((magnitude - format.infinity()) << added));
  if (magnitude >= (uint64_t{1} << format.mantissaBits))
    return std::bit_cast<double>(
        sign | ((magnitude << added) +
                (static_cast<uint64_t>(doubleBias - format.bias()) << doubleBits)));
  double value = std::ldexp(static_cast<double>(magnitude),
                            1 - format.bias() - format.mantissaBits);
  return sign ? -value : value;
}

/// Calls `body` with the format as a constant.
template <typename Body> auto withFormat(Type type, Body body) {
  switch (type) {
  case Type::F16:
    return body.template operator()<formats[0]>();
  case Type::BF16:
    return body.template operator()<formats[1]>();
  case Type::F32:
    return body.template operator()<formats[2]>();
  case Type::F64:
    break;
  }
  return body.template operator()<formats[3]>();
}

/// The patterns in the order of the values, -inf first, both zeros at 0.
int64_t ordinal(const Format &format, uint64_t bits) {
  int64_t magnitude = static_cast<int64_t>(bits & (format.signBit() - 1));
  return (bits & format.signBit()) ? -magnitude : magnitude;
}

} // namespace

std::string_view typeName(Type type) { return formatOf(type).name; }

std::optional<Type> parseType(std::string_view name) {
  for (size_t i = 0; i < formats.size(); ++i)
    if (formats[i].name == name)
      return static_cast<Type>(i);
  return std::nullopt;
}

size_t byteSize(Type type) { return formatOf(type).bytes; }

Type computeType(std::span<const Type> types) {
  bool wide = std::find(types.begin(), types.end(), Type::F64) != types.end();
  return wide ? Type::F64 : Type::F32;
}

Type computeType(std::initializer_list<Type> types) {
  return computeType(std::span<const Type>(types.begin(), types.size()));
}

double decode(Type type, uint64_t bits) {
  return withFormat(type,
                    [&]<const Format & format>() { return decodeAs<format>(bits); });
}

uint64_t encode(Type type, double value) {
  return withFormat(type,
                    [&]<const Format & format>() { return encodeAs<format>(value); });
}

double roundTo(Type type, double value) { return decode(type, encode(type, value)); }

void decodeAll(Type type, const std::byte *bytes, std::span<double> values) {
  withFormat(type, [&]<const Format & format>() {
    for (size_t i = 0; i < values.size(); ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, bytes + i * format.bytes, format.bytes);
      values[i] = decodeAs<format>(bits);
    }
  });
}

void encodeAll(Type type, std::span<const double> values, std::byte *bytes) {
  withFormat(type, [&]<const Format & format>() {
    for (size_t i = 0; i < values.size(); ++i) {
      uint64_t bits = encodeAs<format>(values[i]);
      std::memcpy(bytes + i * format.bytes, &bits, format.bytes);
    }
  });
}

double unitRoundoff(Type type) {
  return std::ldexp(1.0, -formatOf(type).mantissaBits - 1);
}

double largestFinite(Type type) { return decode(type, formatOf(type).infinity() - 1); }

double smallestNormal(Type type) { return std::ldexp(1.0, 1 - formatOf(type).bias()); }

double smallestDenormal(Type type) { return decode(type, 1); }

double ulp(Type type, double value) {
  const Format &format = formatOf(type);
  int exponent = format.bias();
  if (std::isfinite(value))
    exponent = value == 0 ? -format.bias() : std::ilogb(value);
  exponent = std::clamp(exponent, 1 - format.bias(), format.bias());
  return std::ldexp(1.0, exponent - format.mantissaBits);
}

uint64_t ulpDistance(Type type, uint64_t a, uint64_t b) {
  const Format &format = formatOf(type);
  bool aNan = (a & (format.signBit() - 1)) > format.infinity();
  bool bNan = (b & (format.signBit() - 1)) > format.infinity();
  if (aNan || bNan)
    return aNan && bNan ? 0 : UINT64_MAX;
  // Unsigned, since the two ends of f64 are further apart than INT64_MAX.
  auto first = static_cast<uint64_t>(ordinal(format, a));
  auto second = static_cast<uint64_t>(ordinal(format, b));
  return ordinal(format, a) > ordinal(format, b) ? first - second : second - first;
}

} // namespace normc::reference
