//===- RowVerifyKernel.cpp - Constraints of a row.kernel --------------------===//
#include "dialects/row/Row.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace normc;
using namespace normc::row;

static StringRef nameOf(schedule::Extent extent) {
  switch (extent) {
  case schedule::Extent::Tile:
    return "a tile";
  case schedule::Extent::Rows:
    return "per row";
  case schedule::Extent::Cols:
    return "per column";
  case schedule::Extent::Scalar:
    return "a scalar";
  case schedule::Extent::Partials:
    return "partials";
  }
  llvm_unreachable("all extents are handled");
}

/// Whether the static dimensions alone make more elements than a process can address.
static bool isTooLarge(ArrayRef<int64_t> shape) {
  constexpr int64_t kMostElements = int64_t(1) << 48;
  int64_t product = 1;
  bool tooLarge = false;
  for (int64_t size : shape) {
    if (ShapedType::isDynamic(size))
      continue;
    if (size == 0)
      return false;
    tooLarge |= llvm::MulOverflow(product, size, product) || product > kMostElements;
  }
  return tooLarge;
}

LogicalResult KernelOp::verify() {
  Block &block = getBody().front();
  if (TypeRange(block.getArgumentTypes()) != TypeRange(getOperandTypes()))
    return emitOpError(
        "expected one region argument of the same type an operand, because "
        "the program reaches its buffers through them (row_kernel_c1)");
  for (Type type : getOperandTypes()) {
    auto memref = dyn_cast<MemRefType>(type);
    Type element = memref ? memref.getElementType() : Type();
    if (!memref ||
        !(element.isF16() || element.isBF16() || element.isF32() || element.isF64()))
      return emitOpError("expected ranked memrefs of f16, bf16, f32 or f64, but got ")
             << type << " (row_kernel_c7)";
    if (memref.getMemorySpace())
      return emitOpError("expected buffers in the default memory space, because they "
                         "are in the device's memory, but got ")
             << type << " (row_kernel_c7)";
    if (isTooLarge(memref.getShape()))
      return emitOpError("expected a buffer of at most 2^48 elements, because its size "
                         "in bytes must fit in 64 bits, but got ")
             << type << " (row_kernel_c9)";
  }
  if (int64_t(getNormDims()) < 0)
    return emitOpError("expected norm_dims of at least 0, but got ")
           << int64_t(getNormDims()) << " (row_kernel_c5)";
  return success();
}

/// Only ops of the dialect and constants; finalizes only among themselves.
static LogicalResult verifyBodyOps(KernelOp kernel) {
  bool hasFinalize = !kernel.getBodyBlock()->getOps<FinalizeOp>().empty();
  for (Operation &op : *kernel.getBodyBlock()) {
    bool known = isa<LoadOp, StoreOp, DimOp, RoundOp, MapOp, ReduceOp, MomentsOp,
                     AccumulateOp, FinalizeOp, arith::ConstantOp>(op);
    if (!known)
      return op.emitOpError(
          "expected an op of a row program or arith.constant, because "
          "arithmetic stands in row.map (row_kernel_c8)");
    if (hasFinalize && !isa<FinalizeOp>(op))
      return op.emitOpError(
          "expected row.finalize, because a kernel with a finalize has "
          "no other ops (row_kernel_c8)");
  }
  return success();
}

/// Each buffer is used with one extent, inputs are read only and outputs written only.
static LogicalResult verifyUses(KernelOp kernel) {
  for (BlockArgument buffer : kernel.getBody().getArguments()) {
    unsigned index = buffer.getArgNumber();
    bool isOutput = kernel.isOutputBuffer(index);
    if (buffer.use_empty()) {
      // An input that is no longer read is dropped by canonicalization; a kernel whose
      // output nothing writes would leave it undefined.
      if (!isOutput)
        continue;
      return kernel.emitOpError("expected every output to be written, but got no write "
                                "of region argument ")
             << index << " (row_kernel_c4)";
    }
    schedule::Extent extent = extentOf(buffer);
    for (OpOperand &use : buffer.getUses()) {
      if (*extentOf(use) != extent)
        return use.getOwner()->emitOpError("expected region argument ")
               << index << " to be used with one extent, but it is "
               << nameOf(*extentOf(use)) << " here and " << nameOf(extent)
               << " elsewhere (row_kernel_c3)";
      if (isOutput && !isWrite(use))
        return use.getOwner()->emitOpError(
                   "expected outputs to be written only, because what they hold before "
                   "the kernel is not defined, but region argument ")
               << index << " is read (row_kernel_c4)";
    }
  }
  return success();
}

/// Each output is written once, partials once a slot, whose numbers have no gaps.
static LogicalResult verifyWrites(KernelOp kernel) {
  for (BlockArgument buffer : kernel.getBody().getArguments()) {
    if (!kernel.isOutputBuffer(buffer.getArgNumber()))
      continue;
    if (extentOf(buffer) != schedule::Extent::Partials) {
      if (!buffer.hasOneUse())
        return kernel.emitOpError("expected each output to be written once, but got ")
               << llvm::range_size(buffer.getUses()) << " writes of region argument "
               << buffer.getArgNumber() << " (row_kernel_c4)";
      continue;
    }
    for (Sum kind : {Sum::cols, Sum::scalar}) {
      SmallVector<int64_t> slots;
      for (Operation *user : buffer.getUsers())
        if (auto sum = cast<AccumulateOp>(user); sum.getTo() == kind)
          slots.push_back(*sum.getSlot());
      llvm::sort(slots);
      for (auto [expected, slot] : llvm::enumerate(slots))
        if (slot != int64_t(expected))
          return kernel.emitOpError("expected the slots of kind ")
                 << stringifySum(kind) << " to be 0 to " << slots.size() - 1
                 << ", each once, because a partial has one segment a slot, but got "
                 << slot << " (row_kernel_c4)";
    }
  }
  return success();
}

namespace {

/// Dimensions that several buffers must agree on, and the buffer that gave them.
struct Agreed {
  std::optional<SmallVector<int64_t>> shape;
  unsigned from = 0;

  /// Takes what `dims` adds, or fails where a static size or the rank differs.
  LogicalResult merge(KernelOp kernel, ArrayRef<int64_t> dims, unsigned index,
                      StringRef what) {
    if (!shape) {
      shape = llvm::to_vector(dims);
      from = index;
      return success();
    }
    bool agrees = shape->size() == dims.size();
    for (size_t i = 0; agrees && i < dims.size(); ++i) {
      if (ShapedType::isDynamic((*shape)[i]))
        (*shape)[i] = dims[i];
      agrees = ShapedType::isDynamic(dims[i]) || (*shape)[i] == dims[i];
    }
    if (agrees)
      return success();
    auto type = [&](unsigned number) { return kernel.getBuffer(number).getType(); };
    return kernel.emitOpError("expected all buffers to agree on the ")
           << what << " dimensions, but got " << type(from) << " and " << type(index)
           << " with norm_dims = " << kernel.getNormDims() << " (row_kernel_c2)";
  }
};

} // namespace

static LogicalResult verifyShapes(KernelOp kernel) {
  Agreed outer, inner;
  size_t normDims = kernel.getNormDims();
  // Tiles first: the messages then name the tile's type beside the parameter's.
  for (schedule::Extent extent : {schedule::Extent::Tile, schedule::Extent::Rows,
                                  schedule::Extent::Cols, schedule::Extent::Scalar}) {
    for (BlockArgument buffer : kernel.getBody().getArguments()) {
      if (buffer.use_empty() || extentOf(buffer) != extent)
        continue;
      unsigned index = buffer.getArgNumber();
      ArrayRef<int64_t> shape = cast<MemRefType>(buffer.getType()).getShape();
      if (extent == schedule::Extent::Tile && normDims > shape.size())
        return kernel.emitOpError(
                   "expected norm_dims of at most the rank of every tile, "
                   "but got ")
               << normDims << " for " << buffer.getType() << " (row_kernel_c5)";
      if (extent == schedule::Extent::Scalar && staticProduct(shape) != 1)
        return kernel.emitOpError("expected a scalar to have one element, but got ")
               << buffer.getType() << " (row_kernel_c2)";
      bool tile = extent == schedule::Extent::Tile;
      if ((tile || extent == schedule::Extent::Rows) &&
          failed(outer.merge(kernel, tile ? shape.drop_back(normDims) : shape, index,
                             "outer")))
        return failure();
      if ((tile || extent == schedule::Extent::Cols) &&
          failed(inner.merge(kernel, tile ? shape.take_back(normDims) : shape, index,
                             "inner")))
        return failure();
    }
  }
  return success();
}

/// The inner dimensions are one stretch of memory, as far as the type says.
static LogicalResult verifyContiguous(KernelOp kernel) {
  for (BlockArgument buffer : kernel.getBody().getArguments()) {
    auto type = cast<MemRefType>(buffer.getType());
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(type.getStridesAndOffset(strides, offset)))
      return kernel.emitOpError("expected buffers with strides, but got ")
             << type << " (row_kernel_c6)";
    if (buffer.use_empty())
      continue;
    schedule::Extent extent = extentOf(buffer);
    size_t inner = extent == schedule::Extent::Tile   ? kernel.getNormDims()
                   : extent == schedule::Extent::Rows ? 0
                                                      : type.getRank();
    int64_t expected = 1;
    for (size_t i = 0; i < inner; ++i) {
      size_t dim = type.getRank() - 1 - i;
      int64_t size = type.getDimSize(dim);
      if (size != 1 && !ShapedType::isDynamic(strides[dim]) &&
          !ShapedType::isDynamic(expected) && strides[dim] != expected)
        return kernel.emitOpError(
                   "expected the columns of a buffer to be contiguous, but "
                   "got stride ")
               << strides[dim] << " where " << expected << " is contiguous, in " << type
               << " (row_kernel_c6)";
      expected = ShapedType::isDynamic(size) || ShapedType::isDynamic(expected)
                     ? ShapedType::kDynamic
                     : expected * size;
    }
  }
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  if (failed(verifyBodyOps(*this)) || failed(verifyUses(*this)) ||
      failed(verifyWrites(*this)) || failed(verifyShapes(*this)) ||
      failed(verifyContiguous(*this)))
    return failure();
  return success();
}
