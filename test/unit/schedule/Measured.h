//===- Measured.h - Times of kernels on an H200 ------------------------------===//
//
// docs/benchmarks/h200_tilings.json: what was timed, not what the decisions answer. In
// bf16, in a graph with inputs rotated past the cache.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_TEST_UNIT_SCHEDULE_MEASURED_H
#define NORMC_TEST_UNIT_SCHEDULE_MEASURED_H

#include "Kernels.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <type_traits>
#include <vector>

namespace normc::schedule::test {

enum Op { LayerNorm, LayerNormBackward, RmsNorm, RmsNormBackward, Dyt, DytBackward };
inline constexpr std::string_view kOps[] = {"layer_norm", "layer_norm_backward",
                                            "rms_norm",   "rms_norm_backward",
                                            "dyt",        "dyt_backward"};

/// A kernel and a shape.
struct Cell {
  Op op;
  int64_t rows, cols;

  auto operator<=>(const Cell &) const = default;
};

inline std::string textOf(const Cell &cell) {
  return std::string(kOps[cell.op]) + " " + std::to_string(cell.rows) + " x " +
         std::to_string(cell.cols);
}

/// A tiling of a cell's first kernel, and the time of all of its kernels.
struct Measured {
  Tiling tiling;
  double us;
};

/// The tiling of "workgroup_size = 128, loop = persistent", as in the attribute.
inline Tiling parseTiling(const std::string &text) {
  Tiling tiling;
  static const std::regex knob("(\\w+) = (\\w+)");
  for (std::sregex_iterator it(text.begin(), text.end(), knob), end; it != end; ++it) {
    const std::string name = (*it)[1], value = (*it)[2];
    for (const TilingField &field : kTilingFields) {
      if (field.name != name)
        continue;
      std::visit(
          [&](auto member) {
            using Value = std::remove_reference_t<decltype(tiling.*member)>;
            if constexpr (std::is_same_v<Value, int64_t>)
              tiling.*member = std::stoll(value);
            else if constexpr (std::is_same_v<Value, Loop>)
              tiling.*member = parseLoop(value).value();
            else if constexpr (std::is_same_v<Value, Staging>)
              tiling.*member = parseStaging(value).value();
            else if constexpr (std::is_same_v<Value, Store>)
              tiling.*member = parseStore(value).value();
            else
              tiling.*member = parseResidency(value).value();
          },
          field.member);
    }
  }
  return tiling;
}

/// Every measurement, by cell.
inline const std::map<Cell, std::vector<Measured>> &measurements() {
  static const auto all = [] {
    std::map<Cell, std::vector<Measured>> found;
    std::ifstream file(NORMC_SOURCE_DIR "/docs/benchmarks/h200_tilings.json");
    EXPECT_TRUE(file.is_open());
    static const std::regex entry(
        R"re("op": "(\w+)", "rows": (\d+), "cols": (\d+), "strategy": "\w+", )re"
        R"re("tiling": "([^"]*)", "us": ([\d.]+))re");
    for (std::string line; std::getline(file, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, entry))
        continue;
      auto op = std::find(std::begin(kOps), std::end(kOps), match.str(1));
      EXPECT_NE(op, std::end(kOps)) << line;
      found[{Op(op - kOps), std::stoll(match[2]), std::stoll(match[3])}].push_back(
          {parseTiling(match[4]), std::stod(match[5])});
    }
    return found;
  }();
  return all;
}

inline KernelFacts factsOf(const Cell &cell) {
  switch (cell.op) {
  case LayerNorm:
    return layerNorm(cell.rows, cell.cols, BF16, BF16);
  case LayerNormBackward:
    return layerNormBackward(cell.rows, cell.cols, BF16, BF16);
  case RmsNorm:
    return rmsNorm(cell.rows, cell.cols, BF16, BF16);
  case RmsNormBackward:
    return rmsNormBackward(cell.rows, cell.cols, BF16, BF16);
  case Dyt:
    return dyt(cell.rows, cell.cols, BF16, BF16);
  case DytBackward:
    return dytBackward(cell.rows, cell.cols, BF16, BF16);
  }
  return {};
}

/// The time of a cell with the tiling, if that was measured. rows_per_workgroup bounds
/// chains that are shorter in all of them; without a loop min_workgroups_per_cu bounds
/// registers and nothing else.
inline std::optional<double> measuredTime(const Cell &cell, const Tiling &tiling) {
  auto found = measurements().find(cell);
  if (found == measurements().end())
    return std::nullopt;
  auto what = [](Tiling t) {
    t.rows_per_workgroup = 0;
    if (t.loop == Loop::OneShot)
      t.min_workgroups_per_cu = 0;
    return t;
  };
  for (const Measured &other : found->second)
    if (what(other.tiling) == what(tiling))
      return other.us;
  return std::nullopt;
}

} // namespace normc::schedule::test

#endif // NORMC_TEST_UNIT_SCHEDULE_MEASURED_H
