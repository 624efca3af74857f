#include "TestHelpers.h"

#include <cmath>
#include <limits>

namespace normc::reference {
namespace {

const double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

Comparison compareOne(double result, Type type, double value, double bound) {
  return compareValues(std::vector<double>{result}, type, {{value}, {bound}});
}

TEST(Compare, HalfAnUlpIsAllowedAndNoMore) {
  for (Type type : {Type::F16, Type::BF16, Type::F32}) {
    double unit = ulp(type, 1);
    EXPECT_TRUE(compareOne(1, type, 1 + 0.5 * unit, 0).pass);
    EXPECT_FALSE(compareOne(1, type, 1 + 0.501 * unit, 0).pass);
    EXPECT_TRUE(compareOne(1, type, 1 + 0.501 * unit, 0.01 * unit).pass);
  }
  EXPECT_TRUE(compareOne(1, Type::F64, 1, 0).pass);
  EXPECT_FALSE(compareOne(1 + 0x1p-51, Type::F64, 1, 0).pass);
}

TEST(Compare, DenormalsHaveTheirSpacing) {
  EXPECT_TRUE(compareOne(0, Type::F16, 0x1p-25, 0).pass);
  EXPECT_FALSE(compareOne(0, Type::F16, 0x1.01p-25, 0).pass);
}

TEST(Compare, NanAndInfinityMatchThemselvesOnly) {
  EXPECT_TRUE(compareOne(nan, Type::F32, nan, 0).pass);
  EXPECT_TRUE(compareOne(inf, Type::F32, inf, 0).pass);
  for (auto [result, value] :
       std::initializer_list<std::pair<double, double>>{{nan, 1},
                                                        {1, nan},
                                                        {inf, 1},
                                                        {1, inf},
                                                        {inf, -inf},
                                                        {nan, inf},
                                                        {inf, nan}}) {
    Comparison out = compareOne(result, Type::F32, value, 1e30);
    EXPECT_FALSE(out.pass) << result << ' ' << value;
    EXPECT_EQ(out.mismatches, 1);
    EXPECT_EQ(out.worst, 0);
  }
}

TEST(Compare, OverflowOfTheTypeIsRounding) {
  EXPECT_TRUE(compareOne(inf, Type::F16, 1e6, 0).pass);
  EXPECT_FALSE(compareOne(65504, Type::F16, 1e6, 0).pass);
  EXPECT_FALSE(compareOne(-inf, Type::F16, 1e6, 0).pass);
  EXPECT_FALSE(compareOne(nan, Type::F16, 1e6, 0).pass);
  // 65520 is where f16 rounds to infinity; within the bound both are right.
  EXPECT_TRUE(compareOne(inf, Type::F16, 65519, 2).pass);
  EXPECT_TRUE(compareOne(65504, Type::F16, 65521, 2).pass);
  EXPECT_FALSE(compareOne(inf, Type::F16, 65000, 2).pass);
}

TEST(Compare, ExcludedElementsAreCountedAndDoNotFail) {
  Comparison out =
      compareValues(std::vector<double>{nan, 2}, Type::F32, {{1, 2}, {inf, 0}});
  EXPECT_TRUE(out.pass);
  EXPECT_EQ(out.elements, 2);
  EXPECT_EQ(out.excluded, 1);
  EXPECT_EQ(out.worst, 1);
}

TEST(Compare, ReportsTheMaximaAndTheWorstElement) {
  Comparison out = compareValues(std::vector<double>{1, 100.5, 3.25}, Type::F32,
                                 {{1, 100, 3}, {0.1, 10, 0.3}});
  EXPECT_TRUE(out.pass);
  EXPECT_EQ(out.maxAbs, 0.5);
  EXPECT_DOUBLE_EQ(out.maxRel, 0.25 / 3);
  EXPECT_EQ(out.maxUlp, uint64_t{1} << 20); // 0.25 is 2^20 spacings of 2^-22
  EXPECT_EQ(out.worst, 2);
  EXPECT_EQ(out.worstResult, 3.25);
  EXPECT_EQ(out.worstReference, 3);
  EXPECT_NEAR(out.worstTolerance, 0.3, 1e-6);
  EXPECT_EQ(describe(out),
            "pass: 3 elements, max abs 0.5, max rel 0.0833333333, max ulp 1048576; "
            "worst at 2: got 3.25, expected 3 within 0.300000119");
}

TEST(Compare, Nothing) {
  Comparison out = compareValues(std::vector<double>{}, Type::F32, {});
  EXPECT_TRUE(out.pass);
  EXPECT_EQ(out.worst, -1);
}

} // namespace
} // namespace normc::reference
