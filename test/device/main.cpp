//===- main.cpp - norm-device-suite: every kernel on a device ---------------===//
//
// Runs the cases of an archive in several processes: a kernel that faults ends the
// device's work in its process alone, and the next one goes on behind it. Needs a
// driver, the runtime and the archive; no compiler.
//
//===----------------------------------------------------------------------===//
#include "DeviceRunner.h"

#include <algorithm>
#include <cstdio>
#include <thread>

namespace normc::device {
namespace {

struct Options {
  std::string archive, device = "cuda:0", filter;
  int64_t jobs = std::max(1U, std::thread::hardware_concurrency());
  Share share;
  bool list = false;
};

constexpr const char *kUsage =
    "usage: norm-device-suite ARCHIVE [--device NAME] [--filter TEXT] [--jobs N] "
    "[--list]\n"
    "Runs every case of the archive on the device (default: cuda:0) and compares with "
    "the\nfloat64 reference. Ends with 0 where all passed.\n";

/// The value of `--name=value` or of `--name value`, which moves `i` on.
bool takeValue(int argc, char **argv, int &i, const std::string &name,
               std::string &value) {
  const std::string word = argv[i];
  if (word.starts_with(name + "=")) {
    value = word.substr(name.size() + 1);
    return true;
  }
  if (word != name || i + 1 == argc)
    return false;
  value = argv[++i];
  return true;
}

bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    std::string value;
    auto take = [&](const char *name) { return takeValue(argc, argv, i, name, value); };
    bool good = true;
    if (take("--device"))
      options.device = value;
    else if (take("--filter"))
      options.filter = value;
    else if (take("--jobs"))
      good = parseNumber(value, 1, options.jobs);
    else if (take("--first"))
      good = parseNumber(value, 0, options.share.first);
    else if (take("--step"))
      good = parseNumber(value, 1, options.share.step);
    else if (std::string(argv[i]) == "--list")
      options.list = true;
    else if (argv[i][0] != '-' && options.archive.empty())
      options.archive = argv[i];
    else
      good = false;
    if (!good)
      return false;
  }
  return options.list || !options.archive.empty();
}

std::vector<DeviceCase> selected(const Options &options) {
  std::vector<DeviceCase> cases;
  for (DeviceCase &one : allCases())
    if (one.name.find(options.filter) != std::string::npos)
      cases.push_back(std::move(one));
  return cases;
}

std::vector<std::string> namesOf(const std::vector<DeviceCase> &cases) {
  std::vector<std::string> names;
  for (const DeviceCase &one : cases)
    names.push_back(one.name);
  return names;
}

/// In a process that was started.
int runCases(const Options &options, const std::vector<DeviceCase> &cases) {
  DeviceRunner runner;
  std::string error = runner.open(options.device);
  Archive archive;
  if (error.empty())
    error = archive.read(options.archive);
  if (!error.empty()) {
    sayError(error);
    return 1;
  }
  // Captured launches run on two devices in turn, where there are two.
  DeviceRunner second;
  const std::string none =
      options.device == "cuda:0" ? second.open("cuda:1") : "another device was named";
  if (options.share.first == 0 && !none.empty())
    sayLeftOut("two devices in one process: " + none);
  return runShare(namesOf(cases), options.share, [&](size_t i) {
    Outcome outcome = runner.run(cases[i], archive);
    if (none.empty() && outcome.failure.empty() && cases[i].name.starts_with("graphs/"))
      outcome = second.run(cases[i], archive);
    return outcome;
  });
}

} // namespace
} // namespace normc::device

int main(int argc, char **argv) {
  using namespace normc::device;
  Options options;
  if (!parse(argc, argv, options)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  const std::vector<DeviceCase> cases = selected(options);
  if (options.list) {
    for (const DeviceCase &one : cases)
      std::printf("%s\n", one.name.c_str());
    return 0;
  }
  if (options.share.first >= 0)
    return runCases(options, cases);
  std::printf("%zu cases on %s in %lld processes\n", cases.size(),
              options.device.c_str(), static_cast<long long>(options.jobs));
  std::fflush(stdout);
  return runInProcesses(
      namesOf(cases),
      {options.archive, "--device", options.device, "--filter", options.filter},
      static_cast<unsigned>(options.jobs));
}
