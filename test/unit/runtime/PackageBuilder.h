// Builds packages for the runtime's tests with the schema's object API.
#ifndef NORMRT_TEST_PACKAGEBUILDER_H
#define NORMRT_TEST_PACKAGEBUILDER_H

#include "runtime/schema/package_generated.h"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace normrt::test {

using schema::ExprOp;

/// An expression under construction: Ex::sym(0) * 4 + 1.
class Ex {
public:
  Ex(int64_t value) : terms_{{ExprOp::constant, value}} {}
  static Ex sym(int64_t index) { return Ex({{ExprOp::symbol, index}}); }
  static Ex leaf(ExprOp op) { return Ex({{op, 0}}); }
  static Ex binary(ExprOp op, const Ex &lhs, const Ex &rhs);
  /// Terms as they are, right or wrong.
  static Ex raw(std::vector<std::pair<ExprOp, int64_t>> terms) {
    return Ex(std::move(terms));
  }

  std::unique_ptr<schema::ExprT> build() const;

private:
  explicit Ex(std::vector<std::pair<ExprOp, int64_t>> terms)
      : terms_(std::move(terms)) {}
  std::vector<std::pair<ExprOp, int64_t>> terms_;
};

inline Ex operator+(const Ex &a, const Ex &b) { return Ex::binary(ExprOp::add, a, b); }
inline Ex operator*(const Ex &a, const Ex &b) { return Ex::binary(ExprOp::mul, a, b); }
inline Ex ceilDiv(const Ex &a, const Ex &b) {
  return Ex::binary(ExprOp::ceildiv, a, b);
}

std::unique_ptr<schema::ParamT> param(const std::string &name,
                                      schema::Direction direction,
                                      schema::ElementType type, std::vector<Ex> shape,
                                      int contiguousDims);
inline std::unique_ptr<schema::ParamT> input(const std::string &name,
                                             schema::ElementType type,
                                             std::vector<Ex> shape,
                                             int contiguousDims) {
  return param(name, schema::Direction::in, type, std::move(shape), contiguousDims);
}
inline std::unique_ptr<schema::ParamT> output(const std::string &name,
                                              schema::ElementType type,
                                              std::vector<Ex> shape,
                                              int contiguousDims) {
  return param(name, schema::Direction::out, type, std::move(shape), contiguousDims);
}

struct ArgSpec {
  schema::ArgKind kind;
  int index = 0;
  int dim = 0;
  Ex value = 0;
};
inline ArgSpec argParam(int index) { return {schema::ArgKind::param, index}; }
inline ArgSpec argWorkspace(int index) { return {schema::ArgKind::workspace, index}; }
inline ArgSpec argExpr(Ex value) {
  return {schema::ArgKind::expr, 0, 0, std::move(value)};
}
inline ArgSpec argStride(int index, int dim) {
  return {schema::ArgKind::stride, index, dim};
}
inline ArgSpec argRowStride(int index, int dim) {
  return {schema::ArgKind::row_stride, index, dim};
}

std::unique_ptr<schema::LaunchT> launch(int kernel, Ex grid, std::vector<ArgSpec> args);
std::unique_ptr<schema::GuardT> layoutGuard(schema::GuardKind kind, int param, int dim,
                                            int64_t bytes);
std::unique_ptr<schema::GuardT> shapeGuard(schema::GuardKind kind, const Ex &lhs,
                                           const Ex &rhs);

/// An entry with one variant without guards.
std::unique_ptr<schema::EntryT> entry(const std::string &name, int symbols);
/// Adds a variant before the last one; its launches are empty.
schema::VariantT &addVariant(schema::EntryT &entry);
inline schema::VariantT &lastVariant(schema::EntryT &entry) {
  return *entry.variants.back();
}
void addWorkspace(schema::VariantT &variant, const Ex &bytes);

/// A host target for this machine with no entries and one kernel for each name, all in
/// one blob with these bytes.
std::unique_ptr<schema::TargetT> hostTarget(const std::vector<uint8_t> &blob,
                                            const std::vector<std::string> &kernels);

/// The finished FlatBuffer, and the package file.
std::vector<uint8_t> payload(const schema::PackageT &package);
std::vector<uint8_t> file(const schema::PackageT &package);

/// The shared object that the build made of TestKernels.c, and OtherKernels.c.
const std::vector<uint8_t> &testKernels();
const std::vector<uint8_t> &otherKernels();

/// Indices of TestKernels.c's kernels in targets made with testKernelNames().
enum TestKernel {
  ScaleRows,
  SumPartials,
  SumFinalize,
  CountWorkgroups,
  RecordArgs,
  Meet
};
const std::vector<std::string> &testKernelNames();

/// A package with the entries that the launch tests use:
///  scale   x [rows, cols] -> y [rows, cols], one workgroup for 4 rows
///  sums    x [rows, cols] -> out [cols] through a workspace of partials
schema::PackageT testPackage();

} // namespace normrt::test

#endif // NORMRT_TEST_PACKAGEBUILDER_H
