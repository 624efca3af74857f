//===- Compile.h - Packages of what is measured -----------------------------===//
#ifndef NORMC_TOOLS_NORMBENCH_COMPILE_H
#define NORMC_TOOLS_NORMBENCH_COMPILE_H

#include "Files.h"

namespace normc::bench {

/// A folder of packages, each named by its program, and what they are for.
struct Compiled {
  std::string target, compiler;
  std::vector<Cell> cells;
};

/// Compiles the programs of the cells, their movers and the copy for one target, and
/// writes what they are for beside them.
llvm::Error compileCells(const Normc &normc, llvm::ArrayRef<Cell> cells,
                         llvm::StringRef target, llvm::StringRef folder);

/// What compileCells wrote.
llvm::Expected<Compiled> readCompiled(llvm::StringRef folder);

/// Compiles a source, which is written beside its package "FOLDER/NAME.nrmk".
llvm::Error compileSource(const Normc &normc, llvm::StringRef source,
                          llvm::StringRef target, llvm::StringRef folder,
                          llvm::StringRef name);

std::string packageOf(llvm::StringRef folder, llvm::StringRef name);

} // namespace normc::bench

#endif // NORMC_TOOLS_NORMBENCH_COMPILE_H
