//===- Check.h - Results against the float64 reference ----------------------===//
#ifndef NORMC_TOOLS_NORMRUN_CHECK_H
#define NORMC_TOOLS_NORMRUN_CHECK_H

#include "Launch.h"

#include "normc/Reference/Compare.h"

namespace normc::run {

struct CheckedOutput {
  std::string name;
  reference::Type type;
  std::vector<int64_t> shape;
  reference::Comparison comparison;
};

struct CheckReport {
  std::vector<CheckedOutput> outputs;
  /// What was written besides the outputs' elements: "bytes around x", "input w".
  std::vector<std::string> strayWrites;

  bool pass() const;
};

/// Launches once and compares every output with what the package's source means.
llvm::Expected<CheckReport> runChecked(const Session &session, const Buffers &buffers,
                                       Launcher &launcher);

} // namespace normc::run

#endif // NORMC_TOOLS_NORMRUN_CHECK_H
