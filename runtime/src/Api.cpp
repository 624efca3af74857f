// The C API: devices, packages, entries, launches. Introspection.cpp has the rest.
#include "runtime/src/Handles.h"

#include <cstddef>
#include <cstring>

using namespace normrt;

namespace normrt {
namespace {

thread_local std::string lastMessage;
/// Set where a message could not be built; takes precedence.
thread_local const char *lastLiteral = nullptr;

} // namespace

normrt_status report(const Status &status) noexcept {
  try {
    lastMessage = status.message();
    lastLiteral = nullptr;
  } catch (...) {
    lastLiteral = "there was no memory for the message";
  }
  return status.code();
}

normrt_status reportLiteral(normrt_status code, const char *message) noexcept {
  lastLiteral = message;
  return code;
}

Status checkNotNull(const void *pointer, const char *name) {
  if (pointer)
    return Status();
  return Status::error(NORMRT_STATUS_INVALID_ARGUMENT, "expected ", name,
                       " to be present, but got null");
}

} // namespace normrt

uint32_t normrt_version(void) noexcept { return NORMRT_VERSION; }

const char *normrt_status_name(normrt_status status) noexcept {
  static const char *const names[] = {"ok",
                                      "invalid_argument",
                                      "not_found",
                                      "unsupported",
                                      "corrupted",
                                      "truncated",
                                      "version_mismatch",
                                      "architecture_mismatch",
                                      "load_failed",
                                      "io_error",
                                      "out_of_memory",
                                      "shape_mismatch",
                                      "type_mismatch",
                                      "device_mismatch",
                                      "stride_mismatch",
                                      "misaligned",
                                      "overlap",
                                      "workspace_too_small",
                                      "overflow",
                                      "internal",
                                      "device_error"};
  static_assert(std::size(names) == NORMRT_STATUS_DEVICE_ERROR + 1);
  const auto index = unsigned(status);
  return index < std::size(names) ? names[index] : "unknown";
}

const char *normrt_last_error_message(void) noexcept {
  return lastLiteral ? lastLiteral : lastMessage.c_str();
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

normrt_status normrt_device_open(const char *name, normrt_device **device) noexcept {
  return boundary([&]() -> Status {
    NORMRT_TRY(checkNotNull(name, "name"));
    NORMRT_TRY(checkNotNull(device, "device"));
    auto opened = std::make_unique<normrt_device>();
    NORMRT_TRY(openBackend(name, opened->backend));
    opened->backend->describe(opened->facts);
    *device = opened.release();
    return Status();
  });
}

normrt_status normrt_device_open_level_zero(void *ze_device, void *ze_context,
                                            normrt_device **device) noexcept {
  return boundary([&]() -> Status {
    NORMRT_TRY(checkNotNull(ze_device, "ze_device"));
    NORMRT_TRY(checkNotNull(ze_context, "ze_context"));
    NORMRT_TRY(checkNotNull(device, "device"));
    auto opened = std::make_unique<normrt_device>();
    NORMRT_TRY(adoptLevelZeroBackend(ze_device, ze_context, opened->backend));
    opened->backend->describe(opened->facts);
    *device = opened.release();
    return Status();
  });
}

void normrt_device_retain(normrt_device *device) noexcept {
  if (device)
    device->references.fetch_add(1, std::memory_order_relaxed);
}

void normrt_device_release(normrt_device *device) noexcept {
  if (device && device->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete device;
}

int32_t normrt_device_thread_count(const normrt_device *device) noexcept {
  return device ? device->backend->threadCount() : 0;
}

const char *normrt_device_description(const normrt_device *device) noexcept {
  return device ? device->backend->description().c_str() : "";
}

void normrt_device_trim(normrt_device *device) noexcept {
  if (device)
    device->backend->trim();
}

//===----------------------------------------------------------------------===//
// Packages
//===----------------------------------------------------------------------===//

normrt_package::~normrt_package() {
  entries.clear();
  module.reset();
  normrt_device_release(device);
}

namespace normrt {
namespace {

std::string targetText(const schema::Target &target) {
  std::string text = concat("\"", target.name()->string_view(), "\"");
  if (target.architecture() && target.architecture()->size() > 0)
    text += concat(" for ", target.architecture()->string_view());
  if (target.features() && target.features()->size() > 0)
    text += concat(" with ", target.features()->string_view());
  return text;
}

Status selectTarget(const schema::Package &package, const Backend &backend,
                    int &selected) {
  int best = -1;
  std::string all;
  for (flatbuffers::uoffset_t i = 0; i < package.targets()->size(); ++i) {
    const schema::Target &target = *package.targets()->Get(i);
    const int fit = backend.fit(target);
    if (fit > best) {
      best = fit;
      selected = int(i);
    }
    all += concat(i ? ", " : "", targetText(target));
  }
  if (best >= 0)
    return Status();
  return Status::error(NORMRT_STATUS_ARCHITECTURE_MISMATCH,
                       "expected a target that runs on this device (",
                       backend.description(), "), but the package has ", all);
}

/// Asks the device about each launch. A variant that it cannot run is never taken: code
/// for a family of chips has variants that the smaller ones have no room for. The last
/// one must run.
Status prepareEntry(Module &module, EntryPlan &plan) {
  for (size_t v = 0; v < plan.variants.size(); ++v) {
    VariantPlan &variant = plan.variants[v];
    for (size_t i = 0; variant.runnable && i < variant.launches.size(); ++i) {
      LaunchPlan &launch = variant.launches[i];
      Residency residency;
      Status status = module.prepare({.kernel = launch.kernel,
                                      .workgroupSize = launch.workgroupSize,
                                      .clusterSize = launch.clusterSize,
                                      .dynamicSharedBytes = launch.dynamicSharedBytes,
                                      .argCount = int(launch.args.size())},
                                     residency);
      if (status.code() == NORMRT_STATUS_UNSUPPORTED && v + 1 < plan.variants.size())
        variant.runnable = false;
      else if (status.failed())
        return std::move(status).within("entry \"", plan.name, "\": variant ", v,
                                        ": launch ", i);
      launch.resident = residency.workgroups;
      launch.residentClusters = residency.clusters;
    }
  }
  return Status();
}

Status finishLoading(normrt_device *device, std::unique_ptr<normrt_package> loading,
                     normrt_package **package) {
  const schema::Package &contents = loading->file.package();
  NORMRT_TRY(selectTarget(contents, *device->backend, loading->selected));
  const schema::Target &target =
      *contents.targets()->Get(flatbuffers::uoffset_t(loading->selected));
  Status status = device->backend->load(target, loading->module);
  if (status.failed())
    return std::move(status).within("target ", targetText(target));
  if (target.entries())
    for (const schema::Entry *entry : *target.entries()) {
      normrt_entry &loaded = loading->entries.emplace_back();
      loaded.package = loading.get();
      loaded.plan = decodeEntry(*entry, target);
      NORMRT_TRY(prepareEntry(*loading->module, loaded.plan));
      describeEntry(loaded);
    }
  normrt_device_retain(device);
  loading->device = device;
  *package = loading.release();
  return Status();
}

} // namespace
} // namespace normrt

normrt_status normrt_package_load_memory(normrt_device *device, const void *data,
                                         size_t size,
                                         normrt_package **package) noexcept {
  return boundary([&]() -> Status {
    NORMRT_TRY(checkNotNull(device, "device"));
    if (size > 0)
      NORMRT_TRY(checkNotNull(data, "data"));
    NORMRT_TRY(checkNotNull(package, "package"));
    auto loading = std::make_unique<normrt_package>();
    NORMRT_TRY(PackageFile::read(data, size, loading->file));
    return finishLoading(device, std::move(loading), package);
  });
}

normrt_status normrt_package_load_file(normrt_device *device, const char *path,
                                       normrt_package **package) noexcept {
  return boundary([&]() -> Status {
    NORMRT_TRY(checkNotNull(device, "device"));
    NORMRT_TRY(checkNotNull(path, "path"));
    NORMRT_TRY(checkNotNull(package, "package"));
    auto loading = std::make_unique<normrt_package>();
    NORMRT_TRY(PackageFile::readFile(path, loading->file));
    return finishLoading(device, std::move(loading), package);
  });
}

void normrt_package_retain(normrt_package *package) noexcept {
  if (package)
    package->references.fetch_add(1, std::memory_order_relaxed);
}

void normrt_package_release(normrt_package *package) noexcept {
  if (package && package->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete package;
}

int32_t normrt_package_entry_count(const normrt_package *package) noexcept {
  return package ? int32_t(package->entries.size()) : 0;
}

normrt_status normrt_package_entry(normrt_package *package, int32_t index,
                                   normrt_entry **entry) noexcept {
  return boundary([&]() -> Status {
    NORMRT_TRY(checkNotNull(package, "package"));
    NORMRT_TRY(checkNotNull(entry, "entry"));
    if (index < 0 || size_t(index) >= package->entries.size())
      return Status::error(NORMRT_STATUS_INVALID_ARGUMENT,
                           "expected an entry index below ", package->entries.size(),
                           ", but got ", index);
    *entry = &package->entries[size_t(index)];
    return Status();
  });
}

normrt_status normrt_package_find_entry(normrt_package *package, const char *name,
                                        normrt_entry **entry) noexcept {
  return boundary([&]() -> Status {
    NORMRT_TRY(checkNotNull(package, "package"));
    NORMRT_TRY(checkNotNull(name, "name"));
    NORMRT_TRY(checkNotNull(entry, "entry"));
    std::string all;
    for (normrt_entry &candidate : package->entries) {
      if (candidate.plan.name == name) {
        *entry = &candidate;
        return Status();
      }
      all += concat(all.empty() ? "" : ", ", "\"", candidate.plan.name, "\"");
    }
    return Status::error(NORMRT_STATUS_NOT_FOUND, "expected one of the entries ",
                         all.empty() ? "(there are none)" : all, ", but got \"", name,
                         "\"");
  });
}

void normrt_entry_retain(normrt_entry *entry) noexcept {
  if (entry)
    normrt_package_retain(entry->package);
}

void normrt_entry_release(normrt_entry *entry) noexcept {
  if (entry)
    normrt_package_release(entry->package);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

LoadedEntry normrt_entry::loaded() const {
  return {plan, *package->device->backend, *package->module};
}

namespace normrt {
namespace {

/// The options of a caller whose header may be older or newer than this library.
Status readOptions(const normrt_launch_options *options, LaunchOptions &result) {
  if (!options)
    return Status();
  const size_t size = options->struct_size;
  // The first version's structure is the smallest there is.
  if (size < sizeof(normrt_launch_options))
    return Status::error(NORMRT_STATUS_INVALID_ARGUMENT,
                         "expected options.struct_size of at least ",
                         sizeof(normrt_launch_options), ", but got ", size);
  const auto *bytes = reinterpret_cast<const unsigned char *>(options);
  // No structure will be larger than this; a size that was never set might be.
  constexpr size_t kMaxOptionsSize = 4096;
  if (size > kMaxOptionsSize)
    return Status::error(NORMRT_STATUS_INVALID_ARGUMENT,
                         "expected options.struct_size of at most ", kMaxOptionsSize,
                         ", but got ", size);
  for (size_t i = sizeof(normrt_launch_options); i < size; ++i)
    if (bytes[i] != 0)
      return Status::error(NORMRT_STATUS_UNSUPPORTED,
                           "expected zeros after the options that version ",
                           NORMRT_VERSION_MAJOR, ".", NORMRT_VERSION_MINOR,
                           " of the library knows, but got another value in byte ", i);
  result.stream = options->stream;
  result.workspace = options->workspace;
  result.workspaceBytes = options->workspace_bytes;
  if (!result.workspace && result.workspaceBytes != 0)
    return Status::error(NORMRT_STATUS_INVALID_ARGUMENT,
                         "expected options.workspace, because options.workspace_bytes "
                         "is ",
                         result.workspaceBytes, ", but got null");
  return Status();
}

} // namespace
} // namespace normrt

normrt_status normrt_entry_workspace_size(const normrt_entry *entry,
                                          const DLTensor *const *tensors, int32_t count,
                                          size_t *bytes) noexcept {
  return boundary([&]() -> Status {
    NORMRT_TRY(checkNotNull(entry, "entry"));
    NORMRT_TRY(checkNotNull(bytes, "bytes"));
    int64_t size;
    NORMRT_TRY(workspaceSize(entry->loaded(), tensors, count, size));
    *bytes = size_t(size);
    return Status();
  });
}

normrt_status normrt_entry_infer_shape(const normrt_entry *entry,
                                       const DLTensor *const *tensors, int32_t count,
                                       int32_t param, int64_t *shape) noexcept {
  return boundary([&]() -> Status {
    NORMRT_TRY(checkNotNull(entry, "entry"));
    return inferShape(entry->plan, tensors, count, param, shape);
  });
}

normrt_status normrt_entry_launch(const normrt_entry *entry,
                                  const DLTensor *const *tensors, int32_t count,
                                  const normrt_launch_options *options) noexcept {
  return boundary([&]() -> Status {
    NORMRT_TRY(checkNotNull(entry, "entry"));
    LaunchOptions chosen;
    NORMRT_TRY(readOptions(options, chosen));
    return launchEntry(entry->loaded(), tensors, count, chosen);
  });
}

normrt_status normrt_entry_select_variant(const normrt_entry *entry,
                                          const DLTensor *const *tensors, int32_t count,
                                          int32_t *variant) noexcept {
  return boundary([&]() -> Status {
    NORMRT_TRY(checkNotNull(entry, "entry"));
    NORMRT_TRY(checkNotNull(variant, "variant"));
    int selected;
    NORMRT_TRY(selectVariant(entry->loaded(), tensors, count, selected));
    *variant = selected;
    return Status();
  });
}
