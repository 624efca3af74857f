#include "runtime/src/cuda/CudaGraph.h"

#include <algorithm>
#include <vector>

namespace normrt::cuda {
namespace {

/// Events that are destroyed at the end of a scope.
class Events {
public:
  explicit Events(const Driver &driver) : driver_(driver) {}
  ~Events() {
    for (Event event : events_)
      driver_.cuEventDestroy(event);
  }
  Events(const Events &) = delete;
  Events &operator=(const Events &) = delete;

  Status create(int count) {
    const Driver &driver = driver_;
    events_.reserve(size_t(count));
    for (int i = 0; i < count; ++i) {
      Event event = nullptr;
      NORMRT_CUDA_TRY(cuEventCreate, &event, 0);
      events_.push_back(event);
    }
    return Status();
  }
  Event operator[](int index) const { return events_[size_t(index)]; }

private:
  const Driver &driver_;
  std::vector<Event> events_;
};

} // namespace

Status CudaGraph::endCapture(const CudaDevice &device, Stream stream,
                             std::unique_ptr<normrt::Graph> &graph) {
  const Driver &driver = device.driver();
  cuda::Graph captured = nullptr;
  NORMRT_CUDA_TRY(cuStreamEndCapture, stream, &captured);
  auto result = std::make_unique<CudaGraph>(device);
  const Result made =
      driver.cuGraphInstantiateWithFlags(&result->executable_, captured, 0);
  driver.cuGraphDestroy(captured);
  if (made != Result::Success)
    return driver.error(made, "cuGraphInstantiateWithFlags");
  NORMRT_CUDA_TRY(cuStreamCreate, &result->stream_, kStreamNonBlocking);
  graph = std::move(result);
  return Status();
}

CudaGraph::~CudaGraph() {
  ContextScope scope(device_);
  if (scope.enter().failed())
    return;
  if (executable_)
    device_.driver().cuGraphExecDestroy(executable_);
  if (stream_)
    device_.driver().cuStreamDestroy(stream_);
}

Status CudaGraph::time(int repeats, double *seconds) {
  ContextScope scope(device_);
  NORMRT_TRY(scope.enter());
  const Driver &driver = device_.driver();
  // The inputs may have been written on other streams.
  NORMRT_CUDA_TRY(cuCtxSynchronize);
  Events events(driver);
  NORMRT_TRY(events.create(repeats + 1));
  // All at once, so that the device does not wait for the host in between.
  NORMRT_CUDA_TRY(cuEventRecord, events[0], stream_);
  for (int i = 0; i < repeats; ++i) {
    NORMRT_CUDA_TRY(cuGraphLaunch, executable_, stream_);
    NORMRT_CUDA_TRY(cuEventRecord, events[i + 1], stream_);
  }
  NORMRT_CUDA_TRY(cuStreamSynchronize, stream_);
  std::vector<double> times(static_cast<size_t>(repeats));
  for (int i = 0; i < repeats; ++i) {
    float milliseconds = 0;
    NORMRT_CUDA_TRY(cuEventElapsedTime, &milliseconds, events[i], events[i + 1]);
    times[size_t(i)] = double(milliseconds) * 1e-3;
  }
  std::copy(times.begin(), times.end(), seconds);
  return Status();
}

} // namespace normrt::cuda
