//===- Tool.h - The subcommands of normc ------------------------------------===//
#ifndef NORMC_TOOLS_NORMC_TOOL_H
#define NORMC_TOOLS_NORMC_TOOL_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace normc::tool {

/// How a subcommand ended: the process's exit code.
enum ExitCode : int { Success = 0, Failure = 1, UsageError = 2 };

struct CompileRequest {
  std::string input;
  /// Empty where the user gave none.
  std::string output;
  std::vector<std::string> targets;
  std::string emit;
  /// A path, "off", or "" to look for it.
  std::string ptxas;
  std::string ocloc;
  /// The path of a table of tunings, or "".
  std::string tunings;
  bool remarks = false;
  bool embed_source = true;
};

/// Compiles `input`, or takes it to the stage that `emit` names.
ExitCode runCompile(const CompileRequest &request);

/// Prints what was decided for every kernel of `input` on every target, and why.
struct ExplainRequest {
  std::string input;
  std::vector<std::string> targets;
  std::string ptxas;
  /// Candidates of each kernel that are listed.
  unsigned candidates = 0;
  /// The path of a table of tunings, or "".
  std::string tunings;
  bool json = false;
};
ExitCode runExplain(const ExplainRequest &request);

/// Prints what a package holds.
ExitCode runInspect(llvm::StringRef package, bool json);

/// Lists the targets that this build compiles for.
ExitCode runTargets();

/// Success where all targets are known and each is named once; else says what is wrong.
/// Any machine that is known has decisions, those that this build makes code for are
/// compiled for.
ExitCode checkTargets(const std::vector<std::string> &targets, bool areCompiled);

/// "error: MESSAGE" on stderr.
ExitCode fail(const llvm::Twine &message, ExitCode code = Failure);

} // namespace normc::tool

#endif // NORMC_TOOLS_NORMC_TOOL_H
