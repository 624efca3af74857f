//===- Processes.h - Cases in processes of their own ------------------------===//
//
// A kernel that faults ends the device's work in its process alone: the case is counted
// as failed, and the next process goes on behind it.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_TEST_DEVICE_PROCESSES_H
#define NORMC_TEST_DEVICE_PROCESSES_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace normc::device {

/// How a case went.
struct Outcome {
  /// "" where it passed.
  std::string failure = {};
  /// The device answers nothing any more in this process.
  bool lost = false;
  int64_t launches = 0;
  /// What was measured, which is printed.
  std::vector<std::string> notes = {};
};

/// Which cases a process runs: first, first + step, ... A negative first: it is the one
/// that starts the others.
struct Share {
  int64_t first = -1, step = 1;
};

/// In a process that was started: runs its share, and prints a line before and behind
/// each case. The status to end with.
int runShare(const std::vector<std::string> &names, Share share,
             const std::function<Outcome(size_t)> &run);
/// A line of a process that was started, which is printed once for all.
void sayLeftOut(const std::string &what);
/// What keeps a process from running any case.
void sayError(const std::string &what);

/// Starts `jobs` processes of this program with these arguments and a share of the
/// cases each, as --first and --step, and again behind a case that ended one. Prints
/// failures and, last, `N passed, N failed, N skipped`. The status to end with: 0 where
/// all passed.
int runInProcesses(const std::vector<std::string> &names,
                   const std::vector<std::string> &arguments, unsigned jobs);

/// All of a word as a number that is at least `least`.
bool parseNumber(const std::string &word, int64_t least, int64_t &number);

} // namespace normc::device

#endif // NORMC_TEST_DEVICE_PROCESSES_H
