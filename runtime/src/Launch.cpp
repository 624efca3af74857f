#include "runtime/src/Launch.h"

#include "runtime/src/Binding.h"

#include <algorithm>

namespace normrt {
namespace {

/// Whether a guard holds. Without layouts, guards over strides and addresses pass.
Status holds(const GuardPlan &guard, const Binding &binding,
             const Environment &environment, bool layouts, bool &result) {
  switch (guard.kind) {
  case schema::GuardKind::collapsible:
    result = !layouts || binding.collapsible(guard.param, guard.dim);
    return Status();
  case schema::GuardKind::aligned:
    result = !layouts || binding.aligned(guard.param, guard.dim, guard.bytes);
    return Status();
  case schema::GuardKind::at_least:
  case schema::GuardKind::at_most:
    break;
  }
  int64_t lhs, rhs;
  NORMRT_TRY(guard.lhs.evaluate(environment, lhs));
  NORMRT_TRY(guard.rhs.evaluate(environment, rhs));
  result = guard.kind == schema::GuardKind::at_least ? lhs >= rhs : lhs <= rhs;
  return Status();
}

Status variantFits(const VariantPlan &variant, const Binding &binding,
                   const Environment &environment, bool layouts, bool &result) {
  result = true;
  for (size_t i = 0; result && i < variant.guards.size(); ++i) {
    Status status = holds(variant.guards[i], binding, environment, layouts, result);
    if (status.failed())
      return std::move(status).within("guard ", i);
  }
  return Status();
}

Status firstFitting(const EntryPlan &plan, const Binding &binding,
                    const Environment &environment, int &variant) {
  for (variant = 0; variant < int(plan.variants.size()); ++variant) {
    if (!plan.variants[size_t(variant)].runnable)
      continue;
    bool fits;
    Status status =
        variantFits(plan.variants[size_t(variant)], binding, environment, true, fits);
    if (status.failed())
      return std::move(status).within("entry \"", plan.name, "\": variant ", variant);
    if (fits)
      return Status();
  }
  return Status::error(NORMRT_STATUS_INTERNAL, "entry \"", plan.name,
                       "\": no variant fits, though the last one has no guard");
}

/// Where each workspace begins, and the size of all: each rounded up to the alignment.
/// `offsets` may be null.
Status layOutWorkspaces(const VariantPlan &variant, const Environment &environment,
                        int64_t *offsets, int64_t &bytes) {
  constexpr int64_t kAlignment = NORMRT_WORKSPACE_ALIGNMENT;
  bytes = 0;
  for (size_t i = 0; i < variant.workspaces.size(); ++i) {
    int64_t size;
    Status status = variant.workspaces[i].evaluate(environment, size);
    if (status.failed())
      return std::move(status).within("workspace ", i);
    if (offsets)
      offsets[i] = bytes;
    if (size < 0)
      return Status::error(NORMRT_STATUS_INTERNAL, "workspace ", i,
                           ": expected a size that is not negative, but the plan "
                           "computes ",
                           size);
    int64_t end;
    if (__builtin_add_overflow(bytes, size, &end) || end > INT64_MAX - kAlignment)
      return Status::error(NORMRT_STATUS_OVERFLOW, "workspace ", i,
                           ": expected a size that fits in 64 bits, but got ", size,
                           " bytes after ", bytes);
    bytes = (end + kAlignment - 1) / kAlignment * kAlignment;
  }
  return Status();
}

Status checkWorkspace(const Backend &backend, const LaunchOptions &options,
                      int64_t needed, const Binding &binding) {
  if (options.workspaceBytes < uint64_t(needed))
    return Status::error(NORMRT_STATUS_WORKSPACE_TOO_SMALL,
                         "expected a workspace of at least ", needed,
                         " bytes, but got ", options.workspaceBytes);
  const auto low = reinterpret_cast<uintptr_t>(options.workspace);
  if (low % NORMRT_WORKSPACE_ALIGNMENT != 0)
    return Status::error(NORMRT_STATUS_MISALIGNED, "expected a workspace aligned to ",
                         NORMRT_WORKSPACE_ALIGNMENT,
                         " bytes, but got an address that is ",
                         low % NORMRT_WORKSPACE_ALIGNMENT, " past");
  uintptr_t high;
  if (__builtin_add_overflow(low, uintptr_t(needed), &high))
    return Status::error(NORMRT_STATUS_OVERFLOW,
                         "expected a workspace whose end fits in 64 bits, but got ",
                         needed, " bytes that wrap around");
  if (needed == 0)
    return Status();
  if (Status status = backend.checkMemory(options.workspace, uint64_t(needed));
      status.failed())
    return std::move(status).within("workspace");
  return binding.checkWorkspaceOverlap({low, high});
}

/// A workspace of the runtime's own, for one launch.
class OwnWorkspace {
public:
  OwnWorkspace(Backend &backend, void *stream) : backend_(backend), stream_(stream) {}
  ~OwnWorkspace() {
    if (memory_)
      backend_.releaseWorkspace(memory_, stream_);
  }
  OwnWorkspace(const OwnWorkspace &) = delete;
  OwnWorkspace &operator=(const OwnWorkspace &) = delete;

  Status acquire(int64_t bytes) {
    return backend_.acquireWorkspace(size_t(bytes), stream_, memory_);
  }
  void *memory() const { return memory_; }

private:
  Backend &backend_;
  void *stream_;
  void *memory_ = nullptr;
};

/// The launches of a variant with everything evaluated, so that nothing can fail once
/// the first has run.
class Requests {
public:
  Requests(const VariantPlan &variant, const Binding &binding)
      : variant_(variant), binding_(binding) {}

  Status evaluate(const LoadedEntry &entry, Environment environment,
                  const int64_t *workspaces) {
    for (size_t i = 0; i < variant_.launches.size(); ++i) {
      const LaunchPlan &launch = variant_.launches[i];
      environment.resident = launch.resident;
      environment.residentClusters = launch.residentClusters;
      Status status = add(launch, environment, workspaces);
      if (status.failed())
        return std::move(status).within("entry \"", entry.plan.name, "\": launch ", i);
    }
    return Status();
  }

  const LaunchRequest *data() const { return requests_; }
  int count() const { return count_; }

private:
  Status add(const LaunchPlan &launch, const Environment &environment,
             const int64_t *workspaces) {
    LaunchRequest &request = requests_[count_];
    NORMRT_TRY(launch.grid.evaluate(environment, request.grid));
    if (request.grid < 0)
      return Status::error(NORMRT_STATUS_INTERNAL,
                           "expected a grid that is not negative, but the plan "
                           "computes ",
                           request.grid);
    request.kernel = launch.kernel;
    request.workgroupSize = launch.workgroupSize;
    request.clusterSize = launch.clusterSize;
    request.dynamicSharedBytes = launch.dynamicSharedBytes;
    request.dependent = launch.dependent;
    request.args = args_ + argCount_;
    request.argCount = int(launch.args.size());
    for (size_t i = 0; i < launch.args.size(); ++i) {
      Status status =
          argument(launch.args[i], environment, workspaces, args_[argCount_++]);
      if (status.failed())
        return std::move(status).within("argument ", i);
    }
    // Nothing to run is no launch; its arguments were evaluated all the same.
    count_ += request.grid > 0 ? 1 : 0;
    return Status();
  }

  Status argument(const ArgPlan &arg, const Environment &environment,
                  const int64_t *workspaces, int64_t &value) const {
    switch (arg.kind) {
    case schema::ArgKind::param:
      value = binding_.address(arg.index);
      break;
    case schema::ArgKind::workspace:
      value = workspaces[arg.index];
      break;
    case schema::ArgKind::expr:
      return arg.value.evaluate(environment, value);
    case schema::ArgKind::stride:
      value = binding_.stride(arg.index, arg.dim);
      break;
    case schema::ArgKind::row_stride:
      value = binding_.rowStride(arg.index, arg.dim);
      break;
    }
    return Status();
  }

  const VariantPlan &variant_;
  const Binding &binding_;
  LaunchRequest requests_[kMaxLaunches];
  int64_t args_[kMaxVariantArgs];
  int count_ = 0;
  int argCount_ = 0;
};

Environment environmentOf(const LoadedEntry &entry, const Binding &binding) {
  return Environment{binding.symbols(), entry.backend.computeUnits()};
}

} // namespace

Status launchEntry(const LoadedEntry &entry, const DLTensor *const *tensors, int count,
                   const LaunchOptions &options) {
  NORMRT_TRY(entry.backend.checkStream(options.stream));
  Binding binding(entry.plan, tensors);
  NORMRT_TRY(binding.bindShapes(entry.backend, count));
  NORMRT_TRY(binding.bindLayouts());
  NORMRT_TRY(binding.checkMemory(entry.backend));
  const Environment environment = environmentOf(entry, binding);
  int index;
  NORMRT_TRY(firstFitting(entry.plan, binding, environment, index));
  const VariantPlan &variant = entry.plan.variants[size_t(index)];

  int64_t workspaces[kMaxWorkspaces];
  int64_t needed;
  Status status = layOutWorkspaces(variant, environment, workspaces, needed);
  if (status.failed())
    return std::move(status).within("entry \"", entry.plan.name, "\": variant ", index);
  OwnWorkspace own(entry.backend, options.stream);
  void *base = options.workspace;
  if (base)
    NORMRT_TRY(checkWorkspace(entry.backend, options, needed, binding));
  else if (needed > 0) {
    NORMRT_TRY(own.acquire(needed));
    base = own.memory();
  }
  for (size_t i = 0; i < variant.workspaces.size(); ++i)
    workspaces[i] += int64_t(reinterpret_cast<uintptr_t>(base));

  Requests requests(variant, binding);
  NORMRT_TRY(requests.evaluate(entry, environment, workspaces));
  return entry.backend.run(entry.module, requests.data(), requests.count(),
                           options.stream);
}

Status selectVariant(const LoadedEntry &entry, const DLTensor *const *tensors,
                     int count, int &variant) {
  Binding binding(entry.plan, tensors);
  NORMRT_TRY(binding.bindShapes(entry.backend, count));
  NORMRT_TRY(binding.bindLayouts());
  return firstFitting(entry.plan, binding, environmentOf(entry, binding), variant);
}

Status workspaceSize(const LoadedEntry &entry, const DLTensor *const *tensors,
                     int count, int64_t &bytes) {
  Binding binding(entry.plan, tensors);
  NORMRT_TRY(binding.bindShapes(entry.backend, count));
  const Environment environment = environmentOf(entry, binding);
  int64_t largest = 0;
  for (size_t i = 0; i < entry.plan.variants.size(); ++i) {
    const VariantPlan &variant = entry.plan.variants[i];
    if (!variant.runnable)
      continue;
    bool fits;
    int64_t needed = 0;
    Status status = variantFits(variant, binding, environment, false, fits);
    if (!status.failed() && fits)
      status = layOutWorkspaces(variant, environment, nullptr, needed);
    if (status.failed())
      return std::move(status).within("entry \"", entry.plan.name, "\": variant ", i);
    largest = std::max(largest, needed);
    // A variant that fits whatever the layout hides the ones after it.
    if (fits && std::all_of(variant.guards.begin(), variant.guards.end(),
                            [](const GuardPlan &guard) { return guard.shapeOnly(); }))
      break;
  }
  bytes = largest;
  return Status();
}

} // namespace normrt
