//===- LaneStages.cpp - Tiles that every lane copies ahead for itself -------===//
//
// A lane copies the accesses that it will read itself, so that no lane waits for
// another. A stage is [row of the group of lanes][chunk][lane].
//
//===----------------------------------------------------------------------===//
#include "GpuEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace normc;
using namespace normc::gpu;

/// What one copy of a lane moves.
static constexpr int64_t kLeastBytes = 4, kMostBytes = 16;

int64_t GpuEmitter::lanePieceBytes(unsigned buffer) {
  return tiling.vector_elems * (elementOf(buffer).getIntOrFloatBitWidth() / 8);
}

bool GpuEmitter::canCopyByLane() {
  if (!hooks.hasLaneCopies() || *staticCols % tiling.vector_elems != 0)
    return false;
  return llvm::all_of(stagedBuffers(), [&](unsigned buffer) {
    return lanePieceBytes(buffer) >= kLeastBytes;
  });
}

Value GpuEmitter::lanePiece(Value stage, unsigned buffer, int64_t rowNumber,
                            int64_t chunk) {
  int64_t piece = rowNumber * int64_t(allChunks.size()) + chunk;
  int64_t bytes = lanePieceBytes(buffer);
  Value offset =
      add(mul(lane, index(bytes)), index(piece * tiling.workgroup_size * bytes));
  return elementPointer(stagePointer(stage, buffer), offset, b.getI8Type());
}

/// Ends a group whether or not there is such a tile, so that a tile's group is found by
/// counting.
void GpuEmitter::issueLaneStage(Value tile, Value stage) {
  const int64_t groups = tiling.workgroup_size / tiling.lanes_per_row;
  ifThen(less(tile, stages->tiles), [&] {
    Value first = mul(tile, index(tiling.rows_per_tile));
    for (int64_t i = 0; i < tiling.rows_per_tile / groups; ++i) {
      RowSlot slot = rowSlot(add(add(first, group), index(i * groups)), first, i,
                             /*isStaged=*/false);
      for (unsigned buffer : stagedBuffers())
        for (const Chunk &chunk : allChunks) {
          Value from =
              elementPointer(slot.pointers[buffer], chunk.column, elementOf(buffer));
          Value to = lanePiece(stage, buffer, i, chunk.id);
          for (int64_t at = 0; at < lanePieceBytes(buffer); at += kMostBytes)
            hooks.copyLane(b, elementPointer(to, index(at), b.getI8Type()),
                           elementPointer(from, index(at), b.getI8Type()),
                           std::min(lanePieceBytes(buffer) - at, kMostBytes));
        }
    }
  });
  hooks.endLaneCopyGroup(b);
}

Value GpuEmitter::loadLanePiece(unsigned buffer, int64_t rowNumber,
                                const Chunk &chunk) {
  // The access begins where the lane's columns would, had its row's stage one.
  Chunk own = chunk;
  own.column = index(0);
  return loadElements(lanePiece(stages->current, buffer, rowNumber, chunk.id),
                      elementOf(buffer), own);
}
