// The test kernels for a GPU: PTX that is built into the executable, so that it runs on
// a machine without this tree.
#include "GpuTarget.h"

#define NORMRT_EMBED(name, path)                                                       \
  __asm__(".section .rodata\n"                                                         \
          ".global " #name "_begin, " #name "_end\n" #name "_begin: .incbin \"" path   \
          "\"\n" #name "_end: .byte 0\n"                                               \
          ".previous\n");                                                              \
  extern "C" const unsigned char name##_begin[], name##_end[];

NORMRT_EMBED(normrt_kernels, NORMRT_TEST_PTX)
NORMRT_EMBED(normrt_kernels90, NORMRT_TEST_PTX_90)

namespace normrt::test {

std::unique_ptr<schema::TargetT> cudaTestTarget() {
  return cudaTarget("sm_80", schema::BlobFormat::ptx,
                    {normrt_kernels_begin, normrt_kernels_end}, testKernelNames());
}

std::unique_ptr<schema::TargetT> gpuTarget90() {
  return cudaTarget(
      "sm_90", schema::BlobFormat::ptx, {normrt_kernels90_begin, normrt_kernels90_end},
      {"cluster_ranks", "sum_shared", "write_slowly", "add_one_dependent", "fault"});
}

} // namespace normrt::test
