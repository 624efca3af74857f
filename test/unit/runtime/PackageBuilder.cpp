#include "PackageBuilder.h"

#include "runtime/src/PackageHeader.h"

#include <cstdio>
#include <cstdlib>

namespace normrt::test {

Ex Ex::binary(ExprOp op, const Ex &lhs, const Ex &rhs) {
  Ex result = lhs;
  result.terms_.insert(result.terms_.end(), rhs.terms_.begin(), rhs.terms_.end());
  result.terms_.emplace_back(op, 0);
  return result;
}

std::unique_ptr<schema::ExprT> Ex::build() const {
  auto expr = std::make_unique<schema::ExprT>();
  for (const auto &[op, value] : terms_)
    expr->terms.emplace_back(op, value);
  return expr;
}

std::unique_ptr<schema::ParamT> param(const std::string &name,
                                      schema::Direction direction,
                                      schema::ElementType type, std::vector<Ex> shape,
                                      int contiguousDims) {
  auto result = std::make_unique<schema::ParamT>();
  result->name = name;
  result->direction = direction;
  result->element_type = type;
  for (const Ex &dim : shape)
    result->shape.push_back(dim.build());
  result->contiguous_dims = contiguousDims;
  return result;
}

std::unique_ptr<schema::LaunchT> launch(int kernel, Ex grid,
                                        std::vector<ArgSpec> args) {
  auto result = std::make_unique<schema::LaunchT>();
  result->kernel = kernel;
  result->workgroup_size = 1;
  result->grid = grid.build();
  for (const ArgSpec &spec : args) {
    auto arg = std::make_unique<schema::ArgT>();
    arg->kind = spec.kind;
    arg->index = spec.index;
    arg->dim = spec.dim;
    if (spec.kind == schema::ArgKind::expr)
      arg->expr = spec.value.build();
    result->args.push_back(std::move(arg));
  }
  return result;
}

std::unique_ptr<schema::GuardT> layoutGuard(schema::GuardKind kind, int param, int dim,
                                            int64_t bytes) {
  auto guard = std::make_unique<schema::GuardT>();
  guard->kind = kind;
  guard->index = param;
  guard->dim = dim;
  guard->bytes = bytes;
  return guard;
}

std::unique_ptr<schema::GuardT> shapeGuard(schema::GuardKind kind, const Ex &lhs,
                                           const Ex &rhs) {
  auto guard = std::make_unique<schema::GuardT>();
  guard->kind = kind;
  guard->lhs = lhs.build();
  guard->rhs = rhs.build();
  return guard;
}

std::unique_ptr<schema::EntryT> entry(const std::string &name, int symbols) {
  auto result = std::make_unique<schema::EntryT>();
  result->name = name;
  result->symbols = symbols;
  result->variants.push_back(std::make_unique<schema::VariantT>());
  return result;
}

schema::VariantT &addVariant(schema::EntryT &entry) {
  return **entry.variants.insert(entry.variants.end() - 1,
                                 std::make_unique<schema::VariantT>());
}

void addWorkspace(schema::VariantT &variant, const Ex &bytes) {
  auto workspace = std::make_unique<schema::WorkspaceT>();
  workspace->bytes = bytes.build();
  variant.workspaces.push_back(std::move(workspace));
}

std::unique_ptr<schema::TargetT> hostTarget(const std::vector<uint8_t> &blob,
                                            const std::vector<std::string> &kernels) {
  auto target = std::make_unique<schema::TargetT>();
  target->name = "host";
  target->backend = schema::Backend::host;
#if defined(__x86_64__)
  target->architecture = "x86_64";
#elif defined(__aarch64__)
  target->architecture = "aarch64";
#endif
  auto data = std::make_unique<schema::BlobT>();
  data->format = schema::BlobFormat::elf_shared_object;
  data->architecture = target->architecture;
  data->data = blob;
  data->checksum = checksum(blob.data(), blob.size());
  target->blobs.push_back(std::move(data));
  for (const std::string &name : kernels) {
    auto kernel = std::make_unique<schema::KernelT>();
    kernel->name = name;
    target->kernels.push_back(std::move(kernel));
  }
  return target;
}

std::vector<uint8_t> payload(const schema::PackageT &package) {
  flatbuffers::FlatBufferBuilder builder;
  schema::FinishPackageBuffer(builder, schema::Package::Pack(builder, &package));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

std::vector<uint8_t> file(const schema::PackageT &package) {
  const auto bytes = payload(package);
  return wrapPackage(bytes.data(), bytes.size());
}

namespace {

std::vector<uint8_t> readAll(const char *path) {
  std::vector<uint8_t> bytes;
  if (std::FILE *stream = std::fopen(path, "rb")) {
    uint8_t buffer[4096];
    while (const size_t got = std::fread(buffer, 1, sizeof(buffer), stream))
      bytes.insert(bytes.end(), buffer, buffer + got);
    std::fclose(stream);
  }
  if (bytes.empty()) {
    std::fprintf(stderr, "expected kernels for the tests in %s, but got nothing\n",
                 path);
    std::exit(2);
  }
  return bytes;
}

} // namespace

const std::vector<uint8_t> &testKernels() {
  static const auto bytes = readAll(NORMRT_TEST_KERNELS);
  return bytes;
}

const std::vector<uint8_t> &otherKernels() {
  static const auto bytes = readAll(NORMRT_OTHER_KERNELS);
  return bytes;
}

const std::vector<std::string> &testKernelNames() {
  static const std::vector<std::string> names = {"scale_rows",   "sum_partials",
                                                 "sum_finalize", "count_workgroups",
                                                 "record_args",  "meet"};
  return names;
}

namespace {

constexpr auto f32 = schema::ElementType::f32;

std::unique_ptr<schema::EntryT> scaleEntry() {
  const Ex rows = Ex::sym(0), cols = Ex::sym(1);
  auto result = entry("scale", 2);
  result->params.push_back(input("x", f32, {rows, cols}, 1));
  result->params.push_back(output("y", f32, {rows, cols}, 1));
  lastVariant(*result).launches.push_back(
      launch(ScaleRows, ceilDiv(rows, 4),
             {argParam(0), argParam(1), argExpr(rows), argExpr(cols), argStride(0, 0),
              argStride(1, 0), argExpr(4), argExpr(3)}));
  auto requirement = std::make_unique<schema::RequirementT>();
  requirement->what = "cols";
  requirement->lhs = cols.build();
  requirement->rhs = Ex(1).build();
  result->requirements.push_back(std::move(requirement));
  return result;
}

std::unique_ptr<schema::EntryT> sumsEntry() {
  const Ex rows = Ex::sym(0), cols = Ex::sym(1), partials = ceilDiv(rows, 8);
  auto result = entry("sums", 2);
  result->params.push_back(input("x", f32, {rows, cols}, 1));
  result->params.push_back(output("out", f32, {cols}, 1));
  auto &variant = lastVariant(*result);
  addWorkspace(variant, partials * cols * 4);
  variant.launches.push_back(launch(SumPartials, partials,
                                    {argParam(0), argWorkspace(0), argExpr(rows),
                                     argExpr(cols), argStride(0, 0), argExpr(8)}));
  variant.launches.push_back(
      launch(SumFinalize, 1,
             {argWorkspace(0), argParam(1), argExpr(partials), argExpr(cols)}));
  return result;
}

} // namespace

schema::PackageT testPackage() {
  schema::PackageT package;
  package.producer = "runtime tests";
  package.source = {'M', 'L', 0xef, 'R'};
  package.targets.push_back(hostTarget(testKernels(), testKernelNames()));
  package.targets[0]->entries.push_back(scaleEntry());
  package.targets[0]->entries.push_back(sumsEntry());
  return package;
}

} // namespace normrt::test
