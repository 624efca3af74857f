//===- Buffer.cpp - A tensor between guard bytes ----------------------------===//
#include "Buffers.h"

#include <cstring>

namespace normc::run {

/// Bytes before and behind a tensor's span.
static constexpr size_t kGuardBytes = 256;
/// The offset option counts from here; a cache line.
static constexpr size_t kAlignment = 64;
/// Every element type reads this pattern as a NaN.
static constexpr std::byte kGuard{0xff};

static DLDataType dlType(reference::Type type) {
  uint8_t code = type == reference::Type::BF16 ? kDLBfloat : kDLFloat;
  return {code, static_cast<uint8_t>(8 * reference::byteSize(type)), 1};
}

/// Elements from the first to behind the last; nothing where no memory holds as many.
static std::optional<size_t> spanOf(const std::vector<int64_t> &shape,
                                    const std::vector<int64_t> &strides) {
  constexpr int64_t kMost = int64_t{1} << 40;
  int64_t last = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] == 0)
      return 0;
    int64_t reach;
    if (__builtin_mul_overflow(shape[dim] - 1, strides[dim], &reach) ||
        __builtin_add_overflow(last, reach, &last) || last > kMost)
      return std::nullopt;
  }
  return static_cast<size_t>(last + 1);
}

std::unique_ptr<Buffer> Buffer::allocate(reference::Type type,
                                         std::vector<int64_t> shape,
                                         std::vector<int64_t> strides, int64_t offset) {
  std::unique_ptr<Buffer> buffer(new Buffer());
  std::optional<size_t> span = spanOf(shape, strides);
  if (!span)
    return nullptr;
  size_t size = reference::byteSize(type);
  buffer->type = type;
  buffer->dims = std::move(shape);
  buffer->steps = std::move(strides);
  buffer->first = kGuardBytes + static_cast<size_t>(offset) * size;
  size_t total = buffer->first + *span * size + kGuardBytes;
  buffer->total = (total + kAlignment - 1) / kAlignment * kAlignment;
  buffer->memory.reset(
      static_cast<std::byte *>(std::aligned_alloc(kAlignment, buffer->total)));
  if (!buffer->memory)
    return nullptr;
  std::memset(buffer->memory.get(), static_cast<int>(kGuard), buffer->total);
  DLTensor &dl = buffer->dl;
  dl.data = buffer->memory.get() + buffer->first;
  dl.device = {kDLCPU, 0};
  dl.ndim = static_cast<int32_t>(buffer->dims.size());
  dl.dtype = dlType(type);
  dl.shape = buffer->dims.data();
  dl.strides = buffer->steps.data();
  return buffer;
}

template <typename Function> void Buffer::forEachRun(Function function) const {
  size_t size = reference::byteSize(type);
  size_t rank = dims.size();
  for (int64_t dim : dims)
    if (dim == 0)
      return;
  // Trailing dimensions without gaps are one run.
  size_t inner = rank;
  int64_t run = 1;
  while (inner > 0 && (dims[inner - 1] == 1 || steps[inner - 1] == run))
    run *= dims[--inner];
  std::vector<int64_t> index(inner);
  for (;;) {
    int64_t at = 0;
    for (size_t dim = 0; dim < inner; ++dim)
      at += index[dim] * steps[dim];
    function(first + static_cast<size_t>(at) * size, static_cast<size_t>(run) * size);
    size_t dim = inner;
    while (dim > 0 && ++index[dim - 1] == dims[dim - 1])
      index[--dim] = 0;
    if (dim == 0)
      return;
  }
}

void Buffer::fill(const reference::Array &array) {
  const std::byte *from = array.bytes.data();
  forEachRun([&](size_t at, size_t bytes) {
    std::memcpy(memory.get() + at, from, bytes);
    from += bytes;
  });
}

reference::Array Buffer::read() const {
  reference::Array array;
  array.type = type;
  array.shape = dims;
  array.strides = reference::rowMajorStrides(dims);
  array.bytes.resize(bytes());
  std::byte *to = array.bytes.data();
  forEachRun([&](size_t at, size_t bytes) {
    std::memcpy(to, memory.get() + at, bytes);
    to += bytes;
  });
  return array;
}

bool Buffer::guardsAreIntact() const {
  std::vector<uint8_t> isElement(total);
  forEachRun([&](size_t at, size_t bytes) {
    std::fill_n(isElement.begin() + static_cast<std::ptrdiff_t>(at), bytes, 1);
  });
  for (size_t at = 0; at < total; ++at)
    if (!isElement[at] && memory.get()[at] != kGuard)
      return false;
  return true;
}

size_t Buffer::bytes() const {
  size_t elements = 1;
  for (int64_t dim : dims)
    elements *= static_cast<size_t>(dim);
  return elements * reference::byteSize(type);
}

} // namespace normc::run
