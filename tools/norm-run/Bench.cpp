//===- Bench.cpp - Time and bandwidth ---------------------------------------===//
#include "Bench.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstring>
#include <thread>

using llvm::Error;
using llvm::Expected;

namespace normc::run {

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Runs `once` a few times, then again and again for about `seconds`, or `repeats`
/// times.
static Expected<Times> measure(double seconds, size_t repeats,
                               llvm::function_ref<Error()> once) {
  constexpr size_t kLeast = 5, kMost = 1000000;
  std::vector<double> times;
  // A tenth of the time warms caches, pages and clocks.
  for (auto start = Clock::now(); secondsSince(start) < seconds / 10;)
    if (Error error = once())
      return error;
  auto isEnough = [&](Clock::time_point start) {
    if (repeats > 0)
      return times.size() >= repeats;
    return times.size() >= kLeast &&
           (secondsSince(start) >= seconds || times.size() >= kMost);
  };
  for (auto start = Clock::now(); !isEnough(start);) {
    auto before = Clock::now();
    if (Error error = once())
      return error;
    times.push_back(secondsSince(before));
  }
  std::sort(times.begin(), times.end());
  return Times{times.size(), times.front(), times[times.size() / 2]};
}

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
  Error copy() {
    begin.arrive_and_wait();
    part(0);
    end.arrive_and_wait();
    return Error::success();
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

Expected<BenchReport> runBench(const Session &session, const Buffers &buffers,
                               Launcher &launcher, double seconds, int64_t repeats) {
  BenchReport report;
  report.threads = std::max(normrt_device_thread_count(session.device()), 1);
  for (const auto &buffer : buffers)
    report.bytes += buffer->bytes();
  // A few bytes are copied faster by one thread than by several that wait for another.
  for (int threads : {report.threads, 1}) {
    Copier copier(report.bytes, threads);
    auto copy = measure(seconds / 4, 0, [&] { return copier.copy(); });
    if (!copy)
      return copy.takeError();
    if (report.copy.repeats == 0 || copy->median_s < report.copy.median_s)
      report.copy = *copy;
  }
  auto entry =
      measure(seconds, static_cast<size_t>(repeats), [&] { return launcher.launch(); });
  if (!entry)
    return entry.takeError();
  report.entry = *entry;
  return report;
}

} // namespace normc::run
