//===- HostTiming.cpp - Calls and copies, timed by the process --------------===//
#include "normc/Measure/Timing.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

namespace normc::measure {

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::optional<Times> timeCalls(const std::function<std::string()> &call,
                               const Effort &effort, std::string &error) {
  constexpr size_t kLeast = 5, kMost = 1000000;
  const auto repeats = static_cast<size_t>(effort.repeats);
  std::vector<double> times;
  // A tenth of the time warms caches, pages and clocks.
  for (auto start = Clock::now(); secondsSince(start) < effort.seconds / 10;)
    if (error = call(); !error.empty())
      return std::nullopt;
  auto isEnough = [&](Clock::time_point start) {
    if (repeats > 0)
      return times.size() >= repeats;
    return times.size() >= kLeast &&
           (secondsSince(start) >= effort.seconds || times.size() >= kMost);
  };
  for (auto start = Clock::now(); !isEnough(start);) {
    auto before = Clock::now();
    if (error = call(); !error.empty())
      return std::nullopt;
    times.push_back(secondsSince(before));
  }
  std::sort(times.begin(), times.end());
  return Times{times.size(), times.front(), times[times.size() / 2]};
}

namespace {

/// Copies `bytes / 2` bytes from one array to another, each thread a part.
class Copier {
public:
  Copier(size_t bytes, int threads)
      : size(std::max<size_t>(bytes / 2, 1)), threads(threads), from(size), to(size),
        begin(threads), end(threads) {
    for (int worker = 1; worker < threads; ++worker)
      workers.emplace_back([this, worker] { work(worker); });
  }
  ~Copier() {
    stop = true;
    begin.arrive_and_wait();
    for (std::thread &worker : workers)
      worker.join();
  }
  Copier(const Copier &) = delete;
  Copier &operator=(const Copier &) = delete;

  std::string copy() {
    begin.arrive_and_wait();
    part(0);
    end.arrive_and_wait();
    return "";
  }

private:
  void work(int worker) {
    for (;;) {
      begin.arrive_and_wait();
      if (stop)
        return;
      part(worker);
      end.arrive_and_wait();
    }
  }
  void part(int worker) {
    size_t first = size * static_cast<size_t>(worker) / static_cast<size_t>(threads);
    size_t last = size * static_cast<size_t>(worker + 1) / static_cast<size_t>(threads);
    std::memcpy(to.data() + first, from.data() + first, last - first);
  }

  size_t size;
  int threads;
  std::vector<std::byte> from, to;
  std::barrier<> begin, end;
  std::atomic<bool> stop = false;
  std::vector<std::thread> workers;
};

} // namespace

Times timeHostCopy(size_t bytes, int threads, const Effort &effort) {
  Times best;
  // A few bytes are copied faster by one thread than by several that wait for another.
  for (int count : {threads, 1}) {
    Copier copier(bytes, count);
    std::string error;
    Times times = timeCalls([&] { return copier.copy(); }, effort, error).value();
    if (best.repeats == 0 || times.median_s < best.median_s)
      best = times;
  }
  return best;
}

} // namespace normc::measure
