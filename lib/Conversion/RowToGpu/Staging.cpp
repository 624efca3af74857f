//===- Staging.cpp - Tiles that are copied ahead into workgroup memory ------===//
//
// One lane keeps `stages` tiles under way with bulk copies; each stage has a barrier
// that flips when its bytes have arrived. A stage is filled again once all lanes have
// read it, which the barrier of the row's exchange tells where there is one.
//
//===----------------------------------------------------------------------===//
#include "GpuEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace normc;
using namespace normc::gpu;

/// Bulk copies move multiples of 16 bytes between multiples of 16 bytes.
static constexpr int64_t kBulkBytes = 16;

bool GpuEmitter::canStage() {
  if (tiling.staging != schedule::Staging::Async || tiling.stages < 1 ||
      tiling.loop != schedule::Loop::Persistent || !unrolled() || !aligned ||
      !collapsed || !staticCols || tiling.col_blocks != 1 ||
      (tiling.cluster_cols > 1 && tiling.rows_per_tile > 1) || !hooks.hasBulkCopies())
    return false;
  for (unsigned buffer : stagedBuffers()) {
    int64_t bytes = elementOf(buffer).getIntOrFloatBitWidth() / 8;
    if (rowBytes(buffer) % kBulkBytes || *staticCols * bytes % kBulkBytes)
      return false;
  }
  return !stagedBuffers().empty();
}

int64_t GpuEmitter::rowBytes(unsigned buffer) {
  return partWidth() * (elementOf(buffer).getIntOrFloatBitWidth() / 8);
}

SmallVector<unsigned> GpuEmitter::stagedBuffers() {
  SmallVector<unsigned> buffers;
  for (unsigned i = 0; i < kernel.getNumBuffers(); ++i)
    if (!kernel.isOutputBuffer(i) &&
        plan::bufferExtent(kernel, i) == schedule::Extent::Tile)
      buffers.push_back(i);
  return buffers;
}

int64_t GpuEmitter::stageBarrierBytes() {
  return llvm::alignTo(8 * tiling.stages, 128);
}

void GpuEmitter::beginStages(Value firstTile, Value tiles) {
  stages.emplace();
  stages->tiles = tiles;
  for (unsigned buffer : stagedBuffers()) {
    stages->offsets[buffer] = stages->bytes;
    stages->bytes += llvm::alignTo(tiling.rows_per_tile * rowBytes(buffer), 128);
  }
  stages->barriers = sharedRegion(stageBarrierBytes(), false);
  stages->memory = sharedRegion(stages->bytes * tiling.stages, false);
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, index(0));
  ifThen(isFirst, [&] {
    for (int64_t s = 0; s < tiling.stages; ++s)
      hooks.initBarrier(b, stageBarrier(index(s)));
    hooks.fenceBarriers(b);
  });
  mlir::gpu::BarrierOp::create(b);
  ifThen(isFirst, [&] {
    Value tile = firstTile;
    for (int64_t s = 0; s < tiling.stages; ++s) {
      issueStage(tile, index(s));
      tile = add(tile, rowGroups);
    }
  });
}

Value GpuEmitter::stageBarrier(Value stage) {
  return elementPointer(stages->barriers, mul(stage, index(8)), b.getI8Type());
}

Value GpuEmitter::stagePointer(Value stage, unsigned buffer) {
  Value offset =
      add(mul(stage, index(stages->bytes)), index(stages->offsets.lookup(buffer)));
  return elementPointer(stages->memory, offset, b.getI8Type());
}

/// By one lane: asks for all staged buffers of a tile, if there is such a tile.
void GpuEmitter::issueStage(Value tile, Value stage) {
  ifThen(less(tile, stages->tiles), [&] {
    Value first = mul(tile, index(tiling.rows_per_tile));
    Value count =
        minimum(arith::SubIOp::create(b, rows, first), index(tiling.rows_per_tile));
    int64_t perColumn = 0;
    for (unsigned buffer : stagedBuffers())
      perColumn += elementOf(buffer).getIntOrFloatBitWidth() / 8;
    Value width = arith::SubIOp::create(b, columnEnd, columnBegin);
    Value barrier = stageBarrier(stage);
    hooks.expectBytes(b, barrier, mul(count, mul(width, index(perColumn))));
    for (unsigned buffer : stagedBuffers())
      copyRows(buffer, first, count, stagePointer(stage, buffer), barrier);
  });
}

void GpuEmitter::copyRows(unsigned buffer, Value first, Value count, Value to,
                          Value barrier) {
  Type element = elementOf(buffer);
  // A row of the kernel's, or this workgroup's columns of one row.
  Value width = arith::SubIOp::create(b, columnEnd, columnBegin);
  Value bytes = mul(width, index(element.getIntOrFloatBitWidth() / 8));
  Value stride = rowStrides[buffer];
  Value offset = stride ? add(mul(first, stride), columnBegin) : columnBegin;
  Value from = elementPointer(pointers[buffer], offset, element);
  if (!stride || tiling.rows_per_tile == 1) {
    hooks.copyToShared(b, to, from, mul(count, bytes), barrier);
    return;
  }
  Value isDense =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, stride, index(*staticCols));
  auto branch = scf::IfOp::create(b, isDense, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  hooks.copyToShared(b, to, from, mul(count, bytes), barrier);
  b.setInsertionPointToStart(branch.elseBlock());
  auto loop = scf::ForOp::create(b, index(0), count, index(1));
  b.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  hooks.copyToShared(b, elementPointer(to, mul(row, bytes), b.getI8Type()),
                     elementPointer(from, mul(row, stride), element), bytes, barrier);
}

void GpuEmitter::awaitStage() {
  auto wait = scf::WhileOp::create(b, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&wait.getBefore());
  Value done = hooks.testBarrier(b, stageBarrier(stages->current), stages->phase);
  Value again =
      arith::XOrIOp::create(b, done, arith::ConstantIntOp::create(b, b.getI1Type(), 1));
  scf::ConditionOp::create(b, again, ValueRange());
  b.createBlock(&wait.getAfter());
  scf::YieldOp::create(b);
}

/// All lanes have read the current stage: it is filled with the tile that comes
/// `stages` turns later.
void GpuEmitter::refillStage() {
  stages->isRead = false;
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, index(0));
  ifThen(isFirst, [&] {
    Value tile = add(stages->tile, mul(rowGroups, index(tiling.stages)));
    issueStage(tile, stages->current);
  });
}

void GpuEmitter::finishStage() {
  if (!stages->isRead)
    return; // an exchange has refilled it
  mlir::gpu::BarrierOp::create(b);
  refillStage();
}

/// The stage and the phase of its barrier for the next tile.
std::pair<Value, Value> GpuEmitter::nextStage() {
  Value next = add(stages->current, index(1));
  Value wraps =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, next, index(tiling.stages));
  Value stage = arith::SelectOp::create(b, wraps, index(0), next);
  Value one = arith::ConstantIntOp::create(b, b.getI32Type(), 1);
  Value flipped = arith::XOrIOp::create(b, stages->phase, one);
  return {stage, arith::SelectOp::create(b, wraps, flipped, stages->phase)};
}
