//===- KernelAbi.cpp - The flat argument list of a kernel -------------------===//
#include "normc/Plan/KernelAbi.h"

using namespace mlir;
using namespace normc;
using namespace normc::plan;

/// What the buffer is indexed by. A row.kernel uses a buffer with one extent only, so
/// the first use tells.
static schedule::Extent extentOf(BlockArgument buffer) {
  auto ofKind = [](row::Kind kind) {
    switch (kind) {
    case row::Kind::Tile:
      return schedule::Extent::Tile;
    case row::Kind::Rows:
      return schedule::Extent::Rows;
    case row::Kind::Cols:
      return schedule::Extent::Cols;
    case row::Kind::Scalar:
      return schedule::Extent::Scalar;
    }
    llvm_unreachable("all kinds are handled");
  };
  auto ofSum = [](row::Sum sum) {
    return sum == row::Sum::cols ? schedule::Extent::Cols : schedule::Extent::Scalar;
  };
  for (Operation *user : buffer.getUsers()) {
    if (auto load = dyn_cast<row::LoadOp>(user))
      return ofKind(row::kindOf(load.getType()));
    if (auto store = dyn_cast<row::StoreOp>(user))
      return ofKind(row::kindOf(store.getValue().getType()));
    if (auto sum = dyn_cast<row::AccumulateOp>(user))
      return sum.getSlot() ? schedule::Extent::Partials : ofSum(sum.getTo());
    if (auto finalize = dyn_cast<row::FinalizeOp>(user))
      return finalize.getPartials() == buffer ? schedule::Extent::Partials
                                              : ofSum(finalize.getTo());
  }
  return schedule::Extent::Scalar; // unused: only its address is passed
}

schedule::Extent normc::plan::bufferExtent(row::KernelOp kernel, unsigned index) {
  return extentOf(kernel.getBuffer(index));
}

bool normc::plan::isIndexedByRow(row::KernelOp kernel, unsigned index) {
  schedule::Extent extent = bufferExtent(kernel, index);
  return extent == schedule::Extent::Tile || extent == schedule::Extent::Rows;
}

bool normc::plan::isIndexedByColumn(row::KernelOp kernel, unsigned index) {
  schedule::Extent extent = bufferExtent(kernel, index);
  return (extent == schedule::Extent::Tile || extent == schedule::Extent::Cols) &&
         llvm::any_of(kernel.getBuffer(index).getUsers(),
                      llvm::IsaPred<row::LoadOp, row::StoreOp>);
}

bool normc::plan::hasDependentLaunches(const schedule::TargetFacts &target) {
  // As did bulk copies; a target by hand may be without clusters.
  return target.backend == schedule::Backend::Cuda &&
         target.async_copy == schedule::AsyncCopy::Bulk;
}

bool normc::plan::isFinalize(row::KernelOp kernel) {
  return !kernel.getBodyBlock()->empty() &&
         llvm::all_of(*kernel.getBodyBlock(), llvm::IsaPred<row::FinalizeOp>);
}

ArrayRef<int64_t> normc::plan::outerShape(row::KernelOp kernel, unsigned index) {
  auto type = dyn_cast<MemRefType>(kernel.getBuffer(index).getType());
  if (!type || !isIndexedByRow(kernel, index))
    return {};
  bool isTile = bufferExtent(kernel, index) == schedule::Extent::Tile;
  return type.getShape().drop_back(
      isTile ? std::min<int64_t>(kernel.getNormDims(), type.getRank()) : 0);
}

ArrayRef<int64_t> normc::plan::innerShape(row::KernelOp kernel, unsigned index) {
  auto type = dyn_cast<MemRefType>(kernel.getBuffer(index).getType());
  if (!type)
    return {};
  switch (bufferExtent(kernel, index)) {
  case schedule::Extent::Tile:
    return type.getShape().take_back(
        std::min<int64_t>(kernel.getNormDims(), type.getRank()));
  case schedule::Extent::Cols:
    return type.getShape();
  default:
    return {};
  }
}

unsigned normc::plan::outerRank(row::KernelOp kernel) {
  unsigned rank = 0;
  for (unsigned i = 0; i < kernel.getNumBuffers(); ++i)
    rank = std::max<unsigned>(rank, outerShape(kernel, i).size());
  return rank;
}

/// Product of dimensions of which every buffer knows some; kDynamic if one is known to
/// none.
static int64_t mergedProduct(row::KernelOp kernel,
                             ArrayRef<int64_t> (*shapeOf)(row::KernelOp,
                                                          unsigned index)) {
  SmallVector<int64_t> dims;
  for (unsigned i = 0; i < kernel.getNumBuffers(); ++i) {
    ArrayRef<int64_t> shape = shapeOf(kernel, i);
    if (dims.size() < shape.size())
      dims.resize(shape.size(), ShapedType::kDynamic);
    for (auto [merged, dim] : llvm::zip_first(shape, dims))
      if (ShapedType::isStatic(merged))
        dim = merged;
  }
  int64_t product = 1;
  for (int64_t dim : dims) {
    if (ShapedType::isDynamic(dim) || llvm::MulOverflow(product, dim, product))
      return ShapedType::kDynamic;
  }
  return product;
}

int64_t normc::plan::staticCols(row::KernelOp kernel) {
  return mergedProduct(kernel, innerShape);
}

int64_t normc::plan::staticRows(row::KernelOp kernel) {
  return isFinalize(kernel) ? ShapedType::kDynamic : mergedProduct(kernel, outerShape);
}

SmallVector<KernelArg> normc::plan::kernelArgs(row::KernelOp kernel, bool collapsed) {
  SmallVector<KernelArg> args;
  const unsigned rank = outerRank(kernel);
  for (unsigned i = 0; i < kernel.getNumBuffers(); ++i)
    args.push_back({KernelArg::Kind::Pointer, i});
  for (unsigned i = 0; rank > 0 && i < kernel.getNumBuffers(); ++i) {
    if (!isIndexedByRow(kernel, i))
      continue;
    if (collapsed)
      args.push_back({KernelArg::Kind::RowStride, i});
    else
      for (unsigned dim = 0; dim < rank; ++dim)
        args.push_back({KernelArg::Kind::OuterStride, i, dim});
  }
  for (unsigned dim = 1; !collapsed && dim < rank; ++dim)
    args.push_back({KernelArg::Kind::OuterSize, 0, dim});
  args.push_back({KernelArg::Kind::Rows});
  if (ShapedType::isDynamic(staticCols(kernel)))
    args.push_back({KernelArg::Kind::Cols});
  return args;
}
