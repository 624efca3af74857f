//===- Buffers.h - The memory of the parameters -----------------------------===//
#ifndef NORMC_TOOLS_NORMRUN_BUFFERS_H
#define NORMC_TOOLS_NORMRUN_BUFFERS_H

#include "Session.h"

#include "normc/Reference/Array.h"

#include <cstdlib>

namespace normc::run {

/// A tensor in memory of its own, with guard bytes before and behind it and, where its
/// strides leave gaps, between its elements.
class Buffer {
public:
  /// Memory for a tensor of that shape and those strides, whose first element is
  /// `offset` elements past a 64-byte boundary. Null where there is not enough of it.
  static std::unique_ptr<Buffer> allocate(reference::Type type,
                                          std::vector<int64_t> shape,
                                          std::vector<int64_t> strides, int64_t offset);

  /// Writes the elements of a row-major array of this shape and type.
  void fill(const reference::Array &array);
  /// The elements as a row-major array.
  reference::Array read() const;
  /// Nothing but elements was written since the buffer was allocated.
  bool guardsAreIntact() const;
  /// Bytes of the elements.
  size_t bytes() const;
  const DLTensor *tensor() const { return &dl; }
  const std::vector<int64_t> &shape() const { return dims; }

private:
  Buffer() = default;
  /// Calls with the offset in bytes of each innermost run of elements, and how many
  /// bytes it has.
  template <typename Function> void forEachRun(Function function) const;

  struct Free {
    void operator()(std::byte *pointer) const { std::free(pointer); }
  };
  reference::Type type = reference::Type::F32;
  std::vector<int64_t> dims, steps;
  std::unique_ptr<std::byte, Free> memory;
  size_t total = 0, first = 0;
  DLTensor dl = {};
};

/// One buffer for each parameter, in order.
using Buffers = std::vector<std::unique_ptr<Buffer>>;

/// Reads or makes the inputs, finds all shapes, and allocates.
llvm::Expected<Buffers> makeBuffers(const Session &session, const Options &options);

/// Writes the outputs that --out names.
llvm::Error writeOutputs(const Session &session, const Options &options,
                         const Buffers &buffers);

} // namespace normc::run

#endif // NORMC_TOOLS_NORMRUN_BUFFERS_H
