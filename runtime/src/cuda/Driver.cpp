#include "runtime/src/cuda/Driver.h"

#include "runtime/src/DynamicLibrary.h"

#include <dlfcn.h>
#include <memory>
#include <mutex>

namespace normrt::cuda {
namespace {

// The name under which every Linux driver installs it.
constexpr const char *kLibrary = "libcuda.so.1";

using GetProcAddress = Result (*)(const char *name, void **function, int version,
                                  uint64_t flags, int *status);

template <class Pointer> Pointer symbol(void *library, const char *name) {
  return reinterpret_cast<Pointer>(dlsym(library, name));
}

template <class Pointer>
bool resolve(GetProcAddress getProcAddress, const char *name, int version,
             Pointer &function) {
  void *address = nullptr;
  int status = 0;
  // No flags: the null stream is the legacy default stream.
  if (getProcAddress(name, &address, version, 0, &status) != Result::Success)
    return false;
  function = reinterpret_cast<Pointer>(address);
  return function != nullptr;
}

Status checkVersion(void *library, int &version) {
  const auto getVersion = symbol<Result (*)(int *)>(library, "cuDriverGetVersion");
  if (!getVersion)
    return Status::error(NORMRT_STATUS_UNSUPPORTED, "expected ", kLibrary,
                         " to be a CUDA driver, but it has no cuDriverGetVersion");
  // What this call says before cuInit is right; a failure here is a broken driver.
  const Result result = getVersion(&version);
  if (result != Result::Success)
    return Status::error(NORMRT_STATUS_UNSUPPORTED,
                         "expected the CUDA driver to tell its version, but "
                         "cuDriverGetVersion failed with code ",
                         int(result));
  if (version < kOldestDriver)
    return Status::error(NORMRT_STATUS_UNSUPPORTED,
                         "expected a CUDA driver of version ",
                         versionText(kOldestDriver), " or newer, but got ",
                         versionText(version), " (", version, ") from ", kLibrary);
  return Status();
}

Status fill(void *library, Driver &driver) {
  NORMRT_TRY(checkVersion(library, driver.version));
  const auto getProcAddress = symbol<GetProcAddress>(library, "cuGetProcAddress_v2");
  if (!getProcAddress)
    return Status::error(NORMRT_STATUS_UNSUPPORTED, "expected ", kLibrary,
                         " to have cuGetProcAddress_v2, because its version is ",
                         versionText(driver.version), ", but it does not");
  const char *missing = nullptr;
#define NORMRT_CUDA_RESOLVE(name, parameters)                                          \
  if (!resolve(getProcAddress, #name, kOldestDriver, driver.name))                     \
    missing = #name;
  NORMRT_CUDA_FUNCTIONS(NORMRT_CUDA_RESOLVE)
#undef NORMRT_CUDA_RESOLVE
  if (missing)
    return Status::error(NORMRT_STATUS_UNSUPPORTED, "expected the CUDA driver ",
                         versionText(driver.version), " to have ", missing,
                         ", but it does not");
  resolve(getProcAddress, "cuFuncGetParamInfo", 12040, driver.cuFuncGetParamInfo);
  const Result result = driver.cuInit(0);
  return result == Result::Success ? Status() : driver.error(result, "cuInit");
}

normrt_status statusOf(Result result) {
  switch (result) {
  case Result::OutOfMemory:
    return NORMRT_STATUS_OUT_OF_MEMORY;
  case Result::NoDevice:
  case Result::InvalidDevice:
    return NORMRT_STATUS_NOT_FOUND;
  case Result::InvalidValue:
  case Result::InvalidHandle:
  case Result::InvalidContext:
    return NORMRT_STATUS_INVALID_ARGUMENT;
  case Result::InvalidImage:
  case Result::NoBinaryForGpu:
  case Result::InvalidPtx:
  case Result::UnsupportedPtxVersion:
  case Result::JitCompilationDisabled:
  case Result::InvalidSource:
  case Result::NotFound:
    return NORMRT_STATUS_LOAD_FAILED;
  case Result::LaunchOutOfResources:
  case Result::NotSupported:
  case Result::InvalidClusterSize:
  case Result::StreamCaptureUnsupported:
  case Result::StreamCaptureImplicit:
    return NORMRT_STATUS_UNSUPPORTED;
  default:
    return NORMRT_STATUS_DEVICE_ERROR;
  }
}

} // namespace

std::string versionText(int version) {
  return concat(version / 1000, ".", version % 1000 / 10);
}

std::string Driver::text(Result result) const {
  const char *name = nullptr, *description = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &description);
  std::string all = concat(name ? name : "an unknown error", " (", int(result), ")");
  return description ? concat(all, ": ", description) : all;
}

Status Driver::error(Result result, std::string_view call) const {
  return Status::error(statusOf(result), call, " failed with ", text(result));
}

Status openDriver(const Driver *&driver) {
  static std::mutex mutex;
  // Not destroyed at exit: threads may still launch then.
  static const Driver *opened = nullptr;
  std::lock_guard lock(mutex);
  if (!opened) {
    void *library = nullptr;
    NORMRT_TRY(openLibrary(
        kLibrary, "a CUDA driver, because a CUDA device was asked for", library));
    auto filled = std::make_unique<Driver>();
    if (Status status = fill(library, *filled); status.failed()) {
      dlclose(library);
      return status;
    }
    opened = filled.release();
  }
  driver = opened;
  return Status();
}

} // namespace normrt::cuda
