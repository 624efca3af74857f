//===- CSource.cpp - A package as a C header and source -----------------------===//
#include "lib/Package/Expressions.h"
#include "normc/Package/Package.h"

#include "lib/Package/CSourceSupport.h"
#include "lib/Package/ManifestText.h"
#include "runtime/src/PackageReader.h"
#include "runtime/src/Plan.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace normc;
using namespace normc::package;
using llvm::formatv;
using llvm::StringRef;
namespace schema = normrt::schema;

namespace {

/// A C identifier that reads like `name`, and is none of `taken`, which it joins.
std::string identifier(StringRef name, llvm::StringSet<> &taken) {
  std::string text;
  for (char c : name)
    text += llvm::isAlnum(c) ? c : '_';
  if (text.empty() || llvm::isDigit(text.front()))
    text = "_" + text;
  while (!taken.insert(text).second)
    text += "_";
  return text;
}

/// What a parameter may not be called: C's keywords, and the names of the generated
/// code.
llvm::StringSet<> reservedNames() {
  llvm::StringSet<> names;
  for (StringRef name : {"auto",      "break",
                         "case",      "char",
                         "const",     "continue",
                         "default",   "do",
                         "double",    "else",
                         "enum",      "extern",
                         "float",     "for",
                         "goto",      "if",
                         "inline",    "int",
                         "long",      "register",
                         "restrict",  "return",
                         "short",     "signed",
                         "sizeof",    "static",
                         "struct",    "switch",
                         "typedef",   "union",
                         "unsigned",  "void",
                         "volatile",  "while",
                         "kernels",   "stream",
                         "workspace", "workspace_bytes",
                         "bytes",     "compute_units",
                         "resident",  "resident_clusters",
                         "floordiv",  "ceildiv",
                         "mod",       "min",
                         "max",       "launch",
                         "buffers",   "result",
                         "offsets",   "class",
                         "new",       "this",
                         "template",  "operator"})
    names.insert(name);
  return names;
}

/// The type that a parameter points to. C has none for the 16-bit ones: their bits.
StringRef elementType(const normrt::ParamPlan &param) {
  switch (param.elementBytes) {
  case 2:
    return "uint16_t";
  case 4:
    return "float";
  default:
    return "double";
  }
}

/// One entry, as C.
class EntryPrinter {
public:
  EntryPrinter(StringRef prefix, const normrt::EntryPlan &plan, StringRef function,
               int first_launch)
      : prefix(prefix), plan(plan), function(function), first_launch(first_launch) {
    llvm::StringSet<> taken = reservedNames();
    for (const normrt::ParamPlan &param : plan.params)
      params.push_back(identifier(param.name, taken));
    for (const normrt::Binder &binder : plan.binders)
      symbols.push_back(identifier(
          params[size_t(binder.param)] + "_dim" + std::to_string(binder.dim), taken));
  }

  int launches() const {
    size_t count = 0;
    for (const normrt::VariantPlan &variant : plan.variants)
      count += variant.launches.size();
    return int(count);
  }

  void printDeclarations(llvm::raw_ostream &os) const {
    os << "\n/* " << plan.name << ". Device memory, row major without gaps:\n";
    for (auto [i, param] : llvm::enumerate(plan.params))
      os << " *   " << params[i] << ": " << (param.output ? "writes " : "reads ")
         << normrt::typeName(param.type) << shapeText(param) << "\n";
    os << " */\n";
    os << workspaceSignature() << ";\n" << launchSignature() << ";\n";
  }

  void printDefinitions(llvm::raw_ostream &os) const {
    os << "\n" << workspaceSignature() << " {\n";
    printShapes(os);
    os << "  int64_t need, most = 0;\n";
    printSizeChecks(os);
    printWorkspaces(os);
    os << "  *bytes = (size_t)most;\n  return CUDA_SUCCESS;\n}\n";

    os << "\n" << launchSignature() << " {\n";
    printShapes(os);
    printSizeChecks(os);
    printBuffers(os);
    int launch = first_launch;
    for (const normrt::VariantPlan &variant : plan.variants) {
      printVariant(os, variant, launch);
      launch += int(variant.launches.size());
    }
    os << "  return CUDA_ERROR_NOT_SUPPORTED;\n}\n";
  }

private:
  std::string dimensions() const {
    std::string text;
    for (const std::string &symbol : symbols)
      text += ", int64_t " + symbol;
    return text;
  }

  std::string workspaceSignature() const {
    return formatv("CUresult {0}_{1}_workspace_bytes(const {0}_kernels *kernels{2}, "
                   "size_t *bytes)",
                   prefix, function, dimensions());
  }

  std::string launchSignature() const {
    std::string text = formatv("CUresult {0}_{1}(const {0}_kernels *kernels{2}", prefix,
                               function, dimensions());
    for (auto [i, param] : llvm::enumerate(plan.params))
      text += formatv(", {0}{1} *{2}", param.output ? "" : "const ", elementType(param),
                      params[i]);
    return text + ", void *workspace, size_t workspace_bytes, CUstream stream)";
  }

  /// A shape as people read it.
  std::string shapeText(const normrt::ParamPlan &param) const {
    std::string text = " [";
    for (auto [i, dim] : llvm::enumerate(param.shape))
      text += (i ? ", " : "") + dim.text(symbols);
    return text + "]";
  }

  /// An expression in C, whose names are those of the symbols, which are arguments of
  /// the function, and of numbers of the device, which are variables of it.
  std::string text(const normrt::Expression &expression) const {
    return expression.text(symbols, "LL");
  }

  void printShapes(llvm::raw_ostream &os) const {
    os << "  const int64_t compute_units = kernels ? kernels->compute_units : 0;\n";
    for (auto [i, param] : llvm::enumerate(plan.params)) {
      os << "  const int64_t shape_" << i << "[] = {";
      for (const normrt::Expression &dim : param.shape)
        os << text(dim) << ", ";
      os << "0};\n";
    }
  }

  void printSizeChecks(llvm::raw_ostream &os) const {
    os << "  if (!kernels";
    for (auto [i, param] : llvm::enumerate(plan.params))
      os << formatv(" ||\n      !size_fits(shape_{0}, {1}, {2})", i, param.rank(),
                    param.elementBytes);
    for (const normrt::RequirementPlan &requirement : plan.requirements)
      os << formatv(" ||\n      {0} < {1}", text(requirement.lhs),
                    text(requirement.rhs));
    os << ")\n    return CUDA_ERROR_INVALID_VALUE;\n  (void)compute_units;\n";
  }

  void printBuffers(llvm::raw_ostream &os) const {
    os << "  const buffer buffers[] = {\n";
    for (auto [i, param] : llvm::enumerate(plan.params))
      os << formatv("      {{(uintptr_t){0}, size_of(shape_{1}, {2}, {3}), {4}},\n",
                    params[i], i, param.rank(), param.elementBytes,
                    param.output ? 1 : 0);
    os << "      {(uintptr_t)workspace, (int64_t)workspace_bytes, 1}};\n"
       << formatv("  if (!buffers_fit(buffers, {0}))\n"
                  "    return CUDA_ERROR_INVALID_VALUE;\n",
                  plan.params.size() + 1);
    for (auto [i, param] : llvm::enumerate(plan.params))
      os << formatv("  if ((uintptr_t){0} % {1} != 0)\n"
                    "    return CUDA_ERROR_INVALID_VALUE;\n",
                    params[i], param.elementBytes);
  }

  std::string guardText(const normrt::GuardPlan &guard, bool layouts) const {
    const size_t i = size_t(guard.param);
    switch (guard.kind) {
    case schema::GuardKind::collapsible:
      return "1"; // Nothing has gaps.
    case schema::GuardKind::aligned: {
      if (!layouts)
        return "1";
      const normrt::ParamPlan &param = plan.params[i];
      int inner = guard.dim > 0 ? guard.dim : param.contiguousDims;
      return formatv("is_aligned((uintptr_t){0}, shape_{1}, {2}, {3}, {4}, {5})",
                     params[i], i, param.rank(), inner, param.elementBytes,
                     guard.bytes);
    }
    case schema::GuardKind::at_least:
      return formatv("{0} >= {1}", text(guard.lhs), text(guard.rhs));
    case schema::GuardKind::at_most:
      return formatv("{0} <= {1}", text(guard.lhs), text(guard.rhs));
    }
    return "0";
  }

  std::string condition(const normrt::VariantPlan &variant, int launch,
                        bool layouts) const {
    std::string all =
        formatv("runnable(kernels, {0}, {1})", launch, variant.launches.size());
    for (const normrt::GuardPlan &guard : variant.guards)
      if (std::string one = guardText(guard, layouts); one != "1")
        all += " &&\n      " + one;
    return all;
  }

  /// The sum of a variant's workspaces, each at a multiple of the alignment.
  void printOffsets(llvm::raw_ostream &os, const normrt::VariantPlan &variant) const {
    os << "    need = 0;\n";
    for (auto [i, bytes] : llvm::enumerate(variant.workspaces))
      os << formatv("    offsets[{0}] = need;\n    need += round_up({1});\n", i,
                    text(bytes));
  }

  void printWorkspaces(llvm::raw_ostream &os) const {
    int launch = first_launch;
    for (const normrt::VariantPlan &variant : plan.variants) {
      os << "  if (" << condition(variant, launch, false) << ") {\n    need = 0;\n";
      for (const normrt::Expression &bytes : variant.workspaces)
        os << formatv("    need += round_up({0});\n", text(bytes));
      os << "    most = need > most ? need : most;\n  }\n";
      launch += int(variant.launches.size());
    }
  }

  std::string argumentText(const normrt::ArgPlan &arg) const {
    const size_t i = size_t(arg.index);
    switch (arg.kind) {
    case schema::ArgKind::param:
      return formatv("(int64_t)(uintptr_t){0}", params[i]);
    case schema::ArgKind::workspace:
      return formatv("(int64_t)(uintptr_t)workspace + offsets[{0}]", i);
    case schema::ArgKind::expr:
      return text(arg.value);
    case schema::ArgKind::stride:
      return formatv("stride_of(shape_{0}, {1}, {2})", i, plan.params[i].rank(),
                     arg.dim);
    case schema::ArgKind::row_stride:
      return formatv("stride_of(shape_{0}, {1}, {2})", i, plan.params[i].rank(),
                     plan.params[i].rank() - arg.dim - 1);
    }
    return "0";
  }

  void printVariant(llvm::raw_ostream &os, const normrt::VariantPlan &variant,
                    int launch) const {
    os << "  if (" << condition(variant, launch, true) << ") {\n"
       << formatv("    int64_t need, offsets[{0}] = {{0};\n    CUresult result;\n",
                  std::max<size_t>(variant.workspaces.size(), 1));
    printOffsets(os, variant);
    os << "    (void)offsets;\n    if (need > 0 && !workspace_fits(workspace, "
          "workspace_bytes, need))\n      return CUDA_ERROR_INVALID_VALUE;\n";
    for (const normrt::LaunchPlan &each : variant.launches) {
      os << formatv(
          "    {{\n      const int64_t resident = "
          "kernels->launches[{0}].resident;\n      const int64_t "
          "resident_clusters = kernels->launches[{0}].clusters;\n      int64_t "
          "arguments[] = {{",
          launch);
      for (auto [i, arg] : llvm::enumerate(each.args))
        os << (i ? ", " : "") << argumentText(arg);
      os << formatv("};\n      result = launch(kernels, {0}, {1}, arguments, {2}, "
                    "stream);\n      (void)resident;\n      (void)resident_clusters;\n"
                    "    }\n    if (result != CUDA_SUCCESS)\n      return "
                    "result;\n",
                    launch, text(each.grid), each.args.size());
      ++launch;
    }
    os << "    return CUDA_SUCCESS;\n  }\n";
  }

  StringRef prefix;
  const normrt::EntryPlan &plan;
  StringRef function;
  int first_launch;
  std::vector<std::string> params, symbols;
};

/// A package of one CUDA target, as C.
class SourcePrinter {
public:
  SourcePrinter(StringRef prefix, const normrt::PackageFile &file)
      : prefix(prefix), package(file.package()), target(*package.targets()->Get(0)) {
    llvm::StringSet<> taken;
    for (const schema::Entry *entry : *target.entries()) {
      plans.push_back(normrt::decodeEntry(*entry, target));
      functions.push_back(identifier(plans.back().name, taken));
    }
    int launch = 0;
    for (auto [plan, function] : llvm::zip_equal(plans, functions)) {
      entries.emplace_back(this->prefix, plan, function, launch);
      launch += entries.back().launches();
    }
    launches = launch;
  }

  void printHeader(llvm::raw_ostream &os) const {
    std::string guard = StringRef(prefix).upper() + "_H";
    os << "/* Written by " << ref(package.producer()) << " for " << ref(target.name())
       << ".\n"
       << kHeaderComment << "#ifndef " << guard << "\n#define " << guard
       << "\n\n#include <cuda.h>\n#include <stddef.h>\n#include <stdint.h>\n\n"
       << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
       << formatv(kHeaderFunctions, prefix);
    for (const EntryPrinter &entry : entries)
      entry.printDeclarations(os);
    os << "\n#ifdef __cplusplus\n}\n#endif\n\n#endif /* " << guard << " */\n";
  }

  void printSource(llvm::raw_ostream &os, StringRef header) const {
    os << "/* Written by " << ref(package.producer()) << " for " << ref(target.name())
       << ". */\n#include \"" << header << "\"\n\n#include <stdlib.h>\n";
    for (auto [i, blob] : llvm::enumerate(*target.blobs()))
      printBlob(os, *blob, i);
    printTables(os);
    os << formatv("\n#define KERNELS {0}\n#define LAUNCHES {1}\n#define BLOBS {2}\n",
                  target.kernels()->size(), std::max(launches, 1),
                  target.blobs()->size());
    os << formatv("typedef struct {0}_kernels {0}_kernels_type;\n", prefix);
    std::string support = kSupport.str();
    for (size_t at; (at = support.find("PREFIX")) != std::string::npos;)
      support.replace(at, StringRef("PREFIX").size(), prefix);
    os << support;
    for (const EntryPrinter &entry : entries)
      entry.printDefinitions(os);
  }

private:
  /// PTX is a string for the driver: with a NUL behind it.
  static void printBlob(llvm::raw_ostream &os, const schema::Blob &blob, size_t index) {
    os << "\nstatic const unsigned char blob_" << index << "[] = {";
    constexpr unsigned kPerLine = 24;
    for (unsigned i = 0; i < blob.data()->size(); ++i)
      os << (i % kPerLine == 0 ? "\n    " : "") << unsigned(blob.data()->Get(i)) << ",";
    os << "\n    0};\n";
  }

  void printTables(llvm::raw_ostream &os) const {
    os << "\n/* An image, and the one to try where the driver refuses it. */\n"
       << "static const struct { const unsigned char *image; int alternative; } "
          "blobs[] = {\n";
    for (auto [i, blob] : llvm::enumerate(*target.blobs()))
      os << formatv("    {{blob_{0}, {1}},\n", i, blob->alternative());
    os << "};\n\nstatic const struct { const char *name; int blob; } kernel_infos[] = "
          "{\n";
    for (const schema::Kernel *kernel : *target.kernels())
      os << formatv("    {{\"{0}\", {1}},\n", ref(kernel->name()), kernel->blob());
    os << "};\n\nstatic const struct {\n  int kernel;\n  unsigned workgroup_size, "
          "cluster_size, shared_bytes;\n  int dependent;\n} launch_infos[] = {\n";
    for (const normrt::EntryPlan &plan : plans)
      for (const normrt::VariantPlan &variant : plan.variants)
        for (const normrt::LaunchPlan &launch : variant.launches)
          os << formatv("    {{{0}, {1}, {2}, {3}, {4}},\n", launch.kernel,
                        launch.workgroupSize, launch.clusterSize,
                        launch.dynamicSharedBytes, launch.dependent ? 1 : 0);
    os << "    {0, 0, 0, 0, 0},\n};\n";
  }

  std::string prefix;
  const schema::Package &package;
  const schema::Target &target;
  std::vector<normrt::EntryPlan> plans;
  std::vector<std::string> functions;
  std::vector<EntryPrinter> entries;
  int launches = 0;
};

} // namespace

bool package::printCSource(StringRef name, llvm::ArrayRef<char> bytes,
                           std::string &header, std::string &source,
                           std::string &error) {
  normrt::PackageFile file;
  normrt::Status status = normrt::PackageFile::read(bytes.data(), bytes.size(), file);
  if (status.failed()) {
    error = status.message();
    return false;
  }
  const auto *targets = file.package().targets();
  if (targets->size() != 1 || targets->Get(0)->backend() != schema::Backend::cuda) {
    error = "expected one CUDA target, because a C source calls CUDA's driver, but got";
    for (const schema::Target *target : *targets)
      error += " " + ref(target->name()).str();
    return false;
  }
  llvm::StringSet<> taken;
  const SourcePrinter printer(identifier(name, taken), file);
  llvm::raw_string_ostream headerStream(header), sourceStream(source);
  printer.printHeader(headerStream);
  printer.printSource(sourceStream, (name + ".h").str());
  return true;
}
