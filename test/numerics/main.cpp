//===- main.cpp - normc-numerics: every op against the reference ------------===//
//
// Runs the cases of all suites on a few threads, each with a context and devices of its
// own, and prints what fails. The last line is `N passed, N failed`.
//
//===----------------------------------------------------------------------===//
#include "Options.h"

#include "normc/Target/NvvmToolkit.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <mutex>
#include <thread>

#include <unistd.h>

namespace normc::numerics {
namespace {

/// The case that this thread runs, for the handler of signals.
thread_local const char *runningCase = nullptr;

/// A kernel that touches what it must not ends the process; say which.
void reportSignal(int number) {
  auto print = [](const char *text) {
    ssize_t written = write(STDOUT_FILENO, text, std::strlen(text));
    (void)written;
  };
  print("\nFAIL ");
  print(runningCase ? runningCase : "(no case)");
  print(number == SIGSEGV ? ": touched memory that is not its own\n" : ": crashed\n");
  print("0 passed, 1 failed\n");
  _exit(1);
}

/// The processor time of this thread; kernels run on those of its devices besides.
double threadSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

class Session {
public:
  Session(Options options, Packages &packages)
      : options(std::move(options)), packages(packages),
        selection(select(this->options)) {}

  int run() {
    llvm::outs() << "seed " << options.settings.seed << ", " << options.settings.samples
                 << " samples; target " << options.settings.targets.front() << "; "
                 << cases.size() << " cases on " << options.threads << " threads\n";
    llvm::outs().flush();
    std::vector<std::thread> threads;
    for (int i = 0; i < options.threads; ++i)
      threads.emplace_back([this] { work(); });
    for (std::thread &thread : threads)
      thread.join();
    return summarize();
  }

private:
  void work() {
    Worker worker(options.settings.targets.front(), options.settings.device, packages);
    for (size_t i = next++; i < cases.size(); i = next++) {
      runningCase = cases[i].name.c_str();
      Bench bench(worker, cases[i].name, options.keep);
      double before = threadSeconds();
      cases[i].body(bench);
      report(cases[i], bench, threadSeconds() - before);
    }
    std::lock_guard lock(mutex);
    counts.programs += worker.counts.programs;
    counts.launches += worker.counts.launches;
    counts.elements += worker.counts.elements;
    counts.excluded += worker.counts.excluded;
  }

  void report(const Case &one, const Bench &bench, double seconds) {
    std::lock_guard lock(mutex);
    ++(bench.failures().empty() ? passed : failed);
    for (const std::string &note : bench.notes())
      llvm::outs() << "    " << one.name << ": " << note << "\n";
    constexpr size_t kMost = 4;
    for (size_t i = 0; i < std::min(bench.failures().size(), kMost); ++i)
      llvm::outs() << (i ? "    and " : "FAIL ") << one.name << ": "
                   << bench.failures()[i] << "\n";
    if (bench.failures().size() > kMost)
      llvm::outs() << "    and " << bench.failures().size() - kMost << " more\n";
    suites[one.name.substr(0, one.name.find('/'))] += seconds;
    if (seconds > slowest) {
      slowest = seconds;
      slowestName = one.name;
    }
    auto now = std::chrono::steady_clock::now();
    if (now - printed > std::chrono::seconds(5)) {
      printed = now;
      llvm::outs() << "    " << passed + failed << " of " << cases.size() << "\n";
    }
    llvm::outs().flush();
  }

  int summarize() const {
    llvm::outs() << counts.programs << " programs, " << counts.launches << " launches, "
                 << counts.elements << " elements compared, " << counts.excluded
                 << " outside of the domain\n"
                 << "slowest: " << slowestName << llvm::format(" %.1f s\n", slowest);
    llvm::outs() << "processor time:";
    for (const auto &[suite, seconds] : suites)
      llvm::outs() << " " << suite << llvm::format(" %.0f s", seconds);
    llvm::outs() << "\n";
    if (options.settings.targets.size() == 1)
      llvm::outs() << "left out: tilings of targets other than "
                   << options.settings.targets.front()
                   << ", which this processor does not run or nobody asked for\n";
    if (selection.withF64 > 0)
      llvm::outs() << "left out: " << selection.withF64 << " cases with f64, which "
                   << options.settings.targets.front() << " has not\n";
    llvm::outs() << passed << " passed, " << failed << " failed\n";
    return failed || !passed ? 1 : 0;
  }

  const Options options;
  Packages &packages;
  const Selection selection;
  const Cases &cases = selection.cases;
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  Worker::Counts counts;
  int64_t passed = 0, failed = 0;
  double slowest = 0;
  std::map<std::string, double> suites;
  std::string slowestName;
  std::chrono::steady_clock::time_point printed = std::chrono::steady_clock::now();
};

} // namespace
} // namespace normc::numerics

/// What ctest takes for a test that is left out.
static constexpr int kSkipped = 77;

/// Whether the device is there; says why not.
static bool isThere(const std::string &name) {
  normrt_device *device = nullptr;
  if (name.empty() || normrt_device_open(name.c_str(), &device) == NORMRT_STATUS_OK) {
    normrt_device_release(device);
    return true;
  }
  llvm::outs() << "Skipped\nneeds " << name << ": " << normrt_last_error_message()
               << "\n";
  return false;
}

static int fail(const std::string &error) {
  llvm::errs() << "error: " << error << "\n";
  return 2;
}

/// Compiles every program of the cases for another machine.
static int record(normc::numerics::Options options, normc::nvvm::Toolkit toolkit) {
  normc::device::Archive archive;
  const std::string path = options.record;
  auto packages = normc::numerics::recordedPackages(std::move(toolkit), archive);
  const int status = normc::numerics::Session(std::move(options), *packages).run();
  if (std::string error = archive.write(path); !error.empty())
    return fail(error);
  llvm::outs() << archive.size() << " programs\n";
  return status;
}

int main(int argc, char **argv) {
  for (int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    std::signal(number, normc::numerics::reportSignal);
  normc::numerics::Options options = normc::numerics::parseOptions(argc, argv);
  if (options.list) {
    for (const auto &one : normc::numerics::select(options).cases)
      llvm::outs() << one.name << "\n";
    return 0;
  }
  std::string error;
  auto toolkit = normc::nvvm::findToolkit(options.ptxas, error);
  if (!toolkit)
    return fail(error);
  if (!options.record.empty())
    return record(std::move(options), std::move(*toolkit));
  if (!isThere(options.settings.device))
    return kSkipped;
  auto packages = normc::numerics::compiledPackages(std::move(*toolkit));
  if (!options.packages.empty()) {
    normc::device::Archive archive;
    if (error = archive.read(options.packages); !error.empty())
      return fail(error);
    packages = normc::numerics::storedPackages(std::move(archive));
  }
  return normc::numerics::Session(std::move(options), *packages).run();
}
