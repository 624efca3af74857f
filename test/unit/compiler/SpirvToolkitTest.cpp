//===- SpirvToolkitTest.cpp - What ocloc says, and where it is looked for ---===//
#include "normc/Target/SpirvToolkit.h"

#include <gtest/gtest.h>

using namespace normc;

namespace {

TEST(SpirvToolkitTest, ReadsTheSpills) {
  auto spills = spirv::parseOclocReport(
      "Compilation from IR - skipping loading of FCL\n"
      "warning: kernel wide_f32  compiled SIMD16 allocated 128 regs and spilled around "
      "12\n\nBuild succeeded.\n");
  ASSERT_EQ(spills.size(), 1u);
  EXPECT_EQ(spills[0].kernel, "wide_f32");
  EXPECT_EQ(spills[0].registers, 128);
  EXPECT_EQ(spills[0].spills, 12);
}

TEST(SpirvToolkitTest, ReadsTheSpillsAsNewerOnesSayThem) {
  auto spills = spirv::parseOclocReport(
      "warning: in kernel 'wide_f32': compiled SIMD16 allocated 256 regs and spilled "
      "around 7\nBuild succeeded.\n");
  ASSERT_EQ(spills.size(), 1u);
  EXPECT_EQ(spills[0].kernel, "wide_f32");
  EXPECT_EQ(spills[0].registers, 256);
  EXPECT_EQ(spills[0].spills, 7);
}

TEST(SpirvToolkitTest, ReadsNothingFromOtherText) {
  EXPECT_TRUE(spirv::parseOclocReport("").empty());
  EXPECT_TRUE(spirv::parseOclocReport("Build succeeded.\nkernel x\n").empty());
}

TEST(SpirvToolkitTest, FindsNoneWhereOff) {
  std::string error;
  auto toolkit = spirv::findToolkit("off", error);
  ASSERT_TRUE(toolkit);
  EXPECT_EQ(toolkit->ocloc, "");
}

TEST(SpirvToolkitTest, RefusesWhatIsNoProgram) {
  std::string error;
  EXPECT_FALSE(spirv::findToolkit("/nowhere/ocloc", error));
  EXPECT_EQ(error,
            "expected ocloc to be a program or \"off\", but got \"/nowhere/ocloc\"");
}

} // namespace
