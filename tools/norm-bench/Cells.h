//===- Cells.h - What is measured: an op on a shape -------------------------===//
#ifndef NORMC_TOOLS_NORMBENCH_CELLS_H
#define NORMC_TOOLS_NORMBENCH_CELLS_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace normc::bench {

/// One cell of a table: an op in one direction, on one shape.
struct Cell {
  /// layer_norm, rms_norm, dyt or softmax.
  std::string op;
  bool backward = false;
  std::string type;
  int64_t rows = 0, cols = 0;
  /// Whether a forward stores what its backward needs of each row.
  bool statistics = true;

  bool operator==(const Cell &) const = default;
  /// "layer_norm_backward": the entry's name.
  std::string entry() const;
  /// Names the program that the cell runs; cells that differ in rows share one.
  std::string program() const;
  /// "layer_norm_backward 4096x1024 bf16".
  std::string title() const;
};

/// Every cell of some ops, directions, types and shapes is measured.
struct Sweep {
  std::vector<std::string> ops = {"layer_norm", "rms_norm", "dyt"};
  std::vector<std::string> directions = {"forward", "backward"};
  std::vector<std::string> types = {"bf16"};
  /// "4096x1024"; none: those of docs/benchmarks/h200.md.
  std::vector<std::string> shapes;
  /// "with", "without": of forwards that have any.
  std::vector<std::string> statistics = {"with"};
};

/// The cells of a sweep, op by op and shape by shape. An error says which word is wrong
/// and lists those that there are.
llvm::Expected<std::vector<Cell>> cellsOf(const Sweep &sweep);

llvm::json::Object toJson(const Cell &cell);
llvm::Expected<Cell> cellOf(const llvm::json::Object &object);

llvm::Error makeError(const llvm::Twine &message);

} // namespace normc::bench

#endif // NORMC_TOOLS_NORMBENCH_CELLS_H
