//===- Choices.h - Kernels to tune, and their candidates --------------------===//
#ifndef NORMC_TOOLS_NORMBENCH_CHOICES_H
#define NORMC_TOOLS_NORMBENCH_CHOICES_H

#include "Compile.h"

namespace normc::bench {

struct Candidate {
  /// The decision in words, and what a table of tunings says of it.
  std::string decision, strategy, tiling;
  /// What the model takes it to be.
  double model_us = 0;
  /// Names its package in the folder.
  std::string program;
};

/// A kernel whose strategy and tiling are free to choose, in the variant of its entry
/// that some numbers of rows take.
struct Choice {
  /// The source that it is of, and the entry in it.
  std::string source, entry;
  /// What a table finds it by, and its name, for people.
  std::string target, facts, kernel;
  /// What it is measured on; 0 where its entry's rows are static.
  std::vector<int64_t> rows;
  /// The model's choice is the first.
  std::vector<Candidate> candidates;
};

struct Choices {
  std::string compiler;
  std::vector<Choice> list;
};

/// A source to tune: its name, its text and numbers of rows.
struct TuneSource {
  std::string name, text;
  std::vector<int64_t> rows;
};

/// Compiles the candidates of every entry of the sources, each forced by a table of one
/// tuning, and writes what they are beside them. Of candidates that give the same code
/// the first is kept, and tilings of a fission, whose kernels are two, are left out.
llvm::Error compileChoices(const Normc &normc, llvm::ArrayRef<TuneSource> sources,
                           llvm::StringRef target, unsigned candidates,
                           llvm::StringRef folder);

/// What compileChoices wrote.
llvm::Expected<Choices> readChoices(llvm::StringRef folder);

/// A line of a table of tunings.
llvm::json::Object tuningOf(const Choice &choice, const Candidate &candidate);
/// A table of tunings, as normc reads it.
llvm::json::Object tableOf(llvm::json::Array tunings);

} // namespace normc::bench

#endif // NORMC_TOOLS_NORMBENCH_CHOICES_H
