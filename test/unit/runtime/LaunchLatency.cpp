// Prints what a launch costs: all checks and an almost empty kernel.
#include "PackageBuilder.h"

#include "runtime/include/normrt.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

using namespace normrt::test;

namespace {

/// Median and 99th percentile in nanoseconds.
void measure(const char *device, int64_t rows, bool ownWorkspace, bool pauses) {
  normrt_device *opened = nullptr;
  normrt_package *package = nullptr;
  normrt_entry *entry = nullptr;
  const auto bytes = file(testPackage());
  const bool ready =
      normrt_device_open(device, &opened) == NORMRT_STATUS_OK &&
      normrt_package_load_memory(opened, bytes.data(), bytes.size(), &package) ==
          NORMRT_STATUS_OK &&
      normrt_package_find_entry(package, "sums", &entry) == NORMRT_STATUS_OK;
  if (!ready) {
    std::fprintf(stderr, "%s\n", normrt_last_error_message());
    return;
  }
  std::vector<float> x(size_t(rows) * 4), out(4);
  alignas(256) static char workspace[1 << 16];
  int64_t xShape[] = {rows, 4}, outShape[] = {4};
  const DLDevice cpu{kDLCPU, 0};
  const DLDataType f32{kDLFloat, 32, 1};
  DLTensor xTensor{x.data(), cpu, 2, f32, xShape, nullptr, 0};
  DLTensor outTensor{out.data(), cpu, 1, f32, outShape, nullptr, 0};
  const DLTensor *tensors[] = {&xTensor, &outTensor};
  normrt_launch_options options{sizeof(options), nullptr, workspace, sizeof(workspace)};
  std::vector<int64_t> times;
  for (int i = 0; i < (pauses ? 300 : 20000); ++i) {
    if (pauses)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const auto begin = std::chrono::steady_clock::now();
    if (normrt_entry_launch(entry, tensors, 2, ownWorkspace ? nullptr : &options) !=
        NORMRT_STATUS_OK) {
      std::fprintf(stderr, "%s\n", normrt_last_error_message());
      return;
    }
    const auto end = std::chrono::steady_clock::now();
    times.push_back(
        std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin).count());
  }
  std::sort(times.begin(), times.end());
  std::printf("%-8s rows %-5ld workspace of the %-8s %-8s p50 %6ld ns  p99 %6ld ns\n",
              device, long(rows), ownWorkspace ? "runtime" : "caller",
              pauses ? "sleeping" : "spinning", long(times[times.size() / 2]),
              long(times[times.size() * 99 / 100]));
  normrt_package_release(package);
  normrt_device_release(opened);
}

} // namespace

int main() {
  for (const char *device : {"host:1", "host"})
    for (int64_t rows : {1, 64})
      for (bool ownWorkspace : {false, true})
        for (bool pauses : {false, true})
          measure(device, rows, ownWorkspace, pauses);
  return 0;
}
