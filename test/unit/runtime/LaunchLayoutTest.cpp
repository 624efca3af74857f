// Strides, contiguity and overlap at launch.
#include "LaunchFixture.h"

#include <bit>

using namespace normrt::test;

namespace {

class LaunchLayout : public LaunchTest {
protected:
  normrt_status scale(Tensor &x, Tensor &y) {
    return launchOn("scale", {x.get(), y.get()});
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, LaunchLayout, allBackends(), labelOf);

TEST_P(LaunchLayout, RowStrideWithGaps) {
  // q of a packed qkv: rows of 2 with stride 6.
  Tensor x(*memory, kF32, {3, 2}, {6, 1}, 18), y(*memory, kF32, {3, 2}, {4, 1}, 12);
  std::vector<float> values(18);
  for (size_t i = 0; i < 18; ++i)
    values[i] = float(i);
  x.fill(values);
  ASSERT_EQ(scale(x, y), NORMRT_STATUS_OK) << normrt_last_error_message();
  const auto result = y.values<float>();
  for (size_t r = 0; r < 3; ++r) {
    EXPECT_EQ(result[4 * r], 3 * values[6 * r]);
    EXPECT_EQ(result[4 * r + 1], 3 * values[6 * r + 1]);
    EXPECT_EQ(std::bit_cast<uint32_t>(result[4 * r + 2]), 0xa5a5a5a5u) << "the gap";
  }
  EXPECT_TRUE(y.guardsUntouched());
}

TEST_P(LaunchLayout, InputsMayRepeatAndRunBackwards) {
  Tensor repeated(*memory, kF32, {3, 2}, {0, 1}, 2), y(*memory, kF32, {3, 2});
  repeated.fill<float>({1, 2});
  ASSERT_EQ(scale(repeated, y), NORMRT_STATUS_OK) << normrt_last_error_message();
  EXPECT_EQ(y.values<float>(), (std::vector<float>{3, 6, 3, 6, 3, 6}));
  Tensor backwards(*memory, kF32, {3, 2}, {-2, 1}, 6, 16);
  backwards.fill<float>({1, 2, 3, 4, 5, 6});
  ASSERT_EQ(scale(backwards, y), NORMRT_STATUS_OK) << normrt_last_error_message();
  EXPECT_EQ(y.values<float>(), (std::vector<float>{15, 18, 9, 12, 3, 6}));
}

TEST_P(LaunchLayout, InnerDimensionsMustBeContiguous) {
  Tensor x(*memory, kF32, {3, 2}, {1, 3}), y(*memory, kF32, {3, 2});
  EXPECT_TRUE(
      failsWith(scale(x, y), NORMRT_STATUS_STRIDE_MISMATCH,
                "parameter \"x\": expected stride 1 in dimension 1, because the "
                "last 1 of 2 dimensions must be contiguous, but got strides "
                "[1, 3] with shape [3, 2]"));
  EXPECT_TRUE(y.untouched());
}

TEST_P(LaunchLayout, StridesOfSizeOneDoNotMatter) {
  Tensor x(*memory, kF32, {1, 1}, {-77, 1234}, 1), y(*memory, kF32, {1, 1}, {0, 0}, 1);
  x.fill<float>({2});
  ASSERT_EQ(scale(x, y), NORMRT_STATUS_OK) << normrt_last_error_message();
  EXPECT_EQ(y.values<float>(), std::vector<float>{6});
}

TEST_P(LaunchLayout, StridesOfEmptyTensorsDoNotMatter) {
  Tensor x(*memory, kF32, {0, 4}, {INT64_MAX, INT64_MIN}, 1);
  Tensor y(*memory, kF32, {0, 4}, {-1, 9}, 1);
  EXPECT_EQ(scale(x, y), NORMRT_STATUS_OK) << normrt_last_error_message();
}

TEST_P(LaunchLayout, OutputsMustNotOverlapThemselves) {
  Tensor x(*memory, kF32, {3, 2});
  for (const std::vector<int64_t> &strides :
       {std::vector<int64_t>{0, 1}, std::vector<int64_t>{1, 1}}) {
    Tensor y(*memory, kF32, {3, 2}, strides, 6);
    EXPECT_TRUE(failsWith(scale(x, y), NORMRT_STATUS_OVERLAP,
                          "parameter \"y\": expected elements that do not overlap"));
    EXPECT_TRUE(y.untouched());
  }
  Tensor y(*memory, kF32, {3, 2}, {-2, 1}, 6, 16);
  EXPECT_TRUE(failsWith(scale(x, y), NORMRT_STATUS_STRIDE_MISMATCH,
                        "parameter \"y\": expected no negative stride"));
  EXPECT_TRUE(y.untouched());
}

TEST_P(LaunchLayout, OutputsMustNotOverlapInputs) {
  // One buffer: x at 0, y from element 4, 7 and 8 on, and before x.
  Tensor buffer(*memory, kF32, {2, 4}, {}, 64), x(*memory, kF32, {2, 4}),
      y(*memory, kF32, {2, 4});
  x->data = buffer->data;
  y->data = buffer->data;
  x->byte_offset = 64;
  for (int64_t at : {36, 60, 64, 80, 92}) {
    y->byte_offset = uint64_t(at);
    EXPECT_TRUE(failsWith(scale(x, y), NORMRT_STATUS_OVERLAP,
                          "parameter \"y\": expected memory of its own, because it is "
                          "an output, but its bytes overlap those of input \"x\""))
        << at;
  }
  EXPECT_TRUE(buffer.untouched());
  // Right before and right after is no overlap.
  for (int64_t at : {32, 96}) {
    y->byte_offset = uint64_t(at);
    EXPECT_EQ(scale(x, y), NORMRT_STATUS_OK) << normrt_last_error_message();
  }
}

TEST_P(LaunchLayout, NegativeStridesCountDownwardInOverlap) {
  Tensor buffer(*memory, kF32, {2, 4}, {}, 64), x(*memory, kF32, {2, 4}, {-8, 1}),
      y(*memory, kF32, {2, 4});
  x->data = buffer->data;
  y->data = buffer->data;
  x->byte_offset = 64; // Reaches from byte 32 to 80.
  y->byte_offset = 4;  // Ends at 36.
  EXPECT_TRUE(failsWith(scale(x, y), NORMRT_STATUS_OVERLAP, "input \"x\""));
  y->byte_offset = 0;
  EXPECT_EQ(scale(x, y), NORMRT_STATUS_OK) << normrt_last_error_message();
}

TEST_P(LaunchLayout, OutputsMustNotOverlapOutputs) {
  auto twoOutputs = entry("two", 1);
  const Ex cols = Ex::sym(0);
  twoOutputs->params.push_back(
      output("a", normrt::schema::ElementType::f64, {cols}, 1));
  twoOutputs->params.push_back(
      output("b", normrt::schema::ElementType::f64, {cols}, 1));
  loadEntry(std::move(twoOutputs));
  Tensor a(*memory, kF64, {4}, {}, 8), b(*memory, kF64, {4});
  b->data = a->data;
  b->byte_offset = 24;
  EXPECT_TRUE(failsWith(launchOn("two", {a.get(), b.get()}), NORMRT_STATUS_OVERLAP,
                        "parameter \"b\": expected memory of its own, because it is an "
                        "output, but its bytes overlap those of output \"a\""));
  b->byte_offset = 32;
  EXPECT_EQ(launchOn("two", {a.get(), b.get()}), NORMRT_STATUS_OK);
}

TEST_P(LaunchLayout, InputsMayOverlapInputs) {
  auto twoInputs = entry("two", 1);
  const Ex cols = Ex::sym(0);
  twoInputs->params.push_back(input("a", normrt::schema::ElementType::f64, {cols}, 1));
  twoInputs->params.push_back(input("b", normrt::schema::ElementType::f64, {cols}, 1));
  loadEntry(std::move(twoInputs));
  Tensor a(*memory, kF64, {4});
  EXPECT_EQ(launchOn("two", {a.get(), a.get()}), NORMRT_STATUS_OK);
}

TEST_P(LaunchLayout, StridesThatOverflow) {
  Tensor x(*memory, kF32, {3, 2}, {INT64_MAX / 2, 1}, 6), y(*memory, kF32, {3, 2});
  EXPECT_TRUE(failsWith(scale(x, y), NORMRT_STATUS_OVERFLOW, "parameter \"x\""));
  Tensor down(*memory, kF32, {3, 2}, {INT64_MIN, 1}, 6);
  EXPECT_TRUE(failsWith(scale(down, y), NORMRT_STATUS_OVERFLOW, "parameter \"x\""));
  Tensor x2(*memory, kF32, {3, 2}), wide(*memory, kF32, {3, 2}, {INT64_MAX, 1}, 6);
  EXPECT_TRUE(failsWith(scale(x2, wide), NORMRT_STATUS_OVERFLOW, "parameter \"y\""));
  EXPECT_TRUE(y.untouched());
}

} // namespace
