// The CUDA driver, opened when the first CUDA device is: one table of functions.
#ifndef NORMRT_CUDA_DRIVER_H
#define NORMRT_CUDA_DRIVER_H

#include "runtime/src/Status.h"
#include "runtime/src/cuda/DriverApi.h"

#include <string>
#include <string_view>

namespace normrt::cuda {

/// The oldest driver that works: 12.0 is the first with every call below.
inline constexpr int kOldestDriver = 12000;

/// The functions of libcuda.so.1. Every member can be called.
struct Driver {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declarator and a list of parameters.
#define NORMRT_CUDA_MEMBER(name, parameters) Result(*name) parameters = nullptr;
  NORMRT_CUDA_FUNCTIONS(NORMRT_CUDA_MEMBER)
#undef NORMRT_CUDA_MEMBER
  /// Since 12.4; null before.
  Result (*cuFuncGetParamInfo)(Function function, size_t index, size_t *offset,
                               size_t *bytes) = nullptr;
  /// 12040 for 12.4.
  int version = 0;

  /// "CUDA_ERROR_OUT_OF_MEMORY (2): out of memory".
  std::string text(Result result) const;

  /// The failure of a call. What went wrong inside the device, which nothing can be
  /// done about afterwards, is DEVICE_ERROR.
  Status error(Result result, std::string_view call) const;
};

/// Opens and initializes the driver, once for the process; it is never closed, because
/// a driver is not made to be. Failures are not remembered: the next call tries again.
Status openDriver(const Driver *&driver);

/// "12.4" for 12040.
std::string versionText(int version);

} // namespace normrt::cuda

/// Returns the driver's failure from the enclosing function, which has a `driver`.
#define NORMRT_CUDA_TRY(call, ...)                                                     \
  do {                                                                                 \
    if (const ::normrt::cuda::Result tryResult = driver.call(__VA_ARGS__);             \
        tryResult != ::normrt::cuda::Result::Success)                                  \
      return driver.error(tryResult, #call);                                           \
  } while (false)

#endif // NORMRT_CUDA_DRIVER_H
