//===- Parse.cpp - Sources of anyone, read without harm ---------------------===//
#include "normc/Compiler/Source.h"
#include "normc/Process/Isolated.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace normc {

static constexpr int kDeepest = 256;

/// The line in which brackets are nested deeper than that; 0 if none are.
static size_t lineNestedTooDeep(StringRef text) {
  int round = 0, angular = 0;
  for (auto [i, c] : llvm::enumerate(text)) {
    if (c == '(' || c == '[' || c == '{')
      ++round;
    if (c == ')' || c == ']' || c == '}')
      --round;
    if (c == '<')
      ++angular;
    // The end of an arrow closes nothing.
    if (c == '>' && angular > 0 && (i == 0 || text[i - 1] != '-'))
      --angular;
    if (round > kDeepest || angular > kDeepest)
      return text.take_front(i).count('\n') + 1;
  }
  return 0;
}

/// Reads bytecode and gives its module as text; what is wrong with it goes to stderr.
/// The text is of generic form, which is read back whatever the operations hold: they
/// are verified when it is.
static bool printBytecode(MLIRContext &context, llvm::MemoryBufferRef bytecode,
                          SmallVectorImpl<char> &text) {
  llvm::raw_fd_ostream said(/*fd=*/2, /*shouldClose=*/false, /*unbuffered=*/true);
  StringRef separator;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    said << separator << diagnostic.str();
    separator = "; ";
    return success();
  });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(bytecode, /*RequiresNullTerminator=*/false),
      SMLoc());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(
      sources, ParserConfig(&context, /*verifyAfterParse=*/false));
  if (!module)
    return false;
  llvm::raw_svector_ostream os(text);
  module->print(os, OpPrintingFlags().printGenericOpForm().enableDebugInfo());
  return true;
}

/// The text of a module in bytecode; null after an error at `location`.
static std::unique_ptr<llvm::MemoryBuffer>
textOfBytecode(MLIRContext &context, const llvm::MemoryBuffer &bytecode,
               Location location) {
  // A source takes milliseconds.
  constexpr IsolationLimits kLimits = {
      .seconds = 60, .cpu_seconds = 2, .memory_bytes = 1ull << 30};
  SmallVector<char> text;
  std::string error;
  if (!runIsolated(
          kLimits,
          [&](SmallVectorImpl<char> &out) {
            return printBytecode(context, bytecode.getMemBufferRef(), out);
          },
          text, error)) {
    emitError(location, "expected bytecode as MLIR's writer makes it, but reading it "
                        "gave: ")
        << error;
    return nullptr;
  }
  return llvm::MemoryBuffer::getMemBufferCopy({text.data(), text.size()},
                                              bytecode.getBufferIdentifier());
}

OwningOpRef<ModuleOp> parseSource(MLIRContext &context, llvm::SourceMgr &sources,
                                  std::unique_ptr<llvm::MemoryBuffer> source) {
  Location location =
      FileLineColLoc::get(&context, source->getBufferIdentifier(), 0, 0);
  const bool wasBytecode = isBytecode(source->getMemBufferRef());
  if (wasBytecode && !(source = textOfBytecode(context, *source, location)))
    return nullptr;
  if (size_t line = lineNestedTooDeep(source->getBuffer())) {
    InFlightDiagnostic error = emitError(location, "expected ");
    error << (wasBytecode ? "a module whose text has " : "")
          << "brackets nested at most " << kDeepest << " deep, but got more in line "
          << line;
    return nullptr;
  }
  sources.AddNewSourceBuffer(std::move(source), SMLoc());
  return parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
}

} // namespace normc
