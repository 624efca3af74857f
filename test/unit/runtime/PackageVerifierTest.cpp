// Fields that are wrong behind correct checksums: each is refused, with a message that
// names the place, the value and the limit.
#include "TestDevice.h"

#include "runtime/src/Limits.h"

#include <functional>

using namespace normrt::test;
namespace schema = normrt::schema;

namespace {

/// Entry 1 is "sums"; its only variant has a workspace and two launches.
struct Wrong {
  const char *label;
  std::function<void(schema::PackageT &, schema::TargetT &, schema::EntryT &)> change;
  const char *message;
};

schema::VariantT &variant(schema::EntryT &e) { return *e.variants[0]; }
schema::ArgT &arg(schema::EntryT &e, int launch, int index) {
  return *variant(e).launches[size_t(launch)]->args[size_t(index)];
}
void setGrid(schema::EntryT &e, const Ex &grid) {
  variant(e).launches[0]->grid = grid.build();
}

using P = schema::PackageT;
using T = schema::TargetT;
using E = schema::EntryT;

const Wrong kWrong[] = {
    {"NoTargets", [](P &p, T &, E &) { p.targets.clear(); },
     "the number of targets from 1 to 256, but got 0"},
    {"BackendOutOfRange", [](P &, T &t, E &) { t.backend = schema::Backend(3); },
     "target 0: expected the backend from 0 to 2, but got 3"},
    {"TargetWithoutName", [](P &, T &t, E &) { t.name.clear(); },
     "target 0: expected the name to be present"},
    {"NameWithNul", [](P &, T &t, E &) { t.kernels[0]->name = std::string("a\0b", 3); },
     "kernel 0: expected the name without a NUL"},
    {"NameTooLong", [](P &p, T &, E &) { p.producer = std::string(2000, 'x'); },
     "the length of the producer from 0 to 1024, but got 2000"},
    {"KernelBlob", [](P &, T &t, E &) { t.kernels[1]->blob = 1; },
     "kernel 1: expected the blob to be an index below 1, but got 1"},
    {"KernelBlobNegative", [](P &, T &t, E &) { t.kernels[1]->blob = -1; },
     "but got -1"},
    {"KernelCluster", [](P &, T &t, E &) { t.kernels[1]->cluster_size = 2; },
     "expected cluster_size from 1 to 1, but got 2"},
    {"BlobFormat",
     [](P &, T &t, E &) { t.blobs[0]->format = schema::BlobFormat::cubin; },
     "blob 0: expected a format that host loads, but got cubin"},
    {"BlobFormatOutOfRange",
     [](P &, T &t, E &) { t.blobs[0]->format = schema::BlobFormat(9); },
     "blob 0: expected the format from 0 to 4, but got 9"},
    {"BlobEmpty", [](P &, T &t, E &) { t.blobs[0]->data.clear(); },
     "blob 0: expected data, but it is empty"},
    {"BlobChecksum", [](P &, T &t, E &) { t.blobs[0]->data[1000] ^= 1; },
     "blob 0: expected the data's checksum to be"},
    {"EntryNameTwice", [](P &, T &, E &e) { e.name = "scale"; },
     "entry 1: expected a name of its own, but \"scale\" is taken"},
    {"ParamNameTwice", [](P &, T &, E &e) { e.params[1]->name = "x"; },
     "entry 1: parameter 1: expected a name of its own, but \"x\" is taken"},
    {"NoParams", [](P &, T &, E &e) { e.params.clear(); },
     "the number of parameters from 1 to 64, but got 0"},
    {"DirectionOutOfRange",
     [](P &, T &, E &e) { e.params[0]->direction = schema::Direction(2); },
     "parameter 0: expected the direction from 0 to 1, but got 2"},
    {"TypeOutOfRange",
     [](P &, T &, E &e) { e.params[0]->element_type = schema::ElementType(4); },
     "expected the element type from 0 to 3, but got 4"},
    {"ContiguousDims", [](P &, T &, E &e) { e.params[0]->contiguous_dims = 3; },
     "expected contiguous_dims from 0 to 2, but got 3"},
    {"RankTooLarge",
     [](P &, T &, E &e) {
       while (e.params[0]->shape.size() <= size_t(normrt::kMaxRank))
         e.params[0]->shape.push_back(Ex(1).build());
     },
     "the number of dimensions from 0 to 32, but got 33"},
    {"SymbolOutOfRange",
     [](P &, T &, E &e) { e.params[0]->shape[0] = Ex::sym(2).build(); },
     "parameter 0: dimension 0: the size: term 0: expected the symbol to be an index "
     "below 2, but got 2"},
    {"SymbolWithoutValue", [](P &, T &, E &e) { e.symbols = 3; },
     "expected symbol 2 to be a dimension of a parameter"},
    {"SymbolsNegative", [](P &, T &, E &e) { e.symbols = -1; },
     "the number of symbols from 0 to 128, but got -1"},
    {"ShapeOfTheDevice",
     [](P &, T &, E &e) {
       e.params[1]->shape[0] = Ex::leaf(ExprOp::compute_units).build();
     },
     "expected no compute_units, because it is not known here"},
    {"ExpressionAbsent", [](P &, T &, E &e) { variant(e).launches[0]->grid.reset(); },
     "expected the grid to be present, but it is absent"},
    {"ExpressionEmpty", [](P &, T &, E &e) { setGrid(e, Ex::raw({})); },
     "the grid: expected the number of terms from 1 to 512, but got 0"},
    {"ExpressionUnderflow",
     [](P &, T &, E &e) {
       setGrid(e, Ex::raw({{ExprOp::constant, 1}, {ExprOp::add, 0}}));
     },
     "term 1: expected two operands on the stack, because add takes two, but got 1"},
    {"ExpressionLeavesTwo",
     [](P &, T &, E &e) {
       setGrid(e, Ex::raw({{ExprOp::constant, 1}, {ExprOp::constant, 2}}));
     },
     "expected one value on the stack at the end, but got 2"},
    {"ExpressionTooDeep",
     [](P &, T &, E &e) {
       std::vector<std::pair<ExprOp, int64_t>> terms(33, {ExprOp::constant, 1});
       setGrid(e, Ex::raw(terms));
     },
     "the depth of the stack from 1 to 32, but got 33"},
    {"ExpressionOperation",
     [](P &, T &, E &e) { setGrid(e, Ex::raw({{ExprOp(12), 0}})); },
     "expected the operation from 0 to 11, but got 12"},
    {"NoVariants", [](P &, T &, E &e) { e.variants.clear(); },
     "the number of variants from 1 to 256, but got 0"},
    {"LastVariantGuarded",
     [](P &, T &, E &e) {
       variant(e).guards.push_back(shapeGuard(schema::GuardKind::at_least, 1, 0));
     },
     "variant 0: expected no guards, because the last variant must always fit, but got "
     "1"},
    {"GuardKind",
     [](P &, T &, E &e) {
       addVariant(e).guards.push_back(shapeGuard(schema::GuardKind(4), 1, 0));
     },
     "guard 0: expected the kind from 0 to 3, but got 4"},
    {"GuardParam",
     [](P &, T &, E &e) {
       addVariant(e).guards.push_back(
           layoutGuard(schema::GuardKind::collapsible, 2, 1, 0));
     },
     "expected the parameter to be an index below 2, but got 2"},
    {"GuardDim",
     [](P &, T &, E &e) {
       addVariant(e).guards.push_back(
           layoutGuard(schema::GuardKind::collapsible, 0, 3, 0));
     },
     "expected dim from 0 to 2, but got 3"},
    {"GuardBytes",
     [](P &, T &, E &e) {
       addVariant(e).guards.push_back(layoutGuard(schema::GuardKind::aligned, 0, 1, 0));
     },
     "expected bytes from 1 to 1073741824, but got 0"},
    {"GuardWithoutSides",
     [](P &, T &, E &e) {
       addVariant(e).guards.push_back(
           layoutGuard(schema::GuardKind::at_least, 0, 0, 0));
     },
     "expected lhs to be present"},
    {"WorkspaceOfALaunch",
     [](P &, T &, E &e) {
       variant(e).workspaces[0]->bytes = Ex::leaf(ExprOp::resident).build();
     },
     "workspace 0: the size: term 0: expected no resident"},
    {"LaunchKernel", [](P &, T &, E &e) { variant(e).launches[1]->kernel = 6; },
     "launch 1: expected the kernel to be an index below 6, but got 6"},
    {"LaunchWorkgroup",
     [](P &, T &, E &e) { variant(e).launches[1]->workgroup_size = 0; },
     "launch 1: expected workgroup_size from 1 to"},
    {"LaunchCluster", [](P &, T &, E &e) { variant(e).launches[1]->cluster_size = 0; },
     "launch 1: expected cluster_size from 1 to 1, but got 0"},
    {"LaunchShared",
     [](P &, T &, E &e) { variant(e).launches[1]->dynamic_shared_bytes = -1; },
     "launch 1: expected dynamic_shared_bytes from 0 to 0, but got -1"},
    {"ArgKind", [](P &, T &, E &e) { arg(e, 0, 0).kind = schema::ArgKind(5); },
     "launch 0: argument 0: expected the kind from 0 to 4, but got 5"},
    {"ArgParam", [](P &, T &, E &e) { arg(e, 0, 0).index = 2; },
     "argument 0: expected the parameter to be an index below 2, but got 2"},
    {"ArgWorkspace", [](P &, T &, E &e) { arg(e, 0, 1).index = 1; },
     "argument 1: expected the workspace to be an index below 1, but got 1"},
    {"ArgExpression", [](P &, T &, E &e) { arg(e, 0, 2).expr.reset(); },
     "argument 2: expected the value to be present"},
    {"ArgStride", [](P &, T &, E &e) { arg(e, 0, 4).dim = 2; },
     "argument 4: expected dim to be an index below 2, but got 2"},
    {"ArgRowStrideWithoutGuard",
     [](P &, T &, E &e) {
       arg(e, 0, 4).kind = schema::ArgKind::row_stride;
       arg(e, 0, 4).dim = 0;
     },
     "expected a collapsible guard on parameter 0, because its row stride is an "
     "argument"},
    {"TooManyArgs",
     [](P &, T &, E &e) {
       auto &args = variant(e).launches[0]->args;
       while (args.size() <= size_t(normrt::kMaxVariantArgs))
         args.push_back(std::make_unique<schema::ArgT>(*args[0]));
     },
     "the number of arguments from 0 to 1024, but got 1025"},
    {"RequirementWithoutName",
     [](P &, T &t, E &) { t.entries[0]->requirements[0]->what.clear(); },
     "entry 0: requirement 0: expected what to be present"},
    {"TargetsNotForThisDeviceAreCheckedToo",
     [](P &p, T &, E &) {
       auto cuda = std::make_unique<schema::TargetT>();
       cuda->name = "cuda:sm_90";
       cuda->backend = schema::Backend::cuda;
       cuda->kernels.push_back(std::make_unique<schema::KernelT>());
       p.targets.push_back(std::move(cuda));
     },
     "target 1: kernel 0: expected the name to be present"},
};

class PackageVerifier : public ::testing::TestWithParam<Wrong> {};
INSTANTIATE_TEST_SUITE_P(Fields, PackageVerifier, ::testing::ValuesIn(kWrong),
                         [](const auto &info) { return info.param.label; });

TEST_P(PackageVerifier, Refuses) {
  const DevicePtr device = openDevice("host:1");
  schema::PackageT package = testPackage();
  GetParam().change(package, *package.targets[0], *package.targets[0]->entries[1]);
  const auto bytes = file(package);
  normrt_package *loaded = nullptr;
  EXPECT_TRUE(failsWith(
      normrt_package_load_memory(device.get(), bytes.data(), bytes.size(), &loaded),
      NORMRT_STATUS_CORRUPTED, GetParam().message));
  EXPECT_EQ(loaded, nullptr);
}

} // namespace
