//===- ManifestTest.cpp - What a manifest says ------------------------------===//
#include "test/unit/package/Modules.h"

#include "llvm/Support/JSON.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace normc;

namespace {

class ManifestTest : public ::testing::Test {
protected:
  void SetUp() override {
    module = plan.parse(test::kWholePlan);
    ASSERT_TRUE(module) << plan.error;
    bytes = test::build(test::hostTarget(*module, blob), {'s', 'r', 'c'});
    ASSERT_FALSE(bytes.empty()) << plan.error;
  }

  std::string manifest(bool json) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    EXPECT_TRUE(package::printManifest(stream, bytes, json, error)) << error;
    return text;
  }

  test::PlanContext plan;
  OwningOpRef<ModuleOp> module;
  std::string blob = "machine code";
  std::vector<char> bytes;
  std::string error;
};

TEST_F(ManifestTest, TextHasEveryPart) {
  std::string text = manifest(false);
  EXPECT_EQ(StringRef(text).substr(0, 10), "package   ");
  // From the first target on; the lines before hold sizes and checksums of the file.
  StringRef rest = StringRef(text).substr(text.find("\ntarget"));
  EXPECT_EQ(rest, R"(
target 0   "host", backend host, architecture x86_64, features x86-64-v3
  blob 0   elf_shared_object, architecture x86_64, 12 bytes, checksum 0x)" +
                      rest.split("checksum 0x").second.take_front(16).str() + R"(
  kernel 0 main, blob 0
  kernel 1 finish, blob 0

  entry whole, symbols 2
    param 0 in  x: bf16 [s0, s1, 128], contiguous 1
    param 1 in  w: f64 [128], contiguous 1
    param 2 out y: f16 [s0 * s1, 128], contiguous 1
    requires rows: s0 * s1 - 3 >= 1
    variant 0, if
      guard x but for its last 1 dimensions walks with one stride
      guard y is aligned to 16 bytes
      guard ceildiv(s0, compute_units) >= 4
      guard s1 <= 9
      workspace 0, bytes ceildiv(s0 * s1, 32) * 512
      launch 0 main, grid min(ceildiv(s0 * s1, 32), compute_units * resident), workgroup 16
        args x, w, workspace 0, row_stride(x, 1), s0 * s1
      launch 1 finish, grid 1, workgroup 8
        args workspace 0, y, stride(y, 0)
    variant 1, always
      launch 0 main, grid s0, workgroup 16
        args y
)");
  EXPECT_NE(text.find("source     MLIR bytecode, 3 bytes"), std::string::npos);
}

TEST_F(ManifestTest, JsonHasEveryPart) {
  auto parsed = llvm::json::parse(manifest(true));
  ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
  const llvm::json::Object &root = *parsed->getAsObject();
  EXPECT_EQ(root.getString("producer"), "normc test");
  EXPECT_EQ(root.getInteger("source_bytes"), 3);
  EXPECT_EQ(root.getInteger("bytes"), int64_t(bytes.size()));
  const llvm::json::Object &target = *(*root.getArray("targets"))[0].getAsObject();
  EXPECT_EQ(target.getString("features"), "x86-64-v3");
  EXPECT_EQ(target.getArray("kernels")->size(), 2u);
  EXPECT_EQ((*target.getArray("blobs"))[0].getAsObject()->getInteger("bytes"), 12);
  const llvm::json::Object &entry = *(*target.getArray("entries"))[0].getAsObject();
  const llvm::json::Object &y = *(*entry.getArray("params"))[2].getAsObject();
  EXPECT_EQ(y.getString("direction"), "out");
  EXPECT_EQ((*y.getArray("shape"))[0].getAsString(), "s0 * s1");
  const llvm::json::Object &variant = *(*entry.getArray("variants"))[0].getAsObject();
  EXPECT_EQ(variant.getArray("guards")->size(), 4u);
  EXPECT_EQ((*variant.getArray("workspaces"))[0].getAsObject()->getString("bytes"),
            "ceildiv(s0 * s1, 32) * 512");
  const llvm::json::Object &launch = *(*variant.getArray("launches"))[0].getAsObject();
  EXPECT_EQ(launch.getString("kernel"), "main");
  EXPECT_EQ((*launch.getArray("args"))[3].getAsObject()->getString("kind"),
            "row_stride");
}

TEST_F(ManifestTest, WhatIsNoPackageIsAnErrorAndPrintsNothing) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  bytes.back() ^= 1;
  for (bool json : {false, true}) {
    error.clear();
    EXPECT_FALSE(package::printManifest(stream, bytes, json, error));
    EXPECT_NE(error, "");
  }
  EXPECT_FALSE(package::printManifest(stream, {}, false, error));
  EXPECT_EQ(text, "");
}

} // namespace
