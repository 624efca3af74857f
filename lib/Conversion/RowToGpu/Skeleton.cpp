//===- Skeleton.cpp - Arguments, lanes, and the loop over tiles -------------===//
#include "GpuEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace normc;
using namespace normc::gpu;

GpuEmitter::GpuEmitter(ImplicitLocOpBuilder &builder, row::KernelOp kernel,
                       const schedule::Tiling &tiling, bool collapsed, bool aligned,
                       TargetHooks &hooks)
    : RowEmitter(builder), kernel(kernel), tiling(tiling), collapsed(collapsed),
      aligned(aligned), hooks(hooks), phases(kernel) {
  llvm::append_range(sums, kernel.getBodyBlock()->getOps<row::AccumulateOp>());
}

Value GpuEmitter::less(Value x, Value y) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x, y);
}

void GpuEmitter::ifThen(Value condition, llvm::function_ref<void()> body) {
  if (!condition) {
    body();
    return;
  }
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Scope scope(known);
  body();
}

void GpuEmitter::readArguments(ValueRange arguments) {
  rowStrides.resize(kernel.getNumBuffers());
  outerStrides.resize(kernel.getNumBuffers());
  for (auto [arg, value] :
       llvm::zip_equal(plan::kernelArgs(kernel, collapsed), arguments)) {
    using Kind = plan::KernelArg::Kind;
    switch (arg.kind) {
    case Kind::Pointer:
      pointers.push_back(value);
      break;
    case Kind::RowStride:
      rowStrides[arg.buffer] = value;
      break;
    case Kind::OuterStride:
      outerStrides[arg.buffer].push_back(value);
      break;
    case Kind::OuterSize:
      outerSizes.push_back(value);
      break;
    case Kind::Rows:
      rows = value;
      break;
    case Kind::Cols:
      cols = value;
      break;
    }
  }
  if (int64_t size = plan::staticCols(kernel); !ShapedType::isDynamic(size)) {
    staticCols = size;
    cols = index(size);
  }
  if (int64_t size = plan::staticRows(kernel); !ShapedType::isDynamic(size))
    staticRows = size;
}

void GpuEmitter::findLanes() {
  auto wide = [&](Value id) -> Value {
    return arith::IndexCastUIOp::create(b, b.getI64Type(), id);
  };
  auto x = mlir::gpu::Dimension::x;
  lane = wide(mlir::gpu::ThreadIdOp::create(b, x));
  laneOfRow = arith::RemUIOp::create(b, lane, index(tiling.lanes_per_row));
  group = arith::DivUIOp::create(b, lane, index(tiling.lanes_per_row));
  rowGroup = wide(mlir::gpu::BlockIdOp::create(b, x));
  rowGroups = wide(mlir::gpu::GridDimOp::create(b, x));
  columnBegin = index(0);
  columnEnd = cols;
  if (tiling.cluster_partials > 1)
    partialRank = hooks.clusterRank(b);
  if (columnParts() == 1)
    return;
  // Parts of a row lie next to each other in the grid; each is a whole number of
  // accesses wide.
  const bool isSteps = columnParts() == 0;
  Value parts =
      isSteps ? arith::CeilDivUIOp::create(b, cols, index(partWidth())).getResult()
              : index(columnParts());
  Value elems = index(tiling.vector_elems);
  Value part = arith::RemUIOp::create(b, rowGroup, parts);
  if (tiling.cluster_cols > 1)
    rank = hooks.clusterRank(b);
  rowGroup = arith::DivUIOp::create(b, rowGroup, parts);
  rowGroups = arith::DivUIOp::create(b, rowGroups, parts);
  Value width =
      isSteps ? index(partWidth())
              : mul(arith::CeilDivUIOp::create(b, cols, mul(parts, elems)), elems);
  columnBegin = minimum(mul(part, width), cols);
  columnEnd = minimum(add(columnBegin, width), cols);
}

SmallVector<Chunk> GpuEmitter::staticChunks() {
  int64_t step = tiling.lanes_per_row * tiling.vector_elems, width = partWidth();
  bool isEven = staticCols && width * columnParts() == *staticCols;
  SmallVector<Chunk> chunks;
  for (int64_t at = 0; at < width; at += step)
    chunks.push_back(
        chunkAt(index(at / step), at / step, !isEven || at + step > width));
  return chunks;
}

void GpuEmitter::emit(ValueRange arguments) {
  Scope scope(known);
  readArguments(arguments);
  findLanes();
  if (plan::isFinalize(kernel)) {
    // It may have been started while the kernel that writes its partials still ran.
    hooks.awaitDependencies(b);
    emitFinalize();
    return;
  }
  // Its finalize may take the place of the first workgroups that end.
  if (llvm::any_of(sums, [](row::AccumulateOp sum) { return sum.getSlot(); }))
    hooks.allowDependents(b);
  if (unrolled())
    allChunks = staticChunks();
  hoistInvariants();
  if (canSkew())
    return emitSkewed();
  // No workgroup writes to another's memory before that one runs.
  if (rank)
    hooks.clusterBarrier(b);
  emitRows();
}

void GpuEmitter::emitRows() {
  Carried carried = zeroSums();
  if (tiling.loop == schedule::Loop::OneShot) {
    emitTile(rowGroup, carried);
    storeSums(carried);
    return;
  }
  Value tiles = arith::CeilDivUIOp::create(b, rows, index(tiling.rows_per_tile));
  if (canStage())
    beginStages(rowGroup, tiles);
  SmallVector<Value> inits = carried.flatten();
  const size_t sumCount = inits.size();
  inits.push_back(index(0));
  if (stages)
    inits.append({index(0), arith::ConstantIntOp::create(b, b.getI32Type(), 0)});
  auto loop = scf::ForOp::create(b, rowGroup, tiles, rowGroups, inits);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Scope inner(known);
    auto args = loop.getRegionIterArgs();
    carried.assign(args.take_front(sumCount));
    parity = args[sumCount];
    if (stages) {
      stages->tile = loop.getInductionVar();
      stages->current = args[sumCount + 1];
      stages->phase = args[sumCount + 2];
      stages->isRead = false;
    }
    emitTile(loop.getInductionVar(), carried);
    SmallVector<Value> next = carried.flatten();
    next.push_back(arith::SubIOp::create(b, index(1), parity));
    if (stages) {
      auto [stage, phase] = nextStage(stages->current, stages->phase);
      next.append({stage, phase});
    }
    scf::YieldOp::create(b, next);
  }
  parity = {};
  carried.assign(loop.getResults().take_front(sumCount));
  if (stages)
    endStages();
  storeSums(carried);
}
