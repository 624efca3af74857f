//===- Bench.cpp - Time and bandwidth ---------------------------------------===//
#include "Bench.h"

#include <algorithm>

using llvm::Error;
using llvm::Expected;

namespace normc::run {

using measure::Effort;

/// The text of an error, "" for none.
static std::string textOf(Error error) {
  return error ? llvm::toString(std::move(error)) : "";
}

static size_t bytesOf(const Buffers &buffers) {
  size_t bytes = 0;
  for (const auto &buffer : buffers)
    bytes += buffer->bytes();
  return bytes;
}

static Expected<BenchReport> benchOnHost(const Session &session, const Buffers &buffers,
                                         Launcher &launcher, const Effort &effort) {
  BenchReport report;
  report.threads = std::max(normrt_device_thread_count(session.device()), 1);
  report.bytes = bytesOf(buffers);
  report.copy = measure::timeHostCopy(report.bytes, report.threads,
                                      {.seconds = effort.seconds / 4});
  std::string error;
  auto entry =
      measure::timeCalls([&] { return textOf(launcher.launch()); }, effort, error);
  if (!entry)
    return makeError(error);
  report.entry = *entry;
  return report;
}

static Expected<Times> timeOnDevice(const Session &session, const Buffers &buffers,
                                    const normrt_device_info &info,
                                    const Effort &effort) {
  std::vector<Launcher> launchers;
  for (size_t i = 0, e = measure::setsOf(bytesOf(buffers), info); i < e; ++i) {
    auto launcher = Launcher::make(session, buffers);
    if (!launcher)
      return launcher.takeError();
    launchers.push_back(std::move(*launcher));
  }
  std::string error;
  auto times = measure::timeGraphs(
      session.device(),
      [&](size_t set, void *stream) { return textOf(launchers[set].launch(stream)); },
      launchers.size(), effort, error);
  if (!times)
    return makeError(error);
  return *times;
}

/// A copy of `bytes / 2` bytes, compiled for the target that the session runs.
static Expected<Times> timeDeviceCopy(const Session &session, size_t bytes,
                                      const normrt_device_info &info,
                                      const Effort &effort) {
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
  auto times = timeOnDevice(*copy, buffers, info, effort);
  if (!times)
    return times.takeError();
  // Per byte, so that it compares with the entry's.
  const double scale =
      static_cast<double>(bytes) / static_cast<double>(8 * rows * kCols);
  times->min_s *= scale;
  times->median_s *= scale;
  return times;
}

Expected<BenchReport> runBench(const Session &session, const Buffers &buffers,
                               Launcher &launcher, const Effort &effort) {
  std::string error;
  std::optional<normrt_device_info> info = measure::query(session.device(), error);
  if (!info)
    return makeError(error);
  if (!measure::hasStreams(*info))
    return benchOnHost(session, buffers, launcher, effort);
  BenchReport report;
  report.threads = 0;
  report.bytes = bytesOf(buffers);
  auto entry = timeOnDevice(session, buffers, *info, effort);
  if (!entry)
    return entry.takeError();
  report.entry = *entry;
  auto copy = timeDeviceCopy(session, report.bytes, *info,
                             {effort.seconds / 2, effort.repeats});
  if (!copy)
    return copy.takeError();
  report.copy = *copy;
  return report;
}

} // namespace normc::run
