//===- Tool.h - Runs a vendor's tool on a file ------------------------------===//
#ifndef NORMC_LIB_TARGET_LLVM_TOOL_H
#define NORMC_LIB_TARGET_LLVM_TOOL_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"

#include <string>
#include <vector>

namespace normc::codegen {

/// One run of a program that makes a file of another.
struct ToolRun {
  std::string program;
  /// For messages: what the output is for, and what it holds.
  std::string target;
  std::string makes = "machine code";
  llvm::ArrayRef<char> input;
  std::string input_name, output_name;
  /// What some versions of the program write instead; empty for nothing.
  std::string other_output_name;
  /// 0: as long as it takes.
  unsigned seconds = 0;
};

/// Runs the program as a process of its own, in a temporary folder that is gone
/// afterwards, with the arguments that `arguments` gives for the paths of the input and
/// the output. What it prints goes to `report`. Fails with a diagnostic of `module`
/// where it ends with a failure, or writes nothing.
mlir::LogicalResult runTool(
    mlir::ModuleOp module, const ToolRun &run,
    llvm::function_ref<std::vector<std::string>(std::string input, std::string output)>
        arguments,
    llvm::SmallVectorImpl<char> &output, std::string &report);

} // namespace normc::codegen

#endif // NORMC_LIB_TARGET_LLVM_TOOL_H
