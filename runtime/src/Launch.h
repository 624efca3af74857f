// Launches of entries, as normrt_entry_launch documents it.
#ifndef NORMRT_LAUNCH_H
#define NORMRT_LAUNCH_H

#include "runtime/src/Backend.h"
#include "runtime/src/Plan.h"

namespace normrt {

/// An entry on a device.
struct LoadedEntry {
  const EntryPlan &plan;
  Backend &backend;
  const Module &module;
};

/// What the caller chose.
struct LaunchOptions {
  void *stream = nullptr;
  void *workspace = nullptr;
  size_t workspaceBytes = 0;
};

Status launchEntry(const LoadedEntry &entry, const DLTensor *const *tensors, int count,
                   const LaunchOptions &options);

/// The variant that launchEntry would run.
Status selectVariant(const LoadedEntry &entry, const DLTensor *const *tensors,
                     int count, int &variant);

/// The largest workspace of all variants that tensors of these shapes may take.
Status workspaceSize(const LoadedEntry &entry, const DLTensor *const *tensors,
                     int count, int64_t &bytes);

/// The shape of one parameter from those of the others, which may be null.
Status inferShape(const EntryPlan &plan, const DLTensor *const *tensors, int count,
                  int param, int64_t *shape);

} // namespace normrt

#endif // NORMRT_LAUNCH_H
