// Which CUDA code runs on which device, decided from names alone.
#ifndef NORMRT_CUDA_ARCHITECTURE_H
#define NORMRT_CUDA_ARCHITECTURE_H

#include "runtime/schema/package_generated.h"

#include <optional>
#include <string>
#include <string_view>

namespace normrt::cuda {

/// A compute capability: 9.0 is {9, 0}.
struct Capability {
  int major = 0;
  int minor = 0;

  bool operator==(const Capability &) const = default;
  int number() const { return major * 10 + minor; }
  /// "sm_90".
  std::string name() const;
};

/// What code was made for.
struct Architecture {
  Capability capability;
  /// 'a': for this compute capability alone; 'f': for this one and later ones with the
  /// same major number; 0: neither.
  char suffix = 0;
};

/// From "sm_90", "sm_90a", "sm_100f" or, for PTX, "compute_90"; empty for any other.
std::optional<Architecture> parseArchitecture(std::string_view name);

/// How well code fits a device: the highest is taken, below zero does not run.
///
/// A cubin runs where the major number is the same and the minor one not smaller, PTX
/// where the compute capability is not smaller (CUDA C++ Programming Guide, "Binary
/// Compatibility" and "PTX Compatibility"). Any cubin comes before any PTX, which the
/// driver compiles at load; among equals the one for the newest architecture, which is
/// the device's own where there is one.
int fitOf(schema::BlobFormat format, const Architecture &code,
          const Capability &device);

/// The architecture of a blob, or of its target where the blob names none.
std::optional<Architecture> architectureOf(const schema::Blob &blob,
                                           const schema::Target &target);

/// The blob that a kernel of `blob` is loaded from on a device: that one, or the first
/// of its chain of alternatives that fits best; -1 where none runs. `fit` is fitOf.
int chooseBlob(const schema::Target &target, int blob, const Capability &device,
               int &fit);

/// How well a target fits: as its worst kernel does; below zero does not run.
int fitOf(const schema::Target &target, const Capability &device);

} // namespace normrt::cuda

#endif // NORMRT_CUDA_ARCHITECTURE_H
