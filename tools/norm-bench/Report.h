//===- Report.h - Results as a table and as a plot --------------------------===//
#ifndef NORMC_TOOLS_NORMBENCH_REPORT_H
#define NORMC_TOOLS_NORMBENCH_REPORT_H

#include "Results.h"

#include "llvm/Support/raw_ostream.h"

namespace normc::bench {

/// A line a cell, and the geometric means of each op.
void printTable(llvm::raw_ostream &os, const Results &results);

/// How long each cell takes beside an older run: times of both, their ratio, and its
/// geometric mean. Cells that only one of them has are named.
void printComparison(llvm::raw_ostream &os, const Results &results,
                     const Results &older);

/// An SVG of bars, for each op the percent of the copy bandwidth on every shape, and a
/// mark for what the mover reaches.
std::string plot(const Results &results);

} // namespace normc::bench

#endif // NORMC_TOOLS_NORMBENCH_REPORT_H
