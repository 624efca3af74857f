//===- Options.h - What norm-bench was asked to do --------------------------===//
//
// norm-bench [--device NAME] [--target NAME] [--ops=…] [--directions=…] [--types=…]
//            [--shapes=…] [--statistics=…] [--seconds=S | --repeat=N]
//            [--json FILE] [--plot FILE.svg] [--compare OLD.json]
//            [--compile-only -o FOLDER | --packages FOLDER]
//     Compiles and times ops on shapes, and prints a table.
// norm-bench tune [FILE.mlir] [--rows=…] [--candidates=K] [-o TABLE.json] [--json FILE]
//            and the options above but --plot and --compare
//     Compiles and times the candidates of entries, and writes the fastest as a table
//     for normc --tunings.
// norm-bench report FILE.json [--plot FILE.svg] [--compare OLD.json]
//     Prints what was measured before.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_TOOLS_NORMBENCH_OPTIONS_H
#define NORMC_TOOLS_NORMBENCH_OPTIONS_H

#include "Cells.h"

#include "normc/Measure/Timing.h"

namespace normc::bench {

/// The process's exit codes.
enum ExitCode : int { Success = 0, Failure = 1, UsageError = 2 };

enum class Command { Run, Tune, Report };

struct Options {
  Command command = Command::Run;
  /// The program's own path.
  const char *self = "";
  /// The source to tune, or the results to report; "" where there is none.
  std::string file;
  std::string device, target, normc;
  Sweep sweep;
  measure::Effort effort;
  /// Where results, a plot and a table go, and what results are compared with; "" where
  /// not asked for.
  std::string json, plot, compare, output;
  /// A folder of packages that were compiled before.
  std::string packages;
  bool compile_only = false;
  /// Of tune: for entries whose rows are dynamic.
  std::vector<int64_t> rows;
  unsigned candidates = 8;
};

/// Reads the command line. Nothing, after the reason was printed, for one that makes no
/// sense; --help and --version end the process.
std::optional<Options> parseOptions(int argc, char **argv);

} // namespace normc::bench

#endif // NORMC_TOOLS_NORMBENCH_OPTIONS_H
