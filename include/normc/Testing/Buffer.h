//===- Buffer.h - Memory that shows what was done to it ---------------------===//
#ifndef NORMC_TESTING_BUFFER_H
#define NORMC_TESTING_BUFFER_H

#include "normc/Reference/Array.h"

#include <dlpack/dlpack.h>

#include <memory>
#include <span>
#include <vector>

namespace normc::test {

/// What every byte is that no element has: a NaN in every element type.
inline constexpr std::byte kGuard{0xff};

/// Where a tensor lies in the memory around it.
enum class Placement : uint8_t {
  /// Between guard bytes, which show what was written around it.
  Guarded,
  /// Its last element ends where a page ends, and the next page has no access: the
  /// first byte that is read or written behind it ends the process.
  EndsAtPage,
  /// The same before its first byte.
  BeginsAtPage,
  /// Memory that takes no room until it is touched, for strides of gigabytes. It is
  /// zeros, not guard bytes, and only 64 bytes beside each run of elements are looked
  /// at, which must be no other elements.
  Sparse,
};

/// Frees memory, or unmaps `mapped` bytes of it.
struct Release {
  size_t mapped = 0;
  void operator()(std::byte *pointer) const;
};

/// A tensor in memory of its own. All that is not an element (around it and, where its
/// strides leave gaps, between its elements) is guard bytes, and so are the elements
/// until they are filled.
class Buffer {
public:
  /// Memory for a tensor of that shape and those strides in elements, which may be
  /// negative. Guarded: its first element is `offset` elements past a 64-byte boundary
  /// (with negative strides, the lowest). Null where there is not enough memory.
  static std::unique_ptr<Buffer> allocate(reference::Type type,
                                          std::vector<int64_t> shape,
                                          std::vector<int64_t> strides, int64_t offset,
                                          Placement placement = Placement::Guarded);

  /// Writes the elements of a row-major array of this shape and type.
  void fill(const reference::Array &array);
  /// Sets every byte of every element.
  void fill(std::byte value);
  /// The elements as a row-major array.
  reference::Array read() const;
  /// Nothing but elements was written since the buffer was allocated.
  bool guardsAreIntact() const;
  /// Bytes of the elements.
  size_t bytes() const;
  const DLTensor *tensor() const { return &dl; }
  /// The memory, guards included, and where in it the first element is: what a copy of
  /// the buffer on a device is made of.
  std::span<std::byte> storage() { return {memory.get() + begin, end - begin}; }
  size_t firstByte() const { return first - begin; }
  const std::vector<int64_t> &shape() const { return dims; }

private:
  Buffer() = default;
  bool neighborsAreIntact() const;
  bool map(Placement placement, size_t bytes, size_t elementBytes);
  /// Calls with the offset in bytes of each innermost run of elements, and how many
  /// bytes it has.
  template <typename Function> void forEachRun(Function function) const;

  reference::Type type = reference::Type::F32;
  std::vector<int64_t> dims, steps;
  std::unique_ptr<std::byte, Release> memory;
  /// Bytes [begin, end) of the memory may be accessed; the first element is at `first`.
  size_t begin = 0, end = 0, first = 0;
  bool sparse = false;
  DLTensor dl = {};
};

/// Scratch memory of a launch between guard bytes, filled with guard bytes.
class Workspace {
public:
  explicit Workspace(size_t bytes);

  std::byte *data() { return memory.data() + first; }
  size_t size() const { return bytes; }
  void fill(std::byte value);
  /// No byte around it was written.
  bool guardsAreIntact() const;

private:
  size_t bytes, first;
  std::vector<std::byte> memory;
};

} // namespace normc::test

#endif // NORMC_TESTING_BUFFER_H
