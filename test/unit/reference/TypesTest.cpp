#include "normc/Reference/Types.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace normc::reference {
namespace {

constexpr Type all[] = {Type::F16, Type::BF16, Type::F32, Type::F64};
constexpr Type narrow[] = {Type::F16, Type::BF16};
const double inf = std::numeric_limits<double>::infinity();

TEST(Types, NamesParse) {
  for (Type type : all)
    EXPECT_EQ(parseType(typeName(type)), type);
  EXPECT_EQ(parseType("bf16"), Type::BF16);
  EXPECT_FALSE(parseType("fp16"));
  EXPECT_FALSE(parseType(""));
}

TEST(Types, ComputeTypeIsF64IfAnyIs) {
  EXPECT_EQ(computeType({Type::BF16, Type::F16}), Type::F32);
  EXPECT_EQ(computeType({Type::BF16, Type::F64}), Type::F64);
  EXPECT_EQ(computeType({}), Type::F32);
}

/// The value by the definition of the format, with ldexp alone.
double byDefinition(Type type, uint64_t bits) {
  int mantissaBits = type == Type::F16 ? 10 : 7;
  int bias = type == Type::F16 ? 15 : 127;
  int exponent = static_cast<int>((bits & 0x7fff) >> mantissaBits);
  double mantissa = static_cast<double>(bits & ((1u << mantissaBits) - 1));
  double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 2 * bias + 1)
    return mantissa != 0 ? std::nan("") : sign * inf;
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - bias - mantissaBits);
  return sign *
         std::ldexp(mantissa + (1 << mantissaBits), exponent - bias - mantissaBits);
}

TEST(Types, EveryPatternOf16BitsDecodesByDefinitionAndEncodesBack) {
  for (Type type : narrow)
    for (uint64_t bits = 0; bits < 65536; ++bits) {
      double value = decode(type, bits), expected = byDefinition(type, bits);
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(value));
        // Quieted, and otherwise kept.
        uint64_t quiet = type == Type::F16 ? 0x200 : 0x40;
        ASSERT_EQ(encode(type, value) | quiet, bits | quiet);
        continue;
      }
      ASSERT_EQ(std::bit_cast<uint64_t>(value), std::bit_cast<uint64_t>(expected))
          << typeName(type) << ' ' << bits;
      ASSERT_EQ(encode(type, value), bits) << typeName(type);
    }
}

TEST(Types, EveryMiddleOf16BitValuesRoundsToEven) {
  for (Type type : narrow) {
    uint64_t infinity = encode(type, inf);
    for (uint64_t bits = 0; bits < infinity; ++bits) {
      double low = decode(type, bits);
      // The middle above the largest value is where infinity begins.
      double high =
          bits + 1 == infinity ? low + ulp(type, low) : decode(type, bits + 1);
      double middle = (low + high) / 2;
      uint64_t even = bits & 1 ? bits + 1 : bits;
      ASSERT_EQ(encode(type, middle), even) << typeName(type) << ' ' << bits;
      ASSERT_EQ(encode(type, std::nextafter(middle, 0)), bits);
      ASSERT_EQ(encode(type, std::nextafter(middle, inf)), bits + 1);
      ASSERT_EQ(encode(type, -middle), even | 0x8000);
    }
  }
}

TEST(Types, F32IsTheHardwares) {
  std::mt19937_64 random(1);
  auto check = [](double value) {
    float hardware = static_cast<float>(value);
    uint32_t expected = std::bit_cast<uint32_t>(hardware);
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(decode(Type::F32, encode(Type::F32, value))));
      return;
    }
    ASSERT_EQ(encode(Type::F32, value), expected) << value;
    double widened = hardware;
    ASSERT_EQ(std::bit_cast<uint64_t>(decode(Type::F32, expected)),
              std::bit_cast<uint64_t>(widened));
  };
  for (int i = 0; i < 2000000; ++i) {
    uint64_t bits = random();
    check(std::bit_cast<double>(bits));
    // Any exponent that f32 has, its denormals and both ends included.
    uint64_t exponent = 1023 - 152 + bits % 282;
    check(std::bit_cast<double>((bits & ~(uint64_t{0x7ff} << 52)) | exponent << 52));
  }
  for (uint32_t bits : {0u, 1u, 0x7fffffu, 0x800000u, 0x7f7fffffu}) {
    double value = std::bit_cast<float>(bits), next = std::bit_cast<float>(bits + 1);
    if (!std::isfinite(next))
      next = 0x1p128;
    double middle = value + (next - value) / 2;
    for (double v :
         {value, middle, std::nextafter(middle, 0), std::nextafter(middle, inf)})
      for (double sign : {1.0, -1.0})
        check(sign * v);
  }
}

TEST(Types, RoundsOnceFromDouble) {
  // Through f32 first, this would be a tie and go down to 1.
  double value = 1 + 0x1p-8 + 0x1p-40;
  EXPECT_EQ(roundTo(Type::BF16, value), 1 + 0x1p-7);
  EXPECT_EQ(roundTo(Type::BF16, static_cast<float>(value)), 1);
}

TEST(Types, Constants) {
  EXPECT_EQ(unitRoundoff(Type::F16), 0x1p-11);
  EXPECT_EQ(unitRoundoff(Type::BF16), 0x1p-8);
  EXPECT_EQ(unitRoundoff(Type::F32), 0x1p-24);
  EXPECT_EQ(unitRoundoff(Type::F64), 0x1p-53);
  EXPECT_EQ(largestFinite(Type::F16), 65504);
  EXPECT_EQ(largestFinite(Type::F32), std::numeric_limits<float>::max());
  EXPECT_EQ(largestFinite(Type::F64), std::numeric_limits<double>::max());
  EXPECT_EQ(smallestDenormal(Type::F16), 0x1p-24);
  EXPECT_EQ(smallestDenormal(Type::BF16), 0x1p-133);
  EXPECT_EQ(smallestNormal(Type::F32), std::numeric_limits<float>::min());
  EXPECT_EQ(smallestDenormal(Type::F64), std::numeric_limits<double>::denorm_min());
}

TEST(Types, UlpIsTheDistanceToTheNextValue) {
  for (Type type : all)
    for (double value : {1.0, 1.75, 2.0, 3.9, 0x1p-14, 100.0, 60000.0}) {
      uint64_t bits = encode(type, value);
      double low = decode(type, bits);
      EXPECT_EQ(ulp(type, low), decode(type, bits + 1) - low)
          << typeName(type) << ' ' << value;
    }
  EXPECT_EQ(ulp(Type::F16, 0), 0x1p-24);
  EXPECT_EQ(ulp(Type::F16, 0x1p-20), 0x1p-24);
  EXPECT_EQ(ulp(Type::F16, 1e9), 32);
  EXPECT_EQ(ulp(Type::F16, -inf), 32);
  EXPECT_EQ(ulp(Type::F64, 1), 0x1p-52);
}

TEST(Types, UlpDistanceCountsValues) {
  auto between = [](Type type, double a, double b) {
    return ulpDistance(type, encode(type, a), encode(type, b));
  };
  for (Type type : all) {
    EXPECT_EQ(between(type, 0.0, -0.0), 0u);
    EXPECT_EQ(between(type, smallestDenormal(type), -smallestDenormal(type)), 2u);
    EXPECT_EQ(between(type, largestFinite(type), inf), 1u);
    EXPECT_EQ(between(type, 2, 2 + ulp(type, 2)), 1u);
    EXPECT_EQ(between(type, 2 + ulp(type, 2), 2), 1u);
    EXPECT_EQ(between(type, NAN, NAN), 0u);
    EXPECT_EQ(between(type, NAN, 0), UINT64_MAX);
    EXPECT_EQ(between(type, inf, -inf), 2 * encode(type, inf));
  }
}

TEST(Types, ArraysDecodeAndEncodeAtAnyAlignment) {
  const std::vector<double> values = {0, -1.5, 2, inf, 0.25};
  for (Type type : all) {
    std::vector<std::byte> bytes(values.size() * byteSize(type) + 1);
    encodeAll(type, values, bytes.data() + 1);
    std::vector<double> back(values.size());
    decodeAll(type, bytes.data() + 1, back);
    EXPECT_EQ(back, values);
  }
}

} // namespace
} // namespace normc::reference
