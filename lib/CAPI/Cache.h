//===- Cache.h - Packages that were compiled before ---------------------------===//
#ifndef NORMC_LIB_CAPI_CACHE_H
#define NORMC_LIB_CAPI_CACHE_H

#include "normc-c/normc.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <list>
#include <memory>
#include <mutex>
#include <string>

namespace normc::capi {

/// The bytes of a package, shared by the cache and those who hold it.
using Bytes = std::shared_ptr<const llvm::SmallVector<char, 0>>;

struct CacheLimits {
  uint64_t memory_bytes;
  uint64_t disk_bytes;
};

/// What a look into the cache came to.
struct Found {
  Bytes bytes;
  normc_cache_state state = NORMC_CACHE_MISS;
  /// What was wrong on disk, if anything.
  std::string message;
};

/// Packages by a key, the least recently used ones dropped, in memory and in a folder.
/// Safe from several threads, and the folder from several processes: an entry appears
/// whole, under its name, or not at all. An entry has checksums of its key and bytes,
/// and one that is not as it was written counts as none.
class Cache {
public:
  /// Without a folder ("") nothing is kept on disk.
  Cache(std::string folder, CacheLimits limits);

  Found find(llvm::StringRef key);

  /// Returns what went wrong on disk, if anything.
  std::string insert(llvm::StringRef key, Bytes bytes);

private:
  void remember(llvm::StringRef key, Bytes bytes);
  Bytes readEntry(llvm::StringRef key, std::string &message) const;
  std::string writeEntry(llvm::StringRef key, const Bytes &bytes) const;
  std::string pathOf(llvm::StringRef key) const;

  const std::string folder;
  const CacheLimits limits;

  struct Entry {
    std::string key;
    Bytes bytes;
  };
  std::mutex mutex;
  /// The most recently used first.
  std::list<Entry> entries;
  llvm::StringMap<std::list<Entry>::iterator> byKey;
  uint64_t memory_bytes = 0;
};

/// A name for what is compiled from these parts: equal for equal parts alone.
std::string keyOf(llvm::ArrayRef<llvm::StringRef> parts);

/// "normc" in the user's cache folder; "" where the user has none.
std::string userCacheFolder();

} // namespace normc::capi

#endif // NORMC_LIB_CAPI_CACHE_H
