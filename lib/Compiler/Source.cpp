//===- Source.cpp - A context that reads sources for the compiler -----------===//
#include "normc/Compiler/Source.h"

#include "normc/Compiler/Compiler.h"
#include "normc/Registration.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace normc {

void registerCompilerDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
}

static DialectRegistry compilerRegistry() {
  DialectRegistry registry;
  registerCompilerDialects(registry);
  return registry;
}

SourceContext::SourceContext(llvm::raw_ostream &diagnostics)
    : context(compilerRegistry(), MLIRContext::Threading::DISABLED),
      diagnostics(diagnostics) {
  // The source line says more than the op in generic form.
  context.printOpOnDiagnostic(false);
  watch(std::make_unique<llvm::SourceMgr>());
}

SourceContext::~SourceContext() = default;

void SourceContext::watch(std::unique_ptr<llvm::SourceMgr> next) {
  handler.reset();
  sources = std::move(next);
  handler =
      std::make_unique<SourceMgrDiagnosticHandler>(*sources, &context, diagnostics);
}

void SourceContext::printRemarks() {
  // A kind without a pattern of its own is not printed, whatever `all` says.
  std::string any = ".*";
  remark::RemarkCategories all{any, any, any, any, any};
  // Without a streamer a remark is printed as a diagnostic at its op.
  (void)remark::enableOptimizationRemarks(
      context, nullptr, std::make_unique<remark::RemarkEmittingPolicyAll>(), all,
      /*printAsEmitRemarks=*/true);
}

OwningOpRef<ModuleOp> SourceContext::read(std::unique_ptr<llvm::MemoryBuffer> buffer) {
  // The parser takes a source manager's first buffer: each source has one of its own.
  watch(std::make_unique<llvm::SourceMgr>());
  return parseSource(context, *sources, std::move(buffer));
}

OwningOpRef<ModuleOp> SourceContext::readFile(StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (std::error_code code = buffer.getError()) {
    diagnostics << "error: cannot read \"" << path << "\": " << code.message() << "\n";
    return nullptr;
  }
  return read(std::move(*buffer));
}

OwningOpRef<ModuleOp> SourceContext::readBytes(StringRef bytes, StringRef name) {
  return read(llvm::MemoryBuffer::getMemBufferCopy(bytes, name));
}

} // namespace normc
