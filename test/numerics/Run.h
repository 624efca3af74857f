//===- Run.h - What one launch is given, and how it is judged ---------------===//
#ifndef NORMC_TEST_NUMERICS_RUN_H
#define NORMC_TEST_NUMERICS_RUN_H

#include "normc/Reference/Array.h"
#include "normc/Testing/Buffer.h"

#include <map>
#include <string>
#include <vector>

namespace normc::numerics {

using reference::Array;
using test::Placement;

/// Where a parameter's tensor lies.
struct Layout {
  /// In elements; empty: compact.
  std::vector<int64_t> strides = {};
  /// Elements past a 64-byte boundary.
  int64_t offset = 0;
  Placement placement = Placement::Guarded;
};

/// Inputs by parameter name; outputs follow from them.
using Arrays = std::map<std::string, Array>;

/// What one launch is given, and how it is judged.
struct Run {
  Arrays inputs;
  /// What the shapes of outputs must come to.
  std::map<std::string, std::vector<int64_t>> shapes = {};
  std::map<std::string, Layout> layouts = {};
  /// The layout of the parameters that `layouts` does not name.
  Layout layout = {};
  /// The longest chain of dependent adds of the kernels along a row.
  int64_t longestChain = 1024;
  /// Elements may be outside of the domain, which nothing is said of.
  bool mayLeaveDomain = false;
  /// Outputs whose every bit follows: sums of integers, for instance.
  std::vector<std::string> exact = {};
};

} // namespace normc::numerics

#endif // NORMC_TEST_NUMERICS_RUN_H
