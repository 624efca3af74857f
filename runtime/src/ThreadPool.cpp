#include "runtime/src/ThreadPool.h"

#include "runtime/src/FloatControl.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

namespace normrt {
namespace {

constexpr uint32_t kOpen = 1u << 31;
constexpr uint32_t kWaiting = 1u << 30;
constexpr uint32_t kInside = kWaiting - 1;

/// Longer than the time between the launches of a chain of small kernels, short enough
/// not to cost a core that others want.
constexpr std::chrono::microseconds kSpinTime{20};

/// Chunks a thread: the last one to finish is late by at most one, 3% of its share,
/// and the counter is touched rarely.
constexpr uint64_t kChunksPerThread = 32;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

/// Whether done() came true within kSpinTime.
template <class Done> bool spinUntil(Done done) {
  const auto end = std::chrono::steady_clock::now() + kSpinTime;
  do {
    for (int i = 0; i < 32; ++i) {
      if (done())
        return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return done();
}

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));

void futexWait(const std::atomic<uint32_t> &word, uint32_t expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void futexWake(const std::atomic<uint32_t> &word, int count) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

/// Blocks all signals in a scope: threads started in it never run the application's
/// handlers.
class BlockedSignals {
public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &saved_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &saved_, nullptr); }

private:
  sigset_t saved_;
};

} // namespace

int availableProcessors() {
  // CPU_ALLOC, for machines with more processors than cpu_set_t has bits.
  for (int bits = 1024; bits <= (1 << 20); bits *= 4) {
    cpu_set_t *set = CPU_ALLOC(bits);
    if (!set)
      break;
    const size_t size = CPU_ALLOC_SIZE(bits);
    const bool known = sched_getaffinity(0, size, set) == 0;
    const int count = known ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (known)
      return std::max(count, 1);
  }
  return std::max(int(std::thread::hardware_concurrency()), 1);
}

Status ThreadPool::create(int threads, std::unique_ptr<ThreadPool> &pool) {
  std::unique_ptr<ThreadPool> created(new ThreadPool);
  // A thread that spins would take the core of one that has work.
  created->spin_ = threads <= availableProcessors();
  created->workers_.reserve(size_t(threads - 1));
  BlockedSignals blocked;
  ThreadPool *raw = created.get();
  try {
    for (int i = 1; i < threads; ++i)
      created->workers_.emplace_back([raw] { raw->workerMain(); });
  } catch (const std::system_error &error) {
    return Status::error(NORMRT_STATUS_OUT_OF_MEMORY, "starting ", threads,
                         " threads failed: ", error.what());
  }
  pool = std::move(created);
  return Status();
}

ThreadPool::~ThreadPool() {
  stop_.store(true);
  signal_.fetch_add(1);
  futexWake(signal_, int(workers_.size()));
  for (std::thread &worker : workers_)
    worker.join();
}

void ThreadPool::run(HostKernel kernel, const int64_t *args, int64_t grid) {
  DefaultFloatControl floatControl;
  const uint64_t threads = workers_.size() + 1;
  if (grid <= 1 || threads == 1 || busy_.exchange(true, std::memory_order_acquire)) {
    for (int64_t workgroup = 0; workgroup < grid; ++workgroup)
      kernel(args, workgroup);
    return;
  }
  kernel_ = kernel;
  args_ = args;
  grid_ = uint64_t(grid);
  chunk_ = std::max<uint64_t>(grid_ / (threads * kChunksPerThread), 1);
  next_.store(0, std::memory_order_relaxed);
  state_.store(kOpen, std::memory_order_release);
  // Sequentially consistent, both here and where a worker goes to sleep: either the
  // worker sees the new signal, or this sees the sleeper.
  signal_.fetch_add(1);
  if (sleepers_.load() != 0)
    futexWake(signal_, int(std::min(threads, grid_) - 1));
  work();
  finish();
  busy_.store(false, std::memory_order_release);
}

void ThreadPool::work() {
  const HostKernel kernel = kernel_;
  const int64_t *args = args_;
  const uint64_t grid = grid_, chunk = chunk_;
  for (;;) {
    // Unsigned, and every thread passes the end once at most: no overflow.
    const uint64_t begin = next_.fetch_add(chunk, std::memory_order_relaxed);
    if (begin >= grid)
      return;
    const uint64_t end = std::min(begin + chunk, grid);
    for (uint64_t workgroup = begin; workgroup < end; ++workgroup)
      kernel(args, int64_t(workgroup));
  }
}

/// Closes the job and waits until the workers that entered have left.
void ThreadPool::finish() {
  state_.fetch_and(~kOpen, std::memory_order_acq_rel);
  auto empty = [&] { return (state_.load(std::memory_order_acquire) & kInside) == 0; };
  if (empty() || (spin_ && spinUntil(empty)))
    return;
  uint32_t state = state_.fetch_or(kWaiting, std::memory_order_acq_rel) | kWaiting;
  while ((state & kInside) != 0) {
    futexWait(state_, state);
    state = state_.load(std::memory_order_acquire);
  }
}

bool ThreadPool::enter() {
  uint32_t state = state_.load(std::memory_order_relaxed);
  while (state & kOpen)
    if (state_.compare_exchange_weak(state, state + 1, std::memory_order_acquire,
                                     std::memory_order_relaxed))
      return true;
  return false;
}

void ThreadPool::leave() {
  const uint32_t before = state_.fetch_sub(1, std::memory_order_release);
  if (before == (kWaiting | 1))
    futexWake(state_, 1);
}

/// Returns once the signal differs from `seen`; false when the pool ends.
bool ThreadPool::waitForJob(uint32_t seen) const {
  auto changed = [&] { return signal_.load(std::memory_order_acquire) != seen; };
  if (!changed() && !(spin_ && spinUntil(changed))) {
    sleepers_.fetch_add(1);
    while (signal_.load() == seen)
      futexWait(signal_, seen);
    sleepers_.fetch_sub(1);
  }
  return !stop_.load(std::memory_order_acquire);
}

void ThreadPool::workerMain() {
  // A new thread has its creator's control word.
  DefaultFloatControl floatControl;
  pthread_setname_np(pthread_self(), "normrt");
  uint32_t seen = 0;
  while (waitForJob(seen)) {
    seen = signal_.load(std::memory_order_acquire);
    if (enter()) {
      work();
      leave();
    }
  }
}

} // namespace normrt
