//===- Archive.cpp - Compiled programs in one file --------------------------===//
#include "Archive.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <zstd.h>

namespace normc::device {

/// Kernels of different programs are alike: matches are looked for this far back.
static constexpr int kWindowLog = 27;
static constexpr int kLevel = 12;
/// More than an archive of every case has.
static constexpr uint64_t kMostBytes = uint64_t{1} << 31;

namespace {
struct Free {
  void operator()(ZSTD_CCtx *context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx *context) const { ZSTD_freeDCtx(context); }
};
} // namespace

static void append(std::string &bytes, const std::string &text) {
  const uint64_t size = text.size();
  bytes.append(reinterpret_cast<const char *>(&size), sizeof(size));
  bytes += text;
}

/// Takes the text at `at`, which moves behind it; false where it is not all there.
static bool take(const std::string &bytes, size_t &at, std::string &text) {
  uint64_t size = 0;
  if (bytes.size() - at < sizeof(size))
    return false;
  std::memcpy(&size, bytes.data() + at, sizeof(size));
  at += sizeof(size);
  if (bytes.size() - at < size)
    return false;
  text = bytes.substr(at, size);
  at += size;
  return true;
}

std::string Archive::write(const std::string &path) const {
  std::string bytes;
  for (const auto &[text, package] : packages) {
    append(bytes, text);
    append(bytes, package);
  }
  const std::unique_ptr<ZSTD_CCtx, Free> context(ZSTD_createCCtx());
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_enableLongDistanceMatching, 1);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, kWindowLog);
  std::string packed(ZSTD_compressBound(bytes.size()), 0);
  const size_t size = ZSTD_compress2(context.get(), packed.data(), packed.size(),
                                     bytes.data(), bytes.size());
  if (ZSTD_isError(size))
    return std::string("cannot compress: ") + ZSTD_getErrorName(size);
  std::ofstream file(path, std::ios::binary);
  file.write(packed.data(), static_cast<std::streamsize>(size));
  file.close();
  return file ? "" : "cannot write \"" + path + "\"";
}

std::string Archive::read(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return "cannot read \"" + path + "\"";
  const std::string packed((std::istreambuf_iterator<char>(file)), {});
  const std::string expected = "expected texts and packages in \"" + path + "\", but ";
  const uint64_t size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size > kMostBytes)
    return expected + "got other bytes";
  std::string bytes(size, 0);
  const std::unique_ptr<ZSTD_DCtx, Free> context(ZSTD_createDCtx());
  ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kWindowLog);
  const size_t read = ZSTD_decompressDCtx(context.get(), bytes.data(), bytes.size(),
                                          packed.data(), packed.size());
  if (ZSTD_isError(read) || read != size)
    return expected + "they are not whole";
  std::string text, package;
  for (size_t at = 0; at < bytes.size();) {
    if (!take(bytes, at, text) || !take(bytes, at, package))
      return expected + "one ends before its size";
    packages[text] = package;
  }
  return packages.empty() ? expected + "there are none" : "";
}

} // namespace normc::device
