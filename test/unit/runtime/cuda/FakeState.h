// The objects of the fake driver and what all of its functions share.
#ifndef NORMRT_TEST_FAKESTATE_H
#define NORMRT_TEST_FAKESTATE_H

#include "FakeDriver.h"

#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace normrt::cuda {

struct ContextObject {
  int device = 0;
  int references = 0;
};

struct ModuleObject {
  Context context = nullptr;
  int fd = -1;
  void *library = nullptr;
  std::vector<FunctionObject *> functions;
};

using FakeKernel = void (*)(const int64_t *args, int64_t workgroup);
struct FunctionObject {
  std::string name;
  Context context = nullptr;
  FakeKernel kernel = nullptr;
  int paramCount = 0;
  int maxThreads = 1024;
  int staticSharedBytes = 0;
  int dynamicSharedBytes = 0;
  bool nonPortableClusters = false;
};

/// A launch that a graph holds.
struct Node {
  Function function = nullptr;
  std::vector<int64_t> args;
  unsigned grid = 0;
};

struct StreamObject {
  Context context = nullptr;
  bool capturing = false;
  std::vector<Node> captured;
};
struct EventObject {
  std::chrono::steady_clock::time_point at;
};
struct MemoryPoolObject {
  int device = 0;
  std::multimap<size_t, DevicePointer> kept;
};
struct GraphObject {
  std::vector<Node> nodes;
};
struct GraphExecObject {
  std::vector<Node> nodes;
};

} // namespace normrt::cuda

namespace normrt::test::fake {

using namespace normrt::cuda;

struct Allocation {
  size_t bytes = 0;
  int device = 0;
  MemoryPool pool = nullptr;
};

struct Failure {
  Result result = Result::Success;
  int times = 0;
};

struct State {
  std::recursive_mutex mutex;
  std::vector<DeviceConfig> devices{2};
  int version = 13000;
  std::set<std::string> hidden;
  std::map<std::string, Failure> failures;
  std::map<std::string, int> calls;
  Result fault = Result::Success;
  std::vector<SeenLaunch> launches;
  std::vector<std::string> images;
  int jitLevel = -1;

  ContextObject primaries[8];
  ContextObject foreign;
  std::map<DevicePointer, Allocation> allocations;
  /// Modules, streams, events, pools, graphs.
  std::set<void *> handles;

  template <class T> T *make() {
    T *object = new T;
    handles.insert(object);
    return object;
  }
  template <class T> Result destroy(T *object) {
    if (handles.erase(object) == 0)
      return Result::InvalidHandle;
    delete object;
    return Result::Success;
  }
  bool alive(void *handle) const { return handles.contains(handle); }
  size_t bytesOn(int device) const;
  Result allocate(size_t bytes, int device, MemoryPool pool, DevicePointer &pointer);
  /// Whether a range lies inside one allocation.
  bool contains(DevicePointer begin, size_t bytes) const;
};

State &state();
std::vector<Context> &contexts(); // Of this thread, the current one last.
inline Context current() { return contexts().empty() ? nullptr : contexts().back(); }
/// Whether a stream (null: the default one) can be used in the current context.
bool usable(Stream stream);

/// Called with a function's name before it: what it must fail with, or success.
Result begin(const char *name, bool needsContext);

/// The table's functions, each under its name.
#define NORMRT_FAKE_DECLARE(name, parameters) Result name parameters;
NORMRT_CUDA_FUNCTIONS(NORMRT_FAKE_DECLARE)
#undef NORMRT_FAKE_DECLARE
Result cuFuncGetParamInfo(Function function, size_t index, size_t *offset,
                          size_t *bytes);

} // namespace normrt::test::fake

#endif // NORMRT_TEST_FAKESTATE_H
