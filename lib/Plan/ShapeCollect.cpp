//===- ShapeCollect.cpp - What each op of an entry says of sizes ------------===//
#include "lib/Plan/ShapeSolver.h"
#include "normc/Plan/KernelAbi.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace normc;
using namespace normc::plan;

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

/// The arithmetic that bufferization and folding leave on sizes, which are not
/// negative.
static std::optional<AffineExprKind> kindOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<AffineExprKind>>(op)
      .Case([](arith::AddIOp) { return AffineExprKind::Add; })
      .Case([](arith::MulIOp) { return AffineExprKind::Mul; })
      .Case<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(
          [](auto) { return AffineExprKind::FloorDiv; })
      .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>(
          [](auto) { return AffineExprKind::CeilDiv; })
      .Case<arith::RemUIOp, arith::RemSIOp>([](auto) { return AffineExprKind::Mod; })
      .Default([](Operation *) { return std::nullopt; });
}

FailureOr<AffineExpr> ShapeSolver::indexExpr(Value index, Operation *user) {
  IntegerAttr value;
  if (matchPattern(index, m_Constant(&value)))
    return constant(value.getInt());
  Operation *op = index.getDefiningOp();
  if (auto dim = dyn_cast_or_null<memref::DimOp>(op)) {
    std::optional<int64_t> which = dim.getConstantIndex();
    auto type = dyn_cast<MemRefType>(dim.getSource().getType());
    if (which && type && *which >= 0 && *which < type.getRank() &&
        first_node.contains(dim.getSource()))
      return getAffineSymbolExpr(node(dim.getSource(), *which), context);
  }
  SmallVector<AffineExpr> operands;
  if (isa_and_nonnull<affine::AffineApplyOp>(op) || (op && kindOf(op)))
    for (Value operand : op->getOperands()) {
      FailureOr<AffineExpr> expr = indexExpr(operand, user);
      if (failed(expr))
        return failure();
      operands.push_back(*expr);
    }
  if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op)) {
    AffineMap map = apply.getAffineMap();
    ArrayRef<AffineExpr> all(operands);
    return map.getResult(0).replaceDimsAndSymbols(all.take_front(map.getNumDims()),
                                                  all.drop_front(map.getNumDims()));
  }
  if (op && kindOf(op))
    return getAffineBinaryOpExpr(*kindOf(op), operands[0], operands[1]);
  user->emitOpError("expected sizes made from constants and dimensions of the "
                    "parameters, because a launch must know them, but got ")
      << index;
  return failure();
}

LogicalResult ShapeSolver::define(unsigned node, Value index, Operation *op) {
  FailureOr<AffineExpr> expr = indexExpr(index, op);
  if (failed(expr))
    return failure();
  if (auto same = dyn_cast<AffineSymbolExpr>(*expr))
    return unify(node, same.getPosition(), op);
  if (isa<AffineConstantExpr>(*expr))
    return set(node, *expr, op);
  definitions.push_back({node, *expr, op});
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult ShapeSolver::collectAlloc(Operation *op, Value memref, ValueRange sizes) {
  makeNodes(memref);
  unsigned next = 0;
  for (auto [i, size] : llvm::enumerate(cast<MemRefType>(memref.getType()).getShape()))
    if (ShapedType::isDynamic(size) &&
        failed(define(node(memref, i), sizes[next++], op)))
      return failure();
  return success();
}

LogicalResult ShapeSolver::collectCast(memref::CastOp cast) {
  auto source = dyn_cast<MemRefType>(cast.getSource().getType());
  if (!source || !isa<MemRefType>(cast.getType()))
    return cast.emitOpError("expected ranked memrefs, because a launch checks the rank "
                            "of every tensor, but got ")
           << cast.getSource().getType() << " and " << cast.getType();
  makeNodes(cast);
  for (int64_t i = 0; i < source.getRank(); ++i)
    if (failed(unify(node(cast.getSource(), i), node(cast, i), cast)))
      return failure();
  return success();
}

LogicalResult ShapeSolver::collectReshape(Operation *op, Value whole, Value parts,
                                          ArrayRef<ReassociationIndices> groups) {
  makeNodes(op->getResult(0));
  for (auto [i, group] : llvm::enumerate(groups)) {
    SmallVector<unsigned> partNodes;
    for (int64_t part : group)
      partNodes.push_back(node(parts, part));
    if (partNodes.size() > 1)
      products.push_back({node(whole, i), std::move(partNodes), op});
    else if (failed(unify(node(whole, i), partNodes.front(), op)))
      return failure();
  }
  return success();
}

/// Unifies dimensions [firstDim, firstDim + rank) of a buffer with those that the
/// buffers before it had in this place.
LogicalResult ShapeSolver::unifyDims(row::KernelOp kernel, unsigned buffer,
                                     unsigned firstDim, unsigned rank,
                                     std::optional<SmallVector<unsigned>> &known,
                                     StringRef what) {
  Value memref = kernel->getOperand(buffer);
  SmallVector<unsigned> dims;
  for (unsigned i = 0; i < rank; ++i)
    dims.push_back(node(memref, firstDim + i));
  if (!known) {
    known = std::move(dims);
    return success();
  }
  if (known->size() != rank)
    return kernel.emitOpError("expected operand ")
           << buffer << " to have " << known->size() << " " << what
           << " dimensions, because the operands before it have, but got " << rank;
  for (auto [a, b] : llvm::zip_equal(*known, dims))
    if (failed(unify(a, b, kernel)))
      return failure();
  return success();
}

LogicalResult ShapeSolver::collectKernel(row::KernelOp kernel) {
  std::optional<SmallVector<unsigned>> rows, cols;
  for (unsigned i = 0; i < kernel.getNumBuffers(); ++i) {
    Value memref = kernel->getOperand(i);
    unsigned outer = outerShape(kernel, i).size(), inner = innerShape(kernel, i).size();
    schedule::Extent extent = bufferExtent(kernel, i);
    if (isIndexedByRow(kernel, i) &&
        failed(unifyDims(kernel, i, 0, outer, rows, "outer")))
      return failure();
    if ((extent == schedule::Extent::Tile || extent == schedule::Extent::Cols) &&
        failed(unifyDims(kernel, i, outer, inner, cols, "inner")))
      return failure();
    if (extent == schedule::Extent::Scalar && !kernel.getBuffer(i).use_empty())
      for (int64_t j = 0; j < cast<MemRefType>(memref.getType()).getRank(); ++j)
        if (failed(set(node(memref, j), constant(1), kernel)))
          return failure();
  }
  // The kernel that finalizes partials has the columns of the one that writes them.
  for (unsigned i = 0; cols && i < kernel.getNumBuffers(); ++i) {
    if (bufferExtent(kernel, i) != schedule::Extent::Partials)
      continue;
    auto [entry, isNew] = partials_cols.try_emplace(kernel->getOperand(i), *cols);
    if (isNew)
      continue;
    if (entry->second.size() != cols->size())
      return kernel.emitOpError("expected ")
             << entry->second.size()
             << " inner dimensions, because the kernel of its partials has, but got "
             << cols->size();
    for (auto [a, b] : llvm::zip_equal(entry->second, *cols))
      if (failed(unify(a, b, kernel)))
        return failure();
  }
  if (cols)
    kernel_columns.push_back({*cols, kernel});
  return success();
}

LogicalResult ShapeSolver::collect(Block &body, Block::BlockArgListType arguments) {
  for (BlockArgument argument : arguments)
    makeNodes(argument);
  for (Operation &op : body) {
    LogicalResult result =
        llvm::TypeSwitch<Operation *, LogicalResult>(&op)
            .Case<memref::AllocOp, memref::AllocaOp>([&](auto alloc) {
              return collectAlloc(alloc, alloc, alloc.getDynamicSizes());
            })
            .Case([&](memref::CastOp cast) { return collectCast(cast); })
            .Case([&](memref::CollapseShapeOp collapse) {
              return collectReshape(collapse, collapse, collapse.getSrc(),
                                    collapse.getReassociationIndices());
            })
            .Case([&](memref::ExpandShapeOp expand) { return collectExpand(expand); })
            .Case([&](row::PartialsOp partials) {
              makeNodes(partials);
              return success();
            })
            .Case([&](row::KernelOp kernel) { return collectKernel(kernel); })
            .Default([](Operation *) { return success(); });
    if (failed(result))
      return failure();
  }
  return success();
}

LogicalResult ShapeSolver::collectExpand(memref::ExpandShapeOp expand) {
  if (failed(collectReshape(expand, expand.getSrc(), expand,
                            expand.getReassociationIndices())))
    return failure();
  unsigned next = 0;
  for (auto [i, size] : llvm::enumerate(expand.getStaticOutputShape()))
    if (ShapedType::isDynamic(size) &&
        failed(define(node(expand, i), expand.getOutputShape()[next++], expand)))
      return failure();
  return success();
}
