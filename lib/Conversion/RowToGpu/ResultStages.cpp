//===- ResultStages.cpp - Results that leave through workgroup memory -------===//
//
// Lanes leave their results in workgroup memory, one lane sends the tile with bulk
// copies: from the stage of an input of elements as wide, or from one of two stages in
// turn. What a copy still reads is written again only behind a barrier that comes after
// the lane that sent it has waited.
//
//===----------------------------------------------------------------------===//
#include "GpuEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace normc;
using namespace normc::gpu;

static constexpr int64_t kBulkBytes = 16, kLineBytes = 128;

SmallVector<unsigned> GpuEmitter::resultBuffers() {
  SmallVector<unsigned> buffers;
  for (unsigned i = 0; i < kernel.getNumBuffers(); ++i)
    if (kernel.isOutputBuffer(i) &&
        plan::bufferExtent(kernel, i) == schedule::Extent::Tile)
      buffers.push_back(i);
  return buffers;
}

bool GpuEmitter::canStageResults() {
  if (tiling.store == schedule::Store::Direct || stages->byLane ||
      resultBuffers().empty())
    return false;
  return llvm::all_of(resultBuffers(), [&](unsigned buffer) {
    int64_t bytes = elementOf(buffer).getIntOrFloatBitWidth() / 8;
    return rowBytes(buffer) % kBulkBytes == 0 && *staticCols * bytes % kBulkBytes == 0;
  });
}

void GpuEmitter::beginResults() {
  if (!canStageResults())
    return;
  results.emplace();
  if (tiling.store == schedule::Store::FromStage) {
    SmallVector<unsigned> free = stagedBuffers();
    for (unsigned buffer : resultBuffers()) {
      auto *host = llvm::find_if(free, [&](unsigned input) {
        return elementOf(input).getIntOrFloatBitWidth() ==
               elementOf(buffer).getIntOrFloatBitWidth();
      });
      results->offsets[buffer] = stages->offsets.lookup(*host);
      free.erase(host);
    }
    return;
  }
  for (unsigned buffer : resultBuffers()) {
    results->offsets[buffer] = results->bytes;
    results->bytes +=
        llvm::alignTo(tiling.rows_per_tile * rowBytes(buffer), kLineBytes);
  }
  results->memory = sharedRegion(2 * results->bytes, false);
}

/// Where the buffer's rows of the tile at hand are left.
Value GpuEmitter::resultPointer(unsigned buffer) {
  const bool isOwn = tiling.store == schedule::Store::OwnStage;
  Value turn = isOwn ? parity : stages->current;
  Value offset = add(mul(turn, index(isOwn ? results->bytes : stages->bytes)),
                     index(results->offsets.lookup(buffer)));
  return elementPointer(isOwn ? results->memory : stages->memory, offset,
                        b.getI8Type());
}

/// The tile's results are all in place behind the barrier. A stage that they have left
/// from is filled again a tile later, when its copy has been read.
void GpuEmitter::sendResults() {
  const bool isOwn = tiling.store == schedule::Store::OwnStage;
  Value isFirst = isFirstLane();
  hooks.fenceForCopies(b);
  if (isOwn)
    ifThen(isFirst, [&] { hooks.awaitCopiesRead(b, 0); });
  mlir::gpu::BarrierOp::create(b);
  ifThen(isFirst, [&] {
    for (unsigned buffer : resultBuffers())
      copyRows(buffer, stages->tile, resultPointer(buffer),
               [&](Value inStage, Value inMemory, Value bytes) {
                 hooks.copyFromShared(b, inMemory, inStage, bytes);
               });
    hooks.endCopyGroup(b);
    if (isOwn)
      return;
    hooks.awaitCopiesRead(b, 1);
    Value isLater =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sge, stages->tile, rowGroups);
    ifThen(isLater, [&] {
      Value ahead = index(tiling.stages - 1);
      Value before =
          arith::RemUIOp::create(b, add(stages->current, ahead), index(tiling.stages));
      issueStage(add(stages->tile, mul(rowGroups, ahead)), before);
    });
  });
  if (isOwn && stages->isRead)
    refillStage();
  stages->isRead = false;
}
