//===- BuildPackage.cpp - From plans and machine code to a package file -----===//
#include "normc/Package/Package.h"

#include "dialects/plan/Plan.h"
#include "lib/Package/Expressions.h"
#include "runtime/src/Limits.h"
#include "runtime/src/PackageReader.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace normc;
using namespace normc::package;
namespace schema = normrt::schema;

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

static schema::ElementType elementTypeOf(Type type) {
  if (type.isF16())
    return schema::ElementType::f16;
  if (type.isBF16())
    return schema::ElementType::bf16;
  return type.isF64() ? schema::ElementType::f64 : schema::ElementType::f32;
}

static schema::GuardKind guardKindOf(plan::GuardKind kind) {
  switch (kind) {
  case plan::GuardKind::collapsible:
    return schema::GuardKind::collapsible;
  case plan::GuardKind::aligned:
    return schema::GuardKind::aligned;
  case plan::GuardKind::at_least:
    return schema::GuardKind::at_least;
  case plan::GuardKind::at_most:
    return schema::GuardKind::at_most;
  }
  llvm_unreachable("all kinds are handled");
}

namespace {

/// Writes one entry. Kernels get their index by first use.
class EntryWriter {
public:
  EntryWriter(plan::EntryOp entry, llvm::MapVector<StringAttr, int> &kernels)
      : entry(entry), kernels(kernels), num_symbols(entry.getNumSymbols()) {}

  std::unique_ptr<schema::EntryT> write() {
    auto result = std::make_unique<schema::EntryT>();
    result->name = entry.getSymName().str();
    result->symbols = num_symbols;
    for (plan::ParamAttr param : entry.getParamAttrs())
      result->params.push_back(write(param));
    if (ArrayAttr requirements = entry.getRequirementsAttr())
      for (auto requirement : requirements.getAsRange<plan::RequirementAttr>())
        result->requirements.push_back(write(requirement));
    for (plan::VariantOp variant : plan::variantsOf(entry))
      result->variants.push_back(write(variant));
    return result;
  }

private:
  std::unique_ptr<schema::ParamT> write(plan::ParamAttr param) {
    auto result = std::make_unique<schema::ParamT>();
    result->name = param.getName().str();
    result->direction = param.getDirection() == plan::Direction::out
                            ? schema::Direction::out
                            : schema::Direction::in;
    result->element_type = elementTypeOf(param.getElementType());
    for (AffineExpr dim : param.getShape().getResults())
      result->shape.push_back(makeExpr(dim, num_symbols));
    result->contiguous_dims = param.getContiguousDims();
    return result;
  }

  std::unique_ptr<schema::RequirementT> write(plan::RequirementAttr requirement) {
    auto result = std::make_unique<schema::RequirementT>();
    result->what = requirement.getWhat().str();
    result->lhs = makeExpr(requirement.getExpr(), num_symbols);
    result->rhs = makeExpr(requirement.getAtLeast());
    return result;
  }

  std::unique_ptr<schema::GuardT> write(plan::GuardAttr guard) {
    auto result = std::make_unique<schema::GuardT>();
    result->kind = guardKindOf(guard.getKind());
    switch (guard.getKind()) {
    case plan::GuardKind::collapsible:
      result->index = guard.getParam();
      result->dim = guard.getValue();
      break;
    case plan::GuardKind::aligned:
      result->index = guard.getParam();
      result->bytes = guard.getValue();
      break;
    case plan::GuardKind::at_least:
    case plan::GuardKind::at_most:
      result->lhs = makeExpr(guard.getExpr(), num_symbols);
      result->rhs = makeExpr(guard.getValue());
      break;
    }
    return result;
  }

  std::unique_ptr<schema::VariantT> write(plan::VariantOp variant) {
    auto result = std::make_unique<schema::VariantT>();
    for (auto guard : variant.getGuards().getAsRange<plan::GuardAttr>())
      result->guards.push_back(write(guard));
    workspaces.clear();
    for (Operation &op : variant.getBody().front()) {
      if (auto workspace = dyn_cast<plan::WorkspaceOp>(op)) {
        workspaces[workspace] = result->workspaces.size();
        result->workspaces.push_back(std::make_unique<schema::WorkspaceT>());
        result->workspaces.back()->bytes = makeExpr(workspace.getBytes(), num_symbols);
      } else if (auto launch = dyn_cast<plan::LaunchOp>(op)) {
        result->launches.push_back(write(launch));
      }
    }
    return result;
  }

  std::unique_ptr<schema::LaunchT> write(plan::LaunchOp launch) {
    auto result = std::make_unique<schema::LaunchT>();
    result->kernel =
        kernels.try_emplace(launch.getKernelAttr().getAttr(), kernels.size())
            .first->second;
    result->workgroup_size = launch.getWorkgroupSize();
    result->cluster_size = launch.getClusterSize();
    result->grid = makeExpr(launch.getGrid(), num_symbols);
    result->dynamic_shared_bytes = launch.getDynamicSharedBytes();
    result->dependent = launch.getDependent();
    for (auto arg : launch.getArgs().getAsRange<plan::ArgAttr>())
      result->args.push_back(write(launch, arg));
    return result;
  }

  std::unique_ptr<schema::ArgT> write(plan::LaunchOp launch, plan::ArgAttr arg) {
    auto result = std::make_unique<schema::ArgT>();
    if (arg.getKind() == plan::ArgKind::expr) {
      result->kind = schema::ArgKind::expr;
      result->expr = makeExpr(arg.getExpr(), num_symbols);
      return result;
    }
    Value buffer = launch.getBuffers()[arg.getBuffer()];
    auto param = dyn_cast<BlockArgument>(buffer);
    result->index = param ? int(param.getArgNumber()) : workspaces.lookup(buffer);
    switch (arg.getKind()) {
    case plan::ArgKind::pointer:
      result->kind = param ? schema::ArgKind::param : schema::ArgKind::workspace;
      break;
    case plan::ArgKind::stride:
      result->kind = schema::ArgKind::stride;
      result->dim = arg.getDim();
      break;
    default:
      result->kind = schema::ArgKind::row_stride;
      result->dim = arg.getDim();
    }
    return result;
  }

  plan::EntryOp entry;
  llvm::MapVector<StringAttr, int> &kernels;
  unsigned num_symbols;
  llvm::DenseMap<Value, int> workspaces;
};

} // namespace

/// A package is written from launches; an entry of an earlier stage has none.
static LogicalResult checkOutlined(plan::EntryOp entry) {
  for (plan::VariantOp variant : plan::variantsOf(entry))
    for (Operation &op : variant.getBody().front())
      if (!isa<plan::WorkspaceOp, plan::LaunchOp>(op))
        return op.emitOpError("expected workspaces and launches alone, because a "
                              "package holds nothing else (plan-outline-kernels makes "
                              "them)");
  return success();
}

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

/// The format's limits that a function may pass, at the function. The reader, which
/// knows no locations, has them all.
static LogicalResult checkLimits(plan::EntryOp entry) {
  auto check = [&](const Twine &what, int64_t limit, int64_t count) -> LogicalResult {
    if (count <= limit)
      return success();
    return emitError(entry.getLoc(), "expected ")
           << what << " from 0 to " << limit
           << ", because a package holds no more, but got " << count;
  };
  if (failed(check("the length of the function's name", normrt::kMaxNameLength,
                   entry.getSymName().size())) ||
      failed(check("the number of parameters", normrt::kMaxParams,
                   entry.getParams().size())))
    return failure();
  for (plan::ParamAttr param : entry.getParamAttrs())
    if (failed(check("the length of a parameter's name", normrt::kMaxNameLength,
                     param.getName().size())) ||
        failed(check("the rank of parameter " + param.getName(), normrt::kMaxRank,
                     param.getShape().getNumResults())))
      return failure();
  return success();
}

static schema::Backend backendOf(schedule::Backend backend) {
  switch (backend) {
  case schedule::Backend::Host:
    return schema::Backend::host;
  case schedule::Backend::Cuda:
    return schema::Backend::cuda;
  case schedule::Backend::LevelZero:
    return schema::Backend::level_zero;
  }
  llvm_unreachable("all backends are handled");
}

static schema::BlobFormat formatOf(BlobFormat format) {
  switch (format) {
  case BlobFormat::ElfSharedObject:
    return schema::BlobFormat::elf_shared_object;
  case BlobFormat::Ptx:
    return schema::BlobFormat::ptx;
  case BlobFormat::Cubin:
    return schema::BlobFormat::cubin;
  case BlobFormat::Spirv:
    return schema::BlobFormat::spirv;
  case BlobFormat::Native:
    return schema::BlobFormat::native;
  }
  llvm_unreachable("all formats are handled");
}

static std::unique_ptr<schema::BlobT> writeBlob(const Blob &blob) {
  auto result = std::make_unique<schema::BlobT>();
  result->format = formatOf(blob.format);
  result->architecture = blob.architecture;
  result->data.assign(blob.bytes.begin(), blob.bytes.end());
  result->checksum = normrt::checksum(blob.bytes.data(), blob.bytes.size());
  result->alternative = blob.alternative;
  return result;
}

/// The blob that exports the kernel; -1 for none.
static int blobOf(ArrayRef<Blob> blobs, StringRef kernel) {
  for (auto [i, blob] : llvm::enumerate(blobs))
    if (blob.kernels.empty() || llvm::is_contained(blob.kernels, kernel))
      return i;
  return -1;
}

static FailureOr<std::unique_ptr<schema::TargetT>>
writeTarget(const TargetModule &target) {
  auto result = std::make_unique<schema::TargetT>();
  result->name = target.name;
  result->backend = backendOf(target.backend);
  result->architecture = target.architecture;
  result->features = target.features;
  for (const Blob &blob : target.blobs)
    result->blobs.push_back(writeBlob(blob));
  llvm::MapVector<StringAttr, int> kernels;
  ModuleOp module = target.module;
  for (auto entry : module.getOps<plan::EntryOp>()) {
    if (failed(checkOutlined(entry)) || failed(checkLimits(entry)))
      return failure();
    result->entries.push_back(EntryWriter(entry, kernels).write());
  }
  if (result->entries.empty())
    return module.emitError("expected a function, because a package without entries "
                            "has nothing to launch, but got none");
  for (auto [name, index] : kernels) {
    auto kernel = std::make_unique<schema::KernelT>();
    kernel->name = name.str();
    kernel->blob = blobOf(target.blobs, name);
    if (kernel->blob < 0)
      return module.emitError("expected a blob that exports kernel \"")
             << name.getValue() << "\" of target \"" << target.name
             << "\", but none does";
    result->kernels.push_back(std::move(kernel));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

LogicalResult package::buildPackage(ArrayRef<TargetModule> targets,
                                    const PackageOptions &options,
                                    SmallVectorImpl<char> &out) {
  schema::PackageT package;
  package.producer = options.producer;
  package.source.assign(options.source.begin(), options.source.end());
  for (const TargetModule &target : targets) {
    FailureOr<std::unique_ptr<schema::TargetT>> result = writeTarget(target);
    if (failed(result))
      return failure();
    package.targets.push_back(std::move(*result));
  }
  flatbuffers::FlatBufferBuilder builder;
  builder.Finish(schema::Package::Pack(builder, &package), schema::PackageIdentifier());
  std::vector<uint8_t> file =
      normrt::wrapPackage(builder.GetBufferPointer(), builder.GetSize());
  // The reader's limits are the format's: a plan that breaks one is refused here, where
  // its author sees it.
  normrt::PackageFile verified;
  if (normrt::Status status =
          normrt::PackageFile::read(file.data(), file.size(), verified);
      status.failed()) {
    if (targets.empty())
      return failure();
    ModuleOp module = targets.front().module;
    return module.emitError("expected a package that the runtime reads, but got: ")
           << status.message();
  }
  out.assign(file.begin(), file.end());
  return success();
}

LogicalResult package::writeSource(ModuleOp module, SmallVectorImpl<char> &bytecode) {
  OwningOpRef<ModuleOp> copy(module.clone());
  Location unknown = UnknownLoc::get(module.getContext());
  copy->walk([&](Operation *op) {
    op->setLoc(unknown);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setLoc(unknown);
  });
  bytecode.clear();
  llvm::raw_svector_ostream stream(bytecode);
  return writeBytecodeToFile(*copy, stream);
}
