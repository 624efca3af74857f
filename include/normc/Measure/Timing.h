//===- Timing.h - Time of launches on a device ------------------------------===//
//
// The method of every figure: what is timed runs again and again, a figure is the
// median. On a device with streams many launches are captured in a graph, which the
// device's own clock times, and take turns on sets of tensors that do not fit into its
// last-level cache together. On the host a launch is a call that the process's clock
// times.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_MEASURE_TIMING_H
#define NORMC_MEASURE_TIMING_H

#include "runtime/include/normrt.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace normc::measure {

struct Times {
  size_t repeats = 0;
  /// Of one launch.
  double min_s = 0, median_s = 0;
};

/// How long to measure: `repeats` times, or, where that is 0, for about `seconds`.
struct Effort {
  double seconds = 1;
  int64_t repeats = 0;
};

/// Launches on one of the sets of tensors; on a null stream it is done on return. What
/// went wrong, or "".
using Launch = std::function<std::string(size_t set, void *stream)>;

/// What the runtime says of a device; nothing, and why in `error`, where it fails.
std::optional<normrt_device_info> query(normrt_device *device, std::string &error);

/// The target whose code fits an open device best; `name` is what it was opened by.
std::optional<std::string> targetFor(std::string_view name, normrt_device *device,
                                     std::string &error);

/// Whether launches go to a stream: on all devices but the host.
bool hasStreams(const normrt_device_info &info);

/// How many sets of tensors of `bytes` fill the device's last-level cache four times:
/// at least two, and not more than a graph is made of. One on the host.
size_t setsOf(size_t bytes, const normrt_device_info &info);

/// The times of graphs of at least 20 launches that take turns on `sets` sets, after a
/// warm-up. Nothing, and why in `error`, where a launch fails.
std::optional<Times> timeGraphs(normrt_device *device, const Launch &launch,
                                size_t sets, const Effort &effort, std::string &error);

/// The times of calls by the process's clock, after a warm-up of a tenth of the time.
std::optional<Times> timeCalls(const std::function<std::string()> &call,
                               const Effort &effort, std::string &error);

/// A copy on the host of `bytes / 2` bytes, which moves `bytes`: by `threads` threads
/// or by one, whichever is faster.
Times timeHostCopy(size_t bytes, int threads, const Effort &effort);

} // namespace normc::measure

#endif // NORMC_MEASURE_TIMING_H
