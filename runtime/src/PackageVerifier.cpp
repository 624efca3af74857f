#include "runtime/src/PackageVerifier.h"

#include "runtime/src/Limits.h"
#include "runtime/src/PackageHeader.h"

#include <set>
#include <vector>

namespace normrt {
namespace {

using schema::ExprOp;

template <class... Parts> Status corrupted(const Parts &...parts) {
  return Status::error(NORMRT_STATUS_CORRUPTED, parts...);
}

template <class T> int64_t sizeOf(const T *vector) {
  return vector ? int64_t(vector->size()) : 0;
}

Status checkRange(std::string_view what, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high)
    return Status();
  return corrupted("expected ", what, " from ", low, " to ", high, ", but got ", value);
}

Status checkIndex(std::string_view what, int64_t value, int64_t size) {
  if (value >= 0 && value < size)
    return Status();
  return corrupted("expected ", what, " to be an index below ", size, ", but got ",
                   value);
}

template <class Enum> Status checkEnum(std::string_view what, Enum value, Enum last) {
  return checkRange(what, int64_t(value), 0, int64_t(last));
}

Status checkText(std::string_view what, const flatbuffers::String *text) {
  NORMRT_TRY(
      checkRange(concat("the length of ", what), sizeOf(text), 0, kMaxNameLength));
  if (text && text->string_view().find('\0') != std::string_view::npos)
    return corrupted("expected ", what, " without a NUL character, but it has one");
  return Status();
}

Status checkName(std::string_view what, const flatbuffers::String *name) {
  if (sizeOf(name) == 0)
    return corrupted("expected ", what, " to be present, but it is empty");
  return checkText(what, name);
}

/// Calls check(element, index) on each element, whose failures name it.
template <class T, class Check>
Status forEach(std::string_view what, const flatbuffers::Vector<T> *vector, int64_t low,
               int64_t high, Check check) {
  NORMRT_TRY(
      checkRange(concat("the number of ", what, "s"), sizeOf(vector), low, high));
  for (int64_t i = 0; i < sizeOf(vector); ++i)
    if (Status status = check(vector->Get(flatbuffers::uoffset_t(i)), i);
        status.failed())
      return std::move(status).within(what, " ", i);
  return Status();
}

/// Which of the values that no shape gives an expression may use.
enum class Scope {
  shapes,   // none
  variants, // compute_units
  launches  // all
};

struct EntryContext {
  const schema::Target *target;
  const schema::Entry *entry;

  int64_t paramCount() const { return sizeOf(entry->params()); }
  int64_t rank(int64_t param) const {
    return sizeOf(entry->params()->Get(flatbuffers::uoffset_t(param))->shape());
  }
  int64_t contiguousDims(int64_t param) const {
    return entry->params()->Get(flatbuffers::uoffset_t(param))->contiguous_dims();
  }
};

Status checkTerm(const schema::ExprTerm &term, Scope scope, int64_t symbols,
                 int64_t &depth) {
  NORMRT_TRY(checkEnum("the operation", term.op(), ExprOp::MAX));
  switch (term.op()) {
  case ExprOp::constant:
    ++depth;
    break;
  case ExprOp::symbol:
    NORMRT_TRY(checkIndex("the symbol", term.value(), symbols));
    ++depth;
    break;
  case ExprOp::compute_units:
  case ExprOp::resident:
  case ExprOp::resident_clusters:
    if (scope == Scope::shapes ||
        (scope == Scope::variants && term.op() != ExprOp::compute_units))
      return corrupted("expected no ", schema::EnumNameExprOp(term.op()),
                       ", because it is not known here, but got it");
    ++depth;
    break;
  default: // The operations of two operands.
    if (depth < 2)
      return corrupted("expected two operands on the stack, because ",
                       schema::EnumNameExprOp(term.op()), " takes two, but got ",
                       depth);
    --depth;
  }
  return checkRange("the depth of the stack", depth, 1, kMaxExprDepth);
}

Status checkExpr(std::string_view what, const schema::Expr *expr, Scope scope,
                 int64_t symbols) {
  if (!expr)
    return corrupted("expected ", what, " to be present, but it is absent");
  int64_t depth = 0;
  const auto *terms = expr->terms();
  Status status = checkRange("the number of terms", sizeOf(terms), 1, kMaxExprTerms);
  // FlatBuffers' verifier looks at the alignment of a vector's length alone.
  if (!status.failed() &&
      reinterpret_cast<uintptr_t>(terms->Data()) % alignof(schema::ExprTerm) != 0)
    status = corrupted("expected terms aligned to ", alignof(schema::ExprTerm),
                       " bytes, but they are not");
  for (int64_t i = 0; !status.failed() && i < sizeOf(terms); ++i) {
    status = checkTerm(*terms->Get(flatbuffers::uoffset_t(i)), scope, symbols, depth);
    if (status.failed())
      status = std::move(status).within("term ", i);
  }
  if (!status.failed() && depth != 1)
    status = corrupted("expected one value on the stack at the end, but got ", depth);
  return status.failed() ? std::move(status).within(what) : Status();
}

Status checkParam(const schema::Param &param, int64_t symbols) {
  NORMRT_TRY(checkName("the name", param.name()));
  NORMRT_TRY(checkEnum("the direction", param.direction(), schema::Direction::MAX));
  NORMRT_TRY(
      checkEnum("the element type", param.element_type(), schema::ElementType::MAX));
  NORMRT_TRY(forEach("dimension", param.shape(), 0, kMaxRank,
                     [&](const schema::Expr *dim, int64_t) {
                       return checkExpr("the size", dim, Scope::shapes, symbols);
                     }));
  return checkRange("contiguous_dims", param.contiguous_dims(), 0,
                    sizeOf(param.shape()));
}

/// Every symbol is a dimension of some parameter, so that binding gives it a value.
Status checkBinding(const schema::Entry &entry) {
  std::vector<bool> bound(size_t(entry.symbols()), false);
  for (const schema::Param *param : *entry.params()) {
    if (!param->shape())
      continue;
    for (const schema::Expr *dim : *param->shape())
      if (dim->terms()->size() == 1 && dim->terms()->Get(0)->op() == ExprOp::symbol)
        bound[size_t(dim->terms()->Get(0)->value())] = true;
  }
  for (size_t i = 0; i < bound.size(); ++i)
    if (!bound[i])
      return corrupted("expected symbol ", i,
                       " to be a dimension of a parameter, because nothing else gives "
                       "it a value, but it is none");
  return Status();
}

Status checkParams(const schema::Entry &entry) {
  NORMRT_TRY(checkRange("the number of symbols", entry.symbols(), 0, kMaxSymbols));
  int64_t dims = 0;
  std::set<std::string_view> names;
  NORMRT_TRY(forEach("parameter", entry.params(), 1, kMaxParams,
                     [&](const schema::Param *param, int64_t) -> Status {
                       NORMRT_TRY(checkParam(*param, entry.symbols()));
                       dims += sizeOf(param->shape());
                       if (!names.insert(param->name()->string_view()).second)
                         return corrupted("expected a name of its own, but \"",
                                          param->name()->string_view(), "\" is taken");
                       return Status();
                     }));
  NORMRT_TRY(
      checkRange("the number of dimensions of all parameters", dims, 0, kMaxEntryDims));
  return checkBinding(entry);
}

Status checkGuard(const schema::Guard &guard, const EntryContext &context) {
  NORMRT_TRY(checkEnum("the kind", guard.kind(), schema::GuardKind::MAX));
  switch (guard.kind()) {
  case schema::GuardKind::aligned:
    NORMRT_TRY(checkRange("bytes", guard.bytes(), 1, int64_t(1) << 30));
    [[fallthrough]];
  case schema::GuardKind::collapsible:
    NORMRT_TRY(checkIndex("the parameter", guard.index(), context.paramCount()));
    return checkRange("dim", guard.dim(), 0, context.rank(guard.index()));
  case schema::GuardKind::at_least:
  case schema::GuardKind::at_most:
    NORMRT_TRY(
        checkExpr("lhs", guard.lhs(), Scope::variants, context.entry->symbols()));
    return checkExpr("rhs", guard.rhs(), Scope::variants, context.entry->symbols());
  }
  return Status();
}

/// The outer dimensions walk with one stride: by a guard, because there is at most one
/// of them, or because all of the parameter is contiguous.
bool hasRowStride(const schema::Variant &variant, int64_t param, int64_t dim,
                  const EntryContext &context) {
  const int64_t rank = context.rank(param);
  if (rank - dim <= 1 || context.contiguousDims(param) == rank)
    return true;
  if (variant.guards())
    for (const schema::Guard *guard : *variant.guards())
      if (guard->kind() == schema::GuardKind::collapsible && guard->index() == param &&
          guard->dim() <= dim)
        return true;
  return false;
}

Status checkArg(const schema::Arg &arg, const schema::Variant &variant,
                const EntryContext &context) {
  NORMRT_TRY(checkEnum("the kind", arg.kind(), schema::ArgKind::MAX));
  if (arg.kind() == schema::ArgKind::expr)
    return checkExpr("the value", arg.expr(), Scope::launches,
                     context.entry->symbols());
  if (arg.kind() == schema::ArgKind::workspace)
    return checkIndex("the workspace", arg.index(), sizeOf(variant.workspaces()));
  NORMRT_TRY(checkIndex("the parameter", arg.index(), context.paramCount()));
  if (arg.kind() == schema::ArgKind::stride)
    return checkIndex("dim", arg.dim(), context.rank(arg.index()));
  if (arg.kind() == schema::ArgKind::row_stride) {
    NORMRT_TRY(checkRange("dim", arg.dim(), 0, context.rank(arg.index())));
    if (!hasRowStride(variant, arg.index(), arg.dim(), context))
      return corrupted("expected a collapsible guard on parameter ", arg.index(),
                       ", because its row stride is an argument, but the variant has "
                       "none");
  }
  return Status();
}

Status checkLaunch(const schema::Launch &launch, const schema::Variant &variant,
                   const EntryContext &context) {
  NORMRT_TRY(
      checkIndex("the kernel", launch.kernel(), sizeOf(context.target->kernels())));
  NORMRT_TRY(checkRange("workgroup_size", launch.workgroup_size(), 1, 1 << 20));
  const bool host = context.target->backend() == schema::Backend::host;
  NORMRT_TRY(checkRange("cluster_size", launch.cluster_size(), 1, host ? 1 : 1024));
  NORMRT_TRY(checkRange("dynamic_shared_bytes", launch.dynamic_shared_bytes(), 0,
                        host ? 0 : int64_t(1) << 30));
  if (launch.dependent() && context.target->backend() != schema::Backend::cuda)
    return corrupted("expected no dependent launch, because ",
                     schema::EnumNameBackend(context.target->backend()),
                     " has none, but got one");
  NORMRT_TRY(
      checkExpr("the grid", launch.grid(), Scope::launches, context.entry->symbols()));
  return forEach("argument", launch.args(), 0, kMaxVariantArgs,
                 [&](const schema::Arg *arg, int64_t) {
                   return checkArg(*arg, variant, context);
                 });
}

Status checkVariant(const schema::Variant &variant, bool last,
                    const EntryContext &context) {
  NORMRT_TRY(forEach("guard", variant.guards(), 0, kMaxGuards,
                     [&](const schema::Guard *guard, int64_t) {
                       return checkGuard(*guard, context);
                     }));
  if (last && sizeOf(variant.guards()) != 0)
    return corrupted("expected no guards, because the last variant must always fit, "
                     "but got ",
                     sizeOf(variant.guards()));
  NORMRT_TRY(forEach("workspace", variant.workspaces(), 0, kMaxWorkspaces,
                     [&](const schema::Workspace *workspace, int64_t) {
                       return checkExpr("the size", workspace->bytes(), Scope::variants,
                                        context.entry->symbols());
                     }));
  int64_t args = 0;
  NORMRT_TRY(forEach("launch", variant.launches(), 0, kMaxLaunches,
                     [&](const schema::Launch *launch, int64_t) {
                       args += sizeOf(launch->args());
                       return checkLaunch(*launch, variant, context);
                     }));
  return checkRange("the number of arguments of all launches", args, 0,
                    kMaxVariantArgs);
}

Status checkRequirement(const schema::Requirement &requirement, int64_t symbols) {
  NORMRT_TRY(checkName("what", requirement.what()));
  NORMRT_TRY(checkExpr("lhs", requirement.lhs(), Scope::shapes, symbols));
  return checkExpr("rhs", requirement.rhs(), Scope::shapes, symbols);
}

Status checkEntry(const schema::Entry &entry, const schema::Target &target) {
  NORMRT_TRY(checkName("the name", entry.name()));
  NORMRT_TRY(checkParams(entry));
  NORMRT_TRY(forEach("requirement", entry.requirements(), 0, kMaxRequirements,
                     [&](const schema::Requirement *requirement, int64_t) {
                       return checkRequirement(*requirement, entry.symbols());
                     }));
  const EntryContext context{&target, &entry};
  const int64_t last = sizeOf(entry.variants()) - 1;
  return forEach("variant", entry.variants(), 1, kMaxVariants,
                 [&](const schema::Variant *variant, int64_t i) {
                   return checkVariant(*variant, i == last, context);
                 });
}

bool fits(schema::BlobFormat format, schema::Backend backend) {
  switch (format) {
  case schema::BlobFormat::elf_shared_object:
    return backend == schema::Backend::host;
  case schema::BlobFormat::ptx:
  case schema::BlobFormat::cubin:
    return backend == schema::Backend::cuda;
  case schema::BlobFormat::spirv:
  case schema::BlobFormat::native:
    return backend == schema::Backend::level_zero;
  }
  return false;
}

Status checkBlob(const schema::Blob &blob, int64_t index, int64_t count,
                 schema::Backend backend) {
  NORMRT_TRY(checkEnum("the format", blob.format(), schema::BlobFormat::MAX));
  if (!fits(blob.format(), backend))
    return corrupted("expected a format that ", schema::EnumNameBackend(backend),
                     " loads, but got ", schema::EnumNameBlobFormat(blob.format()));
  NORMRT_TRY(checkText("the architecture", blob.architecture()));
  if (sizeOf(blob.data()) == 0)
    return corrupted("expected data, but it is empty");
  // Later than this one, so that a chain of alternatives ends.
  if (blob.alternative() != -1)
    NORMRT_TRY(checkRange("the alternative", blob.alternative(), index + 1, count - 1));
  const uint64_t actual = checksum(blob.data()->data(), blob.data()->size());
  if (actual != blob.checksum())
    return corrupted("expected the data's checksum to be ", blob.checksum(),
                     ", but got ", actual);
  return Status();
}

Status checkKernel(const schema::Kernel &kernel, const schema::Target &target) {
  NORMRT_TRY(checkName("the name", kernel.name()));
  NORMRT_TRY(checkIndex("the blob", kernel.blob(), sizeOf(target.blobs())));
  const bool host = target.backend() == schema::Backend::host;
  NORMRT_TRY(checkRange("cluster_size", kernel.cluster_size(), 1, host ? 1 : 1024));
  return checkRange("static_shared_bytes", kernel.static_shared_bytes(), 0,
                    int64_t(1) << 30);
}

Status checkTarget(const schema::Target &target) {
  NORMRT_TRY(checkName("the name", target.name()));
  NORMRT_TRY(checkEnum("the backend", target.backend(), schema::Backend::MAX));
  NORMRT_TRY(checkText("the architecture", target.architecture()));
  NORMRT_TRY(checkText("the features", target.features()));
  NORMRT_TRY(forEach(
      "blob", target.blobs(), 0, kMaxBlobs, [&](const schema::Blob *blob, int64_t i) {
        return checkBlob(*blob, i, sizeOf(target.blobs()), target.backend());
      }));
  NORMRT_TRY(forEach("kernel", target.kernels(), 0, kMaxKernels,
                     [&](const schema::Kernel *kernel, int64_t) {
                       return checkKernel(*kernel, target);
                     }));
  std::set<std::string_view> names;
  return forEach("entry", target.entries(), 0, kMaxEntries,
                 [&](const schema::Entry *entry, int64_t) -> Status {
                   NORMRT_TRY(checkEntry(*entry, target));
                   if (!names.insert(entry->name()->string_view()).second)
                     return corrupted("expected a name of its own, but \"",
                                      entry->name()->string_view(), "\" is taken");
                   return Status();
                 });
}

} // namespace

Status verifyPackage(const schema::Package &package) {
  NORMRT_TRY(checkText("the producer", package.producer()));
  return forEach(
      "target", package.targets(), 1, kMaxTargets,
      [&](const schema::Target *target, int64_t) { return checkTarget(*target); });
}

} // namespace normrt
