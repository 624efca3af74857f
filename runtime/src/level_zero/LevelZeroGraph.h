// Launches that were recorded in a command list, to be run again and timed by the
// device.
#ifndef NORMRT_LEVEL_ZERO_LEVELZEROGRAPH_H
#define NORMRT_LEVEL_ZERO_LEVELZEROGRAPH_H

#include "runtime/src/Backend.h"
#include "runtime/src/level_zero/Stream.h"

namespace normrt::level_zero {

class LevelZeroGraph final : public Graph {
public:
  /// Starts recording on a stream, which the graph's first event belongs to.
  static Status begin(const LevelZeroDevice &device, Stream &stream,
                      std::unique_ptr<LevelZeroGraph> &graph);
  explicit LevelZeroGraph(const LevelZeroDevice &device)
      : device_(device), start_(device), end_(device) {}
  ~LevelZeroGraph() override;

  /// Ends the recording and makes it ready to run.
  Status end(Stream &stream);
  Status time(int repeats, double *seconds) override;

private:
  Status run(double &seconds);

  const LevelZeroDevice &device_;
  Event start_, end_;
  ze_command_list_handle_t list_ = nullptr;
  ze_command_queue_handle_t queue_ = nullptr;
};

} // namespace normrt::level_zero

#endif // NORMRT_LEVEL_ZERO_LEVELZEROGRAPH_H
