#include "CudaTestDevice.h"

#include "runtime/src/PackageHeader.h"

namespace normrt::test {

void addBlob(schema::TargetT &target, schema::BlobFormat format,
             const std::string &architecture, const std::vector<uint8_t> &bytes) {
  auto blob = std::make_unique<schema::BlobT>();
  blob->format = format;
  blob->architecture = architecture;
  blob->data = bytes;
  blob->checksum = checksum(bytes.data(), bytes.size());
  target.blobs.push_back(std::move(blob));
}

std::unique_ptr<schema::TargetT> cudaTarget(const std::string &architecture,
                                            schema::BlobFormat format,
                                            const std::vector<uint8_t> &blob,
                                            const std::vector<std::string> &kernels) {
  auto target = std::make_unique<schema::TargetT>();
  target->name = "cuda:" + architecture;
  target->backend = schema::Backend::cuda;
  target->architecture = architecture;
  addBlob(*target, format, "", blob);
  for (const std::string &name : kernels) {
    auto kernel = std::make_unique<schema::KernelT>();
    kernel->name = name;
    target->kernels.push_back(std::move(kernel));
  }
  return target;
}

} // namespace normrt::test
