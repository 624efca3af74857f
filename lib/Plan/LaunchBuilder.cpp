//===- LaunchBuilder.cpp - From kernels of a variant to launches ------------===//
#include "lib/Plan/LaunchBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace normc;
using namespace normc::plan;

static int64_t elementBytes(Value memref) {
  return cast<MemRefType>(memref.getType()).getElementTypeBitWidth() / 8;
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// The number of partials for a kernel of finalizes.
AffineExpr LaunchBuilder::rowsOf(row::KernelOp kernel) {
  const bool finalizes = isFinalize(kernel);
  for (unsigned i = 0; i < kernel.getNumBuffers(); ++i) {
    Value memref = kernel->getOperand(i);
    if (finalizes && bufferExtent(kernel, i) == schedule::Extent::Partials)
      return partials.lookup(memref).count;
    if (isIndexedByRow(kernel, i))
      return shapes.product(memref, 0, outerShape(kernel, i).size());
  }
  return constant(1);
}

AffineExpr LaunchBuilder::colsOf(row::KernelOp kernel) {
  for (unsigned i = 0; i < kernel.getNumBuffers(); ++i) {
    schedule::Extent extent = bufferExtent(kernel, i);
    if (extent != schedule::Extent::Tile && extent != schedule::Extent::Cols)
      continue;
    unsigned first = outerShape(kernel, i).size();
    return shapes.product(kernel->getOperand(i), first,
                          first + innerShape(kernel, i).size());
  }
  return constant(1);
}

void LaunchBuilder::makeWorkspace(Operation *alloc) {
  Value memref = alloc->getResult(0);
  auto type = cast<MemRefType>(memref.getType());
  AffineExpr bytes = shapes.product(memref, 0, type.getRank()) * elementBytes(memref);
  workspaces[memref] = WorkspaceOp::create(builder, alloc->getLoc(), type, map(bytes));
}

//===----------------------------------------------------------------------===//
// Grid and partials
//===----------------------------------------------------------------------===//

/// Partials are a part of the workspace: only the plan knows how many there are.
static LogicalResult checkPartials(row::KernelOp kernel) {
  for (unsigned i = 0; i < kernel.getNumBuffers(); ++i)
    if (bufferExtent(kernel, i) == schedule::Extent::Partials &&
        !kernel->getOperand(i).getDefiningOp<row::PartialsOp>())
      return kernel.emitOpError("expected row.partials at operand ")
             << i << ", because partials live in the workspace, but got another buffer";
  return success();
}

FailureOr<Grid> LaunchBuilder::gridOf(row::KernelOp kernel) {
  if (failed(checkPartials(kernel)))
    return failure();
  auto tiling = kernel.getTilingAttr();
  if (!tiling)
    return kernel.emitOpError("expected a #row.tiling, because the grid follows from "
                              "it (row-select-tiling attaches one)");
  GridFacts facts;
  facts.rows = rowsOf(kernel);
  facts.cols = colsOf(kernel);
  // Behind the entry's own symbols come those of the device.
  facts.compute_units = getAffineSymbolExpr(entry.getNumSymbols(), entry.getContext());
  facts.resident = getAffineSymbolExpr(entry.getNumSymbols() + 1, entry.getContext());
  facts.resident_clusters =
      getAffineSymbolExpr(entry.getNumSymbols() + 2, entry.getContext());
  facts.cluster_units = target.cluster_units;
  facts.max_rows = kernel.getMaxRows();
  facts.is_finalize = isFinalize(kernel);
  for (auto sum : kernel.getBodyBlock()->getOps<row::AccumulateOp>()) {
    facts.stores_sums |= !sum.getSlot();
    facts.writes_partials |= bool(sum.getSlot());
  }
  std::string error;
  std::optional<Grid> grid = makeGrid(target.backend, tiling.getValue(), facts, error);
  if (!grid)
    return kernel.emitOpError(error);
  return *grid;
}

/// Makes room for the partials that the kernel writes, and remembers how many they are.
LogicalResult LaunchBuilder::makePartials(row::KernelOp kernel, const Grid &grid) {
  for (unsigned i = kernel.getInputs().size(); i < kernel.getNumBuffers(); ++i) {
    if (bufferExtent(kernel, i) != schedule::Extent::Partials)
      continue;
    Value buffer = kernel->getOperand(i);
    Partials &made = partials[buffer];
    made.count = grid.partials;
    for (auto sum : kernel.getBodyBlock()->getOps<row::AccumulateOp>())
      if (sum.getBuffer() == kernel.getBuffer(i) && sum.getSlot()) {
        int64_t &slots =
            sum.getTo() == row::Sum::cols ? made.cols_slots : made.scalar_slots;
        slots = std::max<int64_t>(slots, *sum.getSlot() + 1);
      }
    AffineExpr width = partialWidth(colsOf(kernel), made.cols_slots, made.scalar_slots,
                                    elementBytes(buffer));
    workspaces[buffer] =
        WorkspaceOp::create(builder, buffer.getLoc(), buffer.getType(),
                            map(grid.partials * width * elementBytes(buffer)));
  }
  return success();
}

/// A finalize finds its segment by the numbers of slots, which must be those that the
/// partials were written with.
LogicalResult LaunchBuilder::checkFinalizes(row::KernelOp kernel) {
  if (!isFinalize(kernel))
    return success();
  llvm::DenseMap<Value, Partials> found;
  for (auto finalize : kernel.getBodyBlock()->getOps<row::FinalizeOp>()) {
    auto argument = cast<BlockArgument>(finalize.getPartials());
    Value buffer = kernel->getOperand(argument.getArgNumber());
    const Partials &written = partials[buffer];
    if (int64_t(finalize.getNumColsSlots()) != written.cols_slots)
      return finalize.emitOpError("expected segments of ")
             << written.cols_slots
             << " sums with one result a column, because the partials hold that many, "
                "but got "
             << finalize.getNumColsSlots();
    bool isCols = finalize.getTo() == row::Sum::cols;
    ++(isCols ? found[buffer].cols_slots : found[buffer].scalar_slots);
  }
  for (const auto &[buffer, segments] : found) {
    const Partials &written = partials[buffer];
    if (segments.cols_slots != written.cols_slots ||
        segments.scalar_slots != written.scalar_slots)
      return kernel.emitOpError(
                 "expected it to finalize every segment of its partials, ")
             << written.cols_slots << " of columns and " << written.scalar_slots
             << " scalars, but got " << segments.cols_slots << " and "
             << segments.scalar_slots;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// A parameter as the caller strides it, against a buffer that is known to be compact.
bool LaunchBuilder::isStrided(row::KernelOp kernel, unsigned buffer) {
  Root root = rootOf(kernel->getOperand(buffer));
  return isa<BlockArgument>(root.base) && !root.reshaped;
}

/// One stride walks over the rows of every buffer: there is one outer dimension, the
/// variant ensures it, or nothing but compact buffers is walked.
bool LaunchBuilder::isCollapsed(row::KernelOp kernel) {
  if (variant.getCollapsed() || outerRank(kernel) <= 1)
    return true;
  for (unsigned i = 0; i < kernel.getNumBuffers(); ++i) {
    if (!isIndexedByRow(kernel, i) || !isStrided(kernel, i))
      continue;
    auto argument = cast<BlockArgument>(rootOf(kernel->getOperand(i)).base);
    auto param = cast<ParamAttr>(entry.getParams()[argument.getArgNumber()]);
    if (param.getContiguousDims() != int64_t(param.getShape().getNumResults()))
      return false;
  }
  return true;
}

/// Whether every access to the buffer may take as many elements as fit into
/// kAlignedBytes, as far as the tiling asks for them.
bool LaunchBuilder::isAligned(row::KernelOp kernel, unsigned buffer) {
  const int64_t bytes = elementBytes(kernel->getOperand(buffer));
  const int64_t cols = staticCols(kernel);
  const int64_t wanted = kernel.getTilingAttr().getValue().vector_elems;
  const int64_t width = std::min(wanted, kAlignedBytes / bytes);
  // The last access of a static row that would pass its end is moved back to end there.
  if (ShapedType::isStatic(cols) && cols % width != 0)
    return false;
  Root root = rootOf(kernel->getOperand(buffer));
  if (auto param = dyn_cast<BlockArgument>(root.base)) {
    bool isGuarded =
        llvm::any_of(variant.getGuards().getAsRange<GuardAttr>(), [&](GuardAttr guard) {
          return guard.getKind() == GuardKind::aligned &&
                 guard.getParam() == param.getArgNumber() &&
                 guard.getValue() % kAlignedBytes == 0;
        });
    if (!isGuarded)
      return false;
    if (!root.reshaped)
      return true; // its rows too
  }
  // Compact rows behind an aligned base.
  return bufferExtent(kernel, buffer) == schedule::Extent::Cols ||
         outerShape(kernel, buffer).empty() ||
         (ShapedType::isStatic(cols) && cols * bytes % kAlignedBytes == 0);
}

Alignment LaunchBuilder::alignmentOf(row::KernelOp kernel) {
  if (target.backend == schedule::Backend::Host || isFinalize(kernel))
    return Alignment::Any;
  Alignment alignment = Alignment::Any;
  for (unsigned i = 0; i < kernel.getNumBuffers(); ++i) {
    if (!isIndexedByColumn(kernel, i))
      continue;
    if (!isAligned(kernel, i))
      return Alignment::Unaligned;
    alignment = Alignment::Aligned;
  }
  return alignment;
}

ArgAttr LaunchBuilder::strideOf(row::KernelOp kernel, KernelArg arg) {
  MLIRContext *context = entry.getContext();
  Value memref = kernel->getOperand(arg.buffer);
  unsigned outer = outerShape(kernel, arg.buffer).size();
  unsigned rank = outer + innerShape(kernel, arg.buffer).size();
  bool isRow = arg.kind == KernelArg::Kind::RowStride;
  if (isStrided(kernel, arg.buffer))
    return isRow ? ArgAttr::get(context, ArgKind::row_stride, arg.buffer, rank - outer,
                                AffineMap())
                 : ArgAttr::get(context, ArgKind::stride, arg.buffer, arg.dim,
                                AffineMap());
  AffineExpr stride = shapes.product(memref, isRow ? outer : arg.dim + 1, rank);
  return ArgAttr::get(context, ArgKind::expr, -1, -1, map(stride));
}

ArgAttr LaunchBuilder::argOf(row::KernelOp kernel, KernelArg arg) {
  auto value = [&](AffineExpr expr) {
    return ArgAttr::get(entry.getContext(), ArgKind::expr, -1, -1, map(expr));
  };
  switch (arg.kind) {
  case KernelArg::Kind::Pointer:
    return ArgAttr::get(entry.getContext(), ArgKind::pointer, arg.buffer, -1,
                        AffineMap());
  case KernelArg::Kind::RowStride:
  case KernelArg::Kind::OuterStride:
    return strideOf(kernel, arg);
  case KernelArg::Kind::OuterSize:
    for (unsigned i = 0; i < kernel.getNumBuffers(); ++i)
      if (isIndexedByRow(kernel, i))
        return value(shapes.dim(kernel->getOperand(i), arg.dim));
    return value(constant(1));
  case KernelArg::Kind::Rows:
    return value(rowsOf(kernel));
  case KernelArg::Kind::Cols:
    return value(colsOf(kernel));
  }
  llvm_unreachable("all kinds are handled");
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

LogicalResult LaunchBuilder::launch(row::KernelOp kernel, Outline outline) {
  FailureOr<Grid> grid = gridOf(kernel);
  if (failed(grid) || failed(makePartials(kernel, *grid)) ||
      failed(checkFinalizes(kernel)))
    return failure();
  const KernelForm form{isCollapsed(kernel), alignmentOf(kernel)};
  SmallVector<Value> buffers;
  for (Value operand : kernel->getOperands()) {
    Value base = rootOf(operand).base;
    buffers.push_back(isa<BlockArgument>(base) ? base : workspaces.lookup(base));
  }
  SmallVector<Attribute> args;
  for (KernelArg arg : kernelArgs(kernel, form.collapsed))
    args.push_back(argOf(kernel, arg));
  const schedule::Tiling tiling = kernel.getTilingAttr().getValue();
  const bool dependent = isFinalize(kernel) && hasDependentLaunches(target) &&
                         !variant.getOps<LaunchOp>().empty();
  LaunchOp::create(
      builder, kernel.getLoc(), FlatSymbolRefAttr::get(outline(kernel, form)), buffers,
      AffineMapAttr::get(map(grid->workgroups)),
      builder.getI64IntegerAttr(tiling.workgroup_size),
      builder.getI64IntegerAttr(tiling.cluster_cols * tiling.cluster_partials),
      builder.getI64IntegerAttr(0), dependent ? builder.getUnitAttr() : UnitAttr(),
      builder.getArrayAttr(args));
  return success();
}

LogicalResult LaunchBuilder::run(Outline outline) {
  Block &body = variant.getBody().front();
  SmallVector<Operation *> old;
  for (Operation &op : body)
    old.push_back(&op);
  builder.setInsertionPointToEnd(&body);
  for (Operation *op : old) {
    if (isa<memref::AllocOp, memref::AllocaOp>(op))
      makeWorkspace(op);
    else if (auto kernel = dyn_cast<row::KernelOp>(op))
      if (failed(launch(kernel, outline)))
        return failure();
  }
  for (Operation *op : llvm::reverse(old))
    op->erase();
  return success();
}
