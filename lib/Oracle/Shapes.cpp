//===- Shapes.cpp - Sizes, allocations, casts and reshapes ------------------===//
#include "Machine.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace normc::oracle {

/// Evaluates an op over integers by what it folds to, once its operands are known.
LogicalResult Machine::foldIntegers(Operation *op) {
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    auto it = integers.find(operand);
    if (it == integers.end())
      return failure();
    operands.push_back(IntegerAttr::get(operand.getType(), it->second));
  }
  SmallVector<OpFoldResult> folded;
  if (failed(op->fold(operands, folded)) || folded.size() != op->getNumResults())
    return failure();
  for (auto [result, value] : llvm::zip(op->getResults(), folded)) {
    if (auto known = dyn_cast<Value>(value)) {
      integers[result] = integers.lookup(known);
      continue;
    }
    auto number = dyn_cast<IntegerAttr>(cast<Attribute>(value));
    if (!number)
      return failure();
    integers[result] = number.getValue().getSExtValue();
  }
  return success();
}

/// The static sizes, and the values of `dynamicSizes` for the others.
FailureOr<SmallVector<int64_t>> Machine::sizesOf(Operation *op,
                                                 ValueRange dynamicSizes) {
  auto type = cast<ShapedType>(op->getResult(0).getType());
  SmallVector<int64_t> sizes;
  auto dynamic = dynamicSizes.begin();
  for (int64_t size : type.getShape()) {
    if (ShapedType::isDynamic(size)) {
      auto known = integers.find(*dynamic++);
      if (known == integers.end())
        return op->emitOpError("expected sizes that are computed before it");
      size = known->second;
    }
    sizes.push_back(size);
  }
  return sizes;
}

LogicalResult Machine::makeBuffer(Operation *op, ValueRange dynamicSizes) {
  auto sizes = sizesOf(op, dynamicSizes);
  if (failed(sizes))
    return failure();
  auto type = cast<ShapedType>(op->getResult(0).getType());
  View view{std::make_shared<Storage>(), *sizes};
  view.storage->type = typeOf(type.getElementType());
  views[op->getResult(0)] = std::move(view);
  return success();
}

LogicalResult Machine::reshape(Operation *op, ArrayRef<int64_t> sizes) {
  View source = views.lookup(op->getOperand(0));
  View view{source.storage, SmallVector<int64_t>(sizes)};
  if (view.size() != source.size())
    return op->emitOpError("expected a shape of ")
           << source.size() << " elements, because the source has as many, but got "
           << view.size();
  views[op->getResult(0)] = std::move(view);
  return success();
}

/// The sizes of a shape whose groups of dimensions are collapsed.
static SmallVector<int64_t> collapse(ArrayRef<int64_t> shape,
                                     ArrayRef<ReassociationIndices> groups) {
  SmallVector<int64_t> collapsed;
  for (const ReassociationIndices &group : groups) {
    int64_t size = 1;
    for (int64_t dim : group)
      size *= shape[dim];
    collapsed.push_back(size);
  }
  return collapsed;
}

LogicalResult Machine::runShapeOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<tensor::DimOp, memref::DimOp>([&](auto dim) -> LogicalResult {
        const View &view = views[dim->getOperand(0)];
        auto index = integers.find(dim->getOperand(1));
        if (index == integers.end() || index->second < 0 ||
            index->second >= int64_t(view.shape.size()))
          return op->emitOpError("expected an index of a dimension");
        integers[dim->getResult(0)] = view.shape[index->second];
        return success();
      })
      .Case<tensor::EmptyOp, memref::AllocOp, memref::AllocaOp>(
          [&](auto alloc) { return makeBuffer(op, alloc.getDynamicSizes()); })
      .Case<row::PartialsOp>([&](auto) {
        // Their sizes are those of the schedule: they are known when they are written.
        View view{std::make_shared<Storage>(), {}};
        auto type = cast<ShapedType>(op->getResult(0).getType());
        view.storage->type = typeOf(type.getElementType());
        views[op->getResult(0)] = std::move(view);
        return success();
      })
      .Case<memref::DeallocOp>([](auto) { return success(); })
      .Case<tensor::CastOp, memref::CastOp>([&](auto cast) {
        View source = views.lookup(cast.getSource());
        views[cast->getResult(0)] = std::move(source);
        return success();
      })
      .Case<tensor::ExpandShapeOp, memref::ExpandShapeOp>(
          [&](auto expand) -> LogicalResult {
            auto sizes = sizesOf(op, expand.getOutputShape());
            return failed(sizes) ? failure() : reshape(op, *sizes);
          })
      .Case<tensor::CollapseShapeOp, memref::CollapseShapeOp>([&](auto collapseOp) {
        return reshape(op, collapse(views.lookup(collapseOp.getSrc()).shape,
                                    collapseOp.getReassociationIndices()));
      })
      .Default([&](Operation *op) -> LogicalResult {
        if (succeeded(foldIntegers(op)))
          return success();
        return op->emitOpError(
            "expected a norm op, a row.kernel, or an op that only computes sizes, "
            "allocates, casts or reshapes, because an entry consists of those");
      });
}

} // namespace normc::oracle
