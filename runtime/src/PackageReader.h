// Reads a package file and verifies all of it: header, checksum, the FlatBuffer's
// structure, and the meaning of every field (PackageVerifier.h). After that the
// schema's objects can be used without further checks.
#ifndef NORMRT_PACKAGEREADER_H
#define NORMRT_PACKAGEREADER_H

#include "runtime/src/PackageHeader.h"
#include "runtime/src/Status.h"

#include "runtime/schema/package_generated.h"

#include <memory>

namespace normrt {

/// A verified package file, owned.
class PackageFile {
public:
  /// Copies `size` bytes and verifies them. `file` is unchanged on failure.
  static Status read(const void *data, size_t size, PackageFile &file);

  /// Reads a file and verifies it.
  static Status readFile(const char *path, PackageFile &file);

  const schema::Package &package() const { return *package_; }
  const PackageHeader &header() const { return header_; }
  /// Size of the whole file in bytes.
  size_t size() const { return size_; }

private:
  struct Free {
    void operator()(uint8_t *bytes) const;
  };
  using Buffer = std::unique_ptr<uint8_t[], Free>;
  static Buffer allocate(size_t size);
  static Status verify(Buffer buffer, size_t size, PackageFile &file);

  Buffer buffer_;
  size_t size_ = 0;
  PackageHeader header_;
  const schema::Package *package_ = nullptr;
};

} // namespace normrt

#endif // NORMRT_PACKAGEREADER_H
