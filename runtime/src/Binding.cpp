#include "runtime/src/Binding.h"

namespace normrt {
namespace {

template <class... Parts>
Status paramError(normrt_status code, const ParamPlan &param, const Parts &...parts) {
  return Status::error(code, "parameter \"", param.name, "\": ", parts...);
}

std::string deviceName(DLDevice device) {
  switch (device.device_type) {
  case kDLCPU:
    return "the CPU";
  case kDLCUDA:
    return concat("CUDA device ", device.device_id);
  default:
    return concat("device ", device.device_id, " of DLPack type ",
                  int(device.device_type));
  }
}

} // namespace

std::string shapeText(const int64_t *shape, int rank) {
  std::string text = "[";
  for (int i = 0; i < rank; ++i)
    text += concat(i ? ", " : "", shape[i]);
  return text + "]";
}

Status Binding::bindShapes(const Backend &backend, int count) {
  const int expected = int(entry_.params.size());
  if (!tensors_ || count != expected)
    return Status::error(NORMRT_STATUS_INVALID_ARGUMENT, "expected ", expected,
                         " tensors, because entry \"", entry_.name, "\" has ", expected,
                         " parameters, but got ", tensors_ ? count : 0);
  for (int param = 0; param < count; ++param)
    NORMRT_TRY(checkTensor(backend, param));
  for (size_t symbol = 0; symbol < entry_.binders.size(); ++symbol) {
    const Binder binder = entry_.binders[symbol];
    symbols_[symbol] = tensors_[binder.param]->shape[binder.dim];
  }
  for (int param = 0; param < count; ++param)
    NORMRT_TRY(checkShape(param));
  return checkRequirements();
}

Status Binding::checkTensor(const Backend &backend, int param) const {
  const ParamPlan &plan = entry_.params[size_t(param)];
  const DLTensor *tensor = tensors_[param];
  if (!tensor)
    return paramError(NORMRT_STATUS_INVALID_ARGUMENT, plan,
                      "expected a tensor, but got null");
  if (!backend.owns(tensor->device))
    return paramError(NORMRT_STATUS_DEVICE_MISMATCH, plan, "expected a tensor on ",
                      backend.expectedDevice(),
                      ", because the package was loaded there, but got one on ",
                      deviceName(tensor->device));
  const DLDataType type = tensor->dtype;
  if (type.code != plan.type.code || type.bits != plan.type.bits || type.lanes != 1)
    return paramError(NORMRT_STATUS_TYPE_MISMATCH, plan, "expected element type ",
                      typeName(plan.type), ", but got ", typeName(type));
  if (tensor->ndim != plan.rank())
    return paramError(NORMRT_STATUS_SHAPE_MISMATCH, plan, "expected rank ", plan.rank(),
                      ", but got ", tensor->ndim);
  if (plan.rank() > 0 && !tensor->shape)
    return paramError(NORMRT_STATUS_INVALID_ARGUMENT, plan,
                      "expected a shape, because the rank is ", plan.rank(),
                      ", but got null");
  for (int dim = 0; dim < plan.rank(); ++dim)
    if (tensor->shape[dim] < 0)
      return paramError(NORMRT_STATUS_SHAPE_MISMATCH, plan,
                        "expected no negative dimension, but got ",
                        shapeText(tensor->shape, plan.rank()));
  return Status();
}

Status Binding::checkShape(int param) const {
  const ParamPlan &plan = entry_.params[size_t(param)];
  const DLTensor &tensor = *tensors_[param];
  int64_t expected[kMaxRank];
  int wrong = -1;
  for (int dim = 0; dim < plan.rank(); ++dim) {
    Status status =
        plan.shape[size_t(dim)].evaluate(Environment{symbols_}, expected[dim]);
    if (status.failed())
      return std::move(status).within("parameter \"", plan.name, "\": dimension ", dim);
    if (wrong < 0 && expected[dim] != tensor.shape[dim])
      wrong = dim;
  }
  return wrong < 0 ? Status() : shapeError(param, wrong, expected);
}

Status Binding::shapeError(int param, int dim, const int64_t *expected) const {
  const ParamPlan &plan = entry_.params[size_t(param)];
  const Expression &size = plan.shape[size_t(dim)];
  std::string reason;
  if (size.isConstant()) {
    reason = concat("is ", size.constant(), " in this package");
  } else if (size.symbol() >= 0) {
    const Binder binder = entry_.binders[size_t(size.symbol())];
    reason = concat("equals dimension ", binder.dim, " of \"",
                    entry_.params[size_t(binder.param)].name, "\"");
  } else {
    reason = concat("equals ", size.text(entry_.symbolNames()));
  }
  return paramError(NORMRT_STATUS_SHAPE_MISMATCH, plan, "expected shape ",
                    shapeText(expected, plan.rank()), ", because dimension ", dim, " ",
                    reason, ", but got ",
                    shapeText(tensors_[param]->shape, plan.rank()));
}

Status Binding::checkRequirements() const {
  for (const RequirementPlan &requirement : entry_.requirements) {
    int64_t lhs, rhs;
    Status status = requirement.lhs.evaluate(Environment{symbols_}, lhs);
    if (!status.failed())
      status = requirement.rhs.evaluate(Environment{symbols_}, rhs);
    if (status.failed())
      return std::move(status).within("entry \"", entry_.name,
                                      "\": ", requirement.what);
    if (lhs < rhs)
      return Status::error(NORMRT_STATUS_SHAPE_MISMATCH, "entry \"", entry_.name,
                           "\": expected ", requirement.what, " to be at least ", rhs,
                           ", but got ", lhs);
  }
  return Status();
}

Status Binding::bindLayouts() {
  const int count = int(entry_.params.size());
  for (int param = 0; param < count; ++param) {
    NORMRT_TRY(countElements(param));
    fillStrides(param);
    if (placements_[param].elements > 0) {
      NORMRT_TRY(checkContiguous(param));
      if (entry_.params[size_t(param)].output)
        NORMRT_TRY(checkOutputStrides(param));
    }
    NORMRT_TRY(place(param));
  }
  return checkOverlaps();
}

Status Binding::countElements(int param) {
  const ParamPlan &plan = entry_.params[size_t(param)];
  int64_t elements = 1;
  bool overflow = false;
  for (int dim = 0; dim < plan.rank(); ++dim) {
    overflow |= __builtin_mul_overflow(elements, size(param, dim), &elements);
    if (size(param, dim) == 0) {
      // Nothing is read or written, however large the other dimensions are.
      placements_[param].elements = 0;
      return Status();
    }
  }
  int64_t bytes;
  if (overflow || __builtin_mul_overflow(elements, plan.elementBytes, &bytes))
    return paramError(NORMRT_STATUS_OVERFLOW, plan, "expected a size of at most ",
                      INT64_MAX, " bytes, but got shape ",
                      shapeText(tensors_[param]->shape, plan.rank()));
  placements_[param].elements = elements;
  return Status();
}

void Binding::fillStrides(int param) {
  const ParamPlan &plan = entry_.params[size_t(param)];
  const DLTensor &tensor = *tensors_[param];
  int64_t *strides = strides_ + plan.firstDim;
  int64_t compact = 1;
  for (int dim = plan.rank() - 1; dim >= 0; --dim) {
    const int64_t size = tensor.shape[dim];
    strides[dim] = tensor.strides && size > 1 ? tensor.strides[dim] : compact;
    // Of an empty tensor or one whose strides are wild this may overflow; the value
    // then belongs to a dimension that is never stepped along.
    if (__builtin_mul_overflow(strides[dim], size > 1 ? size : 1, &compact))
      compact = 0;
  }
}

std::string Binding::strideText(int param) const {
  const ParamPlan &plan = entry_.params[size_t(param)];
  return concat("strides ", shapeText(strides_ + plan.firstDim, plan.rank()),
                " with shape ", shapeText(tensors_[param]->shape, plan.rank()));
}

Status Binding::checkContiguous(int param) const {
  const ParamPlan &plan = entry_.params[size_t(param)];
  int64_t expected = 1;
  for (int dim = plan.rank() - 1; dim >= plan.rank() - plan.contiguousDims; --dim) {
    if (size(param, dim) == 1)
      continue;
    if (stride(param, dim) != expected)
      return paramError(NORMRT_STATUS_STRIDE_MISMATCH, plan, "expected stride ",
                        expected, " in dimension ", dim, ", because the last ",
                        plan.contiguousDims, " of ", plan.rank(),
                        " dimensions must be contiguous, but got ", strideText(param));
    expected *= size(param, dim); // At most the number of elements.
  }
  return Status();
}

/// An output's elements must not share memory. Sorted by stride, each dimension must
/// step past all that the smaller ones reach: enough, and what every layout but exotic
/// interleavings fulfils (the exact question is a knapsack problem).
Status Binding::checkOutputStrides(int param) const {
  const ParamPlan &plan = entry_.params[size_t(param)];
  int order[kMaxRank];
  int count = 0;
  for (int dim = plan.rank() - 1; dim >= 0; --dim) {
    if (size(param, dim) == 1)
      continue;
    if (stride(param, dim) < 0)
      return paramError(NORMRT_STATUS_STRIDE_MISMATCH, plan,
                        "expected no negative stride, because it is an output, but "
                        "got ",
                        strideText(param));
    int at = count++;
    for (; at > 0 && stride(param, order[at - 1]) > stride(param, dim); --at)
      order[at] = order[at - 1];
    order[at] = dim;
  }
  int64_t reach = 0; // Of the smaller dimensions, in elements.
  for (int i = 0; i < count; ++i) {
    const int dim = order[i];
    if (stride(param, dim) <= reach)
      return paramError(NORMRT_STATUS_OVERLAP, plan,
                        "expected elements that do not overlap, because it is an "
                        "output, but got ",
                        strideText(param));
    int64_t step;
    if (__builtin_mul_overflow(size(param, dim) - 1, stride(param, dim), &step) ||
        __builtin_add_overflow(reach, step, &reach))
      return paramError(NORMRT_STATUS_OVERFLOW, plan,
                        "expected byte offsets that fit in 64 bits, but got ",
                        strideText(param));
  }
  return Status();
}

Status Binding::place(int param) {
  const ParamPlan &plan = entry_.params[size_t(param)];
  const DLTensor &tensor = *tensors_[param];
  Placement &placement = placements_[param];
  const auto base = reinterpret_cast<uintptr_t>(tensor.data);
  bool overflow = __builtin_add_overflow(base, tensor.byte_offset, &placement.address);
  if (placement.elements == 0) {
    placement.bytes = ByteRange();
    return Status();
  }
  if (!tensor.data)
    return paramError(NORMRT_STATUS_INVALID_ARGUMENT, plan,
                      "expected data, because the tensor has ", placement.elements,
                      " elements, but got null");
  if (placement.address % uintptr_t(plan.elementBytes) != 0)
    return paramError(NORMRT_STATUS_MISALIGNED, plan,
                      "expected data + byte_offset aligned to ", plan.elementBytes,
                      " bytes, because the element type is ", typeName(plan.type),
                      ", but got an address that is ",
                      placement.address % uintptr_t(plan.elementBytes), " past");
  // In elements from the first: how far the tensor reaches down and up.
  int64_t down = 0, up = 1;
  for (int dim = 0; dim < plan.rank(); ++dim) {
    int64_t step;
    overflow |= __builtin_mul_overflow(size(param, dim) - 1, stride(param, dim), &step);
    int64_t &end = step < 0 ? down : up;
    overflow |= __builtin_add_overflow(end, step, &end);
  }
  overflow |= __builtin_mul_overflow(down, plan.elementBytes, &down);
  overflow |= __builtin_mul_overflow(up, plan.elementBytes, &up);
  const uintptr_t below = -uintptr_t(down);
  overflow |= below > placement.address;
  overflow |=
      __builtin_add_overflow(placement.address, uintptr_t(up), &placement.bytes.high);
  placement.bytes.low = placement.address - below;
  if (overflow)
    return paramError(NORMRT_STATUS_OVERFLOW, plan,
                      "expected addresses that fit in 64 bits, but got byte offset ",
                      tensor.byte_offset, " and ", strideText(param));
  return Status();
}

Status Binding::checkOverlaps() const {
  const int count = int(entry_.params.size());
  for (int param = 0; param < count; ++param) {
    if (!entry_.params[size_t(param)].output || placements_[param].elements == 0)
      continue;
    for (int other = 0; other < count; ++other) {
      const bool otherOutput = entry_.params[size_t(other)].output;
      // A pair of outputs is looked at once.
      if (other == param || (otherOutput && other > param) ||
          placements_[other].elements == 0)
        continue;
      if (placements_[param].bytes.overlaps(placements_[other].bytes))
        return paramError(NORMRT_STATUS_OVERLAP, entry_.params[size_t(param)],
                          "expected memory of its own, because it is an output, but "
                          "its bytes overlap those of ",
                          otherOutput ? "output" : "input", " \"",
                          entry_.params[size_t(other)].name, "\"");
    }
  }
  return Status();
}

Status Binding::checkMemory(const Backend &backend) const {
  for (size_t param = 0; param < entry_.params.size(); ++param) {
    const ByteRange &bytes = placements_[param].bytes;
    if (placements_[param].elements == 0)
      continue;
    Status status = backend.checkMemory(reinterpret_cast<const void *>(bytes.low),
                                        bytes.high - bytes.low);
    if (status.failed())
      return paramError(status.code(), entry_.params[param], status.message());
  }
  return Status();
}

Status Binding::checkWorkspaceOverlap(ByteRange workspace) const {
  for (size_t param = 0; param < entry_.params.size(); ++param)
    if (placements_[param].elements != 0 &&
        placements_[param].bytes.overlaps(workspace))
      return paramError(NORMRT_STATUS_OVERLAP, entry_.params[param],
                        "expected memory apart from the workspace, but its bytes "
                        "overlap it");
  return Status();
}

bool Binding::collapsible(int param, int inner) const {
  if (placements_[param].elements == 0)
    return true;
  // What one step of the next dimension out must be.
  int64_t expected = 0;
  bool known = false, overflow = false;
  for (int dim = entry_.params[size_t(param)].rank() - inner - 1; dim >= 0; --dim) {
    if (size(param, dim) == 1)
      continue;
    if (known && (overflow || stride(param, dim) != expected))
      return false;
    known = true;
    overflow = __builtin_mul_overflow(stride(param, dim), size(param, dim), &expected);
  }
  return true;
}

int64_t Binding::rowStride(int param, int inner) const {
  const int rank = entry_.params[size_t(param)].rank();
  for (int dim = rank - inner - 1; dim >= 0; --dim)
    if (size(param, dim) != 1)
      return stride(param, dim);
  // One row: what a compact tensor would have, by fillStrides.
  if (inner < rank)
    return stride(param, rank - inner - 1);
  return rank == 0 ? 1 : stride(param, 0) * size(param, 0);
}

bool Binding::aligned(int param, int inner, int64_t bytes) const {
  const Placement &placement = placements_[param];
  if (placement.elements == 0)
    return true;
  const ParamPlan &plan = entry_.params[size_t(param)];
  if (placement.address % uintptr_t(bytes) != 0)
    return false;
  const int fixed = inner > 0 ? inner : plan.contiguousDims;
  for (int dim = 0; dim < plan.rank() - fixed; ++dim)
    if (size(param, dim) != 1 &&
        (stride(param, dim) % bytes) * plan.elementBytes % bytes != 0)
      return false;
  return true;
}

} // namespace normrt
