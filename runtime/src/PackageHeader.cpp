#include "runtime/src/PackageHeader.h"

#include <algorithm>
#include <cstring>

// The whole of xxHash as static functions, so that its symbols cannot meet another
// copy.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace normrt {
namespace {

constexpr uint8_t kMagic[8] = {'N', 'R', 'M', 'K', '\r', '\n', 0x1a, '\n'};
constexpr size_t kVersionOffset = 8, kHeaderSizeOffset = 12, kPayloadSizeOffset = 16,
                 kPayloadChecksumOffset = 24, kReservedOffset = 32,
                 kHeaderChecksumOffset = 56;

void store(uint8_t *to, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    to[i] = uint8_t(value >> (8 * i));
}

uint64_t load(const uint8_t *from, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; ++i)
    value |= uint64_t(from[i]) << (8 * i);
  return value;
}

} // namespace

uint64_t checksum(const void *data, size_t size) {
  return size == 0 ? XXH3_64bits("", 0) : XXH3_64bits(data, size);
}

std::array<uint8_t, kPackageHeaderSize> makePackageHeader(const void *payload,
                                                          size_t size) {
  std::array<uint8_t, kPackageHeaderSize> header{};
  std::copy(std::begin(kMagic), std::end(kMagic), header.begin());
  store(&header[kVersionOffset], NORMRT_PACKAGE_FORMAT_VERSION, 4);
  store(&header[kHeaderSizeOffset], kPackageHeaderSize, 4);
  store(&header[kPayloadSizeOffset], size, 8);
  store(&header[kPayloadChecksumOffset], checksum(payload, size), 8);
  store(&header[kHeaderChecksumOffset], checksum(header.data(), kHeaderChecksumOffset),
        8);
  return header;
}

std::vector<uint8_t> wrapPackage(const void *payload, size_t size) {
  const auto header = makePackageHeader(payload, size);
  std::vector<uint8_t> file;
  file.reserve(header.size() + size);
  file.insert(file.end(), header.begin(), header.end());
  const auto *bytes = static_cast<const uint8_t *>(payload);
  file.insert(file.end(), bytes, bytes + size);
  return file;
}

Status parsePackageHeader(const uint8_t *data, uint64_t size, PackageHeader &header) {
  const size_t prefix = std::min<uint64_t>(size, sizeof(kMagic));
  if (prefix > 0 && std::memcmp(data, kMagic, prefix) != 0)
    return Status::error(NORMRT_STATUS_CORRUPTED,
                         "expected a normc package, but the file does not begin with "
                         "the package's magic number");
  if (size < kPackageHeaderSize)
    return Status::error(NORMRT_STATUS_TRUNCATED, "expected at least ",
                         kPackageHeaderSize,
                         " bytes, because a package begins with a header of that size, "
                         "but got ",
                         size);
  if (load(data + kHeaderChecksumOffset, 8) != checksum(data, kHeaderChecksumOffset))
    return Status::error(NORMRT_STATUS_CORRUPTED,
                         "expected the header's checksum to match, but it does not");
  header.formatVersion = uint32_t(load(data + kVersionOffset, 4));
  if (header.formatVersion != NORMRT_PACKAGE_FORMAT_VERSION)
    return Status::error(
        NORMRT_STATUS_VERSION_MISMATCH, "expected package format version ",
        NORMRT_PACKAGE_FORMAT_VERSION,
        ", because this runtime reads no other, but got ", header.formatVersion);
  const uint64_t headerSize = load(data + kHeaderSizeOffset, 4);
  if (headerSize != kPackageHeaderSize)
    return Status::error(NORMRT_STATUS_CORRUPTED, "expected a header of ",
                         kPackageHeaderSize, " bytes, but got ", headerSize);
  for (size_t i = kReservedOffset; i < kHeaderChecksumOffset; ++i)
    if (data[i] != 0)
      return Status::error(NORMRT_STATUS_CORRUPTED, "expected header byte ", i,
                           " to be 0, but got ", unsigned(data[i]));
  header.payloadSize = load(data + kPayloadSizeOffset, 8);
  header.payloadChecksum = load(data + kPayloadChecksumOffset, 8);
  if (header.payloadSize == 0 || header.payloadSize > kMaxPayloadSize)
    return Status::error(NORMRT_STATUS_CORRUPTED, "expected a payload of 1 to ",
                         kMaxPayloadSize, " bytes, but the header says ",
                         header.payloadSize);
  const uint64_t available = size - kPackageHeaderSize;
  if (available < header.payloadSize)
    return Status::error(NORMRT_STATUS_TRUNCATED, "expected ", header.payloadSize,
                         " bytes after the header, but got ", available);
  if (available > header.payloadSize)
    return Status::error(NORMRT_STATUS_CORRUPTED, "expected the package to end after ",
                         header.payloadSize, " bytes, but ",
                         available - header.payloadSize, " more follow");
  return Status();
}

} // namespace normrt
