//===- DeviceBench.h - Time and bandwidth on a device with streams ----------===//
#ifndef NORMC_TOOLS_NORMRUN_DEVICEBENCH_H
#define NORMC_TOOLS_NORMRUN_DEVICEBENCH_H

#include "Bench.h"

namespace normc::run {

/// Whether launches go to a stream: on all devices but the host.
bool hasStreams(const Session &session);

/// Measures graphs of many launches, one after the other, by the device's own clock.
/// The launches take turns on copies of the tensors that fill the last-level cache four
/// times, so that no launch finds its inputs there. `repeats` graphs; 0: for about
/// `seconds`.
llvm::Expected<BenchReport> runDeviceBench(const Session &session,
                                           const Buffers &buffers, double seconds,
                                           int64_t repeats);

} // namespace normc::run

#endif // NORMC_TOOLS_NORMRUN_DEVICEBENCH_H
