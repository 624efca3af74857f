//===- Timing.cpp - Graphs of launches, timed by the device -----------------===//
#include "normc/Measure/Timing.h"

#include "normc/Schedule/Facts.h"
#include "normc/Testing/Mirror.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace normc::measure {

using test::statusText;

static constexpr size_t kLeastLaunches = 20, kMostSets = 512;
static constexpr int64_t kWarmUps = 3, kLeastRepeats = 11, kMostRepeats = 100000;

std::optional<normrt_device_info> query(normrt_device *device, std::string &error) {
  normrt_device_info info = {};
  info.struct_size = sizeof(info);
  error = statusText(normrt_device_query(device, &info));
  if (!error.empty())
    return std::nullopt;
  return info;
}

std::optional<std::string> targetFor(std::string_view name, normrt_device *device,
                                     std::string &error) {
  if (!name.starts_with("level_zero"))
    return name.starts_with("cuda") ? "cuda:native" : "host";
  std::optional<normrt_device_info> info = query(device, error);
  if (!info)
    return std::nullopt;
  const std::string chip = std::string("spirv:") + info->architecture;
  std::string unknown;
  return schedule::lookupTarget(chip, unknown) ? chip : "spirv";
}

bool hasStreams(const normrt_device_info &info) {
  return info.device.device_type != kDLCPU;
}

size_t setsOf(size_t bytes, const normrt_device_info &info) {
  if (!hasStreams(info))
    return 1;
  const size_t cache = 4 * static_cast<size_t>(std::max<int64_t>(info.l2_bytes, 0));
  return std::clamp<size_t>(cache / (bytes + 1) + 1, 2, kMostSets);
}

namespace {

/// A stream, destroyed at the end.
class Stream {
public:
  explicit Stream(normrt_device *device) : device(device) {}
  ~Stream() { (void)normrt_stream_destroy(device, stream); }
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  std::string open() { return statusText(normrt_stream_create(device, &stream)); }
  void *get() const { return stream; }

private:
  normrt_device *device;
  void *stream = nullptr;
};

struct GraphReleaser {
  void operator()(normrt_graph *graph) const { normrt_graph_release(graph); }
};
using Graph = std::unique_ptr<normrt_graph, GraphReleaser>;

} // namespace

/// A graph of `launches` launches, which take turns on the sets.
static Graph capture(normrt_device *device, void *stream, const Launch &launch,
                     size_t sets, size_t launches, std::string &error) {
  error = statusText(normrt_graph_begin(device, stream));
  if (!error.empty())
    return nullptr;
  for (size_t i = 0; i < launches && error.empty(); ++i)
    error = launch(i % sets, stream);
  normrt_graph *graph = nullptr;
  std::string ended = statusText(normrt_graph_end(device, stream, &graph));
  Graph handle(graph);
  if (error.empty())
    error = ended;
  return error.empty() ? std::move(handle) : nullptr;
}

/// Seconds of each repeat of the graph; none where it fails.
static std::vector<double> timeGraph(normrt_graph *graph, int64_t repeats,
                                     std::string &error) {
  std::vector<double> seconds(static_cast<size_t>(repeats));
  error = statusText(
      normrt_graph_time(graph, static_cast<int32_t>(repeats), seconds.data()));
  return error.empty() ? seconds : std::vector<double>();
}

std::optional<Times> timeGraphs(normrt_device *device, const Launch &launch,
                                size_t sets, const Effort &effort, std::string &error) {
  Stream stream(device);
  error = stream.open();
  if (!error.empty())
    return std::nullopt;
  // Whole turns, so that every set has as many launches.
  const size_t launches = (kLeastLaunches + sets - 1) / sets * sets;
  Graph graph = capture(device, stream.get(), launch, sets, launches, error);
  if (!graph)
    return std::nullopt;
  // A few repeats warm up, and say how many fill the time.
  std::vector<double> first = timeGraph(graph.get(), kWarmUps, error);
  if (first.empty())
    return std::nullopt;
  const double once = std::max(*std::min_element(first.begin(), first.end()), 1e-6);
  const int64_t repeats = effort.repeats != 0
                              ? effort.repeats
                              : std::clamp<int64_t>(std::llround(effort.seconds / once),
                                                    kLeastRepeats, kMostRepeats);
  std::vector<double> seconds = timeGraph(graph.get(), repeats, error);
  if (seconds.empty())
    return std::nullopt;
  std::sort(seconds.begin(), seconds.end());
  const auto count = static_cast<double>(launches);
  return Times{seconds.size() * launches, seconds.front() / count,
               seconds[seconds.size() / 2] / count};
}

} // namespace normc::measure
