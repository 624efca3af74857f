#include "runtime/src/cuda/CudaModule.h"

#include <algorithm>

namespace normrt::cuda {
namespace {

// The largest cluster size that every device with clusters takes without opting in
// (CUDA C++ Programming Guide, "Thread Block Clusters").
constexpr int kPortableClusterSize = 8;

std::string blobText(const schema::Target &target, int index) {
  const schema::Blob &blob = *target.blobs()->Get(flatbuffers::uoffset_t(index));
  const auto architecture = architectureOf(blob, target);
  return concat("blob ", index, " (", schema::EnumNameBlobFormat(blob.format()),
                architecture ? concat(" for ", architecture->capability.name()) : "",
                ")");
}

/// A log without its last line ends.
std::string_view trimmed(std::string_view log) {
  const size_t end = log.find_last_not_of(" \n\r\t");
  return log.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

} // namespace

Status CudaModule::load(const CudaDevice &device, const schema::Target &target,
                        std::unique_ptr<Module> &module) {
  ContextScope scope(device);
  NORMRT_TRY(scope.enter());
  const RelaxedCaptureScope relaxed(device.driver());
  auto loaded = std::make_unique<CudaModule>(device);
  NORMRT_TRY(loaded->loadKernels(target));
  module = std::move(loaded);
  return Status();
}

CudaModule::~CudaModule() {
  ContextScope scope(device_);
  // Without a context there is nothing left to unload.
  if (scope.enter().failed())
    return;
  for (Library library : libraries_)
    if (library)
      device_.driver().cuModuleUnload(library);
}

Status CudaModule::loadKernels(const schema::Target &target) {
  if (!target.kernels())
    return Status();
  libraries_.resize(target.blobs() ? target.blobs()->size() : 0);
  // By the blob that a kernel names; the blob that was loaded may be an alternative.
  std::vector<Library> loaded(libraries_.size());
  kernels_.reserve(target.kernels()->size());
  for (const schema::Kernel *kernel : *target.kernels()) {
    Library &library = loaded[size_t(kernel->blob())];
    if (!library)
      NORMRT_TRY(loadBlobFor(target, kernel->blob(), library));
    NORMRT_TRY(findKernel(*kernel, library));
  }
  return Status();
}

/// Loads the blob that fits best. Where the driver refuses it, as an older one does a
/// cubin of a newer toolkit, the alternatives after it are tried.
Status CudaModule::loadBlobFor(const schema::Target &target, int blob,
                               Library &library) {
  Status first;
  while (true) {
    int fit;
    const int chosen = chooseBlob(target, blob, device_.numbers().capability, fit);
    if (chosen < 0)
      break;
    const schema::Blob &chosenBlob =
        *target.blobs()->Get(flatbuffers::uoffset_t(chosen));
    Library &cached = libraries_[size_t(chosen)];
    Status status = cached ? Status() : loadBlob(chosenBlob, cached);
    if (!status.failed()) {
      library = cached;
      return Status();
    }
    const bool refused = status.code() == NORMRT_STATUS_LOAD_FAILED;
    status = std::move(status).within(blobText(target, chosen));
    if (!refused)
      return status;
    first = first.failed() ? Status::error(NORMRT_STATUS_LOAD_FAILED, first.message(),
                                           "; ", status.message())
                           : std::move(status);
    blob = chosenBlob.alternative();
  }
  if (first.failed())
    return first;
  return Status::error(NORMRT_STATUS_ARCHITECTURE_MISMATCH, "expected code for ",
                       device_.text(), ", but ", blobText(target, blob),
                       " does not run there");
}

Status CudaModule::loadBlob(const schema::Blob &blob, Library &library) {
  const Driver &driver = device_.driver();
  // A copy, because PTX is a string that ends in NUL, and for its alignment.
  const std::string image(reinterpret_cast<const char *>(blob.data()->data()),
                          blob.data()->size());
  char log[8192] = "";
  JitOption options[] = {JitOption::ErrorLogBuffer, JitOption::ErrorLogBufferBytes,
                         JitOption::OptimizationLevel};
  // The API wants numbers in place of pointers here.
  void *values[] = {log, reinterpret_cast<void *>(uintptr_t(sizeof(log) - 1)),
                    reinterpret_cast<void *>(uintptr_t(4))};
  // The driver caches what it compiles, on disk, by the text and the device.
  const unsigned count = blob.format() == schema::BlobFormat::ptx ? 3 : 0;
  const Result result =
      driver.cuModuleLoadDataEx(&library, image.c_str(), count, options, values);
  if (result == Result::Success)
    return Status();
  library = nullptr;
  const std::string_view said = trimmed(log);
  Status status = driver.error(result, "cuModuleLoadDataEx");
  return said.empty() ? status
                      : Status::error(status.code(), status.message(),
                                      "; the driver's log: ", said);
}

Status CudaModule::findKernel(const schema::Kernel &kernel, Library library) {
  const Driver &driver = device_.driver();
  Kernel found;
  found.name = kernel.name()->str();
  const Result result =
      driver.cuModuleGetFunction(&found.function, library, found.name.c_str());
  if (result == Result::NotFound)
    return Status::error(NORMRT_STATUS_LOAD_FAILED, "expected blob ", kernel.blob(),
                         " to export kernel \"", found.name,
                         "\", but it does not: cuModuleGetFunction failed with ",
                         driver.text(result));
  if (result != Result::Success)
    return driver.error(result, "cuModuleGetFunction")
        .within("kernel \"", found.name, "\"");
  NORMRT_CUDA_TRY(cuFuncGetAttribute, &found.maxThreads,
                  FunctionAttribute::MaxThreadsPerBlock, found.function);
  NORMRT_CUDA_TRY(cuFuncGetAttribute, &found.staticSharedBytes,
                  FunctionAttribute::StaticSharedBytes, found.function);
  NORMRT_TRY(countParams(found));
  kernels_.push_back(std::move(found));
  return Status();
}

/// The kernels' interface is 8-byte values (include/normc/Plan/KernelAbi.h).
Status CudaModule::countParams(Kernel &kernel) const {
  const Driver &driver = device_.driver();
  if (!driver.cuFuncGetParamInfo)
    return Status();
  int count = 0;
  size_t offset, bytes;
  Result result;
  while ((result = driver.cuFuncGetParamInfo(kernel.function, size_t(count), &offset,
                                             &bytes)) == Result::Success) {
    if (bytes != sizeof(int64_t))
      return Status::error(NORMRT_STATUS_LOAD_FAILED, "expected parameter ", count,
                           " of kernel \"", kernel.name, "\" to have ", sizeof(int64_t),
                           " bytes, because every argument of a plan has, but got ",
                           bytes);
    ++count;
  }
  // What it says of an index past the last.
  if (result != Result::InvalidValue)
    return driver.error(result, "cuFuncGetParamInfo");
  kernel.paramCount = count;
  return Status();
}

Status CudaModule::prepare(const LaunchShape &shape, Residency &residency) {
  ContextScope scope(device_);
  NORMRT_TRY(scope.enter());
  const Driver &driver = device_.driver();
  Kernel &kernel = kernels_[size_t(shape.kernel)];
  NORMRT_TRY(checkParams(kernel, shape.argCount));
  NORMRT_TRY(checkLimits(kernel, shape));
  NORMRT_TRY(optIn(kernel, shape));
  int resident = 0;
  NORMRT_CUDA_TRY(cuOccupancyMaxActiveBlocksPerMultiprocessor, &resident,
                  kernel.function, shape.workgroupSize,
                  size_t(shape.dynamicSharedBytes));
  if (resident < 1)
    return Status::error(NORMRT_STATUS_UNSUPPORTED, "expected a workgroup of ",
                         shape.workgroupSize, " with ", shape.dynamicSharedBytes,
                         " bytes of shared memory to fit on a compute unit of ",
                         device_.text(), ", but none of kernel \"", kernel.name,
                         "\" does");
  residency.workgroups = resident;
  residency.clusters = 0;
  return shape.clusterSize > 1 ? countClusters(kernel, shape, residency.clusters)
                               : Status();
}

/// A driver reads as many values as the kernel has parameters, so fewer would be read
/// past the end.
Status CudaModule::checkParams(const Kernel &kernel, int argCount) const {
  if (kernel.paramCount < 0 || kernel.paramCount == argCount)
    return Status();
  return Status::error(NORMRT_STATUS_LOAD_FAILED, "expected kernel \"", kernel.name,
                       "\" to have ", argCount,
                       " parameters, because its launch gives as many arguments, but "
                       "got ",
                       kernel.paramCount);
}

Status CudaModule::checkLimits(const Kernel &kernel, const LaunchShape &shape) const {
  if (shape.workgroupSize > kernel.maxThreads)
    return Status::error(NORMRT_STATUS_UNSUPPORTED, "expected a workgroup of at most ",
                         kernel.maxThreads, ", because that is what kernel \"",
                         kernel.name, "\" takes on ", device_.text(), ", but got ",
                         shape.workgroupSize);
  const int64_t shared = kernel.staticSharedBytes + shape.dynamicSharedBytes;
  if (shared > device_.numbers().maxSharedBytes)
    return Status::error(NORMRT_STATUS_UNSUPPORTED, "expected at most ",
                         device_.numbers().maxSharedBytes,
                         " bytes of shared memory, because ", device_.text(),
                         " has no more for a workgroup, but kernel \"", kernel.name,
                         "\" needs ", shared);
  if (shape.clusterSize > 1 && !device_.numbers().clusters)
    return Status::error(NORMRT_STATUS_UNSUPPORTED, "expected no clusters, because ",
                         device_.text(), " has none, but kernel \"", kernel.name,
                         "\" needs clusters of ", shape.clusterSize);
  return Status();
}

Status CudaModule::optIn(Kernel &kernel, const LaunchShape &shape) const {
  const Driver &driver = device_.driver();
  if (shape.dynamicSharedBytes > kernel.dynamicSharedBytes) {
    NORMRT_CUDA_TRY(cuFuncSetAttribute, kernel.function,
                    FunctionAttribute::MaxDynamicSharedBytes,
                    int(shape.dynamicSharedBytes));
    kernel.dynamicSharedBytes = shape.dynamicSharedBytes;
  }
  if (shape.clusterSize > kPortableClusterSize && !kernel.nonPortableClusters) {
    NORMRT_CUDA_TRY(cuFuncSetAttribute, kernel.function,
                    FunctionAttribute::NonPortableClusterSizeAllowed, 1);
    kernel.nonPortableClusters = true;
  }
  return Status();
}

Status CudaModule::countClusters(const Kernel &kernel, const LaunchShape &shape,
                                 int64_t &clusters) const {
  const Driver &driver = device_.driver();
  LaunchAttribute attribute{};
  attribute.id = LaunchAttributeId::ClusterDimension;
  attribute.clusterDimension = {unsigned(shape.clusterSize), 1, 1};
  const LaunchConfig config{.gridX = unsigned(shape.clusterSize),
                            .gridY = 1,
                            .gridZ = 1,
                            .blockX = unsigned(shape.workgroupSize),
                            .blockY = 1,
                            .blockZ = 1,
                            .sharedBytes = unsigned(shape.dynamicSharedBytes),
                            .stream = nullptr,
                            .attributes = &attribute,
                            .attributeCount = 1};
  int count = 0;
  const Result result =
      driver.cuOccupancyMaxActiveClusters(&count, kernel.function, &config);
  // Some drivers answer a size past the device's with a failure.
  if (result != Result::Success && result != Result::InvalidClusterSize &&
      result != Result::InvalidValue)
    return driver.error(result, "cuOccupancyMaxActiveClusters");
  if (result != Result::Success || count < 1)
    return Status::error(NORMRT_STATUS_UNSUPPORTED, "expected clusters of ",
                         shape.clusterSize, " workgroups to fit on ", device_.text(),
                         ", but none of kernel \"", kernel.name, "\" does",
                         result == Result::Success ? "" : ": ",
                         result == Result::Success ? "" : driver.text(result));
  clusters = count;
  return Status();
}

} // namespace normrt::cuda
