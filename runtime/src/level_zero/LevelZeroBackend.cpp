// Level Zero devices: memory, streams and launches through the loader.
#include "runtime/src/Backend.h"

#include "runtime/src/level_zero/LevelZeroGraph.h"
#include "runtime/src/level_zero/LevelZeroModule.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <unordered_map>

namespace normrt {
namespace level_zero {
namespace {

// DLPack 0.7 and newer; Debian 12's 0.6 ends at 13.
constexpr auto kDLOneAPI = static_cast<DLDeviceType>(14);

/// Memory of the host that the device copies to and from: an address that was not
/// allocated in the context need not be one that it reaches.
constexpr size_t kStagingBytes = size_t(4) << 20;

ze_command_list_handle_t listOf(void *stream) {
  return static_cast<ze_command_list_handle_t>(stream);
}

class LevelZeroBackend final : public Backend {
public:
  static Status make(std::unique_ptr<LevelZeroDevice> device,
                     std::unique_ptr<Backend> &backend);
  explicit LevelZeroBackend(std::unique_ptr<LevelZeroDevice> device)
      : device_(std::move(device)), cache_(*device_), default_(*device_) {}
  ~LevelZeroBackend() override;

  const std::string &description() const override { return description_; }
  int threadCount() const override { return 0; }
  int64_t computeUnits() const override { return device_->numbers().computeUnits; }
  void describe(DeviceFacts &facts) const override;
  bool nativeHandles(void *&device, void *&context) const override {
    device = device_->handle();
    context = device_->context();
    return true;
  }

  bool owns(DLDevice device) const override {
    return device.device_type == kDLOneAPI &&
           device.device_id == device_->deviceName().ordinal;
  }
  std::string expectedDevice() const override {
    return concat("oneAPI device ", device_->deviceName().ordinal);
  }
  Status checkMemory(const void *memory, uint64_t bytes) const override {
    return device_->checkMemory(memory, bytes);
  }
  int fit(const schema::Target &target) const override {
    return fitOf(target, device_->chip());
  }
  Status load(const schema::Target &target, std::unique_ptr<Module> &module) override {
    return LevelZeroModule::load(*device_, cache_, target, module);
  }

  /// Any: null is the device's own default stream, what is not of createStream a
  /// command list of the caller's.
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
  Status endGraph(void *stream, std::unique_ptr<Graph> &graph) override;

private:
  struct OwnStream {
    explicit OwnStream(const LevelZeroDevice &device) : stream(device) {}
    Stream stream;
    std::unique_ptr<LevelZeroGraph> graph;
  };

  std::shared_ptr<OwnStream> findOwn(void *stream);
  Status own(void *stream, std::shared_ptr<OwnStream> &found);
  /// The stream that a null or own handle names; null for a caller's list. `keep` holds
  /// it.
  Stream *streamOf(void *stream, std::shared_ptr<OwnStream> &keep);
  Status checkRequest(const LaunchRequest &request) const;
  Status appendAll(const LevelZeroModule &module, const LaunchRequest *requests,
                   int count, ze_command_list_handle_t list) const;
  Status copyOnDefault(void *to, const void *from, size_t bytes);

  std::unique_ptr<LevelZeroDevice> device_;
  std::string description_;
  ModuleCache cache_;
  Stream default_;
  std::mutex streamsMutex_;
  std::unordered_map<void *, std::shared_ptr<OwnStream>> streams_;
  std::mutex stagingMutex_;
  void *staging_ = nullptr;
};

Status LevelZeroBackend::make(std::unique_ptr<LevelZeroDevice> device,
                              std::unique_ptr<Backend> &backend) {
  const DeviceNumbers &numbers = device->numbers();
  std::string description = concat(
      device->deviceName().text(), ", ", device->model(), ", ", numbers.computeUnits,
      " compute units, subgroups of ", numbers.subgroupSizesText(), ", ",
      numbers.maxSharedBytes / 1024, " KiB of shared memory a workgroup");
  auto result = std::make_unique<LevelZeroBackend>(std::move(device));
  result->description_ = std::move(description);
  NORMRT_TRY(result->default_.create());
  const Loader &ze = result->device_->ze();
  ze_host_mem_alloc_desc_t host{};
  host.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC;
  NORMRT_ZE_TRY(zeMemAllocHost, result->device_->context(), &host, kStagingBytes,
                NORMRT_WORKSPACE_ALIGNMENT, &result->staging_);
  backend = std::move(result);
  return Status();
}

LevelZeroBackend::~LevelZeroBackend() {
  if (staging_)
    device_->ze().zeMemFree(device_->context(), staging_);
}

void LevelZeroBackend::describe(DeviceFacts &facts) const {
  const DeviceNumbers &numbers = device_->numbers();
  facts.name = device_->model();
  facts.architecture = device_->chip().empty() ? "spirv" : device_->chip();
  facts.dlDevice = {kDLOneAPI, device_->deviceName().ordinal};
  facts.subgroupSize = numbers.widestSubgroup();
  facts.maxWorkgroupSize = int(numbers.maxWorkgroupSize);
  facts.maxSharedBytes = numbers.maxSharedBytes;
  facts.l2Bytes = numbers.l2Bytes;
  facts.memoryBytes = numbers.memoryBytes;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

std::shared_ptr<LevelZeroBackend::OwnStream> LevelZeroBackend::findOwn(void *stream) {
  std::lock_guard lock(streamsMutex_);
  auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : found->second;
}

Status LevelZeroBackend::own(void *stream, std::shared_ptr<OwnStream> &found) {
  found = findOwn(stream);
  if (found)
    return Status();
  return Status::error(NORMRT_STATUS_INVALID_ARGUMENT,
                       "expected a stream of normrt_stream_create on ", device_->text(),
                       ", because what a caller's command list is for "
                       "only the caller knows, but got another handle");
}

Stream *LevelZeroBackend::streamOf(void *stream, std::shared_ptr<OwnStream> &keep) {
  if (!stream)
    return &default_;
  keep = findOwn(stream);
  return keep ? &keep->stream : nullptr;
}

Status LevelZeroBackend::createStream(void *&stream) {
  auto created = std::make_shared<OwnStream>(*device_);
  NORMRT_TRY(created->stream.create());
  std::lock_guard lock(streamsMutex_);
  stream = created->stream.handle();
  streams_[stream] = std::move(created);
  return Status();
}

Status LevelZeroBackend::destroyStream(void *stream) {
  std::shared_ptr<OwnStream> found;
  NORMRT_TRY(own(stream, found));
  std::lock_guard lock(streamsMutex_);
  streams_.erase(stream);
  return Status();
}

Status LevelZeroBackend::synchronizeStream(void *stream) {
  if (!stream)
    return default_.synchronize();
  std::shared_ptr<OwnStream> found;
  NORMRT_TRY(own(stream, found));
  return found->stream.synchronize();
}

Status LevelZeroBackend::synchronize() {
  std::vector<std::shared_ptr<OwnStream>> all;
  {
    std::lock_guard lock(streamsMutex_);
    for (const auto &[handle, stream] : streams_)
      all.push_back(stream);
  }
  for (const std::shared_ptr<OwnStream> &stream : all)
    NORMRT_TRY(stream->stream.synchronize());
  return default_.synchronize();
}

Status LevelZeroBackend::beginGraph(void *stream) {
  std::shared_ptr<OwnStream> found;
  NORMRT_TRY(own(stream, found));
  return LevelZeroGraph::begin(*device_, found->stream, found->graph);
}

Status LevelZeroBackend::endGraph(void *stream, std::unique_ptr<Graph> &graph) {
  std::shared_ptr<OwnStream> found;
  NORMRT_TRY(own(stream, found));
  if (!found->graph)
    return Status::error(NORMRT_STATUS_INVALID_ARGUMENT,
                         "expected a stream that is captured, but it is not");
  std::unique_ptr<LevelZeroGraph> ended = std::move(found->graph);
  NORMRT_TRY(ended->end(found->stream));
  graph = std::move(ended);
  return Status();
}

//===----------------------------------------------------------------------===//
// Workspaces and launches
//===----------------------------------------------------------------------===//

Status LevelZeroBackend::acquireWorkspace(size_t bytes, void *stream,
                                          void *&workspace) {
  std::shared_ptr<OwnStream> keep;
  Stream *found = streamOf(stream, keep);
  if (!found)
    return Status::error(NORMRT_STATUS_UNSUPPORTED,
                         "expected options.workspace, because only the caller knows "
                         "when a command list of theirs has run, but got null");
  return found->acquireWorkspace(bytes, workspace);
}

void LevelZeroBackend::releaseWorkspace(void *workspace, void *stream) {
  std::shared_ptr<OwnStream> keep;
  if (Stream *found = streamOf(stream, keep))
    found->releaseWorkspace(workspace);
}

void LevelZeroBackend::trim() {
  std::vector<std::shared_ptr<OwnStream>> all;
  {
    std::lock_guard lock(streamsMutex_);
    for (const auto &[handle, stream] : streams_)
      all.push_back(stream);
  }
  for (const std::shared_ptr<OwnStream> &stream : all)
    stream->stream.trim();
  default_.trim();
}

Status LevelZeroBackend::checkRequest(const LaunchRequest &request) const {
  if (request.grid <= device_->numbers().maxWorkgroups)
    return Status();
  return Status::error(NORMRT_STATUS_UNSUPPORTED, "expected a grid of at most ",
                       device_->numbers().maxWorkgroups, " workgroups, because ",
                       device_->text(), " launches no more, but got ", request.grid);
}

/// Each launch behind everything before it, and everything after it behind the last: a
/// list runs its commands in any order but for barriers.
Status LevelZeroBackend::appendAll(const LevelZeroModule &module,
                                   const LaunchRequest *requests, int count,
                                   ze_command_list_handle_t list) const {
  for (int i = 0; i < count; ++i) {
    NORMRT_TRY(appendBarrier(*device_, list));
    if (Status status = module.append(requests[i], list); status.failed())
      return std::move(status).within("launch ", i, " on ", device_->text());
  }
  return count > 0 ? appendBarrier(*device_, list) : Status();
}

Status LevelZeroBackend::run(const Module &module, const LaunchRequest *requests,
                             int count, void *stream) {
  for (int i = 0; i < count; ++i)
    if (Status status = checkRequest(requests[i]); status.failed())
      return std::move(status).within("launch ", i);
  const auto &kernels = static_cast<const LevelZeroModule &>(module);
  std::shared_ptr<OwnStream> keep;
  Stream *found = streamOf(stream, keep);
  if (!found)
    return appendAll(kernels, requests, count, listOf(stream));
  return found->append([&](ze_command_list_handle_t list) {
    return appendAll(kernels, requests, count, list);
  });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Status LevelZeroBackend::allocate(size_t bytes, void *&memory) {
  ze_device_mem_alloc_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC;
  const ze_result_t result = device_->ze().zeMemAllocDevice(
      device_->context(), &description, bytes, NORMRT_WORKSPACE_ALIGNMENT,
      device_->handle(), &memory);
  if (result == ZE_RESULT_SUCCESS)
    return Status();
  return callError(result, "zeMemAllocDevice")
      .within("allocating ", bytes, " bytes on ", device_->text());
}

Status LevelZeroBackend::free(void *memory) {
  NORMRT_TRY(synchronize());
  const Loader &ze = device_->ze();
  NORMRT_ZE_TRY(zeMemFree, device_->context(), memory);
  return Status();
}

Status LevelZeroBackend::copyOnDefault(void *to, const void *from, size_t bytes) {
  NORMRT_TRY(default_.append([&](ze_command_list_handle_t list) -> Status {
    const Loader &ze = device_->ze();
    NORMRT_TRY(appendBarrier(*device_, list));
    NORMRT_ZE_TRY(zeCommandListAppendMemoryCopy, list, to, from, bytes, nullptr, 0,
                  nullptr);
    return Status();
  }));
  return default_.synchronize();
}

Status LevelZeroBackend::copyToDevice(void *to, const void *from, size_t bytes) {
  std::lock_guard lock(stagingMutex_);
  for (size_t at = 0; at < bytes; at += kStagingBytes) {
    const size_t part = std::min(bytes - at, kStagingBytes);
    std::memcpy(staging_, static_cast<const char *>(from) + at, part);
    NORMRT_TRY(copyOnDefault(static_cast<char *>(to) + at, staging_, part));
  }
  return Status();
}

Status LevelZeroBackend::copyFromDevice(void *to, const void *from, size_t bytes) {
  std::lock_guard lock(stagingMutex_);
  for (size_t at = 0; at < bytes; at += kStagingBytes) {
    const size_t part = std::min(bytes - at, kStagingBytes);
    NORMRT_TRY(copyOnDefault(staging_, static_cast<const char *>(from) + at, part));
    std::memcpy(static_cast<char *>(to) + at, staging_, part);
  }
  return Status();
}

Status LevelZeroBackend::fill(void *memory, uint8_t value, size_t bytes) {
  NORMRT_TRY(default_.append([&](ze_command_list_handle_t list) -> Status {
    const Loader &ze = device_->ze();
    NORMRT_TRY(appendBarrier(*device_, list));
    NORMRT_ZE_TRY(zeCommandListAppendMemoryFill, list, memory, &value, sizeof(value),
                  bytes, nullptr, 0, nullptr);
    return Status();
  }));
  return default_.synchronize();
}

/// "0", "1.0".
Status parseName(std::string_view options, DeviceName &name) {
  // No machine has as many.
  constexpr int kMost = 1023;
  auto number = [&](std::string_view text, int &value) {
    const char *end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    return !text.empty() && error == std::errc() && rest == end && value >= 0 &&
           value <= kMost;
  };
  const size_t dot = options.find('.');
  bool valid = options.empty() || number(options.substr(0, dot), name.ordinal);
  if (dot != std::string_view::npos)
    valid = valid && number(options.substr(dot + 1), name.tile);
  if (valid)
    return Status();
  return Status::error(
      NORMRT_STATUS_INVALID_ARGUMENT, "expected a device number from 0 to ", kMost,
      " after \"level_zero:\", and after a dot that of a tile, but got "
      "\"",
      options, "\"");
}

} // namespace
} // namespace level_zero

Status openLevelZeroBackend(std::string_view options,
                            std::unique_ptr<Backend> &backend) {
  level_zero::DeviceName name;
  NORMRT_TRY(level_zero::parseName(options, name));
  std::unique_ptr<level_zero::LevelZeroDevice> device;
  NORMRT_TRY(level_zero::LevelZeroDevice::open(name, device));
  return level_zero::LevelZeroBackend::make(std::move(device), backend);
}

Status adoptLevelZeroBackend(void *device, void *context,
                             std::unique_ptr<Backend> &backend) {
  std::unique_ptr<level_zero::LevelZeroDevice> adopted;
  NORMRT_TRY(level_zero::LevelZeroDevice::adopt(
      static_cast<ze_device_handle_t>(device),
      static_cast<ze_context_handle_t>(context), adopted));
  return level_zero::LevelZeroBackend::make(std::move(adopted), backend);
}

} // namespace normrt
