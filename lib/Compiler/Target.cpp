//===- Target.cpp - The code of a target that this build compiles for -------===//
#include "Target.h"

#include "dialects/plan/Plan.h"
#include "normc/Compiler/Compiler.h"
#include "normc/Target/Host.h"
#include "normc/Target/Nvvm.h"
#include "normc/Target/Spirv.h"

#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace normc {

static constexpr StringLiteral kNative = "cuda:native";

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// The machine that a host's level is of.
static StringRef machineOf(const schedule::TargetFacts &host) {
  return StringRef(host.features).starts_with("x86-64") ? "x86_64" : "aarch64";
}

/// 90 of "cuda:sm_90"; nothing for any other name.
static std::optional<int> capabilityOf(StringRef name) {
  int capability = 0;
  if (!name.consume_front("cuda:sm_") || name.getAsInteger(10, capability))
    return std::nullopt;
  return capability;
}

/// The name of the newest known target that the installed device runs.
static std::optional<std::string> nativeTarget(std::string &error) {
  std::optional<std::string> device = nvvm::installedArchitecture(error);
  if (!device)
    return std::nullopt;
  const std::optional<int> capability = capabilityOf("cuda:" + *device);
  std::optional<int> best;
  for (std::string_view name : schedule::knownTargets()) {
    std::optional<int> known = capabilityOf({name.data(), name.size()});
    if (known && known <= capability && (!best || known > best))
      best = known;
  }
  if (best)
    return "cuda:sm_" + std::to_string(*best);
  error = "expected a device of a known target or newer, because cuda:native is the "
          "newest that it runs, but got " +
          *device;
  return std::nullopt;
}

std::optional<schedule::TargetFacts> supportedTarget(StringRef name,
                                                     std::string &error) {
  std::string known = name.str();
  if (name == kNative) {
    std::optional<std::string> native = nativeTarget(error);
    if (!native)
      return std::nullopt;
    known = *native;
  }
  std::optional<schedule::TargetFacts> facts = schedule::lookupTarget(known, error);
  if (!facts)
    return std::nullopt;
  if (facts->backend == schedule::Backend::Host &&
      machineOf(*facts) != host::architecture()) {
    error = ("expected a host target of " + host::architecture() +
             ", because its code is linked against this machine's libraries, but got " +
             name)
                .str();
    return std::nullopt;
  }
  return facts;
}

FailureOr<schedule::TargetFacts> findTarget(ModuleOp module, StringRef name) {
  std::string error;
  std::optional<schedule::TargetFacts> facts = supportedTarget(name, error);
  if (!facts)
    return module.emitError() << error;
  return *facts;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

static remark::RemarkOpts remarkNamed(StringRef name, StringRef kernel = "") {
  return remark::RemarkOpts::name(name).category("nvvm").function(kernel);
}

/// Spilled registers cost memory accesses that no decision counted.
static void remarkResources(ModuleOp module,
                            ArrayRef<nvvm::KernelResources> resources) {
  llvm::StringMap<Location> places;
  module.walk([&](plan::LaunchOp launch) {
    places.try_emplace(launch.getKernel(), launch.getLoc());
  });
  for (const nvvm::KernelResources &kernel : resources) {
    auto place = places.find(kernel.kernel);
    Location loc = place == places.end() ? module.getLoc() : place->second;
    const bool spills = kernel.spill_store_bytes + kernel.spill_load_bytes > 0;
    remark::RemarkOpts options =
        remarkNamed(spills ? "spills" : "resources", kernel.kernel);
    auto remark = spills ? remark::missed(loc, options) : remark::passed(loc, options);
    remark << remark::metric("Registers", kernel.registers_per_lane)
           << remark::metric("SpillStoreBytes", kernel.spill_store_bytes)
           << remark::metric("SpillLoadBytes", kernel.spill_load_bytes);
  }
}

static LogicalResult generateCuda(ModuleOp module, const schedule::TargetFacts &facts,
                                  const nvvm::Toolkit &toolkit, unsigned threads,
                                  CompiledTarget &result) {
  std::string ptx;
  if (failed(nvvm::serializeToPtx(module, facts, toolkit, threads, ptx)))
    return failure();
  if (toolkit.ptxas.empty()) {
    remark::missed(module.getLoc(), remarkNamed("no-ptxas"))
        << "no ptxas: the package holds PTX alone, which the driver compiles at load";
  } else {
    CompiledTarget::Code &cubin =
        result.codes.emplace_back(CompiledTarget::Code{package::BlobFormat::Cubin, {}});
    if (failed(nvvm::assemble(module, toolkit, ptx, nvvm::architectureOf(facts),
                              cubin.bytes, result.resources)))
      return failure();
    remarkResources(module, result.resources);
  }
  result.codes.push_back(
      {package::BlobFormat::Ptx, SmallVector<char>(ptx.begin(), ptx.end())});
  return success();
}

/// A chip that ocloc knows gets machine code before the SPIR-V, which is always there:
/// a driver may refuse the machine code of another one's compiler.
static LogicalResult generateSpirv(ModuleOp module, const schedule::TargetFacts &facts,
                                   const spirv::Toolkit &toolkit,
                                   CompiledTarget &result) {
  CompiledTarget::Code code{package::BlobFormat::Spirv, {}};
  if (failed(spirv::serializeToSpirv(module, code.bytes)))
    return failure();
  const std::string device = spirv::architectureOf(facts);
  if (spirv::hasCodeFor(toolkit, device)) {
    CompiledTarget::Code &native = result.codes.emplace_back(
        CompiledTarget::Code{package::BlobFormat::Native, {}});
    std::vector<spirv::Spill> spills;
    if (failed(spirv::compileNative(module, toolkit, code.bytes, device, native.bytes,
                                    spills)))
      return failure();
    for (const spirv::Spill &spill : spills)
      remark::missed(
          module.getLoc(),
          remark::RemarkOpts::name("spills").category("spirv").function(spill.kernel))
          << remark::metric("Registers", spill.registers)
          << remark::metric("Spills", spill.spills);
  } else if (!toolkit.ocloc.empty() && !device.empty()) {
    remark::missed(module.getLoc(),
                   remark::RemarkOpts::name("no-native").category("spirv"))
        << "ocloc knows no " + device +
               ": the package holds SPIR-V alone, which the driver compiles at load";
  }
  result.codes.push_back(std::move(code));
  return success();
}

LogicalResult generateCode(OwningOpRef<ModuleOp> module,
                           const schedule::TargetFacts &facts,
                           const nvvm::Toolkit &toolkit,
                           const spirv::Toolkit &spirvToolkit, unsigned threads,
                           CompiledTarget &result) {
  result.module = std::move(module);
  if (facts.backend == schedule::Backend::Cuda)
    return generateCuda(*result.module, facts, toolkit, threads, result);
  if (facts.backend == schedule::Backend::LevelZero)
    return generateSpirv(*result.module, facts, spirvToolkit, result);
  CompiledTarget::Code &object = result.codes.emplace_back(
      CompiledTarget::Code{package::BlobFormat::ElfSharedObject, {}});
  return host::serializeToSharedObject(*result.module, facts, threads, object.bytes);
}

static std::string architectureOf(const schedule::TargetFacts &facts) {
  switch (facts.backend) {
  case schedule::Backend::Host:
    return machineOf(facts).str();
  case schedule::Backend::Cuda:
    return nvvm::architectureOf(facts);
  case schedule::Backend::LevelZero:
    return spirv::architectureOf(facts);
  }
  llvm_unreachable("all backends are handled");
}

package::TargetModule packageTarget(const schedule::TargetFacts &facts,
                                    const CompiledTarget &target) {
  package::TargetModule result;
  result.name = facts.name;
  result.backend = facts.backend;
  result.architecture = architectureOf(facts);
  result.features = facts.features;
  result.module = *target.module;
  for (auto [i, code] : llvm::enumerate(target.codes)) {
    package::Blob blob;
    blob.format = code.format;
    blob.architecture = result.architecture;
    blob.bytes = code.bytes;
    if (i + 1 < target.codes.size())
      blob.alternative = int(i) + 1;
    result.blobs.push_back(std::move(blob));
  }
  return result;
}

} // namespace normc
