//===- Compile.cpp - normc compile ------------------------------------------===//
#include "Tool.h"

#include "normc/Compiler/Compiler.h"
#include "normc/Compiler/Source.h"
#include "normc/Package/Package.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace normc::tool {

ExitCode fail(const llvm::Twine &message, ExitCode code) {
  llvm::errs() << "error: " << message << "\n";
  return code;
}

namespace {
enum class Emit { Package, Manifest, Header, Norm, Row, Scheduled, Llvm, Asm, Spirv };
} // namespace

static std::optional<Emit> parseEmit(StringRef word) {
  return llvm::StringSwitch<std::optional<Emit>>(word)
      .Case("package", Emit::Package)
      .Case("manifest", Emit::Manifest)
      .Case("header", Emit::Header)
      .Case("norm", Emit::Norm)
      .Case("row", Emit::Row)
      .Case("scheduled", Emit::Scheduled)
      .Case("llvm", Emit::Llvm)
      .Case("asm", Emit::Asm)
      .Case("spirv", Emit::Spirv)
      .Default(std::nullopt);
}

static llvm::Error writeInPlace(StringRef path, StringRef bytes) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code, llvm::sys::fs::CD_OpenExisting);
  if (code)
    return llvm::errorCodeToError(code);
  os << bytes;
  os.close();
  code = os.error();
  os.clear_error();
  return llvm::errorCodeToError(code);
}

/// Writes to a temporary file that takes `path`'s place when all is written. A device
/// or a pipe keeps its place.
static ExitCode write(StringRef path, StringRef bytes) {
  llvm::sys::fs::file_status status;
  bool isSpecial = path != "-" && !llvm::sys::fs::status(path, status) &&
                   llvm::sys::fs::is_other(status);
  llvm::Error error = isSpecial ? writeInPlace(path, bytes)
                                : llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
                                    os << bytes;
                                    return llvm::Error::success();
                                  });
  if (error)
    return fail("cannot write \"" + path + "\": " + llvm::toString(std::move(error)));
  return Success;
}

/// One line on a terminal that tells how far the work is, until something else is
/// printed there.
static std::function<void(StringRef, size_t, size_t)> progressLine() {
  if (!llvm::sys::Process::StandardErrIsDisplayed())
    return nullptr;
  return [](StringRef what, size_t done, size_t all) {
    llvm::errs() << "\033[K";
    if (done != all)
      llvm::errs() << "[" << done << "/" << all << "] " << what << "\r";
  };
}

/// A header, and beside it the source that belongs to it.
static ExitCode writeHeader(ArrayRef<char> package, StringRef path) {
  std::string header, source, error;
  StringRef name = llvm::sys::path::stem(path);
  if (!package::printCSource(name, package, header, source, error))
    return fail(error);
  SmallString<128> sourcePath(path);
  llvm::sys::path::replace_extension(sourcePath, "c");
  if (ExitCode code = write(sourcePath, source))
    return code;
  return write(path, header);
}

namespace {
struct Toolkits {
  nvvm::Toolkit nvvm;
  spirv::Toolkit spirv;
};
} // namespace

static ExitCode emitPackage(ModuleOp module, const CompileRequest &request,
                            const Toolkits &toolkits, const std::string &output,
                            Emit emit) {
  CompileOptions options;
  options.targets = request.targets;
  options.toolkit = toolkits.nvvm;
  options.spirv_toolkit = toolkits.spirv;
  options.tunings = request.tunings;
  options.embed_source = request.embed_source;
  options.progress = progressLine();
  SmallVector<char> package;
  if (failed(compile(module, options, package)))
    return Failure;
  StringRef bytes(package.data(), package.size());
  if (emit == Emit::Package)
    return write(output, bytes);
  if (emit == Emit::Header)
    return writeHeader(package, output);
  std::string text;
  llvm::raw_string_ostream os(text);
  std::string error;
  if (!package::printManifest(os, package, /*json=*/false, error))
    return fail(error);
  return write(output, text);
}

static LogicalResult emitText(ModuleOp module, StringRef target,
                              const nvvm::Toolkit &toolkit, StringRef tunings,
                              Emit emit, llvm::raw_ostream &os) {
  if (emit == Emit::Asm) {
    std::string text;
    if (failed(lowerToStage(module, target, Stage::Llvm, tunings)) ||
        failed(emitAssembly(module, target, toolkit, text)))
      return failure();
    os << text;
    return success();
  }
  if (emit == Emit::Spirv) {
    SmallVector<char> spirv;
    if (failed(lowerToStage(module, target, Stage::Llvm, tunings)) ||
        failed(emitSpirv(module, target, spirv)))
      return failure();
    os.write(spirv.data(), spirv.size());
    return success();
  }
  Stage stage = emit == Emit::Norm        ? Stage::Norm
                : emit == Emit::Row       ? Stage::Row
                : emit == Emit::Scheduled ? Stage::Scheduled
                                          : Stage::Llvm;
  if (failed(lowerToStage(module, target, stage, tunings)))
    return failure();
  module.print(os);
  os << "\n";
  return success();
}

static ExitCode emitStageText(ModuleOp module, const CompileRequest &request,
                              const nvvm::Toolkit &toolkit, const std::string &output,
                              Emit emit) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (emit == Emit::Spirv && request.targets.size() != 1)
    return fail(
        "expected one target, because --emit=spirv writes one module, but got " +
            llvm::Twine(request.targets.size()),
        UsageError);
  // Nothing before the schedule depends on the target.
  bool perTarget = emit != Emit::Norm && emit != Emit::Row;
  for (const std::string &target : request.targets) {
    if (request.targets.size() > 1 && perTarget)
      os << (emit == Emit::Asm ? "# " : "// ") << "target " << target << "\n";
    OwningOpRef<ModuleOp> copy(module.clone());
    if (failed(emitText(*copy, target, toolkit, request.tunings, emit, os)))
      return Failure;
    if (!perTarget)
      break;
  }
  return write(output, text);
}

ExitCode runCompile(const CompileRequest &request) {
  std::optional<Emit> emit = parseEmit(request.emit);
  if (!emit)
    return fail("expected --emit to be package, norm, row, scheduled, llvm, asm, "
                "spirv, manifest or header, but got \"" +
                    request.emit + "\"",
                UsageError);
  std::string output = request.output;
  if (*emit == Emit::Header && !StringRef(output).ends_with(".h"))
    return fail("expected -o FILE.h, because --emit=header writes FILE.h and FILE.c, "
                "but got \"" +
                    output + "\"",
                UsageError);
  if (output.empty()) {
    if (*emit == Emit::Package)
      return fail("expected -o FILE, because a package is not text; -o - writes it to "
                  "stdout",
                  UsageError);
    output = "-";
  }
  if (ExitCode code = checkTargets(request.targets, /*areCompiled=*/true))
    return code;
  std::string error;
  std::optional<nvvm::Toolkit> toolkit = nvvm::findToolkit(request.ptxas, error);
  if (!toolkit)
    return fail(error);
  std::optional<spirv::Toolkit> spirvToolkit = spirv::findToolkit(request.ocloc, error);
  if (!spirvToolkit)
    return fail(error);
  SourceContext context(llvm::errs());
  if (request.remarks)
    context.printRemarks();
  OwningOpRef<ModuleOp> module = context.readFile(request.input);
  if (!module)
    return Failure;
  if (*emit == Emit::Package || *emit == Emit::Manifest || *emit == Emit::Header)
    return emitPackage(*module, request, {*toolkit, *spirvToolkit}, output, *emit);
  return emitStageText(*module, request, *toolkit, output, *emit);
}

} // namespace normc::tool
