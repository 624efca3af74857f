//===- main.cpp - Times the entries of packages on a device ------------------===//
//
// usage: norm-tune-times DEVICE LIST [JSON]
//
// A line of LIST is a cell, a label, rows, a package and an entry, with tabs between.
// Entries of one cell run on the same tensors, as many sets of them in turn as fill the
// last-level cache four times, in a graph of at least 20 launches. Prints the time of
// each and how much more than the fastest of its cell it takes; JSON has them as a
// list. Needs nothing but the runtime, so that it can be carried to a machine without a
// build.
//
//===----------------------------------------------------------------------===//
#include "normrt.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr size_t kLeastLaunches = 20;
constexpr int kWarmUps = 2, kRepeats = 11;
constexpr size_t kMostSets = 64;

bool ok(normrt_status status) {
  if (status != NORMRT_STATUS_OK)
    std::printf("  %s: %s\n", normrt_status_name(status), normrt_last_error_message());
  return status == NORMRT_STATUS_OK;
}

/// Tensors of one launch, in memory of the device.
class Tensors {
public:
  Tensors(normrt_device *device, const normrt_device_info &info)
      : device(device), info(info) {}
  ~Tensors() {
    for (void *address : memory)
      (void)normrt_memory_free(device, address);
  }
  Tensors(const Tensors &) = delete;
  Tensors &operator=(const Tensors &) = delete;

  /// Allocates the parameters of an entry, with numbers between -1.5 and 1.5.
  bool make(normrt_entry *entry, int64_t rows) {
    const int count = normrt_entry_param_count(entry);
    shapes.resize(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
      normrt_param_info param = {};
      param.struct_size = sizeof(param);
      if (!ok(normrt_entry_param(entry, i, &param)) || !add(param, rows))
        return false;
    }
    return true;
  }

  size_t bytes() const { return total; }
  std::vector<const DLTensor *> pointers() const {
    std::vector<const DLTensor *> all;
    for (const DLTensor &tensor : tensors)
      all.push_back(&tensor);
    return all;
  }

private:
  bool add(const normrt_param_info &param, int64_t rows) {
    std::vector<int64_t> &shape = shapes[tensors.size()];
    size_t elements = 1;
    for (int d = 0; d < param.rank; ++d) {
      shape.push_back(param.shape[d] < 0 ? rows : param.shape[d]);
      elements *= static_cast<size_t>(shape.back());
    }
    DLTensor tensor = {};
    tensor.device = info.device;
    tensor.ndim = param.rank;
    tensor.dtype = param.type;
    tensor.shape = shape.data();
    const size_t bytes = elements * param.type.bits / 8;
    if (!ok(normrt_memory_allocate(device, bytes, &tensor.data)))
      return false;
    memory.push_back(tensor.data);
    tensors.push_back(tensor);
    total += bytes;
    return fill(tensor.data, bytes, param.type.bits);
  }

  bool fill(void *to, size_t bytes, unsigned bits) {
    static const std::vector<uint16_t> noise = noiseOf16Bits();
    static const std::vector<float> ones(1 << 20, 0.9F);
    const void *from = bits == 16 ? static_cast<const void *>(noise.data())
                                  : static_cast<const void *>(ones.data());
    const size_t chunk = bits == 16 ? noise.size() * 2 : ones.size() * 4;
    for (size_t at = 0; at < bytes; at += chunk)
      if (!ok(normrt_memory_copy_to_device(device, static_cast<char *>(to) + at, from,
                                           std::min(chunk, bytes - at))))
        return false;
    return true;
  }

  /// bf16: the upper half of a float.
  static std::vector<uint16_t> noiseOf16Bits() {
    std::vector<uint16_t> noise(size_t{1} << 23);
    uint32_t state = 1;
    for (uint16_t &value : noise) {
      state = state * 1664525U + 1013904223U;
      const float real = (static_cast<float>(state >> 8) / 16777216.0F - 0.5F) * 3;
      uint32_t bits = 0;
      std::memcpy(&bits, &real, sizeof(bits));
      value = static_cast<uint16_t>(bits >> 16);
    }
    return noise;
  }

  normrt_device *device;
  const normrt_device_info &info;
  std::vector<std::vector<int64_t>> shapes;
  std::vector<DLTensor> tensors;
  std::vector<void *> memory;
  size_t total = 0;
};

struct Line {
  std::string cell, label, file, entry;
  int64_t rows = 0;
  std::optional<double> us;
};

class Timer {
public:
  bool open(const char *name) {
    info.struct_size = sizeof(info);
    return ok(normrt_device_open(name, &device)) &&
           ok(normrt_device_query(device, &info)) &&
           ok(normrt_stream_create(device, &stream));
  }

  void time(Line &line) {
    normrt_entry *entry = entryOf(line);
    if (!entry)
      return;
    if (line.cell != cell) {
      sets.clear();
      cell = line.cell;
      if (!makeSets(entry, line.rows)) {
        sets.clear();
        cell.clear();
        return;
      }
    }
    line.us = timeOf(entry);
  }

private:
  normrt_entry *entryOf(const Line &line) {
    if (line.file != file) {
      normrt_package_release(package);
      package = nullptr;
      file = line.file;
      if (!ok(normrt_package_load_file(device, file.c_str(), &package)))
        return nullptr;
    }
    normrt_entry *entry = nullptr;
    if (!package || !ok(normrt_package_find_entry(package, line.entry.c_str(), &entry)))
      return nullptr;
    return entry;
  }

  bool makeSets(normrt_entry *entry, int64_t rows) {
    for (size_t count = 1; sets.size() < count;) {
      sets.push_back(std::make_unique<Tensors>(device, info));
      if (!sets.back()->make(entry, rows))
        return false;
      count = std::clamp<size_t>(
          4 * static_cast<size_t>(info.l2_bytes) / (sets.back()->bytes() + 1) + 1, 2,
          kMostSets);
    }
    return true;
  }

  /// The median of a launch's times, in microseconds.
  std::optional<double> timeOf(normrt_entry *entry) {
    std::vector<void *> workspaces;
    normrt_graph *graph = nullptr;
    size_t launches = (kLeastLaunches + sets.size() - 1) / sets.size() * sets.size();
    std::vector<double> seconds(kRepeats);
    bool good = capture(entry, launches, workspaces, &graph) &&
                ok(normrt_graph_time(graph, kWarmUps, seconds.data())) &&
                ok(normrt_graph_time(graph, kRepeats, seconds.data()));
    if (graph)
      normrt_graph_release(graph);
    for (void *workspace : workspaces)
      (void)normrt_memory_free(device, workspace);
    if (!good)
      return std::nullopt;
    std::sort(seconds.begin(), seconds.end());
    return seconds[kRepeats / 2] / static_cast<double>(launches) * 1e6;
  }

  bool capture(normrt_entry *entry, size_t launches, std::vector<void *> &workspaces,
               normrt_graph **graph) {
    size_t bytes = 0;
    for (const auto &set : sets) {
      std::vector<const DLTensor *> all = set->pointers();
      void *workspace = nullptr;
      if (!ok(normrt_entry_workspace_size(entry, all.data(),
                                          static_cast<int32_t>(all.size()), &bytes)) ||
          !ok(normrt_memory_allocate(device, bytes + 256, &workspace)))
        return false;
      workspaces.push_back(workspace);
    }
    if (!ok(normrt_graph_begin(device, stream)))
      return false;
    bool good = true;
    for (size_t i = 0; i < launches && good; ++i) {
      std::vector<const DLTensor *> all = sets[i % sets.size()]->pointers();
      normrt_launch_options options = {};
      options.struct_size = sizeof(options);
      options.stream = stream;
      options.workspace = workspaces[i % sets.size()];
      options.workspace_bytes = bytes;
      good = ok(normrt_entry_launch(entry, all.data(), static_cast<int32_t>(all.size()),
                                    &options));
    }
    return ok(normrt_graph_end(device, stream, graph)) && good;
  }

  normrt_device *device = nullptr;
  normrt_device_info info = {};
  void *stream = nullptr;
  normrt_package *package = nullptr;
  std::string file, cell;
  std::vector<std::unique_ptr<Tensors>> sets;
};

std::vector<Line> linesOf(const char *path) {
  std::vector<Line> lines;
  std::ifstream input(path);
  for (std::string text; std::getline(input, text);) {
    std::stringstream words(text);
    Line line;
    std::string rows;
    std::getline(words, line.cell, '\t');
    std::getline(words, line.label, '\t');
    std::getline(words, rows, '\t');
    std::getline(words, line.file, '\t');
    std::getline(words, line.entry, '\t');
    line.rows = std::strtoll(rows.c_str(), nullptr, 10);
    lines.push_back(std::move(line));
  }
  return lines;
}

void print(const std::vector<Line> &lines) {
  std::map<std::string, double> best;
  for (const Line &line : lines)
    if (line.us)
      best[line.cell] =
          best.count(line.cell) ? std::min(best[line.cell], *line.us) : *line.us;
  std::string cell;
  for (const Line &line : lines) {
    if (line.cell != cell)
      std::printf("%s\n", (cell = line.cell).c_str());
    if (line.us)
      std::printf("  %-58s %9.2f us %+6.1f%%\n", line.label.c_str(), *line.us,
                  100 * (*line.us / best[line.cell] - 1));
    else
      std::printf("  %-58s not timed\n", line.label.c_str());
  }
}

bool write(const std::vector<Line> &lines, const char *path) {
  std::ofstream output(path);
  const char *between = "[\n";
  for (const Line &line : lines) {
    if (!line.us)
      continue;
    output << between << R"(  {"cell": ")" << line.cell << R"(", "label": ")"
           << line.label << R"(", "package": ")" << line.file << R"(", "entry": ")"
           << line.entry << R"(", "us": )" << *line.us << "}";
    between = ",\n";
  }
  output << "\n]\n";
  return output.good();
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3 || argc > 4) {
    std::fprintf(stderr, "usage: norm-tune-times DEVICE LIST [JSON]\n");
    return 2;
  }
  Timer timer;
  std::vector<Line> lines = linesOf(argv[2]);
  if (lines.empty()) {
    std::fprintf(stderr, "%s: expected a line for each entry, but got none\n", argv[2]);
    return 1;
  }
  if (!timer.open(argv[1]))
    return 1;
  for (Line &line : lines) {
    timer.time(line);
    // What there is of it where the rest takes too long.
    if (line.us)
      std::fprintf(stderr, "%s\t%s\t%.2f\n", line.cell.c_str(), line.label.c_str(),
                   *line.us);
  }
  print(lines);
  return argc < 4 || write(lines, argv[3]) ? 0 : 1;
}
