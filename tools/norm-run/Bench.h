//===- Bench.h - Time and bandwidth -----------------------------------------===//
#ifndef NORMC_TOOLS_NORMRUN_BENCH_H
#define NORMC_TOOLS_NORMRUN_BENCH_H

#include "Launch.h"

#include "normc/Measure/Timing.h"

namespace normc::run {

using measure::Times;

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

/// Measures the entry on its buffers. On a device with streams launches take turns on
/// copies of the buffers that its last-level cache does not hold.
llvm::Expected<BenchReport> runBench(const Session &session, const Buffers &buffers,
                                     Launcher &launcher, const measure::Effort &effort);

} // namespace normc::run

#endif // NORMC_TOOLS_NORMRUN_BENCH_H
