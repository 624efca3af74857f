// The threads of a host device. One launch at a time is spread over them; the thread
// that launches works too.
#ifndef NORMRT_THREADPOOL_H
#define NORMRT_THREADPOOL_H

#include "runtime/src/Status.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace normrt {

/// A kernel of the host, called once for each workgroup.
using HostKernel = void (*)(const int64_t *args, int64_t workgroup);

class ThreadPool {
public:
  /// Starts threads - 1 workers.
  static Status create(int threads, std::unique_ptr<ThreadPool> &pool);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  int threadCount() const { return int(workers_.size()) + 1; }

  /// Runs kernel(args, w) for each w below `grid` and returns when all have run. Runs
  /// on the calling thread alone where there is one workgroup or while another thread's
  /// launch has the workers: waiting for them would leave a core idle, and a kernel
  /// that launches could wait for itself.
  void run(HostKernel kernel, const int64_t *args, int64_t grid);

private:
  ThreadPool() = default;
  void workerMain();
  bool waitForJob(uint32_t seen) const;
  bool enter();
  void leave();
  void work();
  void finish();

  // What runs: written before state_ opens, read by threads that entered.
  HostKernel kernel_ = nullptr;
  const int64_t *args_ = nullptr;
  uint64_t grid_ = 0;
  uint64_t chunk_ = 1;

  /// The next workgroup that nobody has taken. On a cache line of its own, as the words
  /// below, for all threads write it.
  alignas(64) std::atomic<uint64_t> next_{0};
  /// Open bit, waiting bit, and the number of workers inside. A worker that wakes late
  /// finds the job closed and does not enter, so nobody waits for sleepers.
  alignas(64) std::atomic<uint32_t> state_{0};
  /// Counts jobs; workers sleep on it.
  alignas(64) mutable std::atomic<uint32_t> signal_{0};
  mutable std::atomic<uint32_t> sleepers_{0};
  std::atomic<bool> stop_{false};
  std::atomic<bool> busy_{false};
  bool spin_ = true;
  std::vector<std::thread> workers_;
};

/// The number of processors in this process's affinity mask.
int availableProcessors();

} // namespace normrt

#endif // NORMRT_THREADPOOL_H
