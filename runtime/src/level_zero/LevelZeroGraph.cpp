#include "runtime/src/level_zero/LevelZeroGraph.h"

namespace normrt::level_zero {

Status LevelZeroGraph::begin(const LevelZeroDevice &device, Stream &stream,
                             std::unique_ptr<LevelZeroGraph> &graph) {
  auto result = std::make_unique<LevelZeroGraph>(device);
  NORMRT_TRY(result->start_.create());
  NORMRT_TRY(result->end_.create());
  NORMRT_TRY(stream.beginRecording());
  NORMRT_TRY(stream.append([&](ze_command_list_handle_t list) {
    return appendBarrier(device, list, result->start_.handle());
  }));
  graph = std::move(result);
  return Status();
}

Status LevelZeroGraph::end(Stream &stream) {
  NORMRT_TRY(stream.endRecording(list_));
  NORMRT_TRY(appendBarrier(device_, list_, end_.handle()));
  const Loader &ze = device_.ze();
  NORMRT_ZE_TRY(zeCommandListClose, list_);
  ze_command_queue_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
  description.ordinal = device_.numbers().queueGroup;
  description.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
  NORMRT_ZE_TRY(zeCommandQueueCreate, device_.context(), device_.handle(), &description,
                &queue_);
  return Status();
}

LevelZeroGraph::~LevelZeroGraph() {
  if (queue_)
    device_.ze().zeCommandQueueDestroy(queue_);
  if (list_)
    device_.ze().zeCommandListDestroy(list_);
}

Status LevelZeroGraph::run(double &seconds) {
  const Loader &ze = device_.ze();
  NORMRT_TRY(start_.reset());
  NORMRT_TRY(end_.reset());
  NORMRT_ZE_TRY(zeCommandQueueExecuteCommandLists, queue_, 1, &list_, nullptr);
  NORMRT_ZE_TRY(zeCommandQueueSynchronize, queue_, UINT64_MAX);
  ze_kernel_timestamp_result_t start{}, end{};
  NORMRT_ZE_TRY(zeEventQueryKernelTimestamp, start_.handle(), &start);
  NORMRT_ZE_TRY(zeEventQueryKernelTimestamp, end_.handle(), &end);
  const DeviceNumbers &numbers = device_.numbers();
  const uint64_t ticks =
      (end.global.kernelEnd - start.global.kernelEnd) & numbers.timestampMask;
  seconds = double(ticks) * numbers.secondsPerTick;
  return Status();
}

Status LevelZeroGraph::time(int repeats, double *seconds) {
  for (int i = 0; i < repeats; ++i)
    NORMRT_TRY(run(seconds[i]));
  return Status();
}

} // namespace normrt::level_zero
