//===- Staging.cpp - Tiles that are copied ahead into workgroup memory ------===//
//
// One lane keeps `stages` tiles under way with bulk copies; each stage has a barrier
// that flips when its bytes have arrived. A stage is filled again once all lanes have
// read it, which the barrier of the row's exchange tells where there is one. Chips
// without bulk copies have every lane copy for itself (LaneStages.cpp).
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
/// Barriers and tiles begin at multiples of a cache line.
static constexpr int64_t kLineBytes = 128;

bool GpuEmitter::canStage() {
  if (tiling.staging != schedule::Staging::Async || tiling.stages < 1 ||
      tiling.loop != schedule::Loop::Persistent || !unrolled() || !aligned ||
      !collapsed || !staticCols || tiling.col_blocks != 1 || stagedBuffers().empty())
    return false;
  return canCopyInBulk() || canCopyByLane();
}

bool GpuEmitter::canCopyInBulk() {
  if (!hooks.hasBulkCopies() || (tiling.cluster_cols > 1 && tiling.rows_per_tile > 1))
    return false;
  return llvm::all_of(stagedBuffers(), [&](unsigned buffer) {
    int64_t bytes = elementOf(buffer).getIntOrFloatBitWidth() / 8;
    return rowBytes(buffer) % kBulkBytes == 0 && *staticCols * bytes % kBulkBytes == 0;
  });
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

/// One a stage; skewed, two a stage, and one for each exchange under way.
int64_t GpuEmitter::stageBarrierBytes() {
  if (stages && stages->byLane)
    return 0;
  int64_t count = skew ? 2 * tiling.stages + kSkewSlots : tiling.stages;
  return llvm::alignTo(8 * count, kLineBytes);
}

Value GpuEmitter::isFirstLane() {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, index(0));
}

void GpuEmitter::layOutStages() {
  stages->byLane = !canCopyInBulk();
  const int64_t rowsOfLane =
      tiling.rows_per_tile * tiling.lanes_per_row / tiling.workgroup_size;
  for (unsigned buffer : stagedBuffers()) {
    int64_t bytes = stages->byLane ? rowsOfLane * int64_t(allChunks.size()) *
                                         tiling.workgroup_size * lanePieceBytes(buffer)
                                   : tiling.rows_per_tile * rowBytes(buffer);
    stages->offsets[buffer] = stages->bytes;
    stages->bytes += llvm::alignTo(bytes, kLineBytes);
  }
  if (!stages->byLane)
    stages->barriers = sharedRegion(stageBarrierBytes(), false);
  stages->memory = sharedRegion(stages->bytes * tiling.stages, false);
}

/// By one lane; they are seen by all once it has passed a barrier.
void GpuEmitter::initBarriers(llvm::function_ref<void()> more) {
  ifThen(isFirstLane(), [&] {
    for (int64_t s = 0; s < tiling.stages; ++s)
      hooks.initBarrier(b, stageBarrier(index(s)), 1);
    more();
    hooks.fenceBarriers(b);
  });
}

void GpuEmitter::beginStages(Value firstTile, Value tiles) {
  stages.emplace();
  stages->tiles = tiles;
  layOutStages();
  auto issueAll = [&] {
    Value tile = firstTile;
    for (int64_t s = 0; s < tiling.stages; ++s) {
      issueStage(tile, index(s));
      tile = add(tile, rowGroups);
    }
  };
  if (stages->byLane) {
    issueAll();
    return;
  }
  beginResults();
  initBarriers([] {});
  mlir::gpu::BarrierOp::create(b);
  ifThen(isFirstLane(), issueAll);
}

Value GpuEmitter::stageBarrier(Value stage) {
  return elementPointer(stages->barriers, mul(stage, index(8)), b.getI8Type());
}

Value GpuEmitter::stagePointer(Value stage, unsigned buffer) {
  Value offset =
      add(mul(stage, index(stages->bytes)), index(stages->offsets.lookup(buffer)));
  return elementPointer(stages->memory, offset, b.getI8Type());
}

/// Rows of the kernel's in a tile.
Value GpuEmitter::rowsOfTile(Value tile) {
  Value first = mul(tile, index(tiling.rows_per_tile));
  return minimum(arith::SubIOp::create(b, rows, first), index(tiling.rows_per_tile));
}

/// By one lane: asks for all staged buffers of a tile, if there is such a tile.
void GpuEmitter::issueStage(Value tile, Value stage) {
  if (stages->byLane)
    return issueLaneStage(tile, stage);
  ifThen(less(tile, stages->tiles), [&] {
    int64_t perColumn = 0;
    for (unsigned buffer : stagedBuffers())
      perColumn += elementOf(buffer).getIntOrFloatBitWidth() / 8;
    Value width = arith::SubIOp::create(b, columnEnd, columnBegin);
    Value barrier = stageBarrier(stage);
    hooks.expectBytes(b, barrier, mul(rowsOfTile(tile), mul(width, index(perColumn))));
    for (unsigned buffer : stagedBuffers())
      copyRows(buffer, tile, stagePointer(stage, buffer),
               [&](Value inStage, Value inMemory, Value bytes) {
                 hooks.copyToShared(b, inStage, inMemory, bytes, barrier);
               });
  });
}

void GpuEmitter::copyRows(unsigned buffer, Value tile, Value inStage, Copy copy) {
  Type element = elementOf(buffer);
  Value first = mul(tile, index(tiling.rows_per_tile)), count = rowsOfTile(tile);
  // A row of the kernel's, or this workgroup's columns of one row.
  Value width = arith::SubIOp::create(b, columnEnd, columnBegin);
  Value bytes = mul(width, index(element.getIntOrFloatBitWidth() / 8));
  Value stride = rowStrides[buffer];
  Value offset = stride ? add(mul(first, stride), columnBegin) : columnBegin;
  Value inMemory = elementPointer(pointers[buffer], offset, element);
  if (!stride || tiling.rows_per_tile == 1) {
    copy(inStage, inMemory, mul(count, bytes));
    return;
  }
  Value isDense =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, stride, index(*staticCols));
  auto branch = scf::IfOp::create(b, isDense, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  copy(inStage, inMemory, mul(count, bytes));
  b.setInsertionPointToStart(branch.elseBlock());
  auto loop = scf::ForOp::create(b, index(0), count, index(1));
  b.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  copy(elementPointer(inStage, mul(row, bytes), b.getI8Type()),
       elementPointer(inMemory, mul(row, stride), element), bytes);
}

void GpuEmitter::awaitBarrier(Value barrier, Value phase, bool ofCluster) {
  auto wait = scf::WhileOp::create(b, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&wait.getBefore());
  Value done = hooks.testBarrier(b, barrier, phase, ofCluster);
  Value again =
      arith::XOrIOp::create(b, done, arith::ConstantIntOp::create(b, b.getI1Type(), 1));
  scf::ConditionOp::create(b, again, ValueRange());
  b.createBlock(&wait.getAfter());
  scf::YieldOp::create(b);
}

void GpuEmitter::awaitStage() {
  if (stages->byLane)
    hooks.awaitLaneCopies(b, tiling.stages - 1);
  else
    awaitBarrier(stageBarrier(stages->current), stages->phase, /*ofCluster=*/false);
}

/// All lanes have read the current stage: it is filled with the tile that comes
/// `stages` turns later.
void GpuEmitter::refillStage() {
  stages->isRead = false;
  auto issue = [&] {
    Value tile = add(stages->tile, mul(rowGroups, index(tiling.stages)));
    issueStage(tile, stages->current);
  };
  ifThen(stages->byLane ? Value() : isFirstLane(), issue);
}

void GpuEmitter::finishStage() {
  if (results)
    return sendResults();
  if (!stages->isRead)
    return; // an exchange has refilled it
  if (!stages->byLane)
    mlir::gpu::BarrierOp::create(b);
  refillStage();
}

/// All tiles have been read: the sums take the place of the stages. Not of their
/// barriers, whose memory is the hardware's until the kernel ends.
void GpuEmitter::endStages() {
  if (results)
    ifThen(isFirstLane(), [&] { hooks.awaitCopiesRead(b, 0); });
  if (!sums.empty())
    mlir::gpu::BarrierOp::create(b);
  sharedHigh = std::max(sharedHigh, sharedUsed);
  sharedUsed = stageBarrierBytes();
}

/// The stage behind this one and the phase of its barrier.
std::pair<Value, Value> GpuEmitter::nextStage(Value stage, Value phase) {
  Value next = add(stage, index(1));
  Value wraps =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, next, index(tiling.stages));
  Value one = arith::ConstantIntOp::create(b, b.getI32Type(), 1);
  Value flipped = arith::XOrIOp::create(b, phase, one);
  return {arith::SelectOp::create(b, wraps, index(0), next),
          arith::SelectOp::create(b, wraps, flipped, phase)};
}
