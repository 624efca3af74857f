//===- Buffer.cpp - Memory that shows what was done to it -------------------===//
#include "normc/Testing/Buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace normc::test {

/// Guard bytes before and behind a tensor's span.
static constexpr size_t kGuardBytes = 256;
/// Offsets count from here; what a workspace must be aligned to.
static constexpr size_t kAlignment = 256;

static DLDataType dlType(reference::Type type) {
  uint8_t code = type == reference::Type::BF16 ? kDLBfloat : kDLFloat;
  return {code, static_cast<uint8_t>(8 * reference::byteSize(type)), 1};
}

namespace {
/// The elements that a tensor reaches, from its first: [lowest, highest].
struct Reach {
  int64_t lowest = 0, highest = 0;
  bool empty = false;
};
} // namespace

/// Nothing where no memory holds as many.
static std::optional<Reach> reachOf(const std::vector<int64_t> &shape,
                                    const std::vector<int64_t> &strides) {
  constexpr int64_t kMost = int64_t{1} << 40;
  Reach reach;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] == 0)
      return Reach{0, 0, true};
    int64_t step;
    if (__builtin_mul_overflow(shape[dim] - 1, strides[dim], &step) || step > kMost ||
        step < -kMost)
      return std::nullopt;
    (step < 0 ? reach.lowest : reach.highest) += step;
    if (reach.highest - reach.lowest > kMost)
      return std::nullopt;
  }
  return reach;
}

void Release::operator()(std::byte *pointer) const {
  if (mapped)
    ::munmap(pointer, mapped);
  else
    std::free(pointer);
}

/// Gets memory with room for `bytes`, and sets begin, end and first.
bool Buffer::map(Placement placement, size_t bytes, size_t elementBytes) {
  if (placement == Placement::Guarded) {
    end = (first + bytes + kGuardBytes + kAlignment - 1) / kAlignment * kAlignment;
    memory.reset(static_cast<std::byte *>(std::aligned_alloc(kAlignment, end)));
    return memory != nullptr;
  }
  sparse = placement == Placement::Sparse;
  auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  size_t inside = (bytes + page - 1) / page * page;
  size_t all = inside + 2 * page;
  void *mapped = ::mmap(nullptr, all, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    return false;
  memory = {static_cast<std::byte *>(mapped), Release{all}};
  ::mprotect(memory.get(), page, PROT_NONE);
  ::mprotect(memory.get() + page + inside, page, PROT_NONE);
  begin = page;
  end = page + inside;
  // Pages are aligned for every element.
  first = placement == Placement::BeginsAtPage ? begin : end - bytes;
  return first % elementBytes == 0;
}

std::unique_ptr<Buffer> Buffer::allocate(reference::Type type,
                                         std::vector<int64_t> shape,
                                         std::vector<int64_t> strides, int64_t offset,
                                         Placement placement) {
  std::unique_ptr<Buffer> buffer(new Buffer());
  std::optional<Reach> reach = reachOf(shape, strides);
  if (!reach)
    return nullptr;
  size_t size = reference::byteSize(type);
  auto elements = reach->empty
                      ? size_t{0}
                      : static_cast<size_t>(reach->highest - reach->lowest + 1);
  buffer->type = type;
  buffer->dims = std::move(shape);
  buffer->steps = std::move(strides);
  buffer->first = kGuardBytes + static_cast<size_t>(offset) * size;
  if (!buffer->map(placement, elements * size, size))
    return nullptr;
  buffer->first += static_cast<size_t>(-reach->lowest) * size;
  if (!buffer->sparse)
    std::memset(buffer->memory.get() + buffer->begin, static_cast<int>(kGuard),
                buffer->end - buffer->begin);
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
  auto size = static_cast<int64_t>(reference::byteSize(type));
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
    function(static_cast<size_t>(static_cast<int64_t>(first) + at * size),
             static_cast<size_t>(run * size));
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

void Buffer::fill(std::byte value) {
  forEachRun([&](size_t at, size_t bytes) {
    std::memset(memory.get() + at, static_cast<int>(value), bytes);
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

bool Buffer::neighborsAreIntact() const {
  constexpr size_t kNear = 64;
  bool intact = true;
  auto isZero = [&](size_t from, size_t to) {
    return std::all_of(memory.get() + from, memory.get() + to,
                       [](std::byte byte) { return byte == std::byte{0}; });
  };
  forEachRun([&](size_t at, size_t bytes) {
    intact &= isZero(std::max(begin + kNear, at) - kNear, at) &&
              isZero(at + bytes, std::min(end, at + bytes + kNear));
  });
  return intact;
}

bool Buffer::guardsAreIntact() const {
  if (sparse)
    return neighborsAreIntact();
  std::vector<bool> isElement(end - begin);
  forEachRun([&](size_t at, size_t bytes) {
    auto from = isElement.begin() + static_cast<std::ptrdiff_t>(at - begin);
    std::fill(from, from + static_cast<std::ptrdiff_t>(bytes), true);
  });
  for (size_t at = begin; at < end; ++at)
    if (memory.get()[at] != kGuard && !isElement[at - begin])
      return false;
  return true;
}

size_t Buffer::bytes() const {
  size_t elements = 1;
  for (int64_t dim : dims)
    elements *= static_cast<size_t>(dim);
  return elements * reference::byteSize(type);
}

//===----------------------------------------------------------------------===//
// Workspace
//===----------------------------------------------------------------------===//

/// NORMRT_WORKSPACE_ALIGNMENT, which this library does not include.
static constexpr size_t kWorkspaceAlignment = 256;

Workspace::Workspace(size_t bytes)
    : bytes(bytes), memory(bytes + 3 * kWorkspaceAlignment, kGuard) {
  auto address = reinterpret_cast<uintptr_t>(memory.data()) + kWorkspaceAlignment;
  first = kWorkspaceAlignment +
          (kWorkspaceAlignment - address % kWorkspaceAlignment) % kWorkspaceAlignment;
}

void Workspace::fill(std::byte value) { std::memset(data(), int(value), bytes); }

bool Workspace::guardsAreIntact() const {
  auto isGuard = [](std::byte byte) { return byte == kGuard; };
  auto from = memory.begin() + static_cast<std::ptrdiff_t>(first);
  return std::all_of(memory.begin(), from, isGuard) &&
         std::all_of(from + static_cast<std::ptrdiff_t>(bytes), memory.end(), isGuard);
}

} // namespace normc::test
