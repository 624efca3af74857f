#include "runtime/src/level_zero/LevelZeroModule.h"

#include "runtime/src/level_zero/SpirvModule.h"

#include <algorithm>

namespace normrt::level_zero {
namespace {

std::string_view textOf(const flatbuffers::String *text) {
  return text ? text->string_view() : std::string_view();
}

const schema::Blob &blobAt(const schema::Target &target, int index) {
  return *target.blobs()->Get(flatbuffers::uoffset_t(index));
}

std::string_view architectureOf(const schema::Blob &blob,
                                const schema::Target &target) {
  const std::string_view own = textOf(blob.architecture());
  return own.empty() ? textOf(target.architecture()) : own;
}

/// Machine code runs on its own chip, SPIR-V on all.
bool runs(const schema::Blob &blob, const schema::Target &target,
          const std::string &chip) {
  if (blob.format() == schema::BlobFormat::spirv)
    return true;
  return blob.format() == schema::BlobFormat::native && !chip.empty() &&
         architectureOf(blob, target) == chip;
}

std::string blobText(const schema::Target &target, int index) {
  const schema::Blob &blob = blobAt(target, index);
  const std::string_view architecture = architectureOf(blob, target);
  return concat("blob ", index, " (", schema::EnumNameBlobFormat(blob.format()),
                architecture.empty() ? "" : " for ", architecture, ")");
}

/// The first blob of the chain of alternatives that runs; -1 for none.
int chooseBlob(const schema::Target &target, int blob, const std::string &chip) {
  while (blob >= 0 && !runs(blobAt(target, blob), target, chip))
    blob = blobAt(target, blob).alternative();
  return blob;
}

/// What the driver's compiler said of a module, without its last line ends. The log is
/// destroyed.
std::string takeLog(const Loader &ze, ze_module_build_log_handle_t log) {
  std::string text;
  size_t size = 0;
  if (log && ze.zeModuleBuildLogGetString(log, &size, nullptr) == ZE_RESULT_SUCCESS) {
    text.resize(size);
    if (size == 0 ||
        ze.zeModuleBuildLogGetString(log, &size, text.data()) != ZE_RESULT_SUCCESS)
      text.clear();
  }
  if (log)
    ze.zeModuleBuildLogDestroy(log);
  text.erase(std::find(text.begin(), text.end(), '\0'), text.end());
  const size_t end = text.find_last_not_of(" \n\r\t");
  text.resize(end == std::string::npos ? 0 : end + 1);
  return text;
}

/// A module's own words, before the driver gets it.
Status checkSpirv(const LevelZeroDevice &device, const schema::Blob &blob) {
  std::vector<SpirvKernel> kernels;
  NORMRT_TRY(readSpirv({blob.data()->data(), blob.data()->size()}, kernels));
  for (const SpirvKernel &kernel : kernels)
    if (kernel.subgroupSize > 0 &&
        !device.numbers().hasSubgroupSize(kernel.subgroupSize))
      return Status::error(
          NORMRT_STATUS_UNSUPPORTED, "expected a device with subgroups of ",
          kernel.subgroupSize, ", because kernel \"", kernel.name,
          "\" is made of them, "
          "but ",
          device.text(), " has ", device.numbers().subgroupSizesText());
  return Status();
}

} // namespace

int fitOf(const schema::Target &target, const std::string &chip) {
  if (target.backend() != schema::Backend::level_zero)
    return -1;
  if (target.kernels())
    for (const schema::Kernel *kernel : *target.kernels())
      if (chooseBlob(target, kernel->blob(), chip) < 0)
        return -1;
  const std::string_view architecture = textOf(target.architecture());
  if (!chip.empty() && architecture == chip)
    return 2;
  return architecture.empty() ? 1 : 0;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

Status ModuleCache::get(const schema::Blob &blob,
                        std::shared_ptr<BuiltModule> &module) {
  std::lock_guard lock(mutex_);
  std::weak_ptr<BuiltModule> &cached =
      modules_[{blob.checksum(), size_t(blob.data()->size())}];
  module = cached.lock();
  if (module)
    return Status();
  NORMRT_TRY(build(blob, module));
  cached = module;
  return Status();
}

Status ModuleCache::build(const schema::Blob &blob,
                          std::shared_ptr<BuiltModule> &module) const {
  const bool isSpirv = blob.format() == schema::BlobFormat::spirv;
  if (isSpirv)
    NORMRT_TRY(checkSpirv(device_, blob));
  ze_module_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
  description.format = isSpirv ? ZE_MODULE_FORMAT_IL_SPIRV : ZE_MODULE_FORMAT_NATIVE;
  description.inputSize = blob.data()->size();
  description.pInputModule = blob.data()->data();
  description.pBuildFlags = "";
  ze_module_handle_t handle = nullptr;
  ze_module_build_log_handle_t log = nullptr;
  const Loader &ze = device_.ze();
  const ze_result_t result =
      ze.zeModuleCreate(device_.context(), device_.handle(), &description, &handle,
                        device_.givesLogs() ? &log : nullptr);
  const std::string said = takeLog(ze, log);
  if (result == ZE_RESULT_SUCCESS) {
    module = std::make_shared<BuiltModule>(ze, handle);
    return Status();
  }
  const Status status = callError(result, "zeModuleCreate");
  if (!device_.givesLogs())
    return Status::error(status.code(), status.message(),
                         "; the driver's log cannot be read through a loader that "
                         "wraps handles, as it does for more than one driver: "
                         "ZE_ENABLE_ALT_DRIVERS can name the one");
  return said.empty() ? status
                      : Status::error(status.code(), status.message(),
                                      "; the driver's log: ", said);
}

Status LevelZeroModule::load(const LevelZeroDevice &device, ModuleCache &cache,
                             const schema::Target &target,
                             std::unique_ptr<Module> &module) {
  auto loaded = std::make_unique<LevelZeroModule>(device);
  NORMRT_TRY(loaded->loadKernels(cache, target));
  module = std::move(loaded);
  return Status();
}

LevelZeroModule::~LevelZeroModule() {
  for (const Kernel &kernel : kernels_)
    if (kernel.handle)
      device_.ze().zeKernelDestroy(kernel.handle);
}

Status LevelZeroModule::loadKernels(ModuleCache &cache, const schema::Target &target) {
  if (!target.kernels())
    return Status();
  // By the blob that a kernel names; the blob that was loaded may be an alternative.
  modules_.resize(target.blobs() ? target.blobs()->size() : 0);
  for (const schema::Kernel *kernel : *target.kernels()) {
    std::shared_ptr<BuiltModule> &module = modules_[size_t(kernel->blob())];
    if (!module)
      NORMRT_TRY(loadBlobFor(cache, target, kernel->blob(), module));
    NORMRT_TRY(findKernel(*kernel, module->handle()));
  }
  return Status();
}

/// Loads the first blob that runs. Where the driver refuses it, as a newer one does
/// machine code of an older compiler, the alternatives after it are tried.
Status LevelZeroModule::loadBlobFor(ModuleCache &cache, const schema::Target &target,
                                    int blob, std::shared_ptr<BuiltModule> &module) {
  Status first;
  for (int chosen = chooseBlob(target, blob, device_.chip()); chosen >= 0;
       chosen =
           chooseBlob(target, blobAt(target, chosen).alternative(), device_.chip())) {
    Status status = cache.get(blobAt(target, chosen), module);
    if (!status.failed())
      return status;
    const bool refused = status.code() == NORMRT_STATUS_LOAD_FAILED;
    status = std::move(status).within(blobText(target, chosen));
    if (!refused)
      return status;
    first = first.failed() ? Status::error(NORMRT_STATUS_LOAD_FAILED, first.message(),
                                           "; ", status.message())
                           : std::move(status);
  }
  if (first.failed())
    return first;
  return Status::error(NORMRT_STATUS_ARCHITECTURE_MISMATCH, "expected code for ",
                       device_.text(), ", but ", blobText(target, blob),
                       " does not run there");
}

Status LevelZeroModule::findKernel(const schema::Kernel &kernel,
                                   ze_module_handle_t module) {
  const Loader &ze = device_.ze();
  Kernel &found = kernels_.emplace_back();
  found.name = kernel.name()->str();
  ze_kernel_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC;
  description.pKernelName = found.name.c_str();
  const ze_result_t result = ze.zeKernelCreate(module, &description, &found.handle);
  if (result == ZE_RESULT_ERROR_INVALID_KERNEL_NAME)
    return Status::error(NORMRT_STATUS_LOAD_FAILED, "expected blob ", kernel.blob(),
                         " to export kernel \"", found.name,
                         "\", but it does not: zeKernelCreate failed with ",
                         resultText(result));
  if (result != ZE_RESULT_SUCCESS)
    return callError(result, "zeKernelCreate").within("kernel \"", found.name, "\"");
  ze_kernel_properties_t properties{};
  properties.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES;
  NORMRT_ZE_TRY(zeKernelGetProperties, found.handle, &properties);
  found.paramCount = int(properties.numKernelArgs);
  found.staticSharedBytes = properties.localMemSize;
  found.requiredWorkgroupSize = int(properties.requiredGroupSizeX);
  return Status();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Workgroup memory whose size the launch gives is one more parameter, the last.
static int paramCountOf(int argCount, int64_t dynamicSharedBytes) {
  return argCount + (dynamicSharedBytes > 0 ? 1 : 0);
}

Status LevelZeroModule::prepare(const LaunchShape &shape, Residency &residency) {
  const Kernel &kernel = kernels_[size_t(shape.kernel)];
  NORMRT_TRY(checkLimits(kernel, shape));
  const DeviceNumbers &numbers = device_.numbers();
  // A thread runs a subgroup; what the driver chose is a power of two up to the widest.
  ze_kernel_properties_t properties{};
  properties.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES;
  const Loader &ze = device_.ze();
  NORMRT_ZE_TRY(zeKernelGetProperties, kernel.handle, &properties);
  const int64_t lanes = properties.requiredSubgroupSize > 0
                            ? int64_t(properties.requiredSubgroupSize)
                            : numbers.widestSubgroup();
  const int64_t threads = (shape.workgroupSize + lanes - 1) / lanes;
  residency.workgroups = std::max<int64_t>(numbers.threadsPerUnit / threads, 1);
  const int64_t shared = kernel.staticSharedBytes + shape.dynamicSharedBytes;
  if (shared > 0)
    residency.workgroups =
        std::min(residency.workgroups, numbers.maxSharedBytes / shared);
  residency.clusters = 0;
  return Status();
}

Status LevelZeroModule::checkLimits(const Kernel &kernel,
                                    const LaunchShape &shape) const {
  const int params = paramCountOf(shape.argCount, shape.dynamicSharedBytes);
  if (kernel.paramCount != params)
    return Status::error(NORMRT_STATUS_LOAD_FAILED, "expected kernel \"", kernel.name,
                         "\" to have ", params,
                         " parameters, because its launch gives as many arguments, but "
                         "got ",
                         kernel.paramCount);
  if (kernel.requiredWorkgroupSize > 0 &&
      kernel.requiredWorkgroupSize != shape.workgroupSize)
    return Status::error(NORMRT_STATUS_LOAD_FAILED, "expected kernel \"", kernel.name,
                         "\" to be made for workgroups of ", shape.workgroupSize,
                         ", because its launch has them, but got ",
                         kernel.requiredWorkgroupSize);
  const DeviceNumbers &numbers = device_.numbers();
  if (shape.workgroupSize > numbers.maxWorkgroupSize)
    return Status::error(NORMRT_STATUS_UNSUPPORTED, "expected a workgroup of at most ",
                         numbers.maxWorkgroupSize, ", because ", device_.text(),
                         " has no larger ones, but kernel \"", kernel.name, "\" needs ",
                         shape.workgroupSize);
  const int64_t shared = kernel.staticSharedBytes + shape.dynamicSharedBytes;
  if (shared > numbers.maxSharedBytes)
    return Status::error(NORMRT_STATUS_UNSUPPORTED, "expected at most ",
                         numbers.maxSharedBytes, " bytes of shared memory, because ",
                         device_.text(), " has no more for a workgroup, but kernel \"",
                         kernel.name, "\" needs ", shared);
  if (shape.clusterSize > 1)
    return Status::error(NORMRT_STATUS_UNSUPPORTED, "expected no clusters, because ",
                         device_.text(), " has none, but kernel \"", kernel.name,
                         "\" needs clusters of ", shape.clusterSize);
  return Status();
}

Status LevelZeroModule::setArguments(const Kernel &kernel,
                                     const LaunchRequest &request) const {
  const Loader &ze = device_.ze();
  NORMRT_ZE_TRY(zeKernelSetGroupSize, kernel.handle, uint32_t(request.workgroupSize), 1,
                1);
  for (int i = 0; i < request.argCount; ++i)
    NORMRT_ZE_TRY(zeKernelSetArgumentValue, kernel.handle, uint32_t(i), sizeof(int64_t),
                  request.args + i);
  if (request.dynamicSharedBytes > 0)
    NORMRT_ZE_TRY(zeKernelSetArgumentValue, kernel.handle, uint32_t(request.argCount),
                  size_t(request.dynamicSharedBytes), nullptr);
  return Status();
}

Status LevelZeroModule::append(const LaunchRequest &request,
                               ze_command_list_handle_t list) const {
  const Kernel &kernel = kernels_[size_t(request.kernel)];
  const Loader &ze = device_.ze();
  std::lock_guard lock(kernel.mutex);
  NORMRT_TRY(setArguments(kernel, request));
  const ze_group_count_t groups{uint32_t(request.grid), 1, 1};
  NORMRT_ZE_TRY(zeCommandListAppendLaunchKernel, list, kernel.handle, &groups, nullptr,
                0, nullptr);
  return Status();
}

} // namespace normrt::level_zero
