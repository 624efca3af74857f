/* The test double's functions: a device of 100 multiprocessors that takes PTX. */
#include "cuda.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int modules = 0;

CUresult cuInit(unsigned flags) { return (CUresult)flags; }
CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  *device = ordinal;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  (void)device;
  *context = NULL;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  (void)context;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult error, const char **name) {
  (void)error;
  *name = "an error";
  return CUDA_SUCCESS;
}
CUresult cuMemAlloc(CUdeviceptr *pointer, size_t bytes) {
  *pointer = (CUdeviceptr)(uintptr_t)aligned_alloc(256, (bytes + 255) / 256 * 256);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  memcpy((void *)(uintptr_t)to, from, bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  memcpy(to, (void *)(uintptr_t)from, bytes);
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice *device) {
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
  (void)device;
  *value = attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT       ? 100
           : attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9
           : attribute == CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH           ? 0
                                                                       : 227 * 1024;
  return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int *version) {
  *version = 12030;
  return CUDA_SUCCESS;
}
CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  ++modules;
  *module = (CUmodule)image;
  return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule module) {
  (void)module;
  printf("%d modules left\n", --modules);
  return CUDA_SUCCESS;
}
/* The name stands for the function, if the PTX has it. */
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  if (!strstr((const char *)module, name))
    return CUDA_ERROR_INVALID_VALUE;
  *function = (CUfunction)name;
  return CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function) {
  (void)function;
  *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 0;
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  printf("set %d of %s to %d\n", attribute, (const char *)function, value);
  return CUDA_SUCCESS;
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *count, CUfunction function,
                                                     int size, size_t shared_bytes) {
  (void)function, (void)shared_bytes;
  *count = 2048 / size;
  return CUDA_SUCCESS;
}
CUresult cuOccupancyMaxActiveClusters(int *count, CUfunction function,
                                      const CUlaunchConfig *config) {
  (void)function;
  *count = 100 / (int)config->gridDimX;
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                          void **parameters, void **extra) {
  printf("launch %s grid %u workgroup %u dependent %d x %llx last %lld\n",
         (const char *)function, config->gridDimX, config->blockDimX,
         (int)config->numAttrs, (unsigned long long)*(int64_t *)parameters[0],
         (long long)(extra ? 0 : *(int64_t *)parameters[config->numAttrs ? 0 : 1]));
  return CUDA_SUCCESS;
}
