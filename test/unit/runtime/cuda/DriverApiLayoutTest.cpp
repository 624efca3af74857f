// Compares the runtime's own declarations of the CUDA driver API with NVIDIA's cuda.h.
// Compiled, and only compiled, where cuda.h is found.
#include "runtime/src/cuda/DriverApi.h"

#include <cuda.h>

namespace normrt::cuda {
namespace {

#define NORMRT_SAME(ours, theirs) static_assert(int(ours) == int(theirs), #theirs)
NORMRT_SAME(Result::Success, CUDA_SUCCESS);
NORMRT_SAME(Result::InvalidValue, CUDA_ERROR_INVALID_VALUE);
NORMRT_SAME(Result::OutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
NORMRT_SAME(Result::NotInitialized, CUDA_ERROR_NOT_INITIALIZED);
NORMRT_SAME(Result::NoDevice, CUDA_ERROR_NO_DEVICE);
NORMRT_SAME(Result::InvalidDevice, CUDA_ERROR_INVALID_DEVICE);
NORMRT_SAME(Result::InvalidImage, CUDA_ERROR_INVALID_IMAGE);
NORMRT_SAME(Result::InvalidContext, CUDA_ERROR_INVALID_CONTEXT);
NORMRT_SAME(Result::NoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
NORMRT_SAME(Result::InvalidPtx, CUDA_ERROR_INVALID_PTX);
NORMRT_SAME(Result::UnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
NORMRT_SAME(Result::JitCompilationDisabled, CUDA_ERROR_JIT_COMPILATION_DISABLED);
NORMRT_SAME(Result::InvalidSource, CUDA_ERROR_INVALID_SOURCE);
NORMRT_SAME(Result::InvalidHandle, CUDA_ERROR_INVALID_HANDLE);
NORMRT_SAME(Result::NotFound, CUDA_ERROR_NOT_FOUND);
NORMRT_SAME(Result::IllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS);
NORMRT_SAME(Result::LaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
NORMRT_SAME(Result::LaunchFailed, CUDA_ERROR_LAUNCH_FAILED);
NORMRT_SAME(Result::NotSupported, CUDA_ERROR_NOT_SUPPORTED);
NORMRT_SAME(Result::InvalidClusterSize, CUDA_ERROR_INVALID_CLUSTER_SIZE);
NORMRT_SAME(Result::StreamCaptureUnsupported, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
NORMRT_SAME(Result::StreamCaptureImplicit, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);

NORMRT_SAME(DeviceAttribute::MaxThreadsPerBlock,
            CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
NORMRT_SAME(DeviceAttribute::WarpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
NORMRT_SAME(DeviceAttribute::MultiprocessorCount,
            CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
NORMRT_SAME(DeviceAttribute::L2CacheBytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
NORMRT_SAME(DeviceAttribute::ComputeCapabilityMajor,
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
NORMRT_SAME(DeviceAttribute::ComputeCapabilityMinor,
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
NORMRT_SAME(DeviceAttribute::MaxSharedBytesPerBlockOptin,
            CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
NORMRT_SAME(DeviceAttribute::MemoryPoolsSupported,
            CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
NORMRT_SAME(DeviceAttribute::ClusterLaunch, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);

NORMRT_SAME(FunctionAttribute::MaxThreadsPerBlock,
            CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
NORMRT_SAME(FunctionAttribute::StaticSharedBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
NORMRT_SAME(FunctionAttribute::MaxDynamicSharedBytes,
            CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
NORMRT_SAME(FunctionAttribute::NonPortableClusterSizeAllowed,
            CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);

NORMRT_SAME(JitOption::ErrorLogBuffer, CU_JIT_ERROR_LOG_BUFFER);
NORMRT_SAME(JitOption::ErrorLogBufferBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
NORMRT_SAME(JitOption::OptimizationLevel, CU_JIT_OPTIMIZATION_LEVEL);

NORMRT_SAME(LaunchAttributeId::ClusterDimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
NORMRT_SAME(LaunchAttributeId::ProgrammaticStreamSerialization,
            CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);

NORMRT_SAME(kPoolReleaseThreshold, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
NORMRT_SAME(kStreamNonBlocking, CU_STREAM_NON_BLOCKING);
NORMRT_SAME(kCaptureModeThreadLocal, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
NORMRT_SAME(kCaptureModeRelaxed, CU_STREAM_CAPTURE_MODE_RELAXED);
#undef NORMRT_SAME

#define NORMRT_SAME_OFFSET(ours, field, theirs, theirField)                            \
  static_assert(offsetof(ours, field) == offsetof(theirs, theirField), #field)
static_assert(sizeof(LaunchAttribute) == sizeof(CUlaunchAttribute));
NORMRT_SAME_OFFSET(LaunchAttribute, id, CUlaunchAttribute, id);
NORMRT_SAME_OFFSET(LaunchAttribute, clusterDimension, CUlaunchAttribute, value);
static_assert(sizeof(LaunchConfig) == sizeof(CUlaunchConfig));
NORMRT_SAME_OFFSET(LaunchConfig, gridX, CUlaunchConfig, gridDimX);
NORMRT_SAME_OFFSET(LaunchConfig, blockX, CUlaunchConfig, blockDimX);
NORMRT_SAME_OFFSET(LaunchConfig, sharedBytes, CUlaunchConfig, sharedMemBytes);
NORMRT_SAME_OFFSET(LaunchConfig, stream, CUlaunchConfig, hStream);
NORMRT_SAME_OFFSET(LaunchConfig, attributes, CUlaunchConfig, attrs);
NORMRT_SAME_OFFSET(LaunchConfig, attributeCount, CUlaunchConfig, numAttrs);
static_assert(sizeof(MemoryPoolProperties) == sizeof(CUmemPoolProps));
NORMRT_SAME_OFFSET(MemoryPoolProperties, allocationType, CUmemPoolProps, allocType);
NORMRT_SAME_OFFSET(MemoryPoolProperties, locationType, CUmemPoolProps, location);
NORMRT_SAME_OFFSET(MemoryPoolProperties, maxBytes, CUmemPoolProps, maxSize);
NORMRT_SAME_OFFSET(MemoryPoolProperties, securityAttributes, CUmemPoolProps,
                   win32SecurityAttributes);
#undef NORMRT_SAME_OFFSET
static_assert(CU_MEM_ALLOCATION_TYPE_PINNED == 1 && CU_MEM_LOCATION_TYPE_DEVICE == 1 &&
              CU_STREAM_CAPTURE_STATUS_NONE == 0);
static_assert(sizeof(DevicePointer) == sizeof(CUdeviceptr) &&
              sizeof(Device) == sizeof(CUdevice));

} // namespace
} // namespace normrt::cuda
