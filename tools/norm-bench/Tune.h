//===- Tune.h - Times the candidates of entries -----------------------------===//
#ifndef NORMC_TOOLS_NORMBENCH_TUNE_H
#define NORMC_TOOLS_NORMBENCH_TUNE_H

#include "Options.h"
#include "Run.h"

namespace normc::bench {

/// Compiles the candidates that the model puts first and times each, prints them in the
/// order of their times, with the model's choice and what that loses, and writes the
/// fastest as a table for normc --tunings.
llvm::Expected<ExitCode> tune(const Options &options);

/// Compiles for a target into a folder.
using CompileTo = llvm::Error (*)(const Options &options, const std::string &target,
                                  llvm::StringRef folder);

/// --compile-only: into the folder of -o, for the target that was named.
llvm::Error compileOnly(const Options &options, CompileTo compileTo);

} // namespace normc::bench

#endif // NORMC_TOOLS_NORMBENCH_TUNE_H
