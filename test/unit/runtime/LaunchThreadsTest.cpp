// Workgroups on threads: each once, concurrent launches, determinism, the float
// control.
#include "LaunchFixture.h"

#include <atomic>
#include <cfenv>
#include <cmath>
#include <limits>
#include <thread>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace normrt::test;

namespace {

constexpr auto f64 = normrt::schema::ElementType::f64;

/// counts [workgroups] += 1 for each of `repeats` launches.
std::unique_ptr<normrt::schema::EntryT> countEntry(int repeats) {
  const Ex workgroups = Ex::sym(0);
  auto result = entry("count", 1);
  result->params.push_back(output("counts", f64, {workgroups}, 1));
  for (int i = 0; i < repeats; ++i)
    lastVariant(*result).launches.push_back(
        launch(CountWorkgroups, workgroups, {argParam(0)}));
  return result;
}

class LaunchThreads : public LaunchTest {};
INSTANTIATE_TEST_SUITE_P(Backends, LaunchThreads, allBackends(), labelOf);

TEST_P(LaunchThreads, EveryWorkgroupRunsOnce) {
  loadEntry(countEntry(1));
  for (int64_t grid : {1, 2, 3, 63, 64, 65, 1000, 100003}) {
    Tensor counts(*memory, kF64, {grid});
    counts.fill(std::vector<int64_t>(size_t(grid), 0));
    for (int run = 1; run <= 3; ++run) {
      ASSERT_EQ(launchOn("count", {counts.get()}), NORMRT_STATUS_OK);
      EXPECT_EQ(counts.values<int64_t>(), std::vector<int64_t>(size_t(grid), run));
    }
    EXPECT_TRUE(counts.guardsUntouched());
  }
}

TEST_P(LaunchThreads, ManyShortLaunchesInAChain) {
  loadEntry(countEntry(32));
  Tensor counts(*memory, kF64, {5});
  counts.fill(std::vector<int64_t>(5, 0));
  for (int run = 0; run < 500; ++run)
    ASSERT_EQ(launchOn("count", {counts.get()}), NORMRT_STATUS_OK);
  EXPECT_EQ(counts.values<int64_t>(), std::vector<int64_t>(5, 500 * 32));
}

TEST_P(LaunchThreads, LaunchesAfterAPauseWakeTheWorkers) {
  loadEntry(countEntry(1));
  Tensor counts(*memory, kF64, {4096});
  counts.fill(std::vector<int64_t>(4096, 0));
  for (int run = 1; run <= 20; ++run) {
    // Longer than a worker spins.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_EQ(launchOn("count", {counts.get()}), NORMRT_STATUS_OK);
    EXPECT_EQ(counts.values<int64_t>(), std::vector<int64_t>(4096, run));
  }
}

TEST_P(LaunchThreads, EveryThreadTakesPart) {
  const int64_t threads = normrt_device_thread_count(device.get());
  if (threads < 2)
    GTEST_SKIP() << "needs two threads";
  auto meeting = entry("meet", 1);
  const Ex size = Ex::sym(0), workgroups = size + -1;
  meeting->params.push_back(output("met", f64, {size}, 1));
  lastVariant(*meeting).launches.push_back(
      launch(Meet, workgroups, {argParam(0), argExpr(workgroups)}));
  loadEntry(std::move(meeting));
  std::vector<int64_t> expected(size_t(threads) + 1, 1);
  expected[0] = threads;
  for (int run = 0; run < 20; ++run) {
    // Longer than a worker spins, and at once.
    if (run % 2 == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    Tensor met(*memory, kF64, {threads + 1});
    met.fill(std::vector<int64_t>(size_t(threads) + 1, 0));
    ASSERT_EQ(launchOn("meet", {met.get()}), NORMRT_STATUS_OK);
    ASSERT_EQ(met.values<int64_t>(), expected);
  }
}

TEST_P(LaunchThreads, ConcurrentLaunchesOnOneDevice) {
  constexpr int kThreads = 4, kRuns = 200;
  constexpr int64_t kRows = 67, kCols = 5;
  normrt_entry *sums = find("sums");
  std::vector<float> values(kRows * kCols);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = 0.37f * float(i % 101);
  Tensor x(*memory, kF32, {kRows, kCols}), expected(*memory, kF32, {kCols});
  x.fill(values);
  ASSERT_EQ(launchOn("sums", {x.get(), expected.get()}), NORMRT_STATUS_OK);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      Tensor mine(*memory, kF32, {kRows, kCols}), out(*memory, kF32, {kCols});
      mine.fill(values);
      const DLTensor *tensors[] = {mine.get(), out.get()};
      for (int run = 0; run < kRuns; ++run)
        if (normrt_entry_launch(sums, tensors, 2, nullptr) != NORMRT_STATUS_OK ||
            out.values<float>() != expected.values<float>())
          ++wrong;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  normrt_device_trim(device.get());
  EXPECT_EQ(launchOn("sums", {x.get(), expected.get()}), NORMRT_STATUS_OK);
}

TEST_P(LaunchThreads, SameBitsInEveryRunAndForEveryThreadCount) {
  constexpr int64_t kRows = 1003, kCols = 17;
  std::vector<float> values(kRows * kCols);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(float(i)) * float(1 + i % 1000);
  Tensor x(*memory, kF32, {kRows, kCols}), out(*memory, kF32, {kCols});
  x.fill(values);
  ASSERT_EQ(launchOn("sums", {x.get(), out.get()}), NORMRT_STATUS_OK);
  // The same blocks of 8 rows in the same order, by hand.
  std::vector<float> expected(kCols, 0.0f);
  for (int64_t begin = 0; begin < kRows; begin += 8)
    for (int64_t c = 0; c < kCols; ++c) {
      float sum = 0;
      for (int64_t r = begin; r < std::min(begin + 8, kRows); ++r)
        sum += values[size_t(r * kCols + c)];
      expected[size_t(c)] += sum;
    }
  for (int run = 0; run < 100; ++run) {
    ASSERT_EQ(launchOn("sums", {x.get(), out.get()}), NORMRT_STATUS_OK);
    ASSERT_EQ(out.values<float>(), expected);
  }
}

TEST_P(LaunchThreads, TheCallersFloatControlDoesNotReachKernels) {
  // 1.5 * the smallest subnormal times 3 in several roundings and flushes.
  constexpr float kTiny = std::numeric_limits<float>::denorm_min();
  Tensor x(*memory, kF32, {64, 1}), y(*memory, kF32, {64, 1});
  x.fill(std::vector<float>(64, 5 * kTiny));
#if defined(__x86_64__)
  const unsigned saved = _mm_getcsr();
  _mm_setcsr(saved | 0x8040); // FTZ and DAZ.
#endif
  std::fesetround(FE_UPWARD);
  ASSERT_EQ(launchOn("scale", {x.get(), y.get()}), NORMRT_STATUS_OK);
  EXPECT_EQ(std::fegetround(), FE_UPWARD) << "restored";
  std::fesetround(FE_TONEAREST);
#if defined(__x86_64__)
  EXPECT_EQ(_mm_getcsr() & 0x8040u, 0x8040u) << "restored";
  _mm_setcsr(saved);
#endif
  EXPECT_EQ(y.values<float>(), std::vector<float>(64, 15 * kTiny));
}

} // namespace
