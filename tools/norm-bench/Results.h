//===- Results.h - What was measured, and the file that keeps it ------------===//
#ifndef NORMC_TOOLS_NORMBENCH_RESULTS_H
#define NORMC_TOOLS_NORMBENCH_RESULTS_H

#include "Cells.h"

#include "normc/Measure/Timing.h"

namespace normc::bench {

struct Measured {
  Cell cell;
  measure::Times times;
  /// Each input once and each output once.
  size_t bytes = 0;
  /// What a copy, and a kernel that only moves the cell's tiles, reach in the same run;
  /// 0 where they were not measured.
  double copy_bytes_per_s = 0, mover_bytes_per_s = 0;
  /// Why there is no time, or "".
  std::string error;

  double bytesPerSecond() const { return static_cast<double>(bytes) / times.median_s; }
  /// Percent of the bandwidths above; 0 without them.
  double percentOfCopy() const;
  double percentOfMover() const;
};

struct Results {
  /// "NVIDIA H200", "sm_90", and the runtime's line about it.
  std::string device, architecture, description;
  /// What the packages were compiled for, by what, and what ran them.
  std::string target, compiler, runtime;
  std::vector<Measured> cells;
};

llvm::Error save(llvm::StringRef path, const Results &results);
llvm::Expected<Results> load(llvm::StringRef path);

} // namespace normc::bench

#endif // NORMC_TOOLS_NORMBENCH_RESULTS_H
