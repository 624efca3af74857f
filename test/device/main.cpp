//===- main.cpp - norm-device-suite: every kernel on a device ---------------===//
//
// Runs the cases of an archive in several processes: a kernel that faults ends the
// device's work in its process alone, and the next one goes on behind it. Needs a
// driver, the runtime and the archive; no compiler.
//
//===----------------------------------------------------------------------===//
#include "DeviceRunner.h"

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>
#include <thread>
#include <unistd.h>

namespace normc::device {
namespace {

struct Options {
  std::string archive, device = "cuda:0", filter;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  /// In a child: the cases first, first + step, ...
  int64_t first = -1, step = 1;
  bool list = false;
};

/// Cases that take longer are named.
constexpr double kSlowSeconds = 10;

constexpr const char *kUsage =
    "usage: norm-device-suite ARCHIVE [--device NAME] [--filter TEXT] [--jobs N] "
    "[--list]\n"
    "Runs every case of the archive on the device (default: cuda:0) and compares with "
    "the\nfloat64 reference. Ends with 0 where all passed.\n";

/// Takes a number from the front of `text`, and the blank behind it.
template <typename Number> bool takeNumber(std::string_view &text, Number &number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc())
    return false;
  text.remove_prefix(end - text.data());
  if (text.starts_with(' '))
    text.remove_prefix(1);
  return true;
}

/// All of a word as a number that is at least `least`.
template <typename Number>
bool parseNumber(std::string_view word, Number least, Number &number) {
  return takeNumber(word, number) && word.empty() && number >= least;
}

bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const char *next = i + 1 < argc ? argv[i + 1] : nullptr;
    auto take = [&](const char *name) {
      if (word != name || !next)
        return false;
      ++i;
      return true;
    };
    if (take("--device"))
      options.device = next;
    else if (take("--filter"))
      options.filter = next;
    else if (take("--jobs")) {
      if (!parseNumber(next, 1U, options.jobs))
        return false;
    } else if (take("--first")) {
      if (!parseNumber<int64_t>(next, 0, options.first))
        return false;
    } else if (take("--step")) {
      if (!parseNumber<int64_t>(next, 1, options.step))
        return false;
    } else if (word == "--list")
      options.list = true;
    else if (word[0] != '-' && options.archive.empty())
      options.archive = word;
    else
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

//===----------------------------------------------------------------------===//
// A process that runs cases
//===----------------------------------------------------------------------===//

/// Prints a line a case: its number, how many launches it took, and what failed.
int runCases(const Options &options) {
  DeviceRunner runner;
  if (std::string error = runner.open(options.device); !error.empty()) {
    std::printf("error %s\n", error.c_str());
    return 1;
  }
  Archive archive;
  if (std::string error = archive.read(options.archive); !error.empty()) {
    std::printf("error %s\n", error.c_str());
    return 1;
  }
  // Captured launches run on two devices in turn, where there are two.
  DeviceRunner second;
  const std::string none =
      options.device == "cuda:0" ? second.open("cuda:1") : "another device was named";
  if (options.first == 0 && !none.empty())
    std::printf("note left out: two devices in one process: %s\n", none.c_str());
  const std::vector<DeviceCase> cases = selected(options);
  for (auto i = static_cast<size_t>(options.first); i < cases.size();
       i += static_cast<size_t>(options.step)) {
    std::printf("begin %zu\n", i);
    std::fflush(stdout);
    const auto before = std::chrono::steady_clock::now();
    Outcome outcome = runner.run(cases[i], archive);
    if (none.empty() && outcome.failure.empty() && cases[i].name.starts_with("graphs/"))
      outcome = second.run(cases[i], archive);
    const std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - before;
    if (taken.count() > kSlowSeconds)
      std::printf("slow %.0f s: %s\n", taken.count(), cases[i].name.c_str());
    for (char &c : outcome.failure)
      c = c == '\n' ? ' ' : c;
    std::printf("end %zu %lld %s\n", i, static_cast<long long>(outcome.launches),
                outcome.failure.c_str());
    std::fflush(stdout);
    if (outcome.lost)
      return 1;
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// The process that starts them
//===----------------------------------------------------------------------===//

class Parent {
public:
  Parent(const Options &options, std::string self)
      : options(options), self(std::move(self)), cases(selected(options)) {}

  int run() {
    std::printf("%zu cases on %s in %u processes\n", cases.size(),
                options.device.c_str(), options.jobs);
    std::fflush(stdout);
    std::vector<std::thread> threads;
    for (unsigned job = 0; job < options.jobs; ++job)
      threads.emplace_back([this, job] { work(job); });
    for (std::thread &thread : threads)
      thread.join();
    const size_t skipped = cases.size() - passed - failed;
    if (!trouble.empty())
      std::printf("left out: %s\n", trouble.c_str());
    std::printf("%lld launches\n%zu passed, %zu failed, %zu skipped\n",
                static_cast<long long>(launches), passed, failed, skipped);
    return failed || skipped || !passed ? 1 : 0;
  }

private:
  /// Starts processes for the cases job, job + jobs, ... until all were tried.
  void work(size_t job) {
    for (size_t next = job; next < cases.size();) {
      size_t reached = next;
      if (!follow(command(next), reached))
        return;
      next = reached;
    }
  }

  std::string command(size_t first) const {
    auto quoted = [](const std::string &word) {
      std::string text = "'";
      for (char c : word)
        text += c == '\'' ? "'\\''" : std::string(1, c);
      return text + "'";
    };
    return quoted(self) + " " + quoted(options.archive) + " --device " +
           quoted(options.device) + " --filter " + quoted(options.filter) +
           " --first " + std::to_string(first) + " --step " +
           std::to_string(options.jobs) + " 2>&1";
  }

  /// Reads what a process prints; `reached` is the case behind the last that it began.
  /// False where it cannot begin at all.
  bool follow(const std::string &command, size_t &reached) {
    // Runs this program itself; every word is quoted.
    FILE *pipe = popen(command.c_str(), "r"); // NOLINT(bugprone-command-processor)
    if (!pipe)
      return false;
    char *line = nullptr;
    size_t room = 0;
    size_t begun = reached;
    bool open = false, started = false;
    std::string rest;
    while (getline(&line, &room, pipe) > 0) {
      line[strcspn(line, "\n")] = 0;
      size_t index = 0;
      long long count = 0;
      std::string_view said = line;
      auto begins = [&](std::string_view word) {
        bool does = std::string_view(line).starts_with(word);
        if (does)
          said = std::string_view(line).substr(word.size());
        return does;
      };
      if (begins("begin ") && takeNumber(said, index)) {
        begun = index;
        open = started = true;
      } else if (begins("end ") && takeNumber(said, index) && takeNumber(said, count)) {
        report(index, count, std::string(said));
        open = false;
      } else if (std::strncmp(line, "slow ", 5) == 0 ||
                 std::strncmp(line, "note ", 5) == 0) {
        print(line);
      } else {
        rest = line;
      }
    }
    std::free(line);
    const int status = pclose(pipe);
    if (open)
      report(begun, 0, "the process ended with " + std::to_string(status) + " " + rest);
    if (!started) {
      const std::lock_guard lock(mutex);
      trouble = rest.empty() ? "a process ended with " + std::to_string(status) : rest;
      return false;
    }
    reached = begun + options.jobs;
    return true;
  }

  void print(const char *line) {
    const std::lock_guard lock(mutex);
    std::printf("    %s\n", line);
    std::fflush(stdout);
  }

  void report(size_t index, long long count, const std::string &failure) {
    const std::lock_guard lock(mutex);
    launches += count;
    ++(failure.empty() ? passed : failed);
    if (!failure.empty())
      std::printf("FAIL %s: %s\n", cases[index].name.c_str(), failure.c_str());
    if ((passed + failed) % 100 == 0)
      std::printf("    %zu of %zu\n", passed + failed, cases.size());
    std::fflush(stdout);
  }

  const Options &options;
  const std::string self;
  const std::vector<DeviceCase> cases;
  std::mutex mutex;
  size_t passed = 0, failed = 0;
  long long launches = 0;
  std::string trouble;
};

} // namespace
} // namespace normc::device

int main(int argc, char **argv) {
  using namespace normc::device;
  Options options;
  if (!parse(argc, argv, options)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  if (options.list) {
    for (const DeviceCase &one : selected(options))
      std::printf("%s\n", one.name.c_str());
    return 0;
  }
  if (options.first >= 0)
    return runCases(options);
  char self[4096] = {};
  if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
    return 1;
  return Parent(options, self).run();
}
