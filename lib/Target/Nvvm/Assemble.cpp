//===- Assemble.cpp - From PTX to machine code, with ptxas ------------------===//
#include "normc/Target/NvvmToolkit.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace normc;

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

/// The number that stands before `word`: "12 bytes spill stores".
static int64_t numberBefore(StringRef line, StringRef word) {
  size_t end = line.find(word);
  if (end == StringRef::npos)
    return 0;
  StringRef before = line.take_front(end).rtrim();
  size_t begin = before.find_last_not_of("0123456789");
  int64_t value = 0;
  if (before.drop_front(begin == StringRef::npos ? 0 : begin + 1)
          .getAsInteger(10, value))
    return 0;
  return value;
}

std::vector<nvvm::KernelResources> nvvm::parsePtxasReport(StringRef report) {
  // Compiling entry function 'k' for 'sm_90'
  // Function properties for k
  //     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
  // Used 38 registers, used 1 barriers, 1024 bytes smem
  std::vector<KernelResources> kernels;
  SmallVector<StringRef> lines;
  report.split(lines, '\n');
  for (StringRef line : lines) {
    static constexpr StringLiteral kEntry = "Compiling entry function '";
    if (size_t at = line.find(kEntry); at != StringRef::npos) {
      kernels.emplace_back().kernel =
          line.drop_front(at + kEntry.size()).take_until([](char c) {
            return c == '\'';
          });
      continue;
    }
    if (kernels.empty())
      continue;
    KernelResources &kernel = kernels.back();
    if (line.contains("bytes stack frame")) {
      kernel.stack_bytes = numberBefore(line, " bytes stack frame");
      kernel.spill_store_bytes = numberBefore(line, " bytes spill stores");
      kernel.spill_load_bytes = numberBefore(line, " bytes spill loads");
    } else if (line.contains("Used ") && line.contains(" registers")) {
      kernel.registers_per_lane = numberBefore(line, " registers");
      kernel.static_shared_bytes = numberBefore(line, " bytes smem");
    }
  }
  return kernels;
}

//===----------------------------------------------------------------------===//
// The process
//===----------------------------------------------------------------------===//

static LogicalResult writeFile(ModuleOp module, StringRef path, StringRef bytes) {
  std::error_code code;
  llvm::raw_fd_ostream stream(path, code);
  stream << bytes;
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

LogicalResult nvvm::assemble(ModuleOp module, const Toolkit &toolkit, StringRef ptx,
                             StringRef architecture, SmallVectorImpl<char> &cubin,
                             std::vector<KernelResources> &resources) {
  SmallString<128> folder;
  if (std::error_code code = llvm::sys::fs::createUniqueDirectory("normc", folder))
    return module.emitError("cannot make a temporary folder for ptxas: ")
           << code.message();
  llvm::scope_exit remove([&] { (void)llvm::sys::fs::remove_directories(folder); });
  auto pathOf = [&](StringRef name) {
    SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return std::string(path);
  };
  const std::string input = pathOf("kernels.ptx"), output = pathOf("kernels.cubin");
  const std::string report = pathOf("report.txt");
  if (failed(writeFile(module, input, ptx)))
    return failure();
  const std::string arch = ("-arch=" + architecture).str();
  const StringRef arguments[] = {toolkit.ptxas, arch, "-v", input, "-o", output};
  std::string message;
  const int code =
      llvm::sys::ExecuteAndWait(toolkit.ptxas, arguments, /*Env=*/std::nullopt,
                                {StringRef(""), StringRef(report), StringRef(report)},
                                /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  const std::string text = readFile(report);
  if (code != 0)
    return module.emitError("expected \"")
           << toolkit.ptxas << "\" to take the kernels for " << architecture
           << ", but it ended with " << code << ": "
           << (message.empty() ? StringRef(text).trim() : StringRef(message));
  auto buffer = llvm::MemoryBuffer::getFile(output, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return module.emitError("expected \"")
           << toolkit.ptxas
           << "\" to write machine code, but got none: " << buffer.getError().message();
  cubin.assign((*buffer)->getBufferStart(), (*buffer)->getBufferEnd());
  resources = parsePtxasReport(text);
  return success();
}
