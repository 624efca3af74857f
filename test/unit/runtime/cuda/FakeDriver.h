// A test double of the CUDA driver: a shared object named libcuda.so.1 that a test
// links, so that the runtime's dlopen of that name finds it already there. Memory is
// the process's own, streams run at once, and a "cubin" is a host shared object whose
// functions stand in for the kernels (FakeKernels.c). It is strict where the driver is
// merely undefined: every address, handle and context is checked.
#ifndef NORMRT_TEST_FAKEDRIVER_H
#define NORMRT_TEST_FAKEDRIVER_H

#include "runtime/src/cuda/DriverApi.h"

#include <cstdint>
#include <string>
#include <vector>

namespace normrt::test::fake {

struct DeviceConfig {
  std::string name = "Fake 90";
  int major = 9;
  int minor = 0;
  int computeUnits = 4;
  int maxSharedBytes = 232448;
  bool clusters = true;
  bool memoryPools = true;
  size_t memoryBytes = size_t(1) << 30;
};

/// A launch as the driver saw it.
struct SeenLaunch {
  std::string kernel;
  unsigned grid = 0;
  unsigned workgroup = 0;
  unsigned cluster = 1;
  unsigned sharedBytes = 0;
  bool dependent = false;
  void *stream = nullptr;
  bool captured = false;
  int device = 0;
};

/// Two devices of the default configuration, version 13.0, nothing fails, nothing seen.
/// Objects that are alive stay so.
void reset();
void setDevices(std::vector<DeviceConfig> devices);
void setVersion(int version);
/// The function is one that this driver does not have.
void hide(const std::string &function);
/// The next `times` calls of a function fail.
void failCalls(const std::string &function, cuda::Result result, int times = 1);
/// A kernel went wrong: every call that needs a context fails so, until reset.
void fault(cuda::Result result);

std::vector<SeenLaunch> launches();
int calls(const std::string &function);
/// Images that were loaded, as the first 4 bytes of each.
std::vector<std::string> loadedImages();
/// The optimization level of the last JIT compilation, -1 without one.
int jitOptimizationLevel();
/// Modules, allocations, streams, events, graphs, pools and references to contexts.
int liveObjects();
/// Bytes that are allocated on all devices.
size_t liveBytes();
/// A context that is nobody's primary one, for tests that have it current.
cuda::Context foreignContext();
cuda::Context currentContext();
void pushContext(cuda::Context context);
void popContext();

/// PTX that this driver accepts for an architecture, with the kernels of a shared
/// object.
std::string ptx(const std::string &architecture, const char *library);

} // namespace normrt::test::fake

#endif // NORMRT_TEST_FAKEDRIVER_H
