//===- NvvmToolkitTest.cpp - What ptxas says, and where it is looked for ----===//
#include "normc/Target/NvvmToolkit.h"

#include <gtest/gtest.h>

using namespace normc;

// As ptxas 13.0 prints it.
static constexpr llvm::StringLiteral kReport = R"(
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'rms_norm_bf16_n64' for 'sm_90'
ptxas info    : Function properties for rms_norm_bf16_n64
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 38 registers, used 0 barriers
ptxas info    : Compile time = 4.109 ms
ptxas info    : Compiling entry function 'wide' for 'sm_90'
ptxas info    : Function properties for wide
    24 bytes stack frame, 20 bytes spill stores, 28 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 24 bytes cumulative stack size, 1024 bytes smem
)";

TEST(NvvmToolkitTest, ReadsTheReport) {
  auto kernels = nvvm::parsePtxasReport(kReport);
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].kernel, "rms_norm_bf16_n64");
  EXPECT_EQ(kernels[0].registers_per_lane, 38);
  EXPECT_EQ(kernels[0].spill_store_bytes, 0);
  EXPECT_EQ(kernels[0].static_shared_bytes, 0);
  EXPECT_EQ(kernels[1].kernel, "wide");
  EXPECT_EQ(kernels[1].registers_per_lane, 255);
  EXPECT_EQ(kernels[1].stack_bytes, 24);
  EXPECT_EQ(kernels[1].spill_store_bytes, 20);
  EXPECT_EQ(kernels[1].spill_load_bytes, 28);
  EXPECT_EQ(kernels[1].static_shared_bytes, 1024);
}

TEST(NvvmToolkitTest, ReadsNothingFromOtherText) {
  EXPECT_TRUE(nvvm::parsePtxasReport("").empty());
  EXPECT_TRUE(nvvm::parsePtxasReport("ptxas fatal : Unresolved extern").empty());
  // A line of a kernel that no entry was announced for.
  EXPECT_TRUE(nvvm::parsePtxasReport("Used 38 registers, used 0 barriers").empty());
}

TEST(NvvmToolkitTest, FindsNoneWhereOff) {
  std::string error;
  auto toolkit = nvvm::findToolkit("off", error);
  ASSERT_TRUE(toolkit);
  EXPECT_EQ(toolkit->ptxas, "");
  EXPECT_EQ(toolkit->libdevice, "");
}

TEST(NvvmToolkitTest, RefusesWhatIsNoProgram) {
  std::string error;
  EXPECT_FALSE(nvvm::findToolkit("/nowhere/ptxas", error));
  EXPECT_EQ(error,
            "expected ptxas to be a program or \"off\", but got \"/nowhere/ptxas\"");
}
