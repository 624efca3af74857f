//===- Report.h - What norm-run found, for people and for programs ----------===//
#ifndef NORMC_TOOLS_NORMRUN_REPORT_H
#define NORMC_TOOLS_NORMRUN_REPORT_H

#include "Bench.h"
#include "Check.h"

#include <optional>

namespace normc::run {

struct Report {
  std::optional<CheckReport> check;
  std::optional<BenchReport> bench;
};

/// Prints on stdout, as a table or as one JSON object.
void print(const Session &session, const Buffers &buffers, const Report &report,
           bool json);

} // namespace normc::run

#endif // NORMC_TOOLS_NORMRUN_REPORT_H
