//===- Options.h - The command line of normc-numerics -----------------------===//
#ifndef NORMC_TEST_NUMERICS_OPTIONS_H
#define NORMC_TEST_NUMERICS_OPTIONS_H

#include "Cases.h"

namespace normc::numerics {

struct Options {
  Settings settings;
  std::string filter;
  /// Folder for what repeats a failure; empty: none.
  std::string keep;
  int threads = 1;
  /// Which part of the cases, and of how many.
  uint64_t shard = 0, shards = 1;
  bool list = false;
  /// The archive that packages are taken from, and the one that they are only compiled
  /// to; empty: none.
  std::string packages, record;
  /// As for nvvm::findToolkit.
  std::string ptxas;
};

/// Exits with a message for a command line that is wrong.
Options parseOptions(int argc, char **argv);

/// The cases that the options ask for.
struct Selection {
  Cases cases;
  /// How many were left out because the target has no f64.
  int64_t withF64 = 0;
};
Selection select(const Options &options);

} // namespace normc::numerics

#endif // NORMC_TEST_NUMERICS_OPTIONS_H
