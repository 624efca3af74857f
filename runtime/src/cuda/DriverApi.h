// The part of the CUDA driver API that the runtime calls, declared here so that the
// build needs no CUDA toolkit. Types and numbers are those of the API's reference at
// version 12.0 (docs.nvidia.com/cuda/cuda-driver-api), which drivers never change.
// test/unit/runtime/cuda/DriverApiLayoutTest.cpp compares them with cuda.h where there
// is one.
#ifndef NORMRT_CUDA_DRIVERAPI_H
#define NORMRT_CUDA_DRIVERAPI_H

#include <cstddef>
#include <cstdint>

namespace normrt::cuda {

using Device = int;
using DevicePointer = unsigned long long;
using Context = struct ContextObject *;
using Library = struct ModuleObject *;
using Function = struct FunctionObject *;
using Stream = struct StreamObject *;
using Event = struct EventObject *;
using MemoryPool = struct MemoryPoolObject *;
using Graph = struct GraphObject *;
using GraphExec = struct GraphExecObject *;

/// CUresult, as far as the runtime tells results apart.
enum class Result : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidImage = 200,
  InvalidContext = 201,
  NoBinaryForGpu = 209,
  InvalidPtx = 218,
  UnsupportedPtxVersion = 222,
  JitCompilationDisabled = 223,
  InvalidSource = 300,
  InvalidHandle = 400,
  NotFound = 500,
  IllegalAddress = 700,
  LaunchOutOfResources = 701,
  LaunchFailed = 719,
  NotSupported = 801,
  InvalidClusterSize = 912,
  StreamCaptureUnsupported = 900,
  StreamCaptureImplicit = 906
};

/// CUdevice_attribute.
enum class DeviceAttribute : int {
  MaxThreadsPerBlock = 1,
  WarpSize = 10,
  MultiprocessorCount = 16,
  L2CacheBytes = 38,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  MaxSharedBytesPerBlockOptin = 97,
  MemoryPoolsSupported = 115,
  ClusterLaunch = 120
};

/// CUfunction_attribute.
enum class FunctionAttribute : int {
  MaxThreadsPerBlock = 0,
  StaticSharedBytes = 1,
  MaxDynamicSharedBytes = 8,
  NonPortableClusterSizeAllowed = 14
};

/// CUjit_option.
enum class JitOption : int {
  ErrorLogBuffer = 5,
  ErrorLogBufferBytes = 6,
  OptimizationLevel = 7
};

/// CUlaunchAttributeID.
enum class LaunchAttributeId : int {
  ClusterDimension = 4,
  ProgrammaticStreamSerialization = 6
};

/// CUlaunchAttribute; the value is a union of 64 bytes, with more members at the
/// driver's.
// NOLINTNEXTLINE(bugprone-tagged-union-member-count)
struct LaunchAttribute {
  LaunchAttributeId id;
  int padding;
  union {
    struct {
      unsigned x, y, z;
    } clusterDimension;
    int programmaticStreamSerialization;
    char bytes[64];
  };
};

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned gridX, gridY, gridZ;
  unsigned blockX, blockY, blockZ;
  unsigned sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

/// CUmemPoolProps, with CUmemLocation inside.
struct MemoryPoolProperties {
  int allocationType; // 1: pinned, which is what device memory is.
  int handleTypes;    // 0: not shared with other processes.
  int locationType;   // 1: a device.
  int locationId;
  void *securityAttributes;
  size_t maxBytes; // Since 12.2, reserved before; 0 is the default.
  unsigned char reserved[56];
};

inline constexpr int kPoolReleaseThreshold = 4;   // CUmemPool_attribute
inline constexpr unsigned kStreamNonBlocking = 1; // CUstream_flags
inline constexpr int kCaptureModeThreadLocal = 1; // CUstreamCaptureMode
inline constexpr int kCaptureModeRelaxed = 2;     // CUstreamCaptureMode

/// The entry points, each under its name in the API's reference. X(name, parameters).
/// cuGetProcAddress is asked for them as of version 12.0.
#define NORMRT_CUDA_FUNCTIONS(X)                                                       \
  X(cuInit, (unsigned flags))                                                          \
  X(cuGetErrorName, (Result error, const char **text))                                 \
  X(cuGetErrorString, (Result error, const char **text))                               \
  X(cuDeviceGetCount, (int *count))                                                    \
  X(cuDeviceGet, (Device * device, int ordinal))                                       \
  X(cuDeviceGetName, (char *name, int length, Device device))                          \
  X(cuDeviceGetAttribute, (int *value, DeviceAttribute attribute, Device device))      \
  X(cuDeviceTotalMem, (size_t *bytes, Device device))                                  \
  X(cuDevicePrimaryCtxRetain, (Context * context, Device device))                      \
  X(cuDevicePrimaryCtxRelease, (Device device))                                        \
  X(cuCtxGetCurrent, (Context * context))                                              \
  X(cuCtxPushCurrent, (Context context))                                               \
  X(cuCtxPopCurrent, (Context * context))                                              \
  X(cuCtxSynchronize, ())                                                              \
  X(cuModuleLoadDataEx, (Library * library, const void *image, unsigned count,         \
                         JitOption *options, void **values))                           \
  X(cuModuleUnload, (Library library))                                                 \
  X(cuModuleGetFunction, (Function * function, Library library, const char *name))     \
  X(cuFuncGetAttribute, (int *value, FunctionAttribute attribute, Function function))  \
  X(cuFuncSetAttribute, (Function function, FunctionAttribute attribute, int value))   \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor,                                       \
    (int *count, Function function, int blockSize, size_t dynamicSharedBytes))         \
  X(cuOccupancyMaxActiveClusters,                                                      \
    (int *count, Function function, const LaunchConfig *config))                       \
  X(cuLaunchKernelEx,                                                                  \
    (const LaunchConfig *config, Function function, void **parameters, void **extra))  \
  X(cuMemAlloc, (DevicePointer * pointer, size_t bytes))                               \
  X(cuMemFree, (DevicePointer pointer))                                                \
  X(cuMemcpyHtoD, (DevicePointer to, const void *from, size_t bytes))                  \
  X(cuMemcpyDtoH, (void *to, DevicePointer from, size_t bytes))                        \
  X(cuMemsetD8, (DevicePointer pointer, unsigned char value, size_t bytes))            \
  X(cuMemPoolCreate, (MemoryPool * pool, const MemoryPoolProperties *properties))      \
  X(cuMemPoolDestroy, (MemoryPool pool))                                               \
  X(cuMemPoolSetAttribute, (MemoryPool pool, int attribute, void *value))              \
  X(cuMemPoolTrimTo, (MemoryPool pool, size_t bytes))                                  \
  X(cuMemAllocFromPoolAsync,                                                           \
    (DevicePointer * pointer, size_t bytes, MemoryPool pool, Stream stream))           \
  X(cuMemFreeAsync, (DevicePointer pointer, Stream stream))                            \
  X(cuStreamCreate, (Stream * stream, unsigned flags))                                 \
  X(cuStreamDestroy, (Stream stream))                                                  \
  X(cuStreamSynchronize, (Stream stream))                                              \
  X(cuStreamIsCapturing, (Stream stream, int *status))                                 \
  X(cuStreamBeginCapture, (Stream stream, int mode))                                   \
  X(cuStreamEndCapture, (Stream stream, Graph * graph))                                \
  X(cuThreadExchangeStreamCaptureMode, (int *mode))                                    \
  X(cuGraphInstantiateWithFlags,                                                       \
    (GraphExec * executable, Graph graph, unsigned long long flags))                   \
  X(cuGraphLaunch, (GraphExec executable, Stream stream))                              \
  X(cuGraphDestroy, (Graph graph))                                                     \
  X(cuGraphExecDestroy, (GraphExec executable))                                        \
  X(cuEventCreate, (Event * event, unsigned flags))                                    \
  X(cuEventDestroy, (Event event))                                                     \
  X(cuEventRecord, (Event event, Stream stream))                                       \
  X(cuEventElapsedTime, (float *milliseconds, Event begin, Event end))

} // namespace normrt::cuda

#endif // NORMRT_CUDA_DRIVERAPI_H
