#include "runtime/src/WorkspaceCache.h"

#include "runtime/include/normrt.h"

#include <cstdlib>

namespace normrt {
namespace {

void *allocate(size_t bytes) {
  constexpr size_t kAlignment = NORMRT_WORKSPACE_ALIGNMENT;
  if (bytes > SIZE_MAX - kAlignment)
    return nullptr;
  return std::aligned_alloc(kAlignment,
                            (bytes + kAlignment - 1) / kAlignment * kAlignment);
}

} // namespace

WorkspaceCache::Block *WorkspaceCache::smallestFree(size_t bytes) {
  Block *best = nullptr;
  for (Block &block : blocks_)
    if (!block.used && block.bytes >= bytes && (!best || block.bytes < best->bytes))
      best = &block;
  return best;
}

void *WorkspaceCache::acquire(size_t bytes) {
  std::lock_guard lock(mutex_);
  Block *block = smallestFree(bytes);
  if (!block) {
    void *memory = allocate(bytes);
    // The smallest one that is free makes place: what is asked for next is more likely
    // to fit in the larger ones.
    block = memory ? smallestFree(0) : nullptr;
    if (!block)
      return memory;
    std::free(block->memory);
    block->memory = memory;
    block->bytes = bytes;
  }
  block->used = true;
  return block->memory;
}

void WorkspaceCache::release(void *workspace) {
  std::lock_guard lock(mutex_);
  for (Block &block : blocks_)
    if (block.used && block.memory == workspace) {
      block.used = false;
      return;
    }
  std::free(workspace);
}

void WorkspaceCache::trim() {
  std::lock_guard lock(mutex_);
  for (Block &block : blocks_)
    if (!block.used) {
      std::free(block.memory);
      block = Block();
    }
}

} // namespace normrt
