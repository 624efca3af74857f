//===- Assemble.cpp - From PTX to machine code, with ptxas ------------------===//
#include "normc/Target/NvvmToolkit.h"

#include "lib/Target/Llvm/Tool.h"
#include "llvm/ADT/StringExtras.h"

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

LogicalResult nvvm::assemble(ModuleOp module, const Toolkit &toolkit, StringRef ptx,
                             StringRef architecture, SmallVectorImpl<char> &cubin,
                             std::vector<KernelResources> &resources) {
  codegen::ToolRun run;
  run.program = toolkit.ptxas;
  run.target = architecture.str();
  run.input = {ptx.data(), ptx.size()};
  run.input_name = "kernels.ptx";
  run.output_name = "kernels.cubin";
  std::string report;
  auto arguments = [&](std::string input, std::string output) {
    return std::vector<std::string>{("-arch=" + architecture).str(), "-v", input, "-o",
                                    output};
  };
  if (failed(codegen::runTool(module, run, arguments, cubin, report)))
    return failure();
  resources = parsePtxasReport(report);
  return success();
}
