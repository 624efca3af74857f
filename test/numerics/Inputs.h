//===- Inputs.h - Tensors for a spec ----------------------------------------===//
#ifndef NORMC_TEST_NUMERICS_INPUTS_H
#define NORMC_TEST_NUMERICS_INPUTS_H

#include "Run.h"
#include "Spec.h"

#include <functional>

namespace normc::numerics {

/// How the inputs of a run are made.
struct Recipe {
  uint64_t seed = 1;
  /// x is standard normal times this, plus that.
  double xScale = 1.5, xOffset = 0.3;
  /// Inputs by another specification of reference::generate, without a shape:
  /// "uniform:3::2", "const:1".
  std::map<std::string, std::string> specifications = {};
  /// Changes an input after it was made and before anything follows from it.
  std::function<void(const std::string &name, std::vector<double> &values)> change = {};
  double epsilon = 1e-5;
};

/// Every input of the spec for sizes of its outer and normalized dimensions. mean and
/// rstd of a backward op are those of x.
Run makeRun(const Spec &spec, const std::vector<int64_t> &outer,
            const std::vector<int64_t> &inner, const Recipe &recipe = {});

/// Integers in [-most, most], by a counter.
void fillIntegers(std::vector<double> &values, int64_t most, uint64_t seed);

} // namespace normc::numerics

#endif // NORMC_TEST_NUMERICS_INPUTS_H
