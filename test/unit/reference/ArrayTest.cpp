#include "TestHelpers.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace normc::reference {
namespace {

TEST(Array, RowMajorAndOtherStrides) {
  const std::vector<double> values = {0, 1, 2, 3, 4, 5};
  Array array = makeArray(Type::BF16, {2, 3}, values);
  EXPECT_EQ(array.strides, (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(array.bytes.size(), 12u);
  EXPECT_TRUE(array.isRowMajor());
  Array padded = withStrides(array, {5, 1});
  EXPECT_FALSE(padded.isRowMajor());
  EXPECT_EQ(padded.bytes.size(), 16u);
  EXPECT_EQ(padded.toDoubles(), values);
  Array columns = withStrides(padded, {1, 2});
  EXPECT_EQ(columns.toDoubles(), values);
  EXPECT_EQ(columns.bytes.size(), 12u);
  EXPECT_NE(columns.bytes, array.bytes);
  EXPECT_EQ(withStrides(columns, {3, 1}).bytes, array.bytes);
}

TEST(Array, EmptyAndScalar) {
  Array empty = makeArray(Type::F32, {0, 5});
  EXPECT_EQ(empty.elements(), 0);
  EXPECT_TRUE(empty.isRowMajor());
  EXPECT_TRUE(empty.toDoubles().empty());
  EXPECT_TRUE(withStrides(empty, {7, 1}).bytes.empty());
  Array scalar = makeArray(Type::F64, {}, std::vector<double>{2.5});
  EXPECT_EQ(scalar.elements(), 1);
  EXPECT_EQ(scalar.toDoubles(), std::vector<double>{2.5});
}

TEST(Generate, Constants) {
  EXPECT_EQ(make("const:1.5:2x2"), std::vector<double>(4, 1.5));
  EXPECT_EQ(make("const:-inf:1"), std::vector<double>{-INFINITY});
  EXPECT_EQ(make("const:inf:1"), std::vector<double>{INFINITY});
  EXPECT_TRUE(std::isnan(make("const:nan:1")[0]));
  EXPECT_EQ(make("const:3:scalar"), std::vector<double>{3});
  EXPECT_TRUE(make("const:3:0x4").empty());
}

TEST(Generate, Ramp) {
  EXPECT_EQ(make("ramp:40000:1x4"), (std::vector<double>{40000, 40001, 40002, 40003}));
  // f16 has a spacing of 32 there.
  EXPECT_EQ(make("ramp:40000:2", Type::F16), (std::vector<double>{40000, 40000}));
}

TEST(Generate, TheSameValuesOnEveryMachine) {
  // Made by another implementation of the counter (and an exact inverse normal).
  EXPECT_EQ(make("uniform:1:3", Type::F64),
            (std::vector<double>{-0x1.0df2a7bc5e350p-2, 0x1.c635b3a4f5b3cp-1,
                                 -0x1.d1a8264b3605ep-1}));
  std::vector<double> normal = make("normal:1:3", Type::F64);
  EXPECT_NEAR(normal[0], -0.3366522922158836, 2e-9);
  EXPECT_NEAR(normal[1], 1.5854173652844237, 2e-9);
  EXPECT_NEAR(normal[2], -1.6926925951922183, 2e-9);
}

TEST(Generate, ThreadsDoNotChangeValues) {
  // The first is made by one thread, the second by as many as there are.
  std::vector<double> few = make("normal:5:1000"), many = make("normal:5:1000x1000");
  many.resize(1000);
  EXPECT_EQ(few, many);
}

TEST(Generate, NormalHasTheMomentsAndTailsOfOne) {
  const int64_t n = 1000000;
  std::vector<double> values = make("normal:9:1000000", Type::F64);
  double mean = 0, square = 0, cube = 0, fourth = 0;
  for (double v : values) {
    mean += v / n;
    square += v * v / n;
    cube += v * v * v / n;
    fourth += v * v * v * v / n;
  }
  // Five standard deviations of each estimate.
  EXPECT_NEAR(mean, 0, 5 * std::sqrt(1.0 / n));
  EXPECT_NEAR(square, 1, 5 * std::sqrt(2.0 / n));
  EXPECT_NEAR(cube, 0, 5 * std::sqrt(15.0 / n));
  EXPECT_NEAR(fourth, 3, 5 * std::sqrt(96.0 / n));
  std::sort(values.begin(), values.end());
  // The largest gap to the distribution (Kolmogorov and Smirnov), 2.4 / sqrt(n): 1e-5.
  double gap = 0;
  for (int64_t i = 0; i < n; ++i)
    gap = std::max(gap, std::fabs(std::erfc(-values[i] / std::sqrt(2)) / 2 -
                                  static_cast<double>(i) / n));
  EXPECT_LT(gap, 2.4 / std::sqrt(n));
  EXPECT_LT(values.front(), -4);
  EXPECT_GT(values.back(), 4);
}

TEST(Generate, UniformFillsItsInterval) {
  std::vector<double> values = make("uniform:3:100000:2:1", Type::F64);
  auto [least, most] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*least, -1);
  EXPECT_LT(*least, -0.999);
  EXPECT_LT(*most, 3);
  EXPECT_GT(*most, 2.999);
  double mean = std::accumulate(values.begin(), values.end(), 0.0) / 100000;
  EXPECT_NEAR(mean, 1, 5 * 4 / std::sqrt(12 * 100000.0));
}

TEST(Generate, SeedsDiffer) {
  EXPECT_NE(make("normal:1:4"), make("normal:2:4"));
  EXPECT_EQ(make("normal:1:4"), make("normal:1:2x2"));
}

TEST(Generate, LargeArraysAreFast) {
  auto start = std::chrono::steady_clock::now();
  ErrorOr<Array> array = generate("normal:1:10000x1000", Type::BF16);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  ASSERT_TRUE(array);
  RecordProperty("milliseconds", static_cast<int>(seconds.count() * 1e3));
  EXPECT_LT(seconds.count(), 3); // 0.1 s on two cores; ten times that on a busy machine
}

TEST(Generate, ErrorsNameWhatWasExpectedAndFound) {
  auto error = [](const char *text) { return generate(text, Type::F32).error; };
  EXPECT_EQ(error("noise:1:4"),
            "expected normal:SEED:SHAPE, uniform:SEED:SHAPE, const:VALUE:SHAPE or "
            "ramp:START:SHAPE, but got \"noise:1:4\"");
  EXPECT_EQ(error("normal:1"),
            "expected normal:SEED:SHAPE[:SCALE[:OFFSET]], but got \"normal:1\"");
  EXPECT_EQ(error("normal:-1:4"),
            "expected an integer from 0 to 2^64-1 as SEED, but got "
            "\"-1\" in \"normal:-1:4\"");
  EXPECT_EQ(error("const:one:4"),
            "expected a number, nan, inf or -inf as VALUE, but got "
            "\"one\" in \"const:one:4\"");
  EXPECT_EQ(error("const:1:4x"), "expected a shape such as 4x128, or scalar, but got "
                                 "\"4x\" in \"const:1:4x\"");
  EXPECT_EQ(
      error("const:1:1048576x1048576x2"),
      "expected a shape of at most 2^40 elements, but got \"1048576x1048576x2\" in "
      "\"const:1:1048576x1048576x2\"");
  for (const char *text :
       {"", ":", "normal", "normal::4", "normal:1:", "normal:1:-4", "normal:1:4:x",
        "normal:1:4:1:", "normal:1:4:1:1:1", "ramp:1:2:3", "const:1:4 ", "const:1.5.:4",
        "uniform:1:4x4x", "const:1:99999999999999999999"})
    EXPECT_NE(error(text), "") << text;
}

} // namespace
} // namespace normc::reference
