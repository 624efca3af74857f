//===- Cache.cpp - Packages that were compiled before -------------------------===//
#include "Cache.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace normc::capi {

namespace {

/// An entry on disk: this line, the key, the bytes' checksum, the bytes.
constexpr StringLiteral kMagic = "normc cache entry 1\n";
constexpr size_t kDigestBytes = 32;
/// The prefix by which llvm::pruneCache knows what it may remove.
constexpr StringLiteral kPrefix = "llvmcache-";

std::string digestOf(StringRef bytes) {
  std::array<uint8_t, kDigestBytes> digest = SHA256::hash(arrayRefFromStringRef(bytes));
  return std::string(digest.begin(), digest.end());
}

} // namespace

std::string keyOf(ArrayRef<StringRef> parts) {
  SHA256 hash;
  for (StringRef part : parts) {
    // With its length, so that parts cannot run into each other.
    std::array<uint8_t, 8> length;
    support::endian::write64le(length.data(), part.size());
    hash.update(length);
    hash.update(part);
  }
  return toHex(hash.final(), /*LowerCase=*/true);
}

std::string userCacheFolder() {
  SmallString<128> folder;
  if (!sys::path::cache_directory(folder))
    return "";
  sys::path::append(folder, "normc");
  return folder.str().str();
}

Cache::Cache(std::string folder, CacheLimits limits)
    : folder(std::move(folder)), limits(limits) {}

Found Cache::find(StringRef key) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = byKey.find(key);
    if (found != byKey.end()) {
      entries.splice(entries.begin(), entries, found->second);
      return {found->second->bytes, NORMC_CACHE_MEMORY, ""};
    }
  }
  Found found;
  if (folder.empty())
    return found;
  found.bytes = readEntry(key, found.message);
  if (!found.bytes)
    return found;
  found.state = NORMC_CACHE_DISK;
  remember(key, found.bytes);
  return found;
}

std::string Cache::insert(StringRef key, Bytes bytes) {
  remember(key, bytes);
  return folder.empty() ? "" : writeEntry(key, bytes);
}

void Cache::remember(StringRef key, Bytes bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  if (bytes->size() > limits.memory_bytes || byKey.contains(key))
    return;
  memory_bytes += bytes->size();
  entries.push_front({key.str(), std::move(bytes)});
  byKey[key] = entries.begin();
  while (memory_bytes > limits.memory_bytes) {
    memory_bytes -= entries.back().bytes->size();
    byKey.erase(entries.back().key);
    entries.pop_back();
  }
}

std::string Cache::pathOf(StringRef key) const {
  SmallString<128> path(folder);
  sys::path::append(path, kPrefix + key);
  return path.str().str();
}

Bytes Cache::readEntry(StringRef key, std::string &message) const {
  const std::string path = pathOf(key);
  // A pipe or a device would be read without end, and what is larger than the cache is
  // no entry of it.
  sys::fs::file_status status;
  if (!sys::fs::status(path, status) &&
      (!sys::fs::is_regular_file(status) || status.getSize() > limits.disk_bytes)) {
    message = "the cache's " + path + " is not a file of at most " +
              std::to_string(limits.disk_bytes) + " bytes, and was compiled again";
    return nullptr;
  }
  auto file = MemoryBuffer::getFile(path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false,
                                    /*IsVolatile=*/true);
  if (!file) {
    if (file.getError() != std::errc::no_such_file_or_directory)
      message = "the cache's " + path + " cannot be read: " + file.getError().message();
    return nullptr;
  }
  StringRef rest = (*file)->getBuffer();
  bool whole = rest.consume_front(kMagic) && rest.consume_front(key) &&
               rest.size() >= kDigestBytes;
  StringRef digest = rest.take_front(whole ? kDigestBytes : 0);
  rest = rest.drop_front(digest.size());
  if (!whole || digest != digestOf(rest)) {
    message =
        "the cache's " + path + " is not as it was written, and was compiled again";
    return nullptr;
  }
  // Used now: the least recently used go first.
  int descriptor;
  if (!sys::fs::openFileForRead(path, descriptor)) {
    auto now = std::chrono::system_clock::now();
    (void)sys::fs::setLastAccessAndModificationTime(descriptor, now, now);
    (void)sys::fs::closeFile(descriptor);
  }
  return std::make_shared<SmallVector<char, 0>>(rest.begin(), rest.end());
}

std::string Cache::writeEntry(StringRef key, const Bytes &bytes) const {
  const StringRef data(bytes->data(), bytes->size());
  auto failed = [&](const std::string &why) {
    return "the cache folder " + folder + " cannot be written: " + why;
  };
  if (std::error_code error = sys::fs::create_directories(folder))
    return failed(error.message());
  // Written under another name, and renamed. llvm::writeToOutput would do that and
  // install signal handlers, which are the embedder's to install.
  int descriptor;
  SmallString<128> temporary;
  if (std::error_code error =
          sys::fs::createUniqueFile(pathOf(key) + ".%%%%%%%%", descriptor, temporary))
    return failed(error.message());
  FileRemover remover(temporary);
  raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << kMagic << key << digestOf(data) << data;
  stream.close();
  std::error_code error = stream.error();
  stream.clear_error();
  if (!error)
    error = sys::fs::rename(temporary, pathOf(key));
  if (error)
    return failed(error.message());
  remover.releaseFile();
  CachePruningPolicy policy;
  policy.Interval = std::chrono::seconds(0);
  policy.MaxSizePercentageOfAvailableSpace = 0;
  policy.Expiration = std::chrono::seconds(0);
  policy.MaxSizeBytes = limits.disk_bytes;
  pruneCache(folder, policy);
  return "";
}

} // namespace normc::capi
