#include "runtime/src/HostModule.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U // Since Linux 6.3; older kernels say EINVAL.
#endif

namespace normrt {
namespace {

/// A file in memory that is closed at the end of a scope; a library mapped from it
/// stays.
class MemoryFile {
public:
  MemoryFile() {
    fd_ = memfd_create("normc-kernels", MFD_CLOEXEC | MFD_EXEC);
    if (fd_ < 0 && errno == EINVAL)
      fd_ = memfd_create("normc-kernels", MFD_CLOEXEC);
  }
  ~MemoryFile() {
    if (fd_ >= 0)
      close(fd_);
  }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  bool valid() const { return fd_ >= 0; }
  int fd() const { return fd_; }

  bool write(const uint8_t *data, size_t size) {
    while (size > 0) {
      const ssize_t done = ::write(fd_, data, size);
      if (done < 0 && errno == EINTR)
        continue;
      if (done <= 0)
        return false;
      data += done;
      size -= size_t(done);
    }
    return true;
  }

private:
  int fd_;
};

/// A path to a descriptor that no library loaded so far has. The loader takes two equal
/// paths for the same library and does not open the second, and descriptor numbers are
/// used again; so each path counts in "/" and "/./", which name the same file.
std::string uniquePath(int fd) {
  static std::atomic<uint64_t> counter{0};
  std::string path = "/proc/self";
  for (uint64_t count = ++counter; count != 0; count >>= 1)
    path += count & 1 ? "/." : "//.";
  return concat(path, "/fd/", fd);
}

} // namespace

Status HostModule::load(const schema::Target &target, std::unique_ptr<Module> &module) {
  auto loaded = std::make_unique<HostModule>();
  if (const auto *blobs = target.blobs()) {
    loaded->libraries_.reserve(blobs->size());
    for (flatbuffers::uoffset_t i = 0; i < blobs->size(); ++i)
      if (Status status = loaded->loadBlob(*blobs->Get(i)); status.failed())
        return std::move(status).within("blob ", i);
  }
  if (const auto *kernels = target.kernels()) {
    loaded->kernels_.reserve(kernels->size());
    for (const schema::Kernel *kernel : *kernels)
      NORMRT_TRY(loaded->findKernel(*kernel));
  }
  module = std::move(loaded);
  return Status();
}

HostModule::~HostModule() {
  for (void *library : libraries_)
    dlclose(library);
}

Status HostModule::loadBlob(const schema::Blob &blob) {
  MemoryFile file;
  if (!file.valid() || !file.write(blob.data()->data(), blob.data()->size()))
    return Status::error(
        NORMRT_STATUS_LOAD_FAILED,
        "writing the kernels to a file in memory failed: ", std::strerror(errno));
  void *library = dlopen(uniquePath(file.fd()).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return Status::error(NORMRT_STATUS_LOAD_FAILED,
                         "the system's loader refused the kernels: ",
                         reason ? reason : "no reason given");
  }
  libraries_.push_back(library);
  return Status();
}

Status HostModule::findKernel(const schema::Kernel &kernel) {
  void *address = dlsym(libraries_[size_t(kernel.blob())], kernel.name()->c_str());
  if (!address)
    return Status::error(NORMRT_STATUS_LOAD_FAILED, "expected blob ", kernel.blob(),
                         " to export kernel \"", kernel.name()->string_view(),
                         "\", but it does not");
  kernels_.push_back(reinterpret_cast<HostKernel>(address));
  return Status();
}

} // namespace normrt
