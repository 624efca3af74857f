//===- Explain.h - What was decided for each kernel, and why ----------------===//
#ifndef NORMC_COMPILER_EXPLAIN_H
#define NORMC_COMPILER_EXPLAIN_H

#include "normc/Schedule/Decision.h"
#include "normc/Target/NvvmToolkit.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace normc {

/// One launch of a variant.
struct LaunchExplanation {
  std::string kernel;
  schedule::Strategy strategy;
  schedule::Tiling tiling;
  /// Workgroups, as an expression over the parameters' shapes.
  std::string grid;
  schedule::Cost cost;
  /// The limit that bound the choice, or what the tiling was compared with.
  std::string bound;
  /// What ptxas makes of the kernel, for a CUDA target and where there is a ptxas.
  std::optional<nvvm::KernelResources> resources;
};

/// What there was to choose from for one kernel, before it was split.
struct ChoiceExplanation {
  std::string kernel;
  /// "at most 64 rows", or "" for any number.
  std::string rows;
  std::optional<int64_t> max_rows;
  /// What a table of tunings finds the kernel by: the target's name, and the facts.
  std::string target, facts;
  struct Candidate {
    std::string decision;
    schedule::Strategy strategy;
    double model_ns;
    /// Its kernels: "fused", "rows", "columns" or "finalize", and the tiling as an
    /// attribute.
    struct Kernel {
      std::string role, tiling;
    };
    std::vector<Kernel> kernels;
    /// "" for the one that was chosen.
    std::string lost;
  };
  /// The best ones, best first.
  std::vector<Candidate> candidates;
};

struct VariantExplanation {
  /// "" for a variant that always works.
  std::string guards;
  /// Bytes, as expressions over the parameters' shapes.
  std::vector<std::string> workspaces;
  std::vector<LaunchExplanation> launches;
  /// Kernels whose strategy and tiling were the decisions' to choose.
  std::vector<ChoiceExplanation> choices;
};

struct EntryExplanation {
  std::string entry;
  std::vector<VariantExplanation> variants;
};

/// The chosen candidate of a kernel and the five next ones.
inline constexpr size_t kExplainedCandidates = 6;

/// What the compiler decides for every entry of `module` on a target, with that many
/// candidates of each kernel by the model. `tunings` is as in CompileOptions. `module`
/// is left as it is; errors are diagnostics, as those of lowerToStage.
llvm::FailureOr<std::vector<EntryExplanation>>
explain(mlir::ModuleOp module, llvm::StringRef target,
        const nvvm::Toolkit &toolkit = {}, size_t candidates = kExplainedCandidates,
        llvm::StringRef tunings = "");

} // namespace normc

#endif // NORMC_COMPILER_EXPLAIN_H
