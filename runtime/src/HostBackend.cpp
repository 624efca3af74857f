#include "runtime/src/Backend.h"

#include "runtime/src/HostModule.h"
#include "runtime/src/HostProcessor.h"
#include "runtime/src/ThreadPool.h"
#include "runtime/src/WorkspaceCache.h"

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace normrt {
namespace {

constexpr int kMaxThreads = 1024;

class HostBackend final : public Backend {
public:
  explicit HostBackend(std::unique_ptr<ThreadPool> pool)
      : pool_(std::move(pool)),
        description_(concat("host, ", hostArchitecture(), ", ", hostFeatureLevel(),
                            ", ", pool_->threadCount(), " thread",
                            pool_->threadCount() == 1 ? "" : "s")) {}

  const std::string &description() const override { return description_; }
  int threadCount() const override { return pool_->threadCount(); }
  int64_t computeUnits() const override { return pool_->threadCount(); }
  void describe(DeviceFacts &facts) const override {
    facts.name = hostFeatureLevel();
    facts.architecture = hostArchitecture();
    facts.dlDevice = {kDLCPU, 0};
  }
  bool owns(DLDevice device) const override { return device.device_type == kDLCPU; }
  std::string expectedDevice() const override { return "the CPU"; }

  int fit(const schema::Target &target) const override {
    if (target.backend() != schema::Backend::host || !target.architecture() ||
        target.architecture()->string_view() != hostArchitecture())
      return -1;
    return hostFeatureRank(target.features() ? target.features()->string_view() : "");
  }

  Status load(const schema::Target &target, std::unique_ptr<Module> &module) override {
    return HostModule::load(target, module);
  }

  Status checkStream(void *stream) const override {
    if (!stream)
      return Status();
    return Status::error(NORMRT_STATUS_INVALID_ARGUMENT,
                         "expected no stream, because launches on the host are "
                         "synchronous, but got one");
  }

  Status acquireWorkspace(size_t bytes, void *, void *&workspace) override {
    workspace = workspaces_.acquire(bytes);
    if (workspace)
      return Status();
    return Status::error(NORMRT_STATUS_OUT_OF_MEMORY, "allocating a workspace of ",
                         bytes, " bytes failed");
  }
  void releaseWorkspace(void *workspace, void *) override {
    workspaces_.release(workspace);
  }
  void trim() override { workspaces_.trim(); }

  Status run(const Module &module, const LaunchRequest *requests, int count,
             void *) override {
    const auto &hostModule = static_cast<const HostModule &>(module);
    for (int i = 0; i < count; ++i)
      pool_->run(hostModule.kernel(requests[i].kernel), requests[i].args,
                 requests[i].grid);
    return Status();
  }

  Status allocate(size_t bytes, void *&memory) override {
    constexpr size_t kAlignment = NORMRT_WORKSPACE_ALIGNMENT;
    void *allocated = nullptr;
    if (bytes <= SIZE_MAX - kAlignment)
      allocated = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment *
                                                     kAlignment);
    if (!allocated)
      return Status::error(NORMRT_STATUS_OUT_OF_MEMORY, "allocating ", bytes,
                           " bytes failed");
    memory = allocated;
    return Status();
  }
  Status free(void *memory) override {
    std::free(memory);
    return Status();
  }
  Status copyToDevice(void *to, const void *from, size_t bytes) override {
    std::memcpy(to, from, bytes);
    return Status();
  }
  Status copyFromDevice(void *to, const void *from, size_t bytes) override {
    std::memcpy(to, from, bytes);
    return Status();
  }
  Status fill(void *memory, uint8_t value, size_t bytes) override {
    std::memset(memory, value, bytes);
    return Status();
  }
  Status synchronize() override { return Status(); }

private:
  std::unique_ptr<ThreadPool> pool_;
  std::string description_;
  WorkspaceCache workspaces_;
};

} // namespace

Status openHostBackend(std::string_view options, std::unique_ptr<Backend> &backend) {
  int threads = 0;
  if (options.empty()) {
    threads = availableProcessors();
  } else {
    const char *end = options.data() + options.size();
    const auto result = std::from_chars(options.data(), end, threads);
    if (result.ec != std::errc() || result.ptr != end || threads < 1 ||
        threads > kMaxThreads)
      return Status::error(NORMRT_STATUS_INVALID_ARGUMENT,
                           "expected a number of threads from 1 to ", kMaxThreads,
                           " after \"host:\", but got \"", options, "\"");
  }
  std::unique_ptr<ThreadPool> pool;
  NORMRT_TRY(ThreadPool::create(threads, pool));
  backend = std::make_unique<HostBackend>(std::move(pool));
  return Status();
}

} // namespace normrt
