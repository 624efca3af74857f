#include "runtime/src/PackageReader.h"

#include "runtime/src/PackageVerifier.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

namespace normrt {
namespace {

// The header is 64 bytes too, so the payload is as aligned as the buffer.
constexpr std::align_val_t kBufferAlignment{64};

class FileDescriptor {
public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0)
      close(fd_);
  }
  FileDescriptor(const FileDescriptor &) = delete;
  FileDescriptor &operator=(const FileDescriptor &) = delete;
  int get() const { return fd_; }

private:
  int fd_;
};

Status ioError(const char *path, const char *what) {
  const int error = errno;
  const bool missing = error == ENOENT || error == ENOTDIR;
  return Status::error(missing ? NORMRT_STATUS_NOT_FOUND : NORMRT_STATUS_IO_ERROR, what,
                       " of package file \"", path,
                       "\" failed: ", std::strerror(error));
}

} // namespace

void PackageFile::Free::operator()(uint8_t *bytes) const {
  ::operator delete[](bytes, kBufferAlignment);
}

PackageFile::Buffer PackageFile::allocate(size_t size) {
  return Buffer(new (kBufferAlignment) uint8_t[size == 0 ? 1 : size]);
}

Status PackageFile::read(const void *data, size_t size, PackageFile &file) {
  // Before the copy, so that a wild size is refused without one.
  PackageHeader header;
  NORMRT_TRY(parsePackageHeader(static_cast<const uint8_t *>(data), size, header));
  Buffer buffer = allocate(size);
  std::memcpy(buffer.get(), data, size);
  return verify(std::move(buffer), size, file);
}

Status PackageFile::readFile(const char *path, PackageFile &file) {
  FileDescriptor fd(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0)
    return ioError(path, "opening");
  struct stat info;
  if (fstat(fd.get(), &info) != 0)
    return ioError(path, "reading the size");
  if (!S_ISREG(info.st_mode))
    return Status::error(NORMRT_STATUS_IO_ERROR, "expected package file \"", path,
                         "\" to be a regular file, but it is not");
  if (uint64_t(info.st_size) > kPackageHeaderSize + kMaxPayloadSize)
    return Status::error(NORMRT_STATUS_CORRUPTED, "expected package file \"", path,
                         "\" to have at most ", kPackageHeaderSize + kMaxPayloadSize,
                         " bytes, but got ", int64_t(info.st_size));
  const size_t size = size_t(info.st_size);
  Buffer buffer = allocate(size);
  size_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(fd.get(), buffer.get() + done, size - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return ioError(path, "reading");
    if (got == 0)
      break; // Cut while it was read: the header's size will say so.
    done += size_t(got);
  }
  Status status = verify(std::move(buffer), done, file);
  return status.failed() ? std::move(status).within("package file \"", path, "\"")
                         : Status();
}

Status PackageFile::verify(Buffer buffer, size_t size, PackageFile &file) {
  PackageHeader header;
  NORMRT_TRY(parsePackageHeader(buffer.get(), size, header));
  const uint8_t *payload = buffer.get() + kPackageHeaderSize;
  const uint64_t actual = checksum(payload, header.payloadSize);
  if (actual != header.payloadChecksum)
    return Status::error(NORMRT_STATUS_CORRUPTED,
                         "expected the payload's checksum to be ",
                         header.payloadChecksum, ", but got ", actual);
  flatbuffers::Verifier verifier(payload, header.payloadSize);
  if (!schema::VerifyPackageBuffer(verifier))
    return Status::error(NORMRT_STATUS_CORRUPTED,
                         "expected the payload to be a FlatBuffer of the package's "
                         "schema, but an offset, a size or the file identifier is "
                         "wrong");
  const schema::Package *package = schema::GetPackage(payload);
  NORMRT_TRY(verifyPackage(*package));
  file.buffer_ = std::move(buffer);
  file.size_ = size;
  file.header_ = header;
  file.package_ = package;
  return Status();
}

} // namespace normrt
