//===- Tunings.h - A table of decisions that were measured ------------------===//
//
// {"normc_tunings": 1,
//  "tunings": [{"target": "cuda:sm_90",
//               "facts": "cols 1024, ...",           (schedule::factsKey)
//               "strategy": "partials",
//               "tiling": "#row.tiling<...>"}]}
//
// as `norm-bench tune` writes it; whatever else a line says is for people.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_TUNINGS_TUNINGS_H
#define NORMC_TUNINGS_TUNINGS_H

#include "normc/Schedule/Decision.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace normc {

class Tunings {
public:
  /// Becomes the table in a file, or for "" one without a line. An error, that names
  /// the file, where that is no such table. The row dialect is loaded.
  llvm::LogicalResult read(llvm::StringRef path, mlir::MLIRContext *context);

  bool empty() const { return lines.empty(); }

  /// The decision that the table has for a kernel on a target. Nothing where it has
  /// none, and with a reason in `error` where it has one that is not legal, or has none
  /// for that target at all. With a strategy, of those that have it.
  std::optional<schedule::Decision>
  find(const schedule::KernelFacts &kernel, const schedule::TargetFacts &target,
       std::string &error, std::optional<schedule::Strategy> strategy = {}) const;

private:
  struct Line {
    std::string target, facts;
    schedule::Strategy strategy;
    schedule::Tiling tiling;
  };
  static std::optional<Line> readLine(const llvm::json::Object *tuning,
                                      mlir::MLIRContext *context, std::string &error);

  std::string path;
  std::vector<Line> lines;
};

} // namespace normc

#endif // NORMC_TUNINGS_TUNINGS_H
