//===- Inspect.cpp - normc inspect, and the targets ---------------------------===//
#include "Tool.h"

#include "normc/Compiler/Compiler.h"
#include "normc/Package/Package.h"
#include "normc/Schedule/Facts.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace normc::tool {

ExitCode runInspect(llvm::StringRef path, bool json) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/false,
                                                   /*RequiresNullTerminator=*/false);
  if (std::error_code code = buffer.getError())
    return fail("cannot read \"" + path + "\": " + code.message());
  llvm::StringRef bytes = (*buffer)->getBuffer();
  std::string error;
  if (!package::printManifest(llvm::outs(), {bytes.data(), bytes.size()}, json, error))
    return fail("\"" + path + "\": " + error);
  return Success;
}

ExitCode checkTargets(const std::vector<std::string> &targets, bool areCompiled) {
  llvm::StringSet<> seen;
  for (const std::string &target : targets) {
    std::string error;
    const bool isKnown =
        !areCompiled && schedule::lookupTarget(target, error).has_value();
    if (!isKnown && !supportedTarget(target, error))
      return fail(error, UsageError);
    if (!seen.insert(target).second)
      return fail("expected each target once, but got \"" + target + "\" twice",
                  UsageError);
  }
  return Success;
}

ExitCode runTargets() {
  for (std::string_view name : schedule::knownTargets()) {
    std::string error;
    auto facts = supportedTarget({name.data(), name.size()}, error);
    llvm::outs() << llvm::formatv("{0,-16}", llvm::StringRef(name));
    if (!facts)
      llvm::outs() << " not in this build or on this machine\n";
    else if (facts->backend == schedule::Backend::Host)
      llvm::outs() << llvm::formatv(" {0}: {1} lanes of f32, {2} vector registers, {3} "
                                    "KiB of cache a core\n",
                                    facts->features, facts->subgroup_size,
                                    facts->registers_per_cu,
                                    facts->private_cache_bytes / 1024);
    else
      llvm::outs() << llvm::formatv(
          " {0} {1} of {2} registers and {3} KiB of workgroup "
          "memory\n",
          facts->compute_units,
          facts->backend == schedule::Backend::Cuda ? "multiprocessors" : "Xe cores",
          facts->registers_per_cu, facts->shared_bytes_per_cu / 1024);
  }
  return Success;
}

} // namespace normc::tool
