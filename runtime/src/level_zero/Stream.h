// Command lists of the runtime's own, whose commands run one after the other.
#ifndef NORMRT_LEVEL_ZERO_STREAM_H
#define NORMRT_LEVEL_ZERO_STREAM_H

#include "runtime/src/level_zero/LevelZeroDevice.h"

#include <mutex>
#include <vector>

namespace normrt::level_zero {

/// One event that the host can wait for and ask for a time, in a pool of its own.
class Event {
public:
  explicit Event(const LevelZeroDevice &device) : device_(device) {}
  ~Event();
  Event(const Event &) = delete;
  Event &operator=(const Event &) = delete;

  Status create();
  Status wait() const;
  Status reset() const;
  ze_event_handle_t handle() const { return event_; }

private:
  const LevelZeroDevice &device_;
  ze_event_pool_handle_t pool_ = nullptr;
  ze_event_handle_t event_ = nullptr;
};

/// An immediate command list, the workspaces of launches on it that brought none, and
/// the list that records in its place between beginGraph and endGraph.
class Stream {
public:
  explicit Stream(const LevelZeroDevice &device) : device_(device) {}
  ~Stream();
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  Status create();
  ze_command_list_handle_t handle() const { return list_; }

  /// Runs append(list) with the list that takes commands now, alone.
  template <class Append> Status append(Append append) {
    std::lock_guard lock(mutex_);
    return append(recording_ ? recording_ : list_);
  }

  /// Waits until what was appended so far has run.
  Status synchronize();

  /// Memory for one launch; the next on this stream may get the same, since it runs
  /// behind it.
  Status acquireWorkspace(size_t bytes, void *&workspace);
  void releaseWorkspace(void *workspace);
  /// Frees what no launch uses.
  void trim();

  Status beginRecording();
  /// The recorded list, closed, which is the caller's from then on.
  Status endRecording(ze_command_list_handle_t &recorded);

private:
  struct Block {
    void *memory;
    size_t bytes;
    int users;
  };
  Status drain(bool all);

  const LevelZeroDevice &device_;
  ze_command_list_handle_t list_ = nullptr;
  ze_command_list_handle_t recording_ = nullptr;
  std::mutex mutex_;
  std::vector<Block> blocks_;
};

/// The commands of a list until now have run, and what they wrote is visible, before
/// those behind.
Status appendBarrier(const LevelZeroDevice &device, ze_command_list_handle_t list,
                     ze_event_handle_t signal = nullptr);

Status createList(const LevelZeroDevice &device, ze_command_list_handle_t &list);

} // namespace normrt::level_zero

#endif // NORMRT_LEVEL_ZERO_STREAM_H
