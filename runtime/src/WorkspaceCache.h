// Workspaces of a host device for launches that bring none. A launch takes one and
// gives it back, so that a chain of launches allocates once and no pages are faulted in
// again.
#ifndef NORMRT_WORKSPACECACHE_H
#define NORMRT_WORKSPACECACHE_H

#include <array>
#include <cstddef>
#include <mutex>

namespace normrt {

class WorkspaceCache {
public:
  WorkspaceCache() = default;
  ~WorkspaceCache() { trim(); }
  WorkspaceCache(const WorkspaceCache &) = delete;
  WorkspaceCache &operator=(const WorkspaceCache &) = delete;

  /// At least `bytes` bytes, aligned to NORMRT_WORKSPACE_ALIGNMENT; null when there is
  /// no memory.
  void *acquire(size_t bytes);
  void release(void *workspace);
  /// Frees what no launch uses.
  void trim();

private:
  struct Block {
    void *memory = nullptr;
    size_t bytes = 0;
    bool used = false;
  };
  Block *smallestFree(size_t bytes);

  std::mutex mutex_;
  /// As many as launches run at once, in all but odd programs; beyond that, workspaces
  /// are allocated and freed by the launch.
  std::array<Block, 8> blocks_;
};

} // namespace normrt

#endif // NORMRT_WORKSPACECACHE_H
