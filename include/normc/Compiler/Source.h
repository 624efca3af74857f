//===- Source.h - A context that reads sources for the compiler -------------===//
#ifndef NORMC_COMPILER_SOURCE_H
#define NORMC_COMPILER_SOURCE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>
#include <string>

namespace mlir {
class SourceMgrDiagnosticHandler;
} // namespace mlir

namespace normc {

/// Reads MLIR text or bytecode into `context`, whose diagnostics say what is wrong.
/// What no damage and no depth of a source does is end the process:
///  - Text whose brackets are nested deeper than MLIR's parser, which goes down with
///    them, has room for on a small stack is an error.
///  - Bytecode is read, and printed as text, by a copy of this process with limits of
///    time and memory, because MLIR's reader of bytecode checks less than its parser of
///    text (Isolated.h).
/// `sources` holds no source yet, and the one read afterwards: locations are in it.
mlir::OwningOpRef<mlir::ModuleOp>
parseSource(mlir::MLIRContext &context, llvm::SourceMgr &sources,
            std::unique_ptr<llvm::MemoryBuffer> source);

/// An MLIR context with what the compiler needs, whose diagnostics go to a stream as
/// "file:line:col: error: ..." with the line of the source read last. It must outlive
/// the modules read. Multithreading is off: a module of norm ops compiles faster than
/// threads start.
class SourceContext {
public:
  explicit SourceContext(llvm::raw_ostream &diagnostics);
  ~SourceContext();

  mlir::MLIRContext *get() { return &context; }

  /// Has the optimization remarks of the passes that follow printed as diagnostics.
  void printRemarks();

  /// Reads MLIR text or bytecode from a file, or from stdin for "-". Null after an
  /// error was printed.
  mlir::OwningOpRef<mlir::ModuleOp> readFile(llvm::StringRef path);

  /// Reads MLIR text or bytecode from memory (copied), as if from a file of that name.
  mlir::OwningOpRef<mlir::ModuleOp> readBytes(llvm::StringRef bytes,
                                              llvm::StringRef name);

private:
  mlir::OwningOpRef<mlir::ModuleOp> read(std::unique_ptr<llvm::MemoryBuffer> buffer);
  /// Diagnostics are about these sources from now on.
  void watch(std::unique_ptr<llvm::SourceMgr> next);

  mlir::MLIRContext context;
  llvm::raw_ostream &diagnostics;
  std::unique_ptr<llvm::SourceMgr> sources;
  std::unique_ptr<mlir::SourceMgrDiagnosticHandler> handler;
};

} // namespace normc

#endif // NORMC_COMPILER_SOURCE_H
