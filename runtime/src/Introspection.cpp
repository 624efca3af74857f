// The C API's queries about packages and entries.
#include "runtime/src/Handles.h"

using namespace normrt;

namespace normrt {

void describeEntry(normrt_entry &entry) {
  const auto symbols = entry.plan.symbolNames();
  for (const ParamPlan &param : entry.plan.params) {
    normrt_entry::ParamTexts &texts = entry.params.emplace_back();
    for (const Expression &dim : param.shape) {
      texts.shape.push_back(dim.isConstant() ? dim.constant() : -1);
      texts.dims.push_back(dim.text(symbols));
    }
    for (const std::string &dim : texts.dims)
      texts.dimPointers.push_back(dim.c_str());
  }
  for (const VariantPlan &variant : entry.plan.variants) {
    normrt_entry::VariantTexts &texts = entry.variants.emplace_back();
    for (const GuardPlan &guard : variant.guards) {
      texts.guards += texts.guards.empty() ? "" : " and ";
      texts.guards += guardText(guard, entry.plan);
    }
    for (const LaunchPlan &launch : variant.launches)
      texts.grids.push_back(launch.grid.text(symbols));
  }
}

namespace {

template <class Info> Status checkInfo(const Info *info) {
  NORMRT_TRY(checkNotNull(info, "info"));
  if (info->struct_size == sizeof(Info))
    return Status();
  return Status::error(NORMRT_STATUS_INVALID_ARGUMENT, "expected info.struct_size ",
                       sizeof(Info), ", but got ", info->struct_size);
}

Status checkIndex(const char *what, int64_t index, size_t size) {
  if (index >= 0 && uint64_t(index) < size)
    return Status();
  return Status::error(NORMRT_STATUS_INVALID_ARGUMENT, "expected ", what,
                       " index below ", size, ", but got ", index);
}

template <class T> size_t sizeOf(const T *vector) {
  return vector ? vector->size() : 0;
}

const char *textOf(const flatbuffers::String *text) {
  return text ? text->c_str() : "";
}

Status findTarget(const normrt_package *package, int index,
                  const schema::Target *&target) {
  NORMRT_TRY(checkNotNull(package, "package"));
  const auto *targets = package->file.package().targets();
  NORMRT_TRY(checkIndex("a target", index, sizeOf(targets)));
  target = targets->Get(flatbuffers::uoffset_t(index));
  return Status();
}

} // namespace
} // namespace normrt

const char *normrt_entry_name(const normrt_entry *entry) noexcept {
  return entry ? entry->plan.name.c_str() : "";
}

int32_t normrt_entry_param_count(const normrt_entry *entry) noexcept {
  return entry ? int32_t(entry->plan.params.size()) : 0;
}

normrt_status normrt_entry_param(const normrt_entry *entry, int32_t index,
                                 normrt_param_info *info) noexcept {
  return boundary([&]() -> Status {
    NORMRT_TRY(checkNotNull(entry, "entry"));
    NORMRT_TRY(checkInfo(info));
    NORMRT_TRY(checkIndex("a parameter", index, entry->params.size()));
    const ParamPlan &plan = entry->plan.params[size_t(index)];
    const auto &texts = entry->params[size_t(index)];
    info->name = plan.name.c_str();
    info->direction = plan.output ? NORMRT_DIRECTION_OUT : NORMRT_DIRECTION_IN;
    info->type = plan.type;
    info->rank = plan.rank();
    info->contiguous_dims = plan.contiguousDims;
    info->shape = texts.shape.data();
    info->shape_text = texts.dimPointers.data();
    return Status();
  });
}

int32_t normrt_entry_variant_count(const normrt_entry *entry) noexcept {
  return entry ? int32_t(entry->plan.variants.size()) : 0;
}

normrt_status normrt_entry_variant(const normrt_entry *entry, int32_t index,
                                   normrt_variant_info *info) noexcept {
  return boundary([&]() -> Status {
    NORMRT_TRY(checkNotNull(entry, "entry"));
    NORMRT_TRY(checkInfo(info));
    NORMRT_TRY(checkIndex("a variant", index, entry->variants.size()));
    const VariantPlan &plan = entry->plan.variants[size_t(index)];
    info->guard_count = int32_t(plan.guards.size());
    info->launch_count = int32_t(plan.launches.size());
    info->workspace_count = int32_t(plan.workspaces.size());
    info->guards = entry->variants[size_t(index)].guards.c_str();
    return Status();
  });
}

normrt_status normrt_entry_variant_launch(const normrt_entry *entry, int32_t variant,
                                          int32_t index,
                                          normrt_launch_info *info) noexcept {
  return boundary([&]() -> Status {
    NORMRT_TRY(checkNotNull(entry, "entry"));
    NORMRT_TRY(checkInfo(info));
    NORMRT_TRY(checkIndex("a variant", variant, entry->variants.size()));
    const VariantPlan &plan = entry->plan.variants[size_t(variant)];
    NORMRT_TRY(checkIndex("a launch", index, plan.launches.size()));
    const LaunchPlan &launch = plan.launches[size_t(index)];
    info->kernel = launch.kernelName.c_str();
    info->workgroup_size = launch.workgroupSize;
    info->cluster_size = launch.clusterSize;
    info->arg_count = int32_t(launch.args.size());
    info->grid = entry->variants[size_t(variant)].grids[size_t(index)].c_str();
    info->dynamic_shared_bytes = launch.dynamicSharedBytes;
    return Status();
  });
}

const char *normrt_package_producer(const normrt_package *package) noexcept {
  return package ? textOf(package->file.package().producer()) : "";
}

normrt_status normrt_package_source(const normrt_package *package, const void **data,
                                    size_t *bytes) noexcept {
  return boundary([&]() -> Status {
    NORMRT_TRY(checkNotNull(package, "package"));
    NORMRT_TRY(checkNotNull(data, "data"));
    NORMRT_TRY(checkNotNull(bytes, "bytes"));
    const auto *source = package->file.package().source();
    *bytes = sizeOf(source);
    *data = *bytes ? source->data() : nullptr;
    return Status();
  });
}

int32_t normrt_package_target_count(const normrt_package *package) noexcept {
  return package ? int32_t(sizeOf(package->file.package().targets())) : 0;
}

normrt_status normrt_package_target(const normrt_package *package, int32_t target,
                                    normrt_target_info *info) noexcept {
  return boundary([&]() -> Status {
    const schema::Target *found;
    NORMRT_TRY(findTarget(package, target, found));
    NORMRT_TRY(checkInfo(info));
    info->name = textOf(found->name());
    info->backend = schema::EnumNameBackend(found->backend());
    info->architecture = textOf(found->architecture());
    info->features = textOf(found->features());
    info->kernel_count = int32_t(sizeOf(found->kernels()));
    info->blob_count = int32_t(sizeOf(found->blobs()));
    info->entry_count = int32_t(sizeOf(found->entries()));
    info->selected = target == package->selected;
    return Status();
  });
}

normrt_status normrt_package_kernel(const normrt_package *package, int32_t target,
                                    int32_t index, normrt_kernel_info *info) noexcept {
  return boundary([&]() -> Status {
    const schema::Target *found;
    NORMRT_TRY(findTarget(package, target, found));
    NORMRT_TRY(checkInfo(info));
    NORMRT_TRY(checkIndex("a kernel", index, sizeOf(found->kernels())));
    const auto *kernel = found->kernels()->Get(flatbuffers::uoffset_t(index));
    info->name = textOf(kernel->name());
    info->blob = kernel->blob();
    info->cluster_size = kernel->cluster_size();
    info->static_shared_bytes = kernel->static_shared_bytes();
    return Status();
  });
}

normrt_status normrt_package_blob(const normrt_package *package, int32_t target,
                                  int32_t index, normrt_blob_info *info) noexcept {
  return boundary([&]() -> Status {
    const schema::Target *found;
    NORMRT_TRY(findTarget(package, target, found));
    NORMRT_TRY(checkInfo(info));
    NORMRT_TRY(checkIndex("a blob", index, sizeOf(found->blobs())));
    const auto *blob = found->blobs()->Get(flatbuffers::uoffset_t(index));
    info->format = schema::EnumNameBlobFormat(blob->format());
    info->architecture = textOf(blob->architecture());
    info->checksum = blob->checksum();
    info->data = blob->data()->data();
    info->bytes = blob->data()->size();
    return Status();
  });
}
