// The OpenCL runtime that does the work, opened at run time: one table of functions.
#ifndef NORMC_TEST_LEVEL_ZERO_DRIVER_OPENCL_H
#define NORMC_TEST_LEVEL_ZERO_DRIVER_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <level_zero/ze_api.h>

namespace ze_test {

#define ZE_TEST_CL_FUNCTIONS(X)                                                        \
  X(clGetPlatformIDs)                                                                  \
  X(clGetDeviceIDs)                                                                    \
  X(clGetDeviceInfo)                                                                   \
  X(clCreateContext)                                                                   \
  X(clCreateCommandQueueWithProperties)                                                \
  X(clReleaseCommandQueue)                                                             \
  X(clCreateProgramWithIL)                                                             \
  X(clCreateProgramWithBinary)                                                         \
  X(clBuildProgram)                                                                    \
  X(clGetProgramBuildInfo)                                                             \
  X(clGetProgramInfo)                                                                  \
  X(clReleaseProgram)                                                                  \
  X(clCreateKernel)                                                                    \
  X(clReleaseKernel)                                                                   \
  X(clSetKernelArg)                                                                    \
  X(clEnqueueNDRangeKernel)                                                            \
  X(clEnqueueBarrierWithWaitList)                                                      \
  X(clFinish)                                                                          \
  X(clFlush)                                                                           \
  X(clWaitForEvents)                                                                   \
  X(clGetEventInfo)                                                                    \
  X(clGetEventProfilingInfo)                                                           \
  X(clReleaseEvent)                                                                    \
  X(clGetExtensionFunctionAddressForPlatform)

struct OpenCl {
// NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a member.
#define ZE_TEST_CL_MEMBER(name) decltype(&::name) name = nullptr;
  ZE_TEST_CL_FUNCTIONS(ZE_TEST_CL_MEMBER)
#undef ZE_TEST_CL_MEMBER
  // cl_intel_unified_shared_memory
  clSetKernelArgMemPointerINTEL_fn setKernelArgMemPointer = nullptr;
  clEnqueueMemcpyINTEL_fn enqueueMemcpy = nullptr;
  clEnqueueMemFillINTEL_fn enqueueMemFill = nullptr;

  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
};

/// Opens the runtime and its first CPU device, once.
ze_result_t openOpenCl();
/// What openOpenCl has opened.
const OpenCl &openCl();

/// The result of a call of OpenCL's.
ze_result_t resultOf(cl_int code);

} // namespace ze_test

#endif // NORMC_TEST_LEVEL_ZERO_DRIVER_OPENCL_H
