// The tensors of one launch, checked against an entry's parameters: symbols bound,
// strides filled in, byte ranges known. Lives on the stack of a launch and allocates
// nothing unless a check fails.
#ifndef NORMRT_BINDING_H
#define NORMRT_BINDING_H

#include "runtime/src/Backend.h"
#include "runtime/src/Limits.h"
#include "runtime/src/Plan.h"

#include <cstdint>

namespace normrt {

/// The bytes [low, high).
struct ByteRange {
  uintptr_t low = 0;
  uintptr_t high = 0;

  bool overlaps(const ByteRange &other) const {
    return low < other.high && other.low < high;
  }
};

class Binding {
public:
  Binding(const EntryPlan &entry, const DLTensor *const *tensors)
      : entry_(entry), tensors_(tensors) {}
  Binding(const Binding &) = delete;
  Binding &operator=(const Binding &) = delete;

  /// Count, null, device, type, rank, shape and the entry's requirements.
  Status bindShapes(const Backend &backend, int count);

  /// Strides, data pointers, alignment and overlap; after bindShapes.
  Status bindLayouts();

  /// Memory that the device's driver knows; after bindLayouts.
  Status checkMemory(const Backend &backend) const;

  /// No tensor may share bytes with the workspace.
  Status checkWorkspaceOverlap(ByteRange workspace) const;

  const int64_t *symbols() const { return symbols_; }
  int64_t address(int param) const { return int64_t(placements_[param].address); }
  /// Stride in elements, 1 and up where the tensor gave none; of a dimension of size 1
  /// what a compact tensor would have.
  int64_t stride(int param, int dim) const {
    return strides_[entry_.params[size_t(param)].firstDim + dim];
  }
  int64_t size(int param, int dim) const { return tensors_[param]->shape[dim]; }

  /// Whether the dimensions before the last `inner` walk with one stride.
  bool collapsible(int param, int inner) const;
  /// That stride; only where they do.
  int64_t rowStride(int param, int inner) const;
  /// Whether base and outer strides are multiples of `bytes`.
  bool aligned(int param, int inner, int64_t bytes) const;

private:
  struct Placement {
    uintptr_t address = 0;
    int64_t elements = 0;
    ByteRange bytes;
  };

  Status checkTensor(const Backend &backend, int param) const;
  Status checkShape(int param) const;
  Status checkRequirements() const;
  Status countElements(int param);
  void fillStrides(int param);
  Status checkContiguous(int param) const;
  Status checkOutputStrides(int param) const;
  Status place(int param);
  Status checkOverlaps() const;
  Status shapeError(int param, int dim, const int64_t *expected) const;
  std::string strideText(int param) const;

  const EntryPlan &entry_;
  const DLTensor *const *tensors_;
  int64_t symbols_[kMaxSymbols];
  int64_t strides_[kMaxEntryDims];
  Placement placements_[kMaxParams];
};

/// "[128, 4096]".
std::string shapeText(const int64_t *shape, int rank);

} // namespace normrt

#endif // NORMRT_BINDING_H
