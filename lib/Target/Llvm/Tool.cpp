//===- Tool.cpp - Runs a vendor's tool on a file ----------------------------===//
#include "lib/Target/Llvm/Tool.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace normc;

static LogicalResult writeFile(ModuleOp module, StringRef path, ArrayRef<char> bytes) {
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code);
  stream << StringRef(bytes.data(), bytes.size());
  stream.close();
  if (code || (code = stream.error())) {
    stream.clear_error();
    return module.emitError("cannot write \"") << path << "\": " << code.message();
  }
  return success();
}

static std::string readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

LogicalResult codegen::runTool(
    ModuleOp module, const ToolRun &run,
    llvm::function_ref<std::vector<std::string>(std::string, std::string)> arguments,
    SmallVectorImpl<char> &output, std::string &report) {
  SmallString<128> folder;
  if (std::error_code code = llvm::sys::fs::createUniqueDirectory("normc", folder))
    return module.emitError("cannot make a temporary folder for \"")
           << run.program << "\": " << code.message();
  llvm::scope_exit remove([&] { (void)llvm::sys::fs::remove_directories(folder); });
  auto pathOf = [&](StringRef name) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return std::string(path);
  };
  const std::string input = pathOf(run.input_name), log = pathOf("report.txt");
  const std::string result = pathOf(run.output_name);
  if (failed(writeFile(module, input, run.input)))
    return failure();
  const std::vector<std::string> given = arguments(input, result);
  SmallVector<StringRef> all{run.program};
  all.append(given.begin(), given.end());
  std::string message;
  const int code =
      llvm::sys::ExecuteAndWait(run.program, all, /*Env=*/std::nullopt,
                                {StringRef(""), StringRef(log), StringRef(log)},
                                run.seconds, /*MemoryLimit=*/0, &message);
  report = readFile(log);
  if (code != 0)
    return module.emitError("expected \"")
           << run.program << "\" to take the kernels for " << run.target
           << ", but it ended with " << code << ": "
           << (message.empty() ? StringRef(report).trim() : StringRef(message));
  auto read = [](StringRef path) {
    return llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                       /*RequiresNullTerminator=*/false);
  };
  auto buffer = read(result);
  if (!buffer && !run.other_output_name.empty())
    buffer = read(pathOf(run.other_output_name));
  if (!buffer)
    return module.emitError("expected \"")
           << run.program << "\" to write " << run.makes
           << ", but got none: " << buffer.getError().message();
  output.assign((*buffer)->getBufferStart(), (*buffer)->getBufferEnd());
  return success();
}
