// One CUDA device: its facts, its primary context, and scopes in which that is current.
#ifndef NORMRT_CUDA_CUDADEVICE_H
#define NORMRT_CUDA_CUDADEVICE_H

#include "runtime/src/cuda/Architecture.h"
#include "runtime/src/cuda/Driver.h"

#include <memory>
#include <string>

namespace normrt::cuda {

struct DeviceNumbers {
  Capability capability;
  int computeUnits = 0;
  int maxThreadsPerBlock = 0;
  int subgroupSize = 0;
  /// Static and dynamic together, what a kernel may ask for.
  int maxSharedBytes = 0;
  int l2Bytes = 0;
  size_t memoryBytes = 0;
  bool clusters = false;
  bool memoryPools = false;
};

/// Holds a reference to the primary context, which the CUDA runtime, and with it every
/// framework, uses too: memory and streams are theirs and ours alike.
class CudaDevice {
public:
  static Status open(int ordinal, std::unique_ptr<CudaDevice> &device);
  ~CudaDevice();
  CudaDevice(const CudaDevice &) = delete;
  CudaDevice &operator=(const CudaDevice &) = delete;

  const Driver &driver() const { return driver_; }
  Context context() const { return context_; }
  int ordinal() const { return ordinal_; }
  const std::string &name() const { return name_; }
  const DeviceNumbers &numbers() const { return numbers_; }
  /// "CUDA device 0 (NVIDIA H200, sm_90)", for messages.
  std::string text() const;

private:
  CudaDevice(const Driver &driver, int ordinal) : driver_(driver), ordinal_(ordinal) {}
  Status readNumbers();

  const Driver &driver_;
  int ordinal_;
  Device device_ = 0;
  Context context_ = nullptr;
  std::string name_;
  DeviceNumbers numbers_;
};

/// Makes the device's context current on this thread until the end of a scope. What the
/// caller had current is so again afterwards.
class ContextScope {
public:
  explicit ContextScope(const CudaDevice &device) : device_(device) {}
  ~ContextScope();
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;

  Status enter();

private:
  const CudaDevice &device_;
  bool pushed_ = false;
};

/// Lets this thread allocate and load while another one captures a stream, which the
/// driver otherwise forbids for the sake of the capture; ours has nothing to do with
/// it.
class RelaxedCaptureScope {
public:
  explicit RelaxedCaptureScope(const Driver &driver) : driver_(driver) {
    driver_.cuThreadExchangeStreamCaptureMode(&mode_);
  }
  ~RelaxedCaptureScope() { driver_.cuThreadExchangeStreamCaptureMode(&mode_); }
  RelaxedCaptureScope(const RelaxedCaptureScope &) = delete;
  RelaxedCaptureScope &operator=(const RelaxedCaptureScope &) = delete;

private:
  const Driver &driver_;
  int mode_ = kCaptureModeRelaxed;
};

} // namespace normrt::cuda

#endif // NORMRT_CUDA_CUDADEVICE_H
