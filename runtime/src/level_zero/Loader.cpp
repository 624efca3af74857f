#include "runtime/src/level_zero/Loader.h"

#include "runtime/src/DynamicLibrary.h"

#include <cstdio>
#include <dlfcn.h>
#include <memory>
#include <mutex>

namespace normrt::level_zero {
namespace {

// The name under which every Linux distribution installs it.
constexpr const char *kLibrary = "libze_loader.so.1";

struct ResultName {
  ze_result_t result;
  const char *name;
  normrt_status status;
};

#define NORMRT_ZE_RESULT(result, status) {result, #result, NORMRT_STATUS_##status}
constexpr ResultName kResults[] = {
    NORMRT_ZE_RESULT(ZE_RESULT_NOT_READY, DEVICE_ERROR),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_DEVICE_LOST, DEVICE_ERROR),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET, DEVICE_ERROR),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_DEVICE_IN_LOW_POWER_STATE, DEVICE_ERROR),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS, DEVICE_ERROR),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_NOT_AVAILABLE, DEVICE_ERROR),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_UNKNOWN, DEVICE_ERROR),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE, NOT_FOUND),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, OUT_OF_MEMORY),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY, OUT_OF_MEMORY),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, LOAD_FAILED),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_MODULE_LINK_FAILURE, LOAD_FAILED),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_INVALID_NATIVE_BINARY, LOAD_FAILED),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED, LOAD_FAILED),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_INVALID_KERNEL_NAME, LOAD_FAILED),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_UNINITIALIZED, NOT_FOUND),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_UNSUPPORTED_VERSION, UNSUPPORTED),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, UNSUPPORTED),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_UNSUPPORTED_SIZE, UNSUPPORTED),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, UNSUPPORTED),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION, UNSUPPORTED),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION, UNSUPPORTED),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_INVALID_ARGUMENT, INVALID_ARGUMENT),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_INVALID_NULL_HANDLE, INVALID_ARGUMENT),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_INVALID_NULL_POINTER, INVALID_ARGUMENT),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_INVALID_SIZE, INVALID_ARGUMENT),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_INVALID_ENUMERATION, INVALID_ARGUMENT),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT, INVALID_ARGUMENT),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE, INVALID_ARGUMENT),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_OVERLAPPING_REGIONS, INVALID_ARGUMENT),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, INTERNAL),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX, INTERNAL),
    NORMRT_ZE_RESULT(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE, INTERNAL),
};
#undef NORMRT_ZE_RESULT

const ResultName *find(ze_result_t result) {
  for (const ResultName &known : kResults)
    if (known.result == result)
      return &known;
  return nullptr;
}

Status fill(void *library, Loader &loader) {
  const char *missing = nullptr;
#define NORMRT_ZE_RESOLVE(name)                                                        \
  loader.name = reinterpret_cast<decltype(&::name)>(dlsym(library, #name));            \
  if (!loader.name)                                                                    \
    missing = #name;
  NORMRT_ZE_FUNCTIONS(NORMRT_ZE_RESOLVE)
#undef NORMRT_ZE_RESOLVE
  if (missing)
    return Status::error(NORMRT_STATUS_UNSUPPORTED, "expected ", kLibrary,
                         " to be a Level Zero loader of API 1.4 or newer, but it has "
                         "no ",
                         missing);
  const ze_result_t result = loader.zeInit(0);
  if (result == ZE_RESULT_SUCCESS)
    return Status();
  // What the loader says where it finds no driver, or none that it can use.
  if (result == ZE_RESULT_ERROR_UNINITIALIZED)
    return Status::error(NORMRT_STATUS_NOT_FOUND,
                         "expected a Level Zero driver, because a Level Zero device "
                         "was asked for, but zeInit failed with ",
                         resultText(result), ": the loader found none that works");
  return callError(result, "zeInit");
}

} // namespace

std::string resultText(ze_result_t result) {
  char number[16];
  std::snprintf(number, sizeof(number), "0x%x", unsigned(result));
  const ResultName *known = find(result);
  return concat(known ? known->name : "an unknown result", " (", number, ")");
}

Status callError(ze_result_t result, std::string_view call) {
  const ResultName *known = find(result);
  return Status::error(known ? known->status : NORMRT_STATUS_DEVICE_ERROR, call,
                       " failed with ", resultText(result));
}

Status openLoader(const Loader *&loader) {
  static std::mutex mutex;
  // Not destroyed at exit: threads may still launch then.
  static const Loader *opened = nullptr;
  std::lock_guard lock(mutex);
  if (!opened) {
    void *library = nullptr;
    NORMRT_TRY(openLibrary(
        kLibrary, "the Level Zero loader, because a Level Zero device was asked for",
        library));
    auto filled = std::make_unique<Loader>();
    // The library stays open also after a failure: drivers have been loaded by then.
    NORMRT_TRY(fill(library, *filled));
    opened = filled.release();
  }
  loader = opened;
  return Status();
}

} // namespace normrt::level_zero
