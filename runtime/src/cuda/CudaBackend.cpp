// CUDA devices: memory, streams and launches through the driver.
#include "runtime/src/Backend.h"

#include "runtime/src/Limits.h"
#include "runtime/src/cuda/CudaGraph.h"
#include "runtime/src/cuda/CudaModule.h"

#include <charconv>
#include <climits>

namespace normrt {
namespace cuda {
namespace {

// Compute capability and driver from which dependent launches work, in captured graphs
// too (CUDA C++ Programming Guide, "Programmatic Dependent Launch"; release notes of
// CUDA 12.3). Elsewhere they are launched like any other.
constexpr Capability kDependentLaunches{9, 0};
constexpr int kDependentLaunchesDriver = 12030;

Stream streamOf(void *stream) { return static_cast<Stream>(stream); }

DevicePointer addressOf(const void *memory) {
  return static_cast<DevicePointer>(reinterpret_cast<uintptr_t>(memory));
}

void *pointerOf(DevicePointer address) {
  return reinterpret_cast<void *>(static_cast<uintptr_t>(address));
}

/// The attributes of one launch.
struct Attributes {
  LaunchAttribute values[2];
  unsigned count = 0;

  LaunchAttribute &add(LaunchAttributeId id) {
    LaunchAttribute &attribute = values[count++];
    attribute.id = id;
    return attribute;
  }
};

class CudaBackend final : public Backend {
public:
  static Status open(int ordinal, std::unique_ptr<Backend> &backend);
  explicit CudaBackend(std::unique_ptr<CudaDevice> device)
      : device_(std::move(device)), driver_(device_->driver()) {}
  ~CudaBackend() override;

  const std::string &description() const override { return description_; }
  int threadCount() const override { return 0; }
  int64_t computeUnits() const override { return device_->numbers().computeUnits; }
  void describe(DeviceFacts &facts) const override;

  bool owns(DLDevice device) const override {
    return device.device_type == kDLCUDA && device.device_id == device_->ordinal();
  }
  std::string expectedDevice() const override {
    return concat("CUDA device ", device_->ordinal());
  }
  int fit(const schema::Target &target) const override {
    return fitOf(target, device_->numbers().capability);
  }
  Status load(const schema::Target &target, std::unique_ptr<Module> &module) override {
    return CudaModule::load(*device_, target, module);
  }

  /// Any: null is the legacy default stream. That a stream is of this device the driver
  /// checks.
  Status checkStream(void *) const override { return Status(); }
  Status acquireWorkspace(size_t bytes, void *stream, void *&workspace) override;
  void releaseWorkspace(void *workspace, void *stream) override;
  void trim() override;
  Status run(const Module &module, const LaunchRequest *requests, int count,
             void *stream) override;

  Status allocate(size_t bytes, void *&memory) override;
  Status free(void *memory) override;
  Status copyToDevice(void *to, const void *from, size_t bytes) override;
  Status copyFromDevice(void *to, const void *from, size_t bytes) override;
  Status fill(void *memory, uint8_t value, size_t bytes) override;
  Status synchronize() override;

  Status createStream(void *&stream) override;
  Status destroyStream(void *stream) override;
  Status synchronizeStream(void *stream) override;
  Status beginGraph(void *stream) override;
  Status endGraph(void *stream, std::unique_ptr<normrt::Graph> &graph) override;

private:
  Status createPool();
  Status checkNoCapture(void *stream) const;
  Status checkRequest(const LaunchRequest &request) const;
  Status launch(Function function, const LaunchRequest &request, Stream stream) const;

  std::unique_ptr<CudaDevice> device_;
  const Driver &driver_;
  std::string description_;
  /// For workspaces; null where the device has no pools.
  MemoryPool pool_ = nullptr;
  bool dependentLaunches_ = false;
};

Status CudaBackend::open(int ordinal, std::unique_ptr<Backend> &backend) {
  std::unique_ptr<CudaDevice> device;
  NORMRT_TRY(CudaDevice::open(ordinal, device));
  const DeviceNumbers &numbers = device->numbers();
  auto result = std::make_unique<CudaBackend>(std::move(device));
  const int driver = result->driver_.version;
  result->description_ =
      concat("cuda:", ordinal, ", ", result->device_->name(), ", ",
             numbers.capability.name(), ", ", numbers.computeUnits, " compute units, ",
             numbers.maxSharedBytes / 1024, " KiB of shared memory a workgroup, ",
             numbers.clusters ? "" : "no ", "clusters, driver ", versionText(driver));
  result->dependentLaunches_ =
      numbers.capability.number() >= kDependentLaunches.number() &&
      driver >= kDependentLaunchesDriver;
  NORMRT_TRY(result->createPool());
  backend = std::move(result);
  return Status();
}

Status CudaBackend::createPool() {
  if (!device_->numbers().memoryPools)
    return Status();
  ContextScope scope(*device_);
  NORMRT_TRY(scope.enter());
  const Driver &driver = driver_;
  MemoryPoolProperties properties{};
  properties.allocationType = 1;
  properties.locationType = 1;
  properties.locationId = device_->ordinal();
  NORMRT_CUDA_TRY(cuMemPoolCreate, &pool_, &properties);
  // Keep what was freed until trim: the next launch wants it again.
  uint64_t everything = UINT64_MAX;
  NORMRT_CUDA_TRY(cuMemPoolSetAttribute, pool_, kPoolReleaseThreshold, &everything);
  return Status();
}

CudaBackend::~CudaBackend() {
  ContextScope scope(*device_);
  if (pool_ && !scope.enter().failed())
    driver_.cuMemPoolDestroy(pool_);
}

void CudaBackend::describe(DeviceFacts &facts) const {
  const DeviceNumbers &numbers = device_->numbers();
  facts.name = device_->name();
  facts.architecture = numbers.capability.name();
  facts.dlDevice = {kDLCUDA, device_->ordinal()};
  facts.subgroupSize = numbers.subgroupSize;
  facts.maxWorkgroupSize = numbers.maxThreadsPerBlock;
  facts.maxSharedBytes = numbers.maxSharedBytes;
  facts.l2Bytes = numbers.l2Bytes;
  facts.memoryBytes = int64_t(numbers.memoryBytes);
  facts.clusters = numbers.clusters;
}

//===----------------------------------------------------------------------===//
// Workspaces
//===----------------------------------------------------------------------===//

/// An allocation would become a part of the graph, with an address that is the graph's
/// own and a life that ends with each replay: legal, slow, and a surprise.
Status CudaBackend::checkNoCapture(void *stream) const {
  const Driver &driver = driver_;
  int capturing = 0;
  NORMRT_CUDA_TRY(cuStreamIsCapturing, streamOf(stream), &capturing);
  if (capturing == 0)
    return Status();
  return Status::error(
      NORMRT_STATUS_UNSUPPORTED,
      "expected options.workspace, because the stream is captured "
      "into a graph and a launch allocates nothing then, but got null");
}

/// In stream order from a pool: the driver hands the same memory to the next launch on
/// the stream, and to another stream's when it is free, without waiting for the device.
Status CudaBackend::acquireWorkspace(size_t bytes, void *stream, void *&workspace) {
  ContextScope scope(*device_);
  NORMRT_TRY(scope.enter());
  const Driver &driver = driver_;
  NORMRT_TRY(checkNoCapture(stream));
  if (!pool_)
    return Status::error(NORMRT_STATUS_UNSUPPORTED,
                         "expected options.workspace, because ", device_->text(),
                         " has no memory pools to take one from, but got null");
  DevicePointer address = 0;
  const Result result =
      driver.cuMemAllocFromPoolAsync(&address, bytes, pool_, streamOf(stream));
  if (result != Result::Success)
    return driver.error(result, "cuMemAllocFromPoolAsync")
        .within("allocating a workspace of ", bytes, " bytes");
  workspace = pointerOf(address);
  return Status();
}

void CudaBackend::releaseWorkspace(void *workspace, void *stream) {
  ContextScope scope(*device_);
  if (!scope.enter().failed())
    driver_.cuMemFreeAsync(addressOf(workspace), streamOf(stream));
}

void CudaBackend::trim() {
  ContextScope scope(*device_);
  if (pool_ && !scope.enter().failed())
    driver_.cuMemPoolTrimTo(pool_, 0);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

Status CudaBackend::checkRequest(const LaunchRequest &request) const {
  if (request.grid > INT_MAX)
    return Status::error(
        NORMRT_STATUS_UNSUPPORTED, "expected a grid of at most ", INT_MAX,
        " workgroups, because CUDA launches no more, but got ", request.grid);
  if (request.grid % request.clusterSize != 0)
    return Status::error(NORMRT_STATUS_INTERNAL,
                         "expected a grid of whole clusters of ", request.clusterSize,
                         ", but the plan computes ", request.grid, " workgroups");
  return Status();
}

Status CudaBackend::run(const Module &module, const LaunchRequest *requests, int count,
                        void *stream) {
  for (int i = 0; i < count; ++i)
    if (Status status = checkRequest(requests[i]); status.failed())
      return std::move(status).within("launch ", i);
  const auto &kernels = static_cast<const CudaModule &>(module);
  ContextScope scope(*device_);
  NORMRT_TRY(scope.enter());
  for (int i = 0; i < count; ++i)
    if (Status status =
            launch(kernels.function(requests[i].kernel), requests[i], streamOf(stream));
        status.failed())
      return std::move(status).within("launch ", i, " on ", device_->text());
  return Status();
}

Status CudaBackend::launch(Function function, const LaunchRequest &request,
                           Stream stream) const {
  Attributes attributes;
  if (request.clusterSize > 1)
    attributes.add(LaunchAttributeId::ClusterDimension).clusterDimension = {
        unsigned(request.clusterSize), 1, 1};
  if (request.dependent && dependentLaunches_)
    attributes.add(LaunchAttributeId::ProgrammaticStreamSerialization)
        .programmaticStreamSerialization = 1;
  const LaunchConfig config{.gridX = unsigned(request.grid),
                            .gridY = 1,
                            .gridZ = 1,
                            .blockX = unsigned(request.workgroupSize),
                            .blockY = 1,
                            .blockZ = 1,
                            .sharedBytes = unsigned(request.dynamicSharedBytes),
                            .stream = stream,
                            .attributes = attributes.values,
                            .attributeCount = attributes.count};
  void *parameters[kMaxVariantArgs];
  for (int i = 0; i < request.argCount; ++i)
    parameters[i] = const_cast<int64_t *>(request.args + i);
  const Driver &driver = driver_;
  NORMRT_CUDA_TRY(cuLaunchKernelEx, &config, function, parameters, nullptr);
  return Status();
}

//===----------------------------------------------------------------------===//
// Memory and streams
//===----------------------------------------------------------------------===//

Status CudaBackend::allocate(size_t bytes, void *&memory) {
  ContextScope scope(*device_);
  NORMRT_TRY(scope.enter());
  const RelaxedCaptureScope relaxed(driver_);
  DevicePointer address = 0;
  const Result result = driver_.cuMemAlloc(&address, bytes);
  if (result != Result::Success)
    return driver_.error(result, "cuMemAlloc")
        .within("allocating ", bytes, " bytes on ", device_->text());
  memory = pointerOf(address);
  return Status();
}

Status CudaBackend::free(void *memory) {
  ContextScope scope(*device_);
  NORMRT_TRY(scope.enter());
  const Driver &driver = driver_;
  const RelaxedCaptureScope relaxed(driver);
  NORMRT_CUDA_TRY(cuMemFree, addressOf(memory));
  return Status();
}

Status CudaBackend::copyToDevice(void *to, const void *from, size_t bytes) {
  ContextScope scope(*device_);
  NORMRT_TRY(scope.enter());
  const Driver &driver = driver_;
  NORMRT_CUDA_TRY(cuMemcpyHtoD, addressOf(to), from, bytes);
  // From pageable memory the copy may still be on its way; a stream that does not wait
  // for the default one must not overtake it.
  NORMRT_CUDA_TRY(cuStreamSynchronize, nullptr);
  return Status();
}

Status CudaBackend::copyFromDevice(void *to, const void *from, size_t bytes) {
  ContextScope scope(*device_);
  NORMRT_TRY(scope.enter());
  const Driver &driver = driver_;
  NORMRT_CUDA_TRY(cuMemcpyDtoH, to, addressOf(from), bytes);
  return Status();
}

Status CudaBackend::fill(void *memory, uint8_t value, size_t bytes) {
  ContextScope scope(*device_);
  NORMRT_TRY(scope.enter());
  const Driver &driver = driver_;
  NORMRT_CUDA_TRY(cuMemsetD8, addressOf(memory), value, bytes);
  NORMRT_CUDA_TRY(cuStreamSynchronize, nullptr);
  return Status();
}

Status CudaBackend::synchronize() {
  ContextScope scope(*device_);
  NORMRT_TRY(scope.enter());
  const Driver &driver = driver_;
  NORMRT_CUDA_TRY(cuCtxSynchronize);
  return Status();
}

Status CudaBackend::createStream(void *&stream) {
  ContextScope scope(*device_);
  NORMRT_TRY(scope.enter());
  const Driver &driver = driver_;
  Stream created = nullptr;
  NORMRT_CUDA_TRY(cuStreamCreate, &created, kStreamNonBlocking);
  stream = created;
  return Status();
}

Status CudaBackend::destroyStream(void *stream) {
  ContextScope scope(*device_);
  NORMRT_TRY(scope.enter());
  const Driver &driver = driver_;
  NORMRT_CUDA_TRY(cuStreamDestroy, streamOf(stream));
  return Status();
}

Status CudaBackend::synchronizeStream(void *stream) {
  ContextScope scope(*device_);
  NORMRT_TRY(scope.enter());
  const Driver &driver = driver_;
  NORMRT_CUDA_TRY(cuStreamSynchronize, streamOf(stream));
  return Status();
}

Status CudaBackend::beginGraph(void *stream) {
  ContextScope scope(*device_);
  NORMRT_TRY(scope.enter());
  const Driver &driver = driver_;
  NORMRT_CUDA_TRY(cuStreamBeginCapture, streamOf(stream), kCaptureModeThreadLocal);
  return Status();
}

Status CudaBackend::endGraph(void *stream, std::unique_ptr<normrt::Graph> &graph) {
  ContextScope scope(*device_);
  NORMRT_TRY(scope.enter());
  return CudaGraph::endCapture(*device_, streamOf(stream), graph);
}

} // namespace
} // namespace cuda

Status openCudaBackend(std::string_view options, std::unique_ptr<Backend> &backend) {
  // No machine has as many.
  constexpr int kMaxOrdinal = 1023;
  int ordinal = 0;
  if (!options.empty()) {
    const char *end = options.data() + options.size();
    const auto [rest, error] = std::from_chars(options.data(), end, ordinal);
    if (error != std::errc() || rest != end || ordinal < 0 || ordinal > kMaxOrdinal)
      return Status::error(NORMRT_STATUS_INVALID_ARGUMENT,
                           "expected a device number from 0 to ", kMaxOrdinal,
                           " after \"cuda:\", but got \"", options, "\"");
  }
  return cuda::CudaBackend::open(ordinal, backend);
}

} // namespace normrt
