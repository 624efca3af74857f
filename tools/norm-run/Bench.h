//===- Bench.h - Time and bandwidth -----------------------------------------===//
#ifndef NORMC_TOOLS_NORMRUN_BENCH_H
#define NORMC_TOOLS_NORMRUN_BENCH_H

#include "Launch.h"

namespace normc::run {

struct Times {
  size_t repeats = 0;
  double min_s = 0, median_s = 0;
};

struct BenchReport {
  /// Of the host; 0 for another device.
  int threads = 1;
  /// Each input once and each output once.
  size_t bytes = 0;
  Times entry;
  /// A copy that reads and writes as many bytes together; on the host by as many
  /// threads or by one, whichever is faster.
  Times copy;

  double bytesPerSecond() const { return static_cast<double>(bytes) / entry.median_s; }
  double copyBytesPerSecond() const {
    return static_cast<double>(bytes) / copy.median_s;
  }
};

/// Measures for about `seconds` or, where it is not 0, `repeats` times, after a
/// warm-up.
llvm::Expected<BenchReport> runBench(const Session &session, const Buffers &buffers,
                                     Launcher &launcher, double seconds,
                                     int64_t repeats);

} // namespace normc::run

#endif // NORMC_TOOLS_NORMRUN_BENCH_H
