//===- Ocloc.cpp - From SPIR-V to machine code, with ocloc ------------------===//
#include "normc/Target/SpirvToolkit.h"

#include "lib/Target/Llvm/Tool.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace mlir;
using namespace normc;

std::optional<spirv::Toolkit> spirv::findToolkit(StringRef ocloc, std::string &error) {
  Toolkit toolkit;
  if (ocloc == "off")
    return toolkit;
  if (!ocloc.empty()) {
    if (!llvm::sys::fs::can_execute(ocloc)) {
      error = ("expected ocloc to be a program or \"off\", but got \"" + ocloc + "\"")
                  .str();
      return std::nullopt;
    }
    toolkit.ocloc = ocloc.str();
  } else if (auto found = llvm::sys::findProgramByName("ocloc")) {
    toolkit.ocloc = *found;
  }
  return toolkit;
}

bool spirv::hasCodeFor(const Toolkit &toolkit, StringRef device) {
  if (toolkit.ocloc.empty() || device.empty())
    return false;
  // The first ocloc that normc was made with, 22.43, has pvc; what does not ends with
  // an error that names it.
  if (device == "pvc")
    return true;
  constexpr unsigned kSeconds = 10;
  StringRef nowhere("");
  return llvm::sys::ExecuteAndWait(toolkit.ocloc, {toolkit.ocloc, "ids", device},
                                   /*Env=*/std::nullopt, {nowhere, nowhere, nowhere},
                                   kSeconds) == 0;
}

/// The first number behind `word`; 0 for none.
static int64_t numberAfter(StringRef line, StringRef word) {
  size_t at = line.find(word);
  if (at == StringRef::npos)
    return 0;
  StringRef digits =
      line.drop_front(at + word.size()).ltrim().take_while(llvm::isDigit);
  int64_t value = 0;
  return digits.getAsInteger(10, value) ? 0 : value;
}

std::vector<spirv::Spill> spirv::parseOclocReport(StringRef report) {
  // warning: kernel k  compiled SIMD16 allocated 128 regs and spilled around 12
  // warning: in kernel 'k': compiled SIMD16 allocated 128 regs and spilled around 12
  static constexpr StringLiteral kKernel = "kernel ", kSpilled = "spilled around";
  std::vector<Spill> spills;
  SmallVector<StringRef> lines;
  report.split(lines, '\n');
  for (StringRef line : lines) {
    size_t at = line.find(kKernel);
    if (at == StringRef::npos || !line.contains(kSpilled))
      continue;
    StringRef name = line.drop_front(at + kKernel.size());
    name.consume_front("'");
    name = name.take_until([](char c) { return llvm::isSpace(c) || c == '\''; });
    spills.push_back(
        {name.str(), numberAfter(line, "allocated"), numberAfter(line, kSpilled)});
  }
  return spills;
}

LogicalResult spirv::compileNative(ModuleOp module, const Toolkit &toolkit,
                                   ArrayRef<char> spirv, StringRef device,
                                   SmallVectorImpl<char> &native,
                                   std::vector<Spill> &spills) {
  codegen::ToolRun run;
  run.program = toolkit.ocloc;
  run.target = device.str();
  run.input = spirv;
  run.input_name = "kernels.spv";
  // With -output_no_suffix 22.43 adds nothing to the name, 26.27 the ending.
  run.output_name = "kernels.bin";
  run.other_output_name = "kernels.bin.bin";
  run.seconds = 60;
  auto arguments = [&](std::string input, std::string output) {
    StringRef folder = llvm::sys::path::parent_path(output);
    return std::vector<std::string>{"compile",
                                    "-spirv_input",
                                    "-file",
                                    input,
                                    "-device",
                                    device.str(),
                                    "-output",
                                    llvm::sys::path::filename(output).str(),
                                    "-out_dir",
                                    folder.str(),
                                    "-output_no_suffix"};
  };
  std::string report;
  if (failed(codegen::runTool(module, run, arguments, native, report)))
    return failure();
  spills = parseOclocReport(report);
  return success();
}
