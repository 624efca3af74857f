//===- BuildPackageTest.cpp - Packages as the runtime reads them ------------===//
#include "test/unit/package/Modules.h"

#include "runtime/src/PackageReader.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace normc;
namespace schema = normrt::schema;

namespace {

class BuildPackageTest : public ::testing::Test {
protected:
  void SetUp() override { module = plan.parse(test::kWholePlan); }

  const schema::Package &read(const std::vector<char> &bytes) {
    normrt::Status status = normrt::PackageFile::read(bytes.data(), bytes.size(), file);
    EXPECT_FALSE(status.failed()) << status.message();
    return file.package();
  }

  test::PlanContext plan;
  OwningOpRef<ModuleOp> module;
  std::string blob = "machine code";
  normrt::PackageFile file;
};

TEST_F(BuildPackageTest, ReaderFindsTheTarget) {
  ASSERT_TRUE(module) << plan.error;
  std::vector<char> bytes = test::build(test::hostTarget(*module, blob));
  ASSERT_FALSE(bytes.empty()) << plan.error;
  const schema::Package &package = read(bytes);
  EXPECT_EQ(package.producer()->str(), "normc test");
  ASSERT_EQ(package.targets()->size(), 1u);
  const schema::Target &target = *package.targets()->Get(0);
  EXPECT_EQ(target.name()->str(), "host");
  EXPECT_EQ(target.backend(), schema::Backend::host);
  EXPECT_EQ(target.architecture()->str(), "x86_64");
  EXPECT_EQ(target.features()->str(), "x86-64-v3");
  ASSERT_EQ(target.blobs()->size(), 1u);
  const schema::Blob &data = *target.blobs()->Get(0);
  EXPECT_EQ(std::string(data.data()->begin(), data.data()->end()), blob);
  EXPECT_EQ(data.checksum(), normrt::checksum(blob.data(), blob.size()));
  ASSERT_EQ(target.kernels()->size(), 2u); // in order of first use
  EXPECT_EQ(target.kernels()->Get(0)->name()->str(), "main");
  EXPECT_EQ(target.kernels()->Get(1)->name()->str(), "finish");
}

TEST_F(BuildPackageTest, ReaderFindsParametersAndRequirements) {
  const std::vector<char> bytes = test::build(test::hostTarget(*module, blob));
  const schema::Entry &entry = *read(bytes).targets()->Get(0)->entries()->Get(0);
  EXPECT_EQ(entry.name()->str(), "whole");
  EXPECT_EQ(entry.symbols(), 2);
  ASSERT_EQ(entry.params()->size(), 3u);
  const schema::Param &x = *entry.params()->Get(0), &w = *entry.params()->Get(1),
                      &y = *entry.params()->Get(2);
  EXPECT_EQ(x.name()->str(), "x");
  EXPECT_EQ(x.direction(), schema::Direction::in);
  EXPECT_EQ(x.element_type(), schema::ElementType::bf16);
  EXPECT_EQ(x.shape()->size(), 3u);
  EXPECT_EQ(x.contiguous_dims(), 1);
  EXPECT_EQ(w.element_type(), schema::ElementType::f64);
  EXPECT_EQ(y.direction(), schema::Direction::out);
  EXPECT_EQ(y.element_type(), schema::ElementType::f16);
  EXPECT_EQ(y.shape()->Get(0)->terms()->size(), 3u); // s0 s1 mul
  ASSERT_EQ(entry.requirements()->size(), 1u);
  EXPECT_EQ(entry.requirements()->Get(0)->what()->str(), "rows");
  EXPECT_EQ(entry.requirements()->Get(0)->rhs()->terms()->Get(0)->value(), 1);
}

TEST_F(BuildPackageTest, ReaderFindsGuards) {
  const std::vector<char> bytes = test::build(test::hostTarget(*module, blob));
  const schema::Entry &entry = *read(bytes).targets()->Get(0)->entries()->Get(0);
  ASSERT_EQ(entry.variants()->size(), 2u);
  const auto &guards = *entry.variants()->Get(0)->guards();
  ASSERT_EQ(guards.size(), 4u);
  EXPECT_EQ(guards.Get(0)->kind(), schema::GuardKind::collapsible);
  EXPECT_EQ(guards.Get(0)->index(), 0);
  EXPECT_EQ(guards.Get(0)->dim(), 1);
  EXPECT_EQ(guards.Get(1)->kind(), schema::GuardKind::aligned);
  EXPECT_EQ(guards.Get(1)->index(), 2);
  EXPECT_EQ(guards.Get(1)->bytes(), 16);
  EXPECT_EQ(guards.Get(2)->kind(), schema::GuardKind::at_least);
  EXPECT_EQ(guards.Get(2)->lhs()->terms()->Get(1)->op(), schema::ExprOp::compute_units);
  EXPECT_EQ(guards.Get(2)->rhs()->terms()->Get(0)->value(), 4);
  EXPECT_EQ(guards.Get(3)->kind(), schema::GuardKind::at_most);
}

TEST_F(BuildPackageTest, ReaderFindsLaunchesAndArguments) {
  const std::vector<char> bytes = test::build(test::hostTarget(*module, blob));
  const schema::Entry &entry = *read(bytes).targets()->Get(0)->entries()->Get(0);
  const schema::Variant &variant = *entry.variants()->Get(0);
  EXPECT_EQ(variant.workspaces()->size(), 1u);
  ASSERT_EQ(variant.launches()->size(), 2u);
  const schema::Launch &main = *variant.launches()->Get(0),
                       &finish = *variant.launches()->Get(1);
  EXPECT_EQ(main.kernel(), 0);
  EXPECT_EQ(main.workgroup_size(), 16);
  EXPECT_EQ(main.cluster_size(), 1);
  ASSERT_EQ(main.args()->size(), 5u);
  auto expect = [](const schema::Arg &arg, schema::ArgKind kind, int index, int dim) {
    EXPECT_EQ(arg.kind(), kind);
    EXPECT_EQ(arg.index(), index);
    EXPECT_EQ(arg.dim(), dim);
  };
  expect(*main.args()->Get(0), schema::ArgKind::param, 0, 0);
  expect(*main.args()->Get(1), schema::ArgKind::param, 1, 0);
  expect(*main.args()->Get(2), schema::ArgKind::workspace, 0, 0);
  expect(*main.args()->Get(3), schema::ArgKind::row_stride, 0, 1);
  EXPECT_EQ(main.args()->Get(4)->kind(), schema::ArgKind::expr);
  EXPECT_EQ(finish.kernel(), 1);
  EXPECT_EQ(finish.workgroup_size(), 8);
  expect(*finish.args()->Get(0), schema::ArgKind::workspace, 0, 0);
  expect(*finish.args()->Get(1), schema::ArgKind::param, 2, 0);
  expect(*finish.args()->Get(2), schema::ArgKind::stride, 2, 0);
  EXPECT_EQ(entry.variants()->Get(1)->launches()->Get(0)->kernel(), 0);
}

TEST_F(BuildPackageTest, SameInputSameBytes) {
  std::vector<char> first = test::build(test::hostTarget(*module, blob), {'s'});
  test::PlanContext other;
  OwningOpRef<ModuleOp> again = other.parse(test::kWholePlan);
  EXPECT_EQ(first, test::build(test::hostTarget(*again, blob), {'s'}));
  blob[0] = 'M';
  EXPECT_NE(first, test::build(test::hostTarget(*module, blob), {'s'}));
}

TEST_F(BuildPackageTest, SeveralTargetsEachWithItsBlobs) {
  package::TargetModule host = test::hostTarget(*module, blob);
  package::TargetModule other = host;
  other.name = "cuda:sm_90";
  other.backend = schedule::Backend::Cuda;
  std::string ptx = "ptx";
  other.blobs = {{package::BlobFormat::Ptx, "sm_90", ptx, {"finish"}},
                 {package::BlobFormat::Cubin, "sm_90", blob, {"main", "more"}}};
  const std::vector<char> bytes = test::build({host, other});
  ASSERT_FALSE(bytes.empty()) << plan.error;
  const schema::Package &package = read(bytes);
  ASSERT_EQ(package.targets()->size(), 2u);
  const schema::Target &target = *package.targets()->Get(1);
  EXPECT_EQ(target.backend(), schema::Backend::cuda);
  EXPECT_EQ(target.kernels()->Get(0)->blob(), 1);
  EXPECT_EQ(target.kernels()->Get(1)->blob(), 0);
}

TEST_F(BuildPackageTest, KernelWithoutBlobIsAnError) {
  package::TargetModule target = test::hostTarget(*module, blob);
  target.blobs[0].kernels = {"main"};
  EXPECT_TRUE(test::build(target).empty());
  EXPECT_EQ(plan.error, "expected a blob that exports kernel \"finish\" of target "
                        "\"host\", but none does");
}

TEST_F(BuildPackageTest, WhatTheReaderRefusesIsAnError) {
  package::TargetModule target = test::hostTarget(*module, blob);
  target.blobs[0].format = package::BlobFormat::Ptx;
  EXPECT_TRUE(test::build(target).empty());
  EXPECT_NE(plan.error.find("expected a package that the runtime reads, but got: "),
            std::string::npos);
  EXPECT_NE(plan.error.find("blob 0"), std::string::npos) << plan.error;
}

TEST_F(BuildPackageTest, ModuleWithoutEntriesIsAnError) {
  OwningOpRef<ModuleOp> empty = plan.parse("");
  EXPECT_TRUE(test::build(test::hostTarget(*empty, blob)).empty());
  EXPECT_NE(plan.error.find("expected a function"), std::string::npos) << plan.error;
  EXPECT_TRUE(test::build({}).empty());
}

TEST_F(BuildPackageTest, EntryOfAnEarlierStageIsAnError) {
  OwningOpRef<ModuleOp> early = plan.parse(R"(
    plan.entry @early symbols = 0
        params = [#plan.param<"x", in, f32, shape = ()[s0, s1, s2] -> (4), contiguous_dims = 1>] {
    ^bb0(%x: memref<4xf32>):
      plan.variant guards = [] {
        %a = memref.alloc() : memref<4xf32>
      }
    })");
  ASSERT_TRUE(early) << plan.error;
  EXPECT_TRUE(test::build(test::hostTarget(*early, blob)).empty());
  EXPECT_NE(plan.error.find("expected workspaces and launches alone"),
            std::string::npos)
      << plan.error;
}

TEST_F(BuildPackageTest, SourceIsBytecodeWithoutLocations) {
  SmallVector<char> first, second;
  OwningOpRef<ModuleOp> here = parseSourceString<ModuleOp>(
      test::kWholePlan, ParserConfig(&plan.context), "/some/where/file.mlir");
  ASSERT_TRUE(succeeded(package::writeSource(*here, first)));
  ASSERT_TRUE(succeeded(package::writeSource(*module, second)));
  EXPECT_EQ(StringRef(first.data(), first.size()),
            StringRef(second.data(), second.size()));
  EXPECT_EQ(StringRef(first.data(), first.size()).find("file.mlir"), StringRef::npos);
  // The module itself keeps its locations.
  EXPECT_FALSE(isa<UnknownLoc>(here->getBody()->front().getLoc()));
  const std::vector<char> bytes = test::build(test::hostTarget(*module, blob), first);
  const auto &source = *read(bytes).source();
  OwningOpRef<ModuleOp> parsed = parseSourceString<ModuleOp>(
      StringRef(reinterpret_cast<const char *>(source.data()), source.size()),
      &plan.context);
  ASSERT_TRUE(parsed) << plan.error;
  EXPECT_EQ(parsed->getBody()->getOperations().size(), 3u);
}

} // namespace
