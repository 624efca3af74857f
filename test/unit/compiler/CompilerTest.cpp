//===- CompilerTest.cpp - The compiler in process ---------------------------===//
#include "normc/Compiler/Compiler.h"
#include "normc/Compiler/Explain.h"
#include "normc/Compiler/Source.h"

#include "dialects/plan/Plan.h"
#include "dialects/row/Row.h"

#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>
#include <thread>

using namespace mlir;
using namespace normc;

static constexpr StringLiteral kSource = R"mlir(
func.func @f(%x: memref<?x64xf32> {norm.name = "x"}, %dy: memref<?x64xf32>,
             %rstd: memref<?xf32>, %dx: memref<?x64xf32>, %dweight: memref<64xf32>) {
  norm.rms_norm_backward dy(%dy : memref<?x64xf32>) x(%x : memref<?x64xf32>)
      rstd(%rstd : memref<?xf32>)
      outs dx(%dx : memref<?x64xf32>) dweight(%dweight : memref<64xf32>)
  return
}
)mlir";

namespace {
/// A context whose diagnostics are kept.
struct CompilerTest : testing::Test {
  std::string messages;
  llvm::raw_string_ostream stream{messages};
  SourceContext context{stream};

  OwningOpRef<ModuleOp> read(StringRef source = kSource) {
    return context.readBytes(source, "test.mlir");
  }
};

std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  return text;
}

template <typename Op> size_t count(ModuleOp module) {
  size_t number = 0;
  module.walk([&](Op) { ++number; });
  return number;
}
} // namespace

TEST_F(CompilerTest, EachStageHasWhatItIsNamedFor) {
  OwningOpRef<ModuleOp> module = read();
  ASSERT_TRUE(module);
  ASSERT_TRUE(succeeded(lowerToStage(*module, "", Stage::Row)));
  EXPECT_EQ(count<row::KernelOp>(*module), 1u);

  module = read();
  ASSERT_TRUE(succeeded(lowerToStage(*module, "host:x86-64-v3", Stage::Scheduled)));
  EXPECT_EQ(count<plan::EntryOp>(*module), 1u);
  // Of few rows in one kernel, of more split into partials and finalize.
  EXPECT_EQ(count<row::KernelOp>(*module), 3u);

  module = read();
  ASSERT_TRUE(succeeded(lowerToStage(*module, "host:x86-64-v3", Stage::Llvm)));
  EXPECT_EQ(count<row::KernelOp>(*module), 0u);
  EXPECT_EQ(count<plan::LaunchOp>(*module), 3u);
  EXPECT_EQ(messages, "");
}

TEST_F(CompilerTest, CompileLeavesTheModuleAndAppendsThePackage) {
  OwningOpRef<ModuleOp> module = read();
  std::string before = print(*module);
  SmallVector<char> package;
  ASSERT_TRUE(succeeded(compile(*module, {}, package)));
  EXPECT_EQ(print(*module), before);
  EXPECT_EQ(StringRef(package.data(), 4), "NRMK");

  SmallVector<char> again;
  ASSERT_TRUE(succeeded(compile(*module, {}, again)));
  EXPECT_TRUE(package == again);
  EXPECT_EQ(messages, "");
}

TEST_F(CompilerTest, SourceIsLeftOutOnRequest) {
  OwningOpRef<ModuleOp> module = read();
  SmallVector<char> with, without;
  CompileOptions options;
  ASSERT_TRUE(succeeded(compile(*module, options, with)));
  options.embed_source = false;
  ASSERT_TRUE(succeeded(compile(*module, options, without)));
  EXPECT_LT(without.size(), with.size());
}

TEST_F(CompilerTest, WrongTargetsAreErrorsAndNoPackage) {
  OwningOpRef<ModuleOp> module = read();
  for (std::vector<std::string> targets : {std::vector<std::string>{},
                                           {"host:z80"},
                                           {"host", "host"},
                                           {"cuda:sm_70"},
                                           {"spirv:tgl"}}) {
    messages.clear();
    CompileOptions options;
    options.targets = targets;
    SmallVector<char> package;
    EXPECT_TRUE(failed(compile(*module, options, package)));
    EXPECT_TRUE(package.empty());
    EXPECT_NE(messages.find("error: expected"), std::string::npos) << messages;
  }
  EXPECT_TRUE(failed(lowerToStage(*module, "", Stage::Scheduled)));
}

TEST_F(CompilerTest, ProgressEndsWithAllSteps) {
  OwningOpRef<ModuleOp> module = read();
  std::vector<std::pair<size_t, size_t>> calls;
  CompileOptions options;
  options.targets = {"host:x86-64-v3", "host:x86-64-v4"};
  options.progress = [&](StringRef, size_t done, size_t all) {
    calls.emplace_back(done, all);
  };
  SmallVector<char> package;
  ASSERT_TRUE(succeeded(compile(*module, options, package)));
  ASSERT_FALSE(calls.empty());
  for (auto [index, call] : llvm::enumerate(calls)) {
    EXPECT_EQ(call.first, index);
    EXPECT_EQ(call.second, calls.size() - 1);
  }
}

TEST_F(CompilerTest, AssemblyHasTheKernels) {
  OwningOpRef<ModuleOp> module = read();
  ASSERT_TRUE(succeeded(lowerToStage(*module, "host", Stage::Llvm)));
  std::string text;
  ASSERT_TRUE(succeeded(emitAssembly(*module, "host", {}, text)));
  EXPECT_NE(text.find("rms_norm_backward_f32_n64:"), std::string::npos);
}

TEST_F(CompilerTest, ExplanationsNameShapesByParameter) {
  OwningOpRef<ModuleOp> module = read();
  std::string before = print(*module);
  auto entries = explain(*module, "host:x86-64-v4");
  ASSERT_TRUE(succeeded(entries));
  EXPECT_EQ(print(*module), before);
  ASSERT_EQ(entries->size(), 1u);
  ASSERT_EQ(entries->front().variants.size(), 2u);
  EXPECT_EQ(entries->front().variants.front().guards.rfind("x.shape[0] <= ", 0), 0u);
  const VariantExplanation &variant = entries->front().variants.back();
  EXPECT_EQ(variant.guards, "");
  ASSERT_EQ(variant.launches.size(), 2u);
  EXPECT_EQ(variant.launches[0].strategy, schedule::Strategy::Partials);
  EXPECT_EQ(variant.launches[0].grid.rfind("x.shape[0] ceildiv ", 0), 0u)
      << variant.launches[0].grid;
  EXPECT_NE(variant.launches[0].bound, "");
  ASSERT_EQ(variant.workspaces.size(), 1u);
  EXPECT_NE(variant.workspaces[0].find("* 256"), std::string::npos) // 64 columns of f32
      << variant.workspaces[0];
}

TEST(CompilerThreadsTest, ContextsCompileAtTheSameTime) {
  std::vector<SmallVector<char>> packages(4);
  std::vector<std::thread> threads;
  for (SmallVector<char> &package : packages)
    threads.emplace_back([&package] {
      SourceContext context(llvm::nulls());
      OwningOpRef<ModuleOp> module = context.readBytes(kSource, "test.mlir");
      if (failed(compile(*module, {}, package)))
        package.clear();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_FALSE(packages[0].empty());
  for (const SmallVector<char> &package : packages)
    EXPECT_TRUE(package == packages[0]);
}
