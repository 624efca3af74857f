//===- Manifest.cpp - What is in a package, to read -------------------------===//
#include "lib/Package/ManifestText.h"

#include "lib/Package/Expressions.h"
#include "normc/Package/Package.h"

#include "llvm/Support/Format.h"

using namespace normc;
using namespace normc::package;
using llvm::StringRef;
namespace schema = normrt::schema;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

std::string package::shapeText(const schema::Param &param) {
  std::string text = "[";
  forEach(param.shape(), [&](const schema::Expr &dim, unsigned i) {
    text += (i ? ", " : "") + exprText(dim);
  });
  return text + "]";
}

static std::string paramName(const schema::Entry &entry, int index) {
  return ref(entry.params()->Get(index)->name()).str();
}

std::string package::guardText(const schema::Guard &guard, const schema::Entry &entry) {
  switch (guard.kind()) {
  case schema::GuardKind::collapsible:
    return paramName(entry, guard.index()) + " but for its last " +
           std::to_string(guard.dim()) + " dimensions walks with one stride";
  case schema::GuardKind::aligned:
    return paramName(entry, guard.index()) + " is aligned to " +
           std::to_string(guard.bytes()) + " bytes";
  case schema::GuardKind::at_least:
    return exprText(*guard.lhs()) + " >= " + exprText(*guard.rhs());
  case schema::GuardKind::at_most:
    return exprText(*guard.lhs()) + " <= " + exprText(*guard.rhs());
  }
  llvm_unreachable("a verified package has no other kind");
}

std::string package::argText(const schema::Arg &arg, const schema::Entry &entry) {
  auto stride = [&](const char *kind) {
    return std::string(kind) + "(" + paramName(entry, arg.index()) + ", " +
           std::to_string(arg.dim()) + ")";
  };
  switch (arg.kind()) {
  case schema::ArgKind::param:
    return paramName(entry, arg.index());
  case schema::ArgKind::workspace:
    return "workspace " + std::to_string(arg.index());
  case schema::ArgKind::expr:
    return exprText(*arg.expr());
  case schema::ArgKind::stride:
    return stride("stride");
  case schema::ArgKind::row_stride:
    return stride("row_stride");
  }
  llvm_unreachable("a verified package has no other kind");
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

namespace {

class TextPrinter {
public:
  TextPrinter(llvm::raw_ostream &os, const normrt::PackageFile &file)
      : os(os), file(file) {}

  void print() {
    const schema::Package &package = file.package();
    os << "package    format " << file.header().formatVersion << ", " << file.size()
       << " bytes, checksum " << hex(file.header().payloadChecksum) << "\n"
       << "producer   " << ref(package.producer()) << "\n"
       << "source     ";
    if (package.source() && package.source()->size() > 0)
      os << "MLIR bytecode, " << package.source()->size() << " bytes\n";
    else
      os << "none\n";
    forEach(package.targets(), [&](const schema::Target &target, unsigned i) {
      os << "\n";
      print(target, i);
    });
  }

private:
  static llvm::format_object<unsigned long long> hex(uint64_t value) {
    return llvm::format("0x%016llx", static_cast<unsigned long long>(value));
  }

  void print(const schema::Target &target, unsigned index) {
    os << "target " << index << "   \"" << ref(target.name()) << "\", backend "
       << schema::EnumNameBackend(target.backend());
    if (!ref(target.architecture()).empty())
      os << ", architecture " << ref(target.architecture());
    if (!ref(target.features()).empty())
      os << ", features " << ref(target.features());
    os << "\n";
    forEach(target.blobs(), [&](const schema::Blob &blob, unsigned i) {
      os << "  blob " << i << "   " << schema::EnumNameBlobFormat(blob.format());
      if (!ref(blob.architecture()).empty())
        os << ", architecture " << ref(blob.architecture());
      os << ", " << blob.data()->size() << " bytes, checksum " << hex(blob.checksum());
      if (blob.alternative() >= 0)
        os << ", else blob " << blob.alternative();
      os << "\n";
    });
    forEach(target.kernels(), [&](const schema::Kernel &kernel, unsigned i) {
      os << "  kernel " << i << " " << ref(kernel.name()) << ", blob " << kernel.blob();
      if (kernel.cluster_size() > 1)
        os << ", cluster of " << kernel.cluster_size();
      if (kernel.static_shared_bytes() > 0)
        os << ", " << kernel.static_shared_bytes() << " bytes shared";
      os << "\n";
    });
    forEach(target.entries(),
            [&](const schema::Entry &entry, unsigned) { print(target, entry); });
  }

  void print(const schema::Target &target, const schema::Entry &entry) {
    os << "\n  entry " << ref(entry.name()) << ", symbols " << entry.symbols() << "\n";
    forEach(entry.params(), [&](const schema::Param &param, unsigned i) {
      os << "    param " << i << " " << schema::EnumNameDirection(param.direction())
         << (param.direction() == schema::Direction::in ? "  " : " ")
         << ref(param.name()) << ": "
         << schema::EnumNameElementType(param.element_type()) << " " << shapeText(param)
         << ", contiguous " << param.contiguous_dims() << "\n";
    });
    forEach(entry.requirements(), [&](const schema::Requirement &need, unsigned) {
      os << "    requires " << ref(need.what()) << ": " << exprText(*need.lhs())
         << " >= " << exprText(*need.rhs()) << "\n";
    });
    forEach(entry.variants(), [&](const schema::Variant &variant, unsigned i) {
      os << "    variant " << i
         << (variant.guards() && variant.guards()->size() > 0 ? ", if" : ", always")
         << "\n";
      print(target, entry, variant);
    });
  }

  void print(const schema::Target &target, const schema::Entry &entry,
             const schema::Variant &variant) {
    forEach(variant.guards(), [&](const schema::Guard &guard, unsigned) {
      os << "      guard " << guardText(guard, entry) << "\n";
    });
    forEach(variant.workspaces(), [&](const schema::Workspace &workspace, unsigned i) {
      os << "      workspace " << i << ", bytes " << exprText(*workspace.bytes())
         << "\n";
    });
    forEach(variant.launches(), [&](const schema::Launch &launch, unsigned i) {
      os << "      launch " << i << " "
         << ref(target.kernels()->Get(launch.kernel())->name()) << ", grid "
         << exprText(*launch.grid()) << ", workgroup " << launch.workgroup_size();
      if (launch.cluster_size() > 1)
        os << ", cluster " << launch.cluster_size();
      if (launch.dynamic_shared_bytes() > 0)
        os << ", " << launch.dynamic_shared_bytes() << " bytes shared";
      if (launch.dependent())
        os << ", dependent";
      os << "\n        args";
      forEach(launch.args(), [&](const schema::Arg &arg, unsigned j) {
        os << (j ? ", " : " ") << argText(arg, entry);
      });
      os << "\n";
    });
  }

  llvm::raw_ostream &os;
  const normrt::PackageFile &file;
};

} // namespace

bool package::printManifest(llvm::raw_ostream &os, llvm::ArrayRef<char> package,
                            bool json, std::string &error) {
  normrt::PackageFile file;
  if (normrt::Status status =
          normrt::PackageFile::read(package.data(), package.size(), file);
      status.failed()) {
    error = status.message();
    return false;
  }
  if (json)
    printManifestJson(os, file);
  else
    TextPrinter(os, file).print();
  return true;
}
