// What the modes of the test driver are for, each by a mistake on purpose, and what it
// lacks.
#include "DriverFixture.h"

#include <algorithm>

using namespace normrt::test;

namespace {

class TestDriverModes : public TestDriver {
protected:
  /// Sums of 9 rows of 2 columns of `x` by partials, as the runtime launches them, but
  /// with or without the barrier between the two kernels.
  void sum(const float *x, float *out, bool withBarrier) {
    auto *partials = allocateShared<float>(6);
    std::fill_n(partials, 6, -1.0f);
    ze_kernel_handle_t first = makeKernel("sum_partials");
    ze_kernel_handle_t last = makeKernel("sum_finalize");
    auto set = [](ze_kernel_handle_t of, const std::vector<int64_t> &arguments) {
      for (uint32_t i = 0; i < arguments.size(); ++i)
        ASSERT_EQ(zeKernelSetArgumentValue(of, i, 8, &arguments[i]), ZE_RESULT_SUCCESS);
    };
    auto address = [](const void *p) { return reinterpret_cast<int64_t>(p); };
    set(first, {address(x), address(partials), 9, 2, 2, 3});
    set(last, {address(partials), address(out), 3, 2});
    const ze_group_count_t three{3, 1, 1}, one{1, 1, 1};
    ASSERT_EQ(zeCommandListAppendLaunchKernel(list, first, &three, nullptr, 0, nullptr),
              ZE_RESULT_SUCCESS);
    if (withBarrier)
      ASSERT_EQ(zeCommandListAppendBarrier(list, nullptr, 0, nullptr),
                ZE_RESULT_SUCCESS);
    ASSERT_EQ(zeCommandListAppendLaunchKernel(list, last, &one, nullptr, 0, nullptr),
              ZE_RESULT_SUCCESS);
    execute();
    EXPECT_EQ(zeKernelDestroy(first), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeKernelDestroy(last), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeMemFree(context, partials), ZE_RESULT_SUCCESS);
  }

  /// What `sum` makes of ones.
  std::vector<float> sumOfOnes(bool withBarrier) {
    auto *x = allocateShared<float>(18), *out = allocateShared<float>(2);
    std::fill_n(x, 18, 1.0f);
    sum(x, out, withBarrier);
    std::vector<float> result(out, out + 2);
    EXPECT_EQ(zeMemFree(context, x), ZE_RESULT_SUCCESS);
    EXPECT_EQ(zeMemFree(context, out), ZE_RESULT_SUCCESS);
    return result;
  }
};

TEST_F(TestDriverModes, ABarrierOrdersTwoKernels) {
  EXPECT_EQ(sumOfOnes(/*withBarrier=*/true), (std::vector<float>{9, 9}));
}

TEST_F(TestDriverModes, AMissingBarrierShowsUnordered) {
  // The second kernel adds what was there before the first one.
  const bool unordered = hasMode("unordered");
  EXPECT_EQ(sumOfOnes(/*withBarrier=*/false),
            unordered ? (std::vector<float>{-3, -3}) : (std::vector<float>{9, 9}));
}

TEST_F(TestDriverModes, AnAccessPastTheEndShowsGuarded) {
  if (!hasMode("guarded"))
    return;
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(countWorkgroups(9), "byte 64 of an allocation of 64: past its end");
}

TEST_F(TestDriverModes, AccessesUpToTheEndDoNotShow) { countWorkgroups(8); }

TEST_F(TestDriverModes, TheHostInDeviceMemoryShowsGuarded) {
  auto *memory = static_cast<volatile char *>(allocate(context));
  if (hasMode("guarded")) {
    ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(memory[0] = 1, "the host reaches into device memory");
  }
  EXPECT_EQ(zeMemFree(context, const_cast<char *>(memory)), ZE_RESULT_SUCCESS);
}

TEST_F(TestDriverModes, NegatedBeforeABarrierEachLaneHasItsOwn) {
  constexpr uint32_t kLanes = 64;
  auto *x = allocateShared<float>(kLanes), *y = allocateShared<float>(2 * kLanes);
  for (uint32_t i = 0; i < kLanes; ++i)
    x[i] = float(i + 1);
  ze_kernel_handle_t negate = makeKernel("negate_before_barrier", kLanes);
  const int64_t times = 2;
  ASSERT_EQ(zeKernelSetArgumentValue(negate, 0, 8, &x), ZE_RESULT_SUCCESS);
  ASSERT_EQ(zeKernelSetArgumentValue(negate, 1, 8, &y), ZE_RESULT_SUCCESS);
  ASSERT_EQ(zeKernelSetArgumentValue(negate, 2, 8, &times), ZE_RESULT_SUCCESS);
  ASSERT_EQ(zeKernelSetArgumentValue(negate, 3, kLanes * sizeof(float), nullptr),
            ZE_RESULT_SUCCESS);
  const ze_group_count_t one{1, 1, 1};
  ASSERT_EQ(zeCommandListAppendLaunchKernel(list, negate, &one, nullptr, 0, nullptr),
            ZE_RESULT_SUCCESS);
  execute();
  for (uint32_t i = 0; i < kLanes; ++i) {
    EXPECT_EQ(y[i], -float(i + 1)) << i;
    EXPECT_EQ(y[kLanes + i], -2 * float(i + 1)) << i;
  }
  EXPECT_EQ(zeKernelDestroy(negate), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeMemFree(context, x), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeMemFree(context, y), ZE_RESULT_SUCCESS);
}

TEST_F(TestDriverModes, CallsThatItLacks) {
  ze_command_queue_handle_t queue = makeQueue();
  ze_fence_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_FENCE_DESC;
  ze_fence_handle_t fence = nullptr;
  EXPECT_EQ(zeFenceCreate(queue, &description, &fence),
            ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
  EXPECT_EQ(zeCommandListReset(list), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
  EXPECT_EQ(zeDeviceGetStatus(device), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
  EXPECT_EQ(zeCommandQueueDestroy(queue), ZE_RESULT_SUCCESS);
}

// What it has in part.
TEST_F(TestDriverModes, EventsThatADeviceWaitsFor) {
  ze_event_pool_handle_t pool = makeEventPool();
  ze_event_desc_t eventDescription{};
  eventDescription.stype = ZE_STRUCTURE_TYPE_EVENT_DESC;
  ze_event_handle_t event = nullptr;
  ASSERT_EQ(zeEventCreate(pool, &eventDescription, &event), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeCommandListAppendBarrier(list, nullptr, 1, &event),
            ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
  EXPECT_EQ(zeEventDestroy(event), ZE_RESULT_SUCCESS);
  EXPECT_EQ(zeEventPoolDestroy(pool), ZE_RESULT_SUCCESS);
}

} // namespace
