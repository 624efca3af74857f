//===- Link.cpp - Links an object to a shared object, in process ------------===//
#include "Link.h"

#include "lld/Common/Driver.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Parallel.h"
#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Support/Signals.h"

#include <array>
#include <cmath>
#include <csignal>
#include <dlfcn.h>
#include <mutex>

LLD_HAS_DRIVER(elf)

// The linker sets every option of LLVM back to its default before it reads its own, and
// so undoes what the embedder set. Its archives, which are linked statically, find this
// one in place of libLLVM's; it is given no option of LLVM that would need the other.
namespace llvm::cl {
void ResetAllOptionOccurrences() {}
} // namespace llvm::cl

using namespace mlir;

namespace {

/// A file in the temporary folder that goes when the object goes.
struct TemporaryFile {
  SmallString<128> path;
  llvm::FileRemover remover;

  LogicalResult create(Location loc, StringRef suffix) {
    if (std::error_code error =
            llvm::sys::fs::createTemporaryFile("normc", suffix, path))
      return emitError(loc,
                       "expected a temporary folder that can be written, but got: ")
             << error.message();
    remover.setFile(path);
    return success();
  }
};

/// The linker has its output removed on a signal, which installs LLVM's handlers for
/// good, and a stack of their own. They go when the object goes, where they were not
/// there.
class SignalHandlers {
public:
  /// Large enough that LLVM does not leave another one behind: its own is of 64 KiB and
  /// MINSIGSTKSZ. One link at a time.
  SignalHandlers() : segv(handlerOf(SIGSEGV)) {
    static std::array<char, 256 * 1024> bytes;
    stack_t ours = {};
    ours.ss_sp = bytes.data();
    ours.ss_size = bytes.size();
    replaced = sigaltstack(&ours, &stack) == 0;
  }
  ~SignalHandlers() {
    if (handlerOf(SIGSEGV) != segv)
      llvm::sys::unregisterHandlers();
    if (replaced)
      sigaltstack(&stack, nullptr);
  }
  SignalHandlers(const SignalHandlers &) = delete;
  SignalHandlers &operator=(const SignalHandlers &) = delete;

private:
  using Handler = void (*)(int);
  static Handler handlerOf(int number) {
    struct sigaction found = {};
    sigaction(number, nullptr, &found);
    return found.sa_handler;
  }

  Handler segv;
  stack_t stack = {};
  bool replaced;
};

LogicalResult write(Location loc, ArrayRef<char> bytes, SmallString<128> &path) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  stream.write(bytes.data(), bytes.size());
  stream.close();
  if (!error && stream.has_error())
    error = stream.error();
  stream.clear_error();
  if (error)
    return emitError(loc, "expected to write ")
           << path << ", but got: " << error.message();
  return success();
}

/// Where this process's math library lies, so that kernels name the same one.
StringRef mathLibrary() {
  Dl_info info;
  auto *function = reinterpret_cast<void *>(static_cast<double (*)(double)>(std::tanh));
  if (dladdr(function, &info) && info.dli_fname)
    return info.dli_fname;
  return "";
}

LogicalResult runLinker(Location loc, ArrayRef<std::unique_ptr<TemporaryFile>> inputs,
                        StringRef output) {
  std::string out = output.str(), math = mathLibrary().str();
  SmallVector<const char *> args = {
      "ld.lld",           "-shared", "--as-needed", "--build-id=none",
      "--hash-style=gnu", "-s",      "-z",          "nodefaultlib",
      "--threads=1",      "-o",      out.c_str()};
  for (const std::unique_ptr<TemporaryFile> &input : inputs)
    args.push_back(input->path.c_str());
  // A program that is linked statically has no library to name.
  if (StringRef(math).contains("libm.so") || StringRef(math).contains("libm-"))
    args.push_back(math.c_str());
  std::string said;
  llvm::raw_string_ostream stream(said);
  // The linker keeps its state in globals.
  static std::mutex linker;
  std::lock_guard<std::mutex> lock(linker);
  const SignalHandlers handlers;
  // --threads is LLVM's number for the whole process.
  llvm::SaveAndRestore threads(llvm::parallel::strategy);
  lld::Result result =
      lld::lldMain(args, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0)
    return emitError(loc, "the kernels could not be linked: ") << said;
  return success();
}

/// Whether every process that loads the kernels has the function: it is the math
/// library's, or the C library's, which that needs itself. This process has more.
bool isAlwaysThere(const std::string &symbol) {
  static void *const library = [] {
    std::string path = mathLibrary().str();
    return dlopen(path.empty() ? nullptr : path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  }();
  return !library || dlsym(library, symbol.c_str());
}

/// The function's caller, or the module where the back end made the call.
Location callerOf(ModuleOp module, StringRef symbol) {
  Location loc = module.getLoc();
  module.walk([&](LLVM::CallOp call) {
    if (call.getCallee() != symbol)
      return WalkResult::advance();
    loc = call.getLoc();
    return WalkResult::interrupt();
  });
  return loc;
}

/// The system's loader would say this to whoever loads the package.
LogicalResult checkSymbols(ModuleOp module, llvm::MemoryBufferRef shared) {
  auto object = llvm::object::ObjectFile::createELFObjectFile(shared);
  if (!object)
    return emitError(module.getLoc(), "expected the linker to write an ELF file, but: ")
           << llvm::toString(object.takeError());
  auto *elf = cast<llvm::object::ELFObjectFileBase>(object->get());
  for (const llvm::object::ELFSymbolRef &symbol : elf->getDynamicSymbolIterators()) {
    using Ref = llvm::object::SymbolRef;
    uint32_t flags = llvm::cantFail(symbol.getFlags());
    if (!(flags & Ref::SF_Undefined) ||
        (flags & (Ref::SF_Weak | Ref::SF_FormatSpecific)))
      continue;
    std::string name = llvm::cantFail(symbol.getName()).str();
    if (!isAlwaysThere(name))
      return emitError(
                 callerOf(module, name),
                 "expected kernels to call functions of the C library alone, "
                 "because a package is loaded with no other, but got a call of \"")
             << name << "\"";
  }
  return success();
}

} // namespace

LogicalResult normc::host::linkSharedObject(ModuleOp module,
                                            ArrayRef<SmallVector<char, 0>> objects,
                                            SmallVectorImpl<char> &shared) {
  Location loc = module.getLoc();
  std::vector<std::unique_ptr<TemporaryFile>> inputs;
  for (const SmallVector<char, 0> &object : objects) {
    inputs.push_back(std::make_unique<TemporaryFile>());
    if (failed(inputs.back()->create(loc, "o")) ||
        failed(write(loc, object, inputs.back()->path)))
      return failure();
  }
  TemporaryFile output;
  if (failed(output.create(loc, "so")) || failed(runLinker(loc, inputs, output.path)))
    return failure();
  auto linked = llvm::MemoryBuffer::getFile(output.path);
  if (!linked)
    return emitError(loc, "expected to read ")
           << output.path << ", but got: " << linked.getError().message();
  if (failed(checkSymbols(module, (*linked)->getMemBufferRef())))
    return failure();
  shared.assign((*linked)->getBufferStart(), (*linked)->getBufferEnd());
  return success();
}
