//===- Options.h - What norm-run was asked to do ----------------------------===//
#ifndef NORMC_TOOLS_NORMRUN_OPTIONS_H
#define NORMC_TOOLS_NORMRUN_OPTIONS_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace normc::run {

/// The process's exit codes.
enum ExitCode : int { Success = 0, Failure = 1, UsageError = 2 };

struct Options {
  /// A package or a source, and the entry in it; empty where it has one only.
  std::string file;
  std::string entry;
  std::string device;
  /// What a source is compiled for: by default what the device runs.
  std::optional<std::string> target;
  /// Parameter and spec, in the order of the command line.
  std::vector<std::pair<std::string, std::string>> inputs;
  std::vector<std::pair<std::string, std::string>> outputs;
  /// The spec of every input that has none of its own.
  std::optional<std::string> default_input;
  /// In elements, by parameter.
  std::map<std::string, std::vector<int64_t>> strides;
  std::map<std::string, int64_t> offsets;
  bool check = false;
  bool bench = false;
  bool json = false;
  double bench_seconds = 1;
  /// How often to run; 0: as often as the seconds take.
  int64_t bench_repeats = 0;
};

/// Reads the command line. Nothing, after the reason was printed, for one that makes no
/// sense; --help and --version end the process.
std::optional<Options> parseOptions(int argc, char **argv);

} // namespace normc::run

#endif // NORMC_TOOLS_NORMRUN_OPTIONS_H
