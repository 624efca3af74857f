// The fake driver's modules, launches, streams and graphs, and the table it exports.
#include "FakeState.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <string_view>
#include <sys/mman.h>
#include <type_traits>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace normrt::test::fake {
namespace {

/// The size of an ELF file whose section headers come last.
size_t elfSize(const void *image) {
  const auto *header = static_cast<const Elf64_Ehdr *>(image);
  return header->e_shoff + size_t(header->e_shnum) * header->e_shentsize;
}

/// The value after a word in PTX, up to the end of the line.
std::string after(std::string_view text, std::string_view word) {
  const size_t at = text.find(word);
  if (at == std::string_view::npos)
    return "";
  const size_t begin = at + word.size();
  return std::string(text.substr(begin, text.find('\n', begin) - begin));
}

struct JitOptions {
  char *log = nullptr;
  size_t logBytes = 0;
  int level = -1;
};

JitOptions jitOptions(unsigned count, const JitOption *options, void **values) {
  JitOptions result;
  for (unsigned i = 0; i < count; ++i) {
    const auto number = reinterpret_cast<uintptr_t>(values[i]);
    if (options[i] == JitOption::ErrorLogBuffer)
      result.log = static_cast<char *>(values[i]);
    else if (options[i] == JitOption::ErrorLogBufferBytes)
      result.logBytes = number;
    else
      result.level = int(number);
  }
  return result;
}

Result compilePtx(std::string_view text, const JitOptions &options, std::string &path) {
  if (!options.log)
    return Result::InvalidImage; // Nobody meant this to be PTX.
  const DeviceConfig &device = state().devices.at(size_t(current()->device));
  state().jitLevel = options.level;
  const std::string target = after(text, ".target sm_");
  path = after(text, "//library ");
  if (path.empty()) {
    std::strncpy(options.log, "ptxas error: a word that is none\n", options.logBytes);
    return Result::InvalidPtx;
  }
  return std::strtol(target.c_str(), nullptr, 10) <= device.major * 10 + device.minor
             ? Result::Success
             : Result::NoBinaryForGpu;
}

int number(void *library, const std::string &symbol, int otherwise) {
  const void *address = dlsym(library, symbol.c_str());
  return address ? *static_cast<const int *>(address) : otherwise;
}

/// A GPU has a floating-point control of its own.
class DefaultFloatControl {
public:
#if defined(__x86_64__)
  DefaultFloatControl() : saved_(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~DefaultFloatControl() { _mm_setcsr(saved_); }

private:
  unsigned saved_;
#endif
};

void execute(const Node &node) {
  const DefaultFloatControl control;
  for (unsigned workgroup = 0; workgroup < node.grid; ++workgroup)
    node.function->kernel(node.args.data(), workgroup);
}

int blocksPerUnit(Function function, int blockSize, size_t dynamicBytes) {
  const DeviceConfig &device = state().devices.at(size_t(function->context->device));
  const size_t shared = size_t(function->staticSharedBytes) + dynamicBytes;
  const int byShared = shared ? int(size_t(device.maxSharedBytes) / shared) : 32;
  return std::min({2048 / blockSize, byShared, 32});
}

SeenLaunch describe(const LaunchConfig &config, Function function) {
  SeenLaunch seen{function->name,
                  config.gridX,
                  config.blockX,
                  1,
                  config.sharedBytes,
                  false,
                  config.stream,
                  config.stream && config.stream->capturing,
                  function->context->device};
  for (unsigned i = 0; i < config.attributeCount; ++i) {
    if (config.attributes[i].id == LaunchAttributeId::ClusterDimension)
      seen.cluster = config.attributes[i].clusterDimension.x;
    else
      seen.dependent = config.attributes[i].programmaticStreamSerialization != 0;
  }
  return seen;
}

Result checkLaunch(const LaunchConfig &config, Function function,
                   const SeenLaunch &seen) {
  if (!usable(config.stream) || function->context != current())
    return Result::InvalidHandle;
  const bool fits =
      config.gridX > 0 && config.gridY == 1 && config.gridZ == 1 && config.blockX > 0 &&
      config.blockY == 1 && config.blockZ == 1 &&
      config.blockX <= unsigned(function->maxThreads) &&
      config.sharedBytes <= unsigned(std::max(49152, function->dynamicSharedBytes)) &&
      config.gridX % seen.cluster == 0;
  if (!fits)
    return Result::InvalidValue;
  return seen.cluster > (function->nonPortableClusters ? 16u : 8u)
             ? Result::InvalidClusterSize
             : Result::Success;
}

} // namespace

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

Result cuModuleLoadDataEx(Library *library, const void *image, unsigned count,
                          JitOption *options, void **values) {
  std::lock_guard lock(state().mutex);
  const auto *bytes = static_cast<const char *>(image);
  state().images.emplace_back(bytes, 4);
  const bool cubin = std::memcmp(image, ELFMAG, SELFMAG) == 0;
  auto *loaded = state().make<ModuleObject>();
  std::string path;
  if (cubin) {
    loaded->fd = memfd_create("fake-cubin", MFD_CLOEXEC);
    const size_t size = elfSize(image);
    path = "/proc/self/fd/" + std::to_string(loaded->fd);
    if (write(loaded->fd, image, size) != ssize_t(size))
      path.clear();
  } else if (const Result result =
                 compilePtx(bytes, jitOptions(count, options, values), path);
             result != Result::Success) {
    state().destroy(loaded);
    return result;
  }
  loaded->context = current();
  loaded->library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  *library = loaded;
  if (loaded->library)
    return Result::Success;
  if (loaded->fd >= 0)
    close(loaded->fd);
  state().destroy(loaded);
  return Result::InvalidImage;
}

Result cuModuleUnload(Library library) {
  std::lock_guard lock(state().mutex);
  if (!state().alive(library) || library->context != current())
    return Result::InvalidHandle;
  for (FunctionObject *function : library->functions)
    delete function;
  dlclose(library->library);
  if (library->fd >= 0)
    close(library->fd);
  return state().destroy(library);
}

Result cuModuleGetFunction(Function *function, Library library, const char *name) {
  std::lock_guard lock(state().mutex);
  void *kernel = dlsym(library->library, name);
  if (!kernel)
    return Result::NotFound;
  auto *found = new FunctionObject;
  found->name = name;
  found->context = library->context;
  found->kernel = reinterpret_cast<FakeKernel>(kernel);
  found->paramCount = number(library->library, found->name + "_params", 0);
  found->maxThreads = number(library->library, found->name + "_max_threads", 1024);
  found->staticSharedBytes =
      number(library->library, found->name + "_static_shared_bytes", 0);
  library->functions.push_back(found);
  *function = found;
  return Result::Success;
}

Result cuFuncGetAttribute(int *value, FunctionAttribute attribute, Function function) {
  *value = attribute == FunctionAttribute::MaxThreadsPerBlock
               ? function->maxThreads
               : function->staticSharedBytes;
  return Result::Success;
}

Result cuFuncSetAttribute(Function function, FunctionAttribute attribute, int value) {
  if (attribute == FunctionAttribute::NonPortableClusterSizeAllowed) {
    function->nonPortableClusters = value != 0;
    return Result::Success;
  }
  const DeviceConfig &device = state().devices.at(size_t(function->context->device));
  if (function->staticSharedBytes + value > device.maxSharedBytes)
    return Result::InvalidValue;
  function->dynamicSharedBytes = value;
  return Result::Success;
}

Result cuFuncGetParamInfo(Function function, size_t index, size_t *offset,
                          size_t *bytes) {
  if (index >= size_t(function->paramCount))
    return Result::InvalidValue;
  *offset = index * 8;
  *bytes = 8;
  return Result::Success;
}

Result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *count, Function function,
                                                   int blockSize, size_t bytes) {
  *count = blocksPerUnit(function, blockSize, bytes);
  return Result::Success;
}

Result cuOccupancyMaxActiveClusters(int *count, Function function,
                                    const LaunchConfig *config) {
  const SeenLaunch seen = describe(*config, function);
  if (const Result result = checkLaunch(*config, function, seen);
      result != Result::Success)
    return result;
  const DeviceConfig &device = state().devices.at(size_t(function->context->device));
  *count = device.computeUnits *
           blocksPerUnit(function, int(config->blockX), config->sharedBytes) /
           int(seen.cluster);
  return Result::Success;
}

//===----------------------------------------------------------------------===//
// Launches, streams, graphs, events
//===----------------------------------------------------------------------===//

Result cuLaunchKernelEx(const LaunchConfig *config, Function function,
                        void **parameters, void **) {
  std::unique_lock lock(state().mutex);
  const SeenLaunch seen = describe(*config, function);
  if (const Result result = checkLaunch(*config, function, seen);
      result != Result::Success)
    return result;
  state().launches.push_back(seen);
  Node node{function, {}, config->gridX};
  for (int i = 0; i < function->paramCount; ++i)
    node.args.push_back(*static_cast<const int64_t *>(parameters[i]));
  if (seen.captured) {
    config->stream->captured.push_back(std::move(node));
    return Result::Success;
  }
  lock.unlock();
  execute(node);
  return Result::Success;
}

Result cuStreamCreate(Stream *stream, unsigned flags) {
  std::lock_guard lock(state().mutex);
  if (flags != kStreamNonBlocking)
    return Result::InvalidValue;
  *stream = state().make<StreamObject>();
  (*stream)->context = current();
  return Result::Success;
}

Result cuStreamDestroy(Stream stream) {
  std::lock_guard lock(state().mutex);
  return state().destroy(stream);
}

Result cuStreamSynchronize(Stream stream) {
  std::lock_guard lock(state().mutex);
  if (!usable(stream))
    return Result::InvalidHandle;
  return stream && stream->capturing ? Result::StreamCaptureUnsupported
                                     : Result::Success;
}

Result cuStreamIsCapturing(Stream stream, int *status) {
  std::lock_guard lock(state().mutex);
  if (!usable(stream))
    return Result::InvalidHandle;
  *status = stream && stream->capturing;
  return Result::Success;
}

Result cuStreamBeginCapture(Stream stream, int) {
  std::lock_guard lock(state().mutex);
  if (!stream || !usable(stream) || stream->capturing)
    return Result::StreamCaptureUnsupported;
  stream->capturing = true;
  return Result::Success;
}

Result cuStreamEndCapture(Stream stream, Graph *graph) {
  std::lock_guard lock(state().mutex);
  if (!stream || !usable(stream) || !stream->capturing)
    return Result::InvalidValue;
  *graph = state().make<GraphObject>();
  (*graph)->nodes = std::move(stream->captured);
  stream->captured.clear();
  stream->capturing = false;
  return Result::Success;
}

Result cuThreadExchangeStreamCaptureMode(int *mode) {
  thread_local int own = 0;
  std::swap(*mode, own);
  return Result::Success;
}

Result cuGraphInstantiateWithFlags(GraphExec *executable, Graph graph,
                                   unsigned long long) {
  std::lock_guard lock(state().mutex);
  *executable = state().make<GraphExecObject>();
  (*executable)->nodes = graph->nodes;
  return Result::Success;
}

Result cuGraphLaunch(GraphExec executable, Stream stream) {
  std::lock_guard lock(state().mutex);
  if (!usable(stream))
    return Result::InvalidHandle;
  std::for_each(executable->nodes.begin(), executable->nodes.end(), execute);
  return Result::Success;
}

Result cuGraphDestroy(Graph graph) {
  std::lock_guard lock(state().mutex);
  return state().destroy(graph);
}

Result cuGraphExecDestroy(GraphExec executable) {
  std::lock_guard lock(state().mutex);
  return state().destroy(executable);
}

Result cuEventCreate(Event *event, unsigned) {
  std::lock_guard lock(state().mutex);
  *event = state().make<EventObject>();
  return Result::Success;
}

Result cuEventDestroy(Event event) {
  std::lock_guard lock(state().mutex);
  return state().destroy(event);
}

Result cuEventRecord(Event event, Stream stream) {
  std::lock_guard lock(state().mutex);
  event->at = std::chrono::steady_clock::now();
  return usable(stream) ? Result::Success : Result::InvalidHandle;
}

Result cuEventElapsedTime(float *milliseconds, Event begin, Event end) {
  *milliseconds = std::chrono::duration<float, std::milli>(end->at - begin->at).count();
  return Result::Success;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {

/// Calls without a context of their own, by the start of their names.
bool needsContext(std::string_view name) {
  for (const char *prefix : {"cuInit", "cuGetError", "cuDevice", "cuCtxGetCurrent",
                             "cuCtxPush", "cuCtxPop", "cuThreadExchange"})
    if (name.starts_with(prefix))
      return false;
  return true;
}

/// A function of the fake behind the checks that all have.
template <auto function, const char *const &name> struct Checked;
template <class... Args, Result (*function)(Args...), const char *const &name>
struct Checked<function, name> {
  static Result call(Args... args) {
    static const bool context = needsContext(name);
    const Result result = begin(name, context);
    return result == Result::Success ? function(args...) : result;
  }
};

#define NORMRT_FAKE_NAME(name, parameters) constexpr const char *k##name = #name;
NORMRT_CUDA_FUNCTIONS(NORMRT_FAKE_NAME)
#undef NORMRT_FAKE_NAME

void *lookUp(std::string_view name) {
#define NORMRT_FAKE_LOOKUP(function, parameters)                                       \
  if (name == #function)                                                               \
    return reinterpret_cast<void *>(&Checked<&fake::function, k##function>::call);
  NORMRT_CUDA_FUNCTIONS(NORMRT_FAKE_LOOKUP)
#undef NORMRT_FAKE_LOOKUP
  if (name == "cuFuncGetParamInfo")
    return reinterpret_cast<void *>(&cuFuncGetParamInfo);
  return nullptr;
}

} // namespace
} // namespace normrt::test::fake

extern "C" {

int cuDriverGetVersion(int *version) {
  *version = normrt::test::fake::state().version;
  return 0;
}

int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t,
                        int *status) {
  auto &all = normrt::test::fake::state();
  *function = all.hidden.contains(name) ? nullptr : normrt::test::fake::lookUp(name);
  *status = *function ? 0 : 1;
  const bool found = *function && version <= all.version;
  return found ? 0 : int(normrt::cuda::Result::NotFound);
}

} // extern "C"
