// The 64 bytes that stand before a package's FlatBuffer. Shared by the runtime, which
// checks them, and the compiler, which writes them.
//
//   offset  size  field (integers are little endian)
//        0     8  magic "NRMK\r\n\x1a\n"; a transfer in text mode destroys it, as in
//        PNG 8     4  format version
//       12     4  size of this header, 64
//       16     8  size of the payload
//       24     8  XXH3 64-bit hash of the payload
//       32    24  zero
//       56     8  XXH3 64-bit hash of bytes 0 to 55
//
// The layout is the same in every format version, so that a reader can tell a newer
// package from a damaged one.
#ifndef NORMRT_PACKAGEHEADER_H
#define NORMRT_PACKAGEHEADER_H

#include "runtime/src/Status.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace normrt {

inline constexpr size_t kPackageHeaderSize = 64;

/// FlatBuffers address with 31 bits.
inline constexpr uint64_t kMaxPayloadSize = (uint64_t(1) << 31) - 1;

struct PackageHeader {
  uint32_t formatVersion = 0;
  uint64_t payloadSize = 0;
  uint64_t payloadChecksum = 0;
};

/// XXH3, 64 bits, seed 0: the checksum of payloads, headers and blobs.
uint64_t checksum(const void *data, size_t size);

/// The header of a finished FlatBuffer.
std::array<uint8_t, kPackageHeaderSize> makePackageHeader(const void *payload,
                                                          size_t size);

/// A whole package file: the header, then the finished FlatBuffer.
std::vector<uint8_t> wrapPackage(const void *payload, size_t size);

/// Reads and checks the header of a file of `size` bytes, its own checksum and the
/// file's size included; the payload's checksum is not looked at.
Status parsePackageHeader(const uint8_t *data, uint64_t size, PackageHeader &header);

} // namespace normrt

#endif // NORMRT_PACKAGEHEADER_H
