//===- Shapes.cpp - Sizes, allocations, casts and reshapes ------------------===//
#include "Machine.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

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

LogicalResult Machine::makeBuffer(Operation *op, ValueRange sizes) {
  auto type = cast<ShapedType>(op->getResult(0).getType());
  View view;
  auto size = sizes.begin();
  for (int64_t dim : type.getShape())
    view.shape.push_back(ShapedType::isDynamic(dim) ? integers.lookup(*size++) : dim);
  view.storage = std::make_shared<Storage>();
  view.storage->type = typeOf(type.getElementType());
  views[op->getResult(0)] = std::move(view);
  return success();
}

LogicalResult Machine::reshape(Operation *op, ValueRange dynamicSizes) {
  FailureOr<View> source = read(op, op->getOperand(0));
  if (failed(source))
    return failure();
  auto type = cast<ShapedType>(op->getResult(0).getType());
  View view{source->storage, {}};
  auto size = dynamicSizes.begin();
  for (int64_t dim : type.getShape())
    view.shape.push_back(ShapedType::isDynamic(dim) ? integers.lookup(*size++) : dim);
  if (view.size() != source->size())
    return op->emitOpError("expected a shape of ")
           << source->size() << " elements, because the source has as many, but got "
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
  auto knowsSizes = [&](ValueRange sizes) {
    return llvm::all_of(sizes, [&](Value size) { return integers.contains(size); });
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<tensor::DimOp, memref::DimOp>([&](auto dim) -> LogicalResult {
        auto view = views.find(dim->getOperand(0));
        auto index = integers.find(dim->getOperand(1));
        if (view == views.end() || index == integers.end() || index->second < 0 ||
            index->second >= int64_t(view->second.shape.size()))
          return op->emitOpError("expected a dimension of a known buffer");
        integers[dim->getResult(0)] = view->second.shape[index->second];
        return success();
      })
      .Case<tensor::EmptyOp>([&](auto empty) -> LogicalResult {
        if (!knowsSizes(empty.getDynamicSizes()))
          return failure();
        return makeBuffer(op, empty.getDynamicSizes());
      })
      .Case<memref::AllocOp, memref::AllocaOp>([&](auto alloc) -> LogicalResult {
        if (!knowsSizes(alloc.getDynamicSizes()))
          return failure();
        return makeBuffer(op, alloc.getDynamicSizes());
      })
      .Case<memref::DeallocOp>([](auto) { return success(); })
      .Case<tensor::CastOp, memref::CastOp>([&](auto cast) -> LogicalResult {
        auto view = views.find(cast.getSource());
        if (view == views.end())
          return failure();
        View source = view->second;
        views[cast->getResult(0)] = std::move(source);
        return success();
      })
      .Case<tensor::ExpandShapeOp, memref::ExpandShapeOp>(
          [&](auto expand) -> LogicalResult {
            if (!knowsSizes(expand.getOutputShape()))
              return failure();
            return reshape(op, expand.getOutputShape());
          })
      .Case<tensor::CollapseShapeOp, memref::CollapseShapeOp>(
          [&](auto collapseOp) -> LogicalResult {
            auto view = views.find(collapseOp.getSrc());
            if (view == views.end())
              return failure();
            View result{
                view->second.storage,
                collapse(view->second.shape, collapseOp.getReassociationIndices())};
            views[collapseOp->getResult(0)] = std::move(result);
            return success();
          })
      .Default([&](Operation *op) { return foldIntegers(op); });
}

} // namespace normc::oracle
