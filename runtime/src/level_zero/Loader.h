// The Level Zero loader, opened when the first Level Zero device is: one table of
// functions. All of them are in API 1.4, which Debian 12's loader (1.8) has, and in
// every newer one.
#ifndef NORMRT_LEVEL_ZERO_LOADER_H
#define NORMRT_LEVEL_ZERO_LOADER_H

#include "runtime/src/Status.h"

#include <level_zero/loader/ze_loader.h>
#include <level_zero/ze_api.h>

#include <string>
#include <string_view>

namespace normrt::level_zero {

#define NORMRT_ZE_FUNCTIONS(X)                                                         \
  X(zeInit)                                                                            \
  X(zeDriverGet)                                                                       \
  X(zeDriverGetApiVersion)                                                             \
  X(zeDeviceGet)                                                                       \
  X(zeDeviceGetSubDevices)                                                             \
  X(zeDeviceGetProperties)                                                             \
  X(zeDeviceGetComputeProperties)                                                      \
  X(zeDeviceGetMemoryProperties)                                                       \
  X(zeDeviceGetCacheProperties)                                                        \
  X(zeDeviceGetCommandQueueGroupProperties)                                            \
  X(zeContextCreate)                                                                   \
  X(zeContextDestroy)                                                                  \
  X(zeModuleCreate)                                                                    \
  X(zeModuleDestroy)                                                                   \
  X(zeModuleBuildLogGetString)                                                         \
  X(zeModuleBuildLogDestroy)                                                           \
  X(zeKernelCreate)                                                                    \
  X(zeKernelDestroy)                                                                   \
  X(zeKernelGetProperties)                                                             \
  X(zeKernelSetGroupSize)                                                              \
  X(zeKernelSetArgumentValue)                                                          \
  X(zeMemAllocDevice)                                                                  \
  X(zeMemAllocHost)                                                                    \
  X(zeMemFree)                                                                         \
  X(zeMemGetAllocProperties)                                                           \
  X(zeMemGetAddressRange)                                                              \
  X(zeCommandListCreate)                                                               \
  X(zeCommandListCreateImmediate)                                                      \
  X(zeCommandListDestroy)                                                              \
  X(zeCommandListClose)                                                                \
  X(zeCommandListAppendBarrier)                                                        \
  X(zeCommandListAppendMemoryCopy)                                                     \
  X(zeCommandListAppendMemoryFill)                                                     \
  X(zeCommandListAppendLaunchKernel)                                                   \
  X(zeCommandQueueCreate)                                                              \
  X(zeCommandQueueDestroy)                                                             \
  X(zeCommandQueueExecuteCommandLists)                                                 \
  X(zeCommandQueueSynchronize)                                                         \
  X(zeEventPoolCreate)                                                                 \
  X(zeEventPoolDestroy)                                                                \
  X(zeEventCreate)                                                                     \
  X(zeEventDestroy)                                                                    \
  X(zeEventHostReset)                                                                  \
  X(zeEventHostSynchronize)                                                            \
  X(zeEventQueryKernelTimestamp)                                                       \
  X(zelLoaderTranslateHandle)

/// The functions of libze_loader.so.1. Every member can be called.
struct Loader {
// NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a member.
#define NORMRT_ZE_MEMBER(name) decltype(&::name) name = nullptr;
  NORMRT_ZE_FUNCTIONS(NORMRT_ZE_MEMBER)
#undef NORMRT_ZE_MEMBER
};

/// "ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY (0x70000003)".
std::string resultText(ze_result_t result);

/// The failure of a call. What went wrong inside the device, which nothing can be done
/// about afterwards, is DEVICE_ERROR.
Status callError(ze_result_t result, std::string_view call);

/// Opens the loader and initializes the drivers that it finds, once for the process; it
/// is never closed, because drivers are not made to be. Failures are not remembered.
Status openLoader(const Loader *&loader);

} // namespace normrt::level_zero

/// Returns the failure of a call from the enclosing function, which has a `ze`.
#define NORMRT_ZE_TRY(call, ...)                                                       \
  do {                                                                                 \
    if (const ze_result_t tryResult = ze.call(__VA_ARGS__);                            \
        tryResult != ZE_RESULT_SUCCESS)                                                \
      return ::normrt::level_zero::callError(tryResult, #call);                        \
  } while (false)

#endif // NORMRT_LEVEL_ZERO_LOADER_H
