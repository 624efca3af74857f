//===- Cells.cpp - What is measured: an op on a shape -----------------------===//
#include "Cells.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace json = llvm::json;

namespace normc::bench {

static constexpr const char *kOps[] = {"layer_norm", "rms_norm", "dyt", "softmax"};
static constexpr const char *kDirections[] = {"forward", "backward"};
static constexpr const char *kTypes[] = {"f16", "bf16", "f32", "f64"};
static constexpr const char *kStatistics[] = {"with", "without"};
static constexpr const char *kShapes[] = {
    "401408x24",  "1048576x64", "1048576x128", "262144x256", "65536x768",
    "32768x1024", "16384x4096", "8192x8192",   "4096x16384", "2048x32768",
    "1024x65536", "4096x4096",  "64x4096",     "128x768",    "1x4096"};

Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

std::string Cell::entry() const { return op + (backward ? "_backward" : ""); }

std::string Cell::program() const {
  return entry() + "_" + type + "_" + std::to_string(cols) +
         (statistics ? "" : "_no_statistics");
}

std::string Cell::title() const {
  return entry() + " " + std::to_string(rows) + "x" + std::to_string(cols) + " " +
         type + (statistics ? "" : " without statistics");
}

static Error checkWords(StringRef option, llvm::ArrayRef<std::string> words,
                        llvm::ArrayRef<const char *> known) {
  for (const std::string &word : words)
    if (!llvm::is_contained(known, StringRef(word)))
      return makeError("expected --" + option + " to be of " + llvm::join(known, ", ") +
                       ", but got \"" + word + "\"");
  return Error::success();
}

/// "ROWSxCOLS", each at least 1, and so few that a tensor's bytes fit into 64 bits.
static Expected<std::pair<int64_t, int64_t>> parseShape(StringRef text) {
  constexpr int64_t kMost = int64_t{1} << 30;
  auto [left, right] = text.split('x');
  int64_t rows = 0, cols = 0;
  if (left.getAsInteger(10, rows) || right.getAsInteger(10, cols) || rows < 1 ||
      cols < 1 || rows > kMost || cols > kMost)
    return makeError("expected --shapes to be ROWSxCOLS, of 1 to " +
                     llvm::Twine(kMost) + " each, but got \"" + text + "\"");
  return std::pair(rows, cols);
}

static bool hasStatistics(const Cell &cell) {
  return !cell.backward && (cell.op == "layer_norm" || cell.op == "rms_norm");
}

Expected<std::vector<Cell>> cellsOf(const Sweep &sweep) {
  if (Error error = checkWords("ops", sweep.ops, kOps))
    return error;
  if (Error error = checkWords("directions", sweep.directions, kDirections))
    return error;
  if (Error error = checkWords("types", sweep.types, kTypes))
    return error;
  if (Error error = checkWords("statistics", sweep.statistics, kStatistics))
    return error;
  std::vector<std::pair<int64_t, int64_t>> shapes;
  std::vector<std::string> texts = sweep.shapes;
  if (texts.empty())
    texts.assign(std::begin(kShapes), std::end(kShapes));
  for (const std::string &text : texts) {
    auto shape = parseShape(text);
    if (!shape)
      return shape.takeError();
    shapes.push_back(*shape);
  }
  std::vector<Cell> cells;
  for (const std::string &op : sweep.ops)
    for (const std::string &direction : sweep.directions)
      for (const std::string &statistics : sweep.statistics)
        for (const std::string &type : sweep.types)
          for (auto [rows, cols] : shapes) {
            Cell cell{op,   direction == "backward", type, rows,
                      cols, statistics == "with"};
            if (cell.statistics || hasStatistics(cell))
              cells.push_back(std::move(cell));
          }
  if (cells.empty())
    return makeError("expected forwards of layer_norm or rms_norm, because no others "
                     "are with and without statistics, but got none");
  return cells;
}

json::Object toJson(const Cell &cell) {
  return json::Object{
      {"op", cell.op},     {"direction", cell.backward ? "backward" : "forward"},
      {"type", cell.type}, {"rows", cell.rows},
      {"cols", cell.cols}, {"statistics", cell.statistics}};
}

Expected<Cell> cellOf(const json::Object &object) {
  auto op = object.getString("op"), direction = object.getString("direction"),
       type = object.getString("type");
  auto rows = object.getInteger("rows"), cols = object.getInteger("cols");
  if (!op || !direction || !type || !rows || !cols)
    return makeError(
        "expected op, direction, type, rows and cols in each cell, but got "
        "one without");
  return Cell{op->str(),   *direction == "backward",
              type->str(), *rows,
              *cols,       object.getBoolean("statistics").value_or(true)};
}

} // namespace normc::bench
