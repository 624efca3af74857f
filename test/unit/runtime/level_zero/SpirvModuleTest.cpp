// What the runtime reads of a SPIR-V module before a driver gets it.
#include "LevelZeroTestDevice.h"

#include "runtime/src/level_zero/SpirvModule.h"

using namespace normrt;
using namespace normrt::level_zero;

namespace {

std::vector<uint8_t> module() { return test::readBytes(NORMRT_TEST_SPIRV); }

TEST(SpirvModule, NamesAndParametersOfKernels) {
  std::vector<SpirvKernel> kernels;
  const std::vector<uint8_t> bytes = module();
  ASSERT_FALSE(readSpirv(bytes, kernels).failed());
  auto find = [&](const char *name) {
    for (const SpirvKernel &kernel : kernels)
      if (kernel.name == name)
        return kernel;
    return SpirvKernel{"", -1, -1};
  };
  EXPECT_EQ(find("scale_rows").paramCount, 8);
  EXPECT_EQ(find("scale_rows").subgroupSize, 0);
  EXPECT_EQ(find("count_workgroups").paramCount, 1);
  EXPECT_EQ(find("subgroups_of_16").subgroupSize, 16);
  EXPECT_EQ(find("sum_shared").paramCount, 2);
}

TEST(SpirvModule, CutAnywhere) {
  std::vector<uint8_t> bytes = module();
  std::vector<SpirvKernel> kernels;
  ASSERT_FALSE(readSpirv(bytes, kernels).failed());
  size_t complete = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    const Status status = readSpirv({bytes.data(), size}, kernels);
    if (!status.failed()) {
      ++complete; // Behind the last kernel stands a function that nothing calls.
      continue;
    }
    EXPECT_EQ(status.code(),
              size < 4 ? NORMRT_STATUS_CORRUPTED : NORMRT_STATUS_TRUNCATED)
        << size;
  }
  EXPECT_LE(complete, 1u);
}

TEST(SpirvModule, OtherBytes) {
  std::vector<SpirvKernel> kernels;
  const std::vector<uint8_t> elf = test::readBytes("/proc/self/exe");
  Status status = readSpirv(elf, kernels);
  EXPECT_EQ(status.code(), NORMRT_STATUS_CORRUPTED);
  EXPECT_EQ(status.message(),
            "expected SPIR-V, but the bytes do not begin as a module does");
  std::vector<uint8_t> bytes = module();
  for (size_t i = 20; i < 24; ++i)
    bytes[i] = 0;
  status = readSpirv(bytes, kernels);
  EXPECT_EQ(status.code(), NORMRT_STATUS_CORRUPTED);
  EXPECT_EQ(status.message(),
            "expected a SPIR-V instruction at word 5, but got one of no words");
}

} // namespace
