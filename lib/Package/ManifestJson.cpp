//===- ManifestJson.cpp - What is in a package, for programs ----------------===//
#include "lib/Package/ManifestText.h"

#include "lib/Package/Expressions.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace normc;
using namespace normc::package;
using llvm::json::Array;
using llvm::json::Object;
namespace schema = normrt::schema;

/// Checksums are text: JSON numbers have 53 bits.
static std::string hex(uint64_t value) { return llvm::formatv("{0:x16}", value); }

static Object toObject(const schema::Blob &blob);
static Object toObject(const schema::Kernel &kernel);
static Object toObject(const schema::Param &param);
static Object toObject(const schema::Requirement &requirement);
static Object toObject(const schema::Workspace &workspace);
static Object toObject(const schema::Target &target);

/// toObject of each element.
template <class T> static Array arrayOf(const flatbuffers::Vector<T> *vector) {
  Array array;
  forEach(vector,
          [&](const auto &element, unsigned) { array.push_back(toObject(element)); });
  return array;
}

static Object toObject(const schema::Blob &blob) {
  return Object{{"format", schema::EnumNameBlobFormat(blob.format())},
                {"architecture", ref(blob.architecture())},
                {"bytes", int64_t(blob.data()->size())},
                {"alternative", blob.alternative()},
                {"checksum", hex(blob.checksum())}};
}

static Object toObject(const schema::Kernel &kernel) {
  return Object{{"name", ref(kernel.name())},
                {"blob", kernel.blob()},
                {"cluster_size", kernel.cluster_size()},
                {"static_shared_bytes", kernel.static_shared_bytes()}};
}

static Object toObject(const schema::Param &param) {
  Array shape;
  forEach(param.shape(),
          [&](const schema::Expr &dim, unsigned) { shape.push_back(exprText(dim)); });
  return Object{{"name", ref(param.name())},
                {"direction", schema::EnumNameDirection(param.direction())},
                {"element_type", schema::EnumNameElementType(param.element_type())},
                {"shape", std::move(shape)},
                {"contiguous_dims", param.contiguous_dims()}};
}

static Object toObject(const schema::Requirement &requirement) {
  return Object{{"what", ref(requirement.what())},
                {"lhs", exprText(*requirement.lhs())},
                {"rhs", exprText(*requirement.rhs())}};
}

static Object toObject(const schema::Workspace &workspace) {
  return Object{{"bytes", exprText(*workspace.bytes())}};
}

static Object toObject(const schema::Launch &launch, const schema::Target &target,
                       const schema::Entry &entry) {
  Array args;
  forEach(launch.args(), [&](const schema::Arg &arg, unsigned) {
    args.push_back(Object{{"kind", schema::EnumNameArgKind(arg.kind())},
                          {"value", argText(arg, entry)}});
  });
  return Object{{"kernel", ref(target.kernels()->Get(launch.kernel())->name())},
                {"grid", exprText(*launch.grid())},
                {"workgroup_size", launch.workgroup_size()},
                {"cluster_size", launch.cluster_size()},
                {"dynamic_shared_bytes", launch.dynamic_shared_bytes()},
                {"dependent", launch.dependent()},
                {"args", std::move(args)}};
}

static Object toObject(const schema::Variant &variant, const schema::Target &target,
                       const schema::Entry &entry) {
  Array guards, launches;
  forEach(variant.guards(), [&](const schema::Guard &guard, unsigned) {
    guards.push_back(Object{{"kind", schema::EnumNameGuardKind(guard.kind())},
                            {"condition", guardText(guard, entry)}});
  });
  forEach(variant.launches(), [&](const schema::Launch &launch, unsigned) {
    launches.push_back(toObject(launch, target, entry));
  });
  return Object{{"guards", std::move(guards)},
                {"workspaces", arrayOf(variant.workspaces())},
                {"launches", std::move(launches)}};
}

static Object toObject(const schema::Entry &entry, const schema::Target &target) {
  Array variants;
  forEach(entry.variants(), [&](const schema::Variant &variant, unsigned) {
    variants.push_back(toObject(variant, target, entry));
  });
  return Object{{"name", ref(entry.name())},
                {"symbols", entry.symbols()},
                {"params", arrayOf(entry.params())},
                {"requirements", arrayOf(entry.requirements())},
                {"variants", std::move(variants)}};
}

static Object toObject(const schema::Target &target) {
  Array entries;
  forEach(target.entries(), [&](const schema::Entry &entry, unsigned) {
    entries.push_back(toObject(entry, target));
  });
  return Object{{"name", ref(target.name())},
                {"backend", schema::EnumNameBackend(target.backend())},
                {"architecture", ref(target.architecture())},
                {"features", ref(target.features())},
                {"blobs", arrayOf(target.blobs())},
                {"kernels", arrayOf(target.kernels())},
                {"entries", std::move(entries)}};
}

void package::printManifestJson(llvm::raw_ostream &os,
                                const normrt::PackageFile &file) {
  const schema::Package &package = file.package();
  Object manifest{
      {"format", int64_t(file.header().formatVersion)},
      {"bytes", int64_t(file.size())},
      {"checksum", hex(file.header().payloadChecksum)},
      {"producer", ref(package.producer())},
      {"source_bytes", int64_t(package.source() ? package.source()->size() : 0)},
      {"targets", arrayOf(package.targets())}};
  os << llvm::formatv("{0:2}", llvm::json::Value(std::move(manifest))) << "\n";
}
