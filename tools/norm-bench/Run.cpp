//===- Run.cpp - Times packages on a device ---------------------------------===//
#include "Run.h"

#include "Programs.h"

#include "normc/Testing/Mirror.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace normc::bench {

using measure::Effort;
using measure::TensorSets;
using measure::Times;

static Error check(normrt_status status) {
  std::string text = test::statusText(status);
  return text.empty() ? Error::success() : makeError(text);
}

Expected<Device> Device::open(const std::string &name) {
  normrt_device *opened = nullptr;
  if (Error error = check(normrt_device_open(name.c_str(), &opened)))
    return error;
  Device device;
  device.handle.reset(opened);
  std::string error;
  auto info = measure::query(opened, error);
  auto target = info ? measure::targetFor(name, opened, error) : std::nullopt;
  if (!target)
    return makeError(error);
  device.facts = *info;
  device.nativeTarget = *target;
  return device;
}

void Device::describe(Results &results) const {
  results.device = facts.name;
  results.architecture = facts.architecture;
  results.description = normrt_device_description(get());
  const uint32_t version = normrt_version();
  results.runtime = llvm::formatv("normrt {0}.{1}.{2}", version / 1000000,
                                  version / 1000 % 1000, version % 1000);
}

Expected<Device::Package> Device::load(const std::string &path) const {
  normrt_package *package = nullptr;
  if (Error error = check(normrt_package_load_file(get(), path.c_str(), &package)))
    return error;
  return Package(package);
}

Expected<normrt_entry *> entryOf(normrt_package *package, const std::string &name) {
  normrt_entry *entry = nullptr;
  if (!name.empty()) {
    if (Error error = check(normrt_package_find_entry(package, name.c_str(), &entry)))
      return error;
    return entry;
  }
  if (Error error = check(normrt_package_entry(package, 0, &entry)))
    return error;
  return entry;
}

namespace {

/// Times programs of a folder; those that several cells share once.
class Runner {
public:
  Runner(const Device &device, StringRef folder, const Effort &effort)
      : device(device), folder(folder), effort(effort) {}

  Expected<Measured> measure(const Cell &cell) {
    Measured result;
    result.cell = cell;
    size_t bytes = 0;
    auto times = time(cell.program(), cell.rows, bytes);
    if (!times)
      return times.takeError();
    result.times = *times;
    result.bytes = bytes;
    auto mover = moverBandwidth(cell);
    if (!mover)
      return mover.takeError();
    result.mover_bytes_per_s = *mover;
    auto copy = copyBandwidth(bytes);
    if (!copy)
      return copy.takeError();
    result.copy_bytes_per_s = *copy;
    return result;
  }

private:
  Expected<Times> time(const std::string &program, int64_t rows, size_t &bytes) {
    auto package = device.load(packageOf(folder, program));
    if (!package)
      return package.takeError();
    auto entry = entryOf(package->get(), "");
    if (!entry)
      return entry.takeError();
    std::string error;
    auto sets = TensorSets::make(device.get(), *entry, rows, error);
    auto times = sets ? sets->time(*entry, effort, error) : std::nullopt;
    if (!times)
      return makeError(error);
    bytes = sets->bytes();
    return *times;
  }

  Expected<double> bandwidth(const std::string &program, int64_t rows) {
    size_t bytes = 0;
    auto times = time(program, rows, bytes);
    if (!times)
      return times.takeError();
    return static_cast<double>(bytes) / times->median_s;
  }

  Expected<double> moverBandwidth(const Cell &cell) {
    double &known = movers[{moverName(cell), cell.rows}];
    if (known == 0) {
      auto found = bandwidth(moverName(cell), cell.rows);
      if (!found)
        return found.takeError();
      known = *found;
    }
    return known;
  }

  /// On a device with streams the best of some copies that are large beside its caches,
  /// once; on the host, whose caches are large, a memcpy of as many bytes as the cell
  /// moves.
  Expected<double> copyBandwidth(size_t bytes) {
    if (!measure::hasStreams(device.info())) {
      const int threads = std::max(normrt_device_thread_count(device.get()), 1);
      Times times = measure::timeHostCopy(bytes, threads, effort);
      return static_cast<double>(bytes) / times.median_s;
    }
    if (copy_bytes_per_s > 0)
      return copy_bytes_per_s;
    constexpr int64_t kLeast = 1 << 20, kRowBytes = 2 * 4 * kCopyCols;
    const int64_t cache = std::max<int64_t>(device.info().l2_bytes, kLeast);
    for (int64_t times : {5, 10, 20, 40}) {
      // Two sets of tensors are there at a time.
      if (times > 5 && times * cache > device.info().memory_bytes / 8)
        break;
      auto found = bandwidth(kCopyName, times * cache / kRowBytes);
      if (!found)
        return found.takeError();
      copy_bytes_per_s = std::max(copy_bytes_per_s, *found);
    }
    return copy_bytes_per_s;
  }

  const Device &device;
  StringRef folder;
  Effort effort;
  std::map<std::pair<std::string, int64_t>, double> movers;
  double copy_bytes_per_s = 0;
};

} // namespace

Error runCells(const Device &device, StringRef folder, llvm::ArrayRef<Cell> cells,
               const Effort &effort, Results &results,
               llvm::function_ref<Error()> tell) {
  Runner runner(device, folder, effort);
  for (const Cell &cell : cells) {
    showProgress(results.cells.size(), cells.size(), cell.title());
    Expected<Measured> measured = runner.measure(cell);
    if (measured) {
      results.cells.push_back(std::move(*measured));
    } else {
      Measured failed;
      failed.cell = cell;
      failed.error = llvm::toString(measured.takeError());
      results.cells.push_back(std::move(failed));
    }
    if (Error error = tell())
      return error;
  }
  showProgress(cells.size(), cells.size(), "measured");
  return Error::success();
}

} // namespace normc::bench
