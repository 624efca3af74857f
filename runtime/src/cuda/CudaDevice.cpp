#include "runtime/src/cuda/CudaDevice.h"

namespace normrt::cuda {

Status CudaDevice::open(int ordinal, std::unique_ptr<CudaDevice> &device) {
  const Driver *opened = nullptr;
  NORMRT_TRY(openDriver(opened));
  const Driver &driver = *opened;
  int count = 0;
  NORMRT_CUDA_TRY(cuDeviceGetCount, &count);
  if (ordinal >= count)
    return Status::error(NORMRT_STATUS_NOT_FOUND, "expected a CUDA device below ",
                         count, ", because the driver ", versionText(driver.version),
                         " shows ", count, " of them, but got ", ordinal);
  std::unique_ptr<CudaDevice> result(new CudaDevice(driver, ordinal));
  NORMRT_CUDA_TRY(cuDeviceGet, &result->device_, ordinal);
  NORMRT_TRY(result->readNumbers());
  NORMRT_CUDA_TRY(cuDevicePrimaryCtxRetain, &result->context_, result->device_);
  device = std::move(result);
  return Status();
}

CudaDevice::~CudaDevice() {
  if (context_)
    driver_.cuDevicePrimaryCtxRelease(device_);
}

Status CudaDevice::readNumbers() {
  const Driver &driver = driver_;
  char name[256] = "";
  NORMRT_CUDA_TRY(cuDeviceGetName, name, int(sizeof(name)) - 1, device_);
  name_ = name;
  NORMRT_CUDA_TRY(cuDeviceTotalMem, &numbers_.memoryBytes, device_);
  int clusters = 0, pools = 0;
  const std::pair<DeviceAttribute, int *> attributes[] = {
      {DeviceAttribute::ComputeCapabilityMajor, &numbers_.capability.major},
      {DeviceAttribute::ComputeCapabilityMinor, &numbers_.capability.minor},
      {DeviceAttribute::MultiprocessorCount, &numbers_.computeUnits},
      {DeviceAttribute::MaxThreadsPerBlock, &numbers_.maxThreadsPerBlock},
      {DeviceAttribute::WarpSize, &numbers_.subgroupSize},
      {DeviceAttribute::MaxSharedBytesPerBlockOptin, &numbers_.maxSharedBytes},
      {DeviceAttribute::L2CacheBytes, &numbers_.l2Bytes},
      {DeviceAttribute::ClusterLaunch, &clusters},
      {DeviceAttribute::MemoryPoolsSupported, &pools}};
  for (const auto &[attribute, value] : attributes)
    NORMRT_CUDA_TRY(cuDeviceGetAttribute, value, attribute, device_);
  numbers_.clusters = clusters != 0;
  numbers_.memoryPools = pools != 0;
  return Status();
}

std::string CudaDevice::text() const {
  return concat("CUDA device ", ordinal_, " (", name_, ", ", numbers_.capability.name(),
                ")");
}

Status ContextScope::enter() {
  const Driver &driver = device_.driver();
  Context current = nullptr;
  NORMRT_CUDA_TRY(cuCtxGetCurrent, &current);
  // The usual case: whoever uses the device has the same context current.
  if (current == device_.context())
    return Status();
  NORMRT_CUDA_TRY(cuCtxPushCurrent, device_.context());
  pushed_ = true;
  return Status();
}

ContextScope::~ContextScope() {
  Context popped = nullptr;
  if (pushed_)
    device_.driver().cuCtxPopCurrent(&popped);
}

} // namespace normrt::cuda
