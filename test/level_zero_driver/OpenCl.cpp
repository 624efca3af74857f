#include "OpenCl.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

namespace ze_test {
namespace {

OpenCl opened;

/// Compiling is nearly all of the time that tests take on Intel's runtime. Without some
/// passes of its code generator, and for AVX2, it takes three quarters of that.
/// -cl-opt-disable would do more, but with it shuffles of 2026.2 give other lanes'
/// values. What the environment has stays.
void hurryCompiler() {
  setenv("CL_CONFIG_LLVM_OPTIONS",
         "-regalloc=fast -enable-misched=false -disable-machine-sink -disable-lsr "
         "-disable-cgp",
         /*overwrite=*/0);
  if (__builtin_cpu_supports("avx2"))
    setenv("CL_CONFIG_CPU_TARGET_ARCH", "core-avx2", /*overwrite=*/0);
}

ze_result_t open(OpenCl &cl) {
  hurryCompiler();
  // Intel's runtime exports OpenCL's functions itself; any other needs the ICD loader.
  const char *path = std::getenv("NORMC_ZE_TEST_OPENCL");
  void *library = dlopen(path ? path : "libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::fprintf(stderr, "ze test driver: no OpenCL runtime: %s\n", dlerror());
    return ZE_RESULT_ERROR_UNINITIALIZED;
  }
#define ZE_TEST_CL_RESOLVE(name)                                                       \
  cl.name = reinterpret_cast<decltype(&::name)>(dlsym(library, #name));                \
  if (!cl.name)                                                                        \
    return ZE_RESULT_ERROR_UNINITIALIZED;
  ZE_TEST_CL_FUNCTIONS(ZE_TEST_CL_RESOLVE)
#undef ZE_TEST_CL_RESOLVE
  cl_uint count = 0;
  if (cl.clGetPlatformIDs(1, &cl.platform, &count) || count == 0 ||
      cl.clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_CPU, 1, &cl.device, &count) ||
      count == 0)
    return ZE_RESULT_ERROR_UNINITIALIZED;
  auto extension = [&](const char *name) {
    return cl.clGetExtensionFunctionAddressForPlatform(cl.platform, name);
  };
  cl.setKernelArgMemPointer = reinterpret_cast<clSetKernelArgMemPointerINTEL_fn>(
      extension("clSetKernelArgMemPointerINTEL"));
  cl.enqueueMemcpy =
      reinterpret_cast<clEnqueueMemcpyINTEL_fn>(extension("clEnqueueMemcpyINTEL"));
  cl.enqueueMemFill =
      reinterpret_cast<clEnqueueMemFillINTEL_fn>(extension("clEnqueueMemFillINTEL"));
  if (!cl.setKernelArgMemPointer || !cl.enqueueMemcpy || !cl.enqueueMemFill)
    return ZE_RESULT_ERROR_UNINITIALIZED;
  cl_int code = 0;
  cl.context = cl.clCreateContext(nullptr, 1, &cl.device, nullptr, nullptr, &code);
  return code ? ZE_RESULT_ERROR_UNINITIALIZED : ZE_RESULT_SUCCESS;
}

} // namespace

ze_result_t openOpenCl() {
  static std::once_flag once;
  static ze_result_t result;
  std::call_once(once, [] { result = open(opened); });
  return result;
}

const OpenCl &openCl() { return opened; }

ze_result_t resultOf(cl_int code) {
  switch (code) {
  case CL_SUCCESS:
    return ZE_RESULT_SUCCESS;
  case CL_OUT_OF_HOST_MEMORY:
    return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
  case CL_MEM_OBJECT_ALLOCATION_FAILURE:
  case CL_OUT_OF_RESOURCES:
    return ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY;
  case CL_INVALID_WORK_GROUP_SIZE:
  case CL_INVALID_WORK_ITEM_SIZE:
    return ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION;
  default:
    std::fprintf(stderr, "ze test driver: OpenCL says %d\n", code);
    return ZE_RESULT_ERROR_UNKNOWN;
  }
}

} // namespace ze_test
