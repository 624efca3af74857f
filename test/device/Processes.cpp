//===- Processes.cpp - Cases in processes of their own ----------------------===//
#include "Processes.h"

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>
#include <thread>
#include <unistd.h>

namespace normc::device {

/// Cases that take longer are named.
static constexpr double kSlowSeconds = 10;

/// Takes a number from the front of `text`, and the blank behind it.
template <typename Number>
static bool takeNumber(std::string_view &text, Number &number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc())
    return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (text.starts_with(' '))
    text.remove_prefix(1);
  return true;
}

bool parseNumber(const std::string &word, int64_t least, int64_t &number) {
  std::string_view text = word;
  return takeNumber(text, number) && text.empty() && number >= least;
}

//===----------------------------------------------------------------------===//
// A process that was started
//===----------------------------------------------------------------------===//

static void say(const char *word, std::string text) {
  for (char &c : text)
    c = c == '\n' ? ' ' : c;
  std::printf("%s %s\n", word, text.c_str());
  std::fflush(stdout);
}

void sayLeftOut(const std::string &what) { say("note", "left out: " + what); }
void sayError(const std::string &what) { say("error", what); }

int runShare(const std::vector<std::string> &names, Share share,
             const std::function<Outcome(size_t)> &run) {
  for (auto i = static_cast<size_t>(share.first); i < names.size();
       i += static_cast<size_t>(share.step)) {
    say("begin", std::to_string(i));
    const auto before = std::chrono::steady_clock::now();
    const Outcome outcome = run(i);
    const std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - before;
    for (const std::string &note : outcome.notes)
      say("note", names[i] + ": " + note);
    if (taken.count() > kSlowSeconds)
      say("note", "slow, " + std::to_string(static_cast<int>(taken.count())) +
                      " s: " + names[i]);
    say("end", std::to_string(i) + " " + std::to_string(outcome.launches) + " " +
                   std::to_string(static_cast<int64_t>(taken.count() * 1000)) + " " +
                   outcome.failure);
    if (outcome.lost)
      return 1;
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// The process that starts them
//===----------------------------------------------------------------------===//

namespace {

std::string quoted(const std::string &word) {
  std::string text = "'";
  for (char c : word)
    text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

class Parent {
public:
  Parent(const std::vector<std::string> &names, std::string command, unsigned jobs)
      : names(names), command(std::move(command)), jobs(jobs) {}

  int run() {
    std::vector<std::thread> threads;
    for (unsigned job = 0; job < jobs; ++job)
      threads.emplace_back([this, job] { work(job); });
    for (std::thread &thread : threads)
      thread.join();
    const size_t skipped = names.size() - passed - failed;
    if (!trouble.empty())
      std::printf("left out: %s\n", trouble.c_str());
    std::printf("time of all processes:");
    for (const auto &[group, milliseconds] : times)
      std::printf(" %s %.1f s", group.c_str(), double(milliseconds) / 1000);
    std::printf("\n%lld launches\n%zu passed, %zu failed, %zu skipped\n",
                static_cast<long long>(launches), passed, failed, skipped);
    return failed || skipped || !passed ? 1 : 0;
  }

private:
  /// Starts processes for the cases job, job + jobs, ... until all were tried.
  void work(size_t job) {
    for (size_t next = job; next < names.size();) {
      size_t reached = next;
      if (!follow(next, reached))
        return;
      next = reached;
    }
  }

  /// Reads what a process prints; `reached` is the case behind the last that it began.
  /// False where it cannot begin at all.
  bool follow(size_t first, size_t &reached) {
    const std::string share = " --first=" + std::to_string(first) +
                              " --step=" + std::to_string(jobs) + " 2>&1";
    // Runs this program itself; every word is quoted.
    FILE *pipe =
        popen((command + share).c_str(), "r"); // NOLINT(bugprone-command-processor)
    if (!pipe)
      return false;
    char *line = nullptr;
    size_t room = 0;
    Progress progress{.begun = first};
    while (getline(&line, &room, pipe) > 0) {
      line[strcspn(line, "\n")] = 0;
      read(line, progress);
    }
    std::free(line);
    const int status = pclose(pipe);
    if (progress.open)
      report(progress.begun, 0, 0,
             "the process ended with " + std::to_string(status) + " " + progress.rest);
    if (!progress.started) {
      const std::lock_guard lock(mutex);
      trouble = progress.rest.empty() ? "a process ended with " + std::to_string(status)
                                      : progress.rest;
      return false;
    }
    reached = progress.begun + jobs;
    return true;
  }

  /// Where a process is.
  struct Progress {
    size_t begun = 0;
    bool open = false, started = false;
    /// The last line that is none of ours.
    std::string rest = {};
  };

  void read(const char *line, Progress &progress) {
    std::string_view said = line;
    auto begins = [&](std::string_view word) {
      const bool does = std::string_view(line).starts_with(word);
      if (does)
        said = std::string_view(line).substr(word.size());
      return does;
    };
    size_t index = 0;
    int64_t count = 0, milliseconds = 0;
    if (begins("begin ") && takeNumber(said, index)) {
      progress.begun = index;
      progress.open = progress.started = true;
    } else if (begins("end ") && takeNumber(said, index) && takeNumber(said, count) &&
               takeNumber(said, milliseconds)) {
      report(index, count, milliseconds, std::string(said));
      progress.open = false;
    } else if (begins("note ")) {
      print(std::string(said));
    } else {
      progress.rest = line;
    }
  }

  void print(const std::string &line) {
    const std::lock_guard lock(mutex);
    std::printf("    %s\n", line.c_str());
    std::fflush(stdout);
  }

  void report(size_t index, int64_t count, int64_t milliseconds,
              const std::string &failure) {
    const std::lock_guard lock(mutex);
    launches += count;
    times[names[index].substr(0, names[index].find('/'))] += milliseconds;
    ++(failure.empty() ? passed : failed);
    if (!failure.empty())
      std::printf("FAIL %s: %s\n", names[index].c_str(), failure.c_str());
    if ((passed + failed) % 100 == 0)
      std::printf("    %zu of %zu\n", passed + failed, names.size());
    std::fflush(stdout);
  }

  const std::vector<std::string> &names;
  const std::string command;
  const unsigned jobs;
  std::mutex mutex;
  size_t passed = 0, failed = 0;
  int64_t launches = 0;
  /// Milliseconds by the first word of a case's name.
  std::map<std::string, int64_t> times;
  std::string trouble;
};

} // namespace

int runInProcesses(const std::vector<std::string> &names,
                   const std::vector<std::string> &arguments, unsigned jobs) {
  char self[4096] = {};
  if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
    return 1;
  std::string command = quoted(self);
  for (const std::string &argument : arguments)
    command += " " + quoted(argument);
  return Parent(names, command, jobs).run();
}

} // namespace normc::device
