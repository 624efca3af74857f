//===- DeviceBench.cpp - Time and bandwidth on a device with streams --------===//
#include "DeviceBench.h"

#include <algorithm>
#include <cmath>

using llvm::Error;
using llvm::Expected;

namespace normc::run {

static Expected<normrt_device_info> query(normrt_device *device) {
  normrt_device_info info = {};
  info.struct_size = sizeof(info);
  if (Error error = check(normrt_device_query(device, &info)))
    return error;
  return info;
}

bool hasStreams(const Session &session) {
  Expected<normrt_device_info> info = query(session.device());
  if (!info) {
    llvm::consumeError(info.takeError());
    return false;
  }
  return info->device.device_type != kDLCPU;
}

namespace {

/// A stream, destroyed at the end.
class Stream {
public:
  explicit Stream(normrt_device *device) : device(device) {}
  ~Stream() { (void)normrt_stream_destroy(device, stream); }
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  Error open() { return check(normrt_stream_create(device, &stream)); }
  void *get() const { return stream; }

private:
  normrt_device *device;
  void *stream = nullptr;
};

struct GraphReleaser {
  void operator()(normrt_graph *graph) const { normrt_graph_release(graph); }
};
using GraphHandle = std::unique_ptr<normrt_graph, GraphReleaser>;

/// Launches on several sets of tensors in turn.
class Rotation {
public:
  /// As many sets as fill `cache` bytes four times, at least two.
  static Expected<Rotation> make(const Session &session, const Buffers &buffers,
                                 int64_t cache) {
    size_t bytes = 1;
    for (const auto &buffer : buffers)
      bytes += buffer->bytes();
    const size_t sets =
        std::clamp<size_t>(4 * static_cast<size_t>(cache) / bytes + 1, 2, kMostSets);
    Rotation rotation;
    for (size_t i = 0; i < sets; ++i) {
      auto launcher = Launcher::make(session, buffers);
      if (!launcher)
        return launcher.takeError();
      rotation.launchers.push_back(std::move(*launcher));
    }
    return rotation;
  }

  /// A graph of whole turns, of at least `least` launches.
  Expected<GraphHandle> capture(normrt_device *device, void *stream, size_t least) {
    const size_t turns = (least + launchers.size() - 1) / launchers.size();
    count = turns * launchers.size();
    if (Error error = check(normrt_graph_begin(device, stream)))
      return error;
    Error failed = Error::success();
    for (size_t i = 0; i < count && !failed; ++i)
      failed = launchers[i % launchers.size()].launch(stream);
    normrt_graph *graph = nullptr;
    Error ended = check(normrt_graph_end(device, stream, &graph));
    GraphHandle handle(graph);
    if (failed) {
      llvm::consumeError(std::move(ended));
      return failed;
    }
    if (ended)
      return ended;
    return handle;
  }

  size_t launches() const { return count; }

private:
  static constexpr size_t kMostSets = 512;
  std::vector<Launcher> launchers;
  size_t count = 0;
};

} // namespace

/// Seconds of each repeat of the graph.
static Expected<std::vector<double>> timeGraph(normrt_graph *graph, int64_t repeats) {
  std::vector<double> seconds(static_cast<size_t>(repeats));
  if (Error error = check(
          normrt_graph_time(graph, static_cast<int32_t>(repeats), seconds.data())))
    return error;
  return seconds;
}

static Expected<Times> measureEntry(const Session &session, const Buffers &buffers,
                                    double seconds, int64_t repeats, int64_t cache) {
  constexpr size_t kLaunches = 20;
  constexpr int64_t kLeast = 5, kMost = 100000;
  auto rotation = Rotation::make(session, buffers, cache);
  if (!rotation)
    return rotation.takeError();
  Stream stream(session.device());
  if (Error error = stream.open())
    return error;
  auto graph = rotation->capture(session.device(), stream.get(), kLaunches);
  if (!graph)
    return graph.takeError();
  // A few repeats warm up, and say how many fill the time.
  auto first = timeGraph(graph->get(), 3);
  if (!first)
    return first.takeError();
  const double once = *std::min_element(first->begin(), first->end());
  if (repeats == 0)
    repeats = std::clamp<int64_t>(std::llround(seconds / std::max(once, 1e-6)), kLeast,
                                  kMost);
  auto times = timeGraph(graph->get(), repeats);
  if (!times)
    return times.takeError();
  const auto launches = static_cast<double>(rotation->launches());
  for (double &time : *times)
    time /= launches;
  std::sort(times->begin(), times->end());
  return Times{static_cast<size_t>(repeats) * rotation->launches(), times->front(),
               (*times)[times->size() / 2]};
}

/// A copy of `bytes / 2` bytes, compiled for the target that the session runs.
static Expected<Times> measureCopy(const Session &session, size_t bytes, double seconds,
                                   int64_t repeats, int64_t cache) {
  constexpr int64_t kCols = 1024;
  const int64_t rows =
      std::max<int64_t>(1, static_cast<int64_t>(bytes / 2) / (4 * kCols));
  static constexpr llvm::StringLiteral kSource = R"(
    func.func @copy(%x: memref<?x1024xf32> {norm.name = "x"},
                    %y: memref<?x1024xf32> {norm.name = "y"}) {
      row.kernel ins(%x : memref<?x1024xf32>) outs(%y : memref<?x1024xf32>)
          norm_dims = 1 attributes {kernel_name = "copy"} {
      ^bb0(%in: memref<?x1024xf32>, %out: memref<?x1024xf32>):
        %t = row.load %in : memref<?x1024xf32> -> !row.tile<f32>
        row.store %t, %out : !row.tile<f32>, memref<?x1024xf32>
      }
      return
    })";
  Expected<Session> copy = session.openSource(kSource);
  if (!copy)
    return copy.takeError();
  Buffers buffers;
  for (int i = 0; i < 2; ++i)
    buffers.push_back(
        Buffer::allocate(reference::Type::F32, {rows, kCols}, {kCols, 1}, 0));
  if (!buffers[0] || !buffers[1])
    return makeError("not enough memory for a copy to compare with");
  buffers[0]->fill(std::byte{0});
  auto times = measureEntry(*copy, buffers, seconds, repeats, cache);
  if (!times)
    return times.takeError();
  // Per byte, so that it compares with the entry's.
  const double scale =
      static_cast<double>(bytes) / static_cast<double>(8 * rows * kCols);
  times->min_s *= scale;
  times->median_s *= scale;
  return times;
}

Expected<BenchReport> runDeviceBench(const Session &session, const Buffers &buffers,
                                     double seconds, int64_t repeats) {
  Expected<normrt_device_info> info = query(session.device());
  if (!info)
    return info.takeError();
  BenchReport report;
  report.threads = 0;
  for (const auto &buffer : buffers)
    report.bytes += buffer->bytes();
  auto entry = measureEntry(session, buffers, seconds, repeats, info->l2_bytes);
  if (!entry)
    return entry.takeError();
  report.entry = *entry;
  auto copy = measureCopy(session, report.bytes, seconds / 2, repeats, info->l2_bytes);
  if (!copy)
    return copy.takeError();
  report.copy = *copy;
  return report;
}

} // namespace normc::run
