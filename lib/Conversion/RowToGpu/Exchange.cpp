//===- Exchange.cpp - Reductions over the lanes of a row --------------------===//
#include "GpuEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace normc;
using namespace normc::gpu;

Value GpuEmitter::shuffle(Value value, int64_t distance) {
  Value offset = arith::ConstantIntOp::create(b, b.getI32Type(), distance);
  Value width = arith::ConstantIntOp::create(b, b.getI32Type(), subgroup());
  return mlir::gpu::ShuffleOp::create(b, value, offset, width,
                                      mlir::gpu::ShuffleMode::XOR)
      .getShuffleResult();
}

Value GpuEmitter::fromFirstLane(Value value) {
  Value first = arith::SubIOp::create(
      b, arith::RemUIOp::create(b, lane, index(subgroup())).getResult(), laneOfRow);
  Value width = arith::ConstantIntOp::create(b, b.getI32Type(), subgroup());
  return mlir::gpu::ShuffleOp::create(b, value,
                                      arith::TruncIOp::create(b, b.getI32Type(), first),
                                      width, mlir::gpu::ShuffleMode::IDX)
      .getShuffleResult();
}

Value GpuEmitter::sharedRegion(int64_t bytes, bool twice) {
  int64_t rounded = llvm::alignTo(bytes, 16);
  Value offset = index(sharedUsed);
  if (twice && parity)
    offset = add(offset, mul(parity, index(rounded)));
  sharedUsed += rounded * (twice && parity ? 2 : 1);
  return elementPointer(hooks.sharedMemory(b), offset, b.getI8Type());
}

void GpuEmitter::reduceOverLanes(MutableArrayRef<Reduction> reductions) {
  int64_t lanes = std::min(tiling.lanes_per_row, subgroup());
  for (int64_t distance = lanes / 2; distance > 0; distance /= 2)
    for (Reduction &reduction : reductions)
      for (Values &parts : reduction.parts) {
        Values other =
            llvm::map_to_vector(parts, [&](Value v) { return shuffle(v, distance); });
        int64_t sides = lanes / 2 / distance;
        parts = reduction.combine(parts, other, sides, sides);
      }
  if (skew)
    return sendReductions(reductions);
  if (tiling.lanes_per_row > subgroup())
    exchange(reductions);
  if (rank)
    exchangeInCluster(reductions);
  if (tiling.lanes_per_row > subgroup() || rank)
    return;
  for (Reduction &reduction : reductions)
    if (!reduction.isSymmetric && lanes > 1)
      for (Values &parts : reduction.parts)
        for (Value &part : parts)
          part = fromFirstLane(part);
}

/// Each subgroup leaves its values in workgroup memory; after a barrier every lane
/// combines those of its row, in a tree of the subgroups' order.
void GpuEmitter::exchange(MutableArrayRef<Reduction> reductions) {
  const int64_t subgroups = tiling.lanes_per_row / subgroup();
  const int64_t allSubgroups = tiling.workgroup_size / subgroup();
  Value isFirst = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq,
      arith::RemUIOp::create(b, lane, index(subgroup())).getResult(), index(0));
  Value mySubgroup = arith::DivUIOp::create(b, lane, index(subgroup()));
  // Slot of a value: [reduction, row slot, part][subgroup].
  SmallVector<std::pair<Value, Type>> slots;
  for (Reduction &reduction : reductions)
    for (Values &parts : reduction.parts)
      for (Value part : parts) {
        int64_t bytes = part.getType().getIntOrFloatBitWidth() / 8;
        slots.emplace_back(sharedRegion(allSubgroups * bytes, true), part.getType());
      }
  ifThen(isFirst, [&] {
    size_t slot = 0;
    for (Reduction &reduction : reductions)
      for (Values &parts : reduction.parts)
        for (Value part : parts) {
          auto [base, type] = slots[slot++];
          LLVM::StoreOp::create(b, part, elementPointer(base, mySubgroup, type),
                                type.getIntOrFloatBitWidth() / 8);
        }
  });
  mlir::gpu::BarrierOp::create(b);
  // The barrier tells too that all lanes have read the tile.
  if (exchangeFreesStage())
    refillStage();
  Value first = mul(group, index(subgroups));
  size_t slot = 0;
  for (Reduction &reduction : reductions)
    for (Values &parts : reduction.parts) {
      SmallVector<Values> each(subgroups);
      for (size_t k = 0; k < parts.size(); ++k, ++slot) {
        auto [base, type] = slots[slot];
        for (int64_t w = 0; w < subgroups; ++w)
          each[w].push_back(LLVM::LoadOp::create(
              b, type, elementPointer(base, add(first, index(w)), type),
              type.getIntOrFloatBitWidth() / 8));
      }
      parts = combineInOrder(reduction, std::move(each), subgroup());
    }
  // Without a second copy in turn the next writer must wait for these reads.
  if (!parity && tiling.loop == schedule::Loop::Persistent)
    mlir::gpu::BarrierOp::create(b);
}

GpuEmitter::Values GpuEmitter::combineInOrder(const Reduction &reduction,
                                              SmallVector<Values> each,
                                              int64_t lanesEach) {
  SmallVector<int64_t> lanes(each.size(), lanesEach);
  while (each.size() > 1) {
    SmallVector<Values> merged;
    SmallVector<int64_t> mergedLanes;
    for (size_t i = 0; i + 1 < each.size(); i += 2) {
      merged.push_back(reduction.combine(each[i], each[i + 1], lanes[i], lanes[i + 1]));
      mergedLanes.push_back(lanes[i] + lanes[i + 1]);
    }
    if (each.size() % 2) {
      merged.push_back(each.back());
      mergedLanes.push_back(lanes.back());
    }
    each = std::move(merged);
    lanes = std::move(mergedLanes);
  }
  return each.front();
}

/// Each workgroup of the cluster leaves its value in the memory of all; after a barrier
/// of the cluster every lane combines them in the order of the workgroups.
void GpuEmitter::exchangeInCluster(MutableArrayRef<Reduction> reductions) {
  const int64_t size = tiling.cluster_cols;
  // Slot of a value: [group of lanes][workgroup].
  const int64_t groups = tiling.workgroup_size / tiling.lanes_per_row;
  SmallVector<std::pair<Value, Type>> slots;
  for (Reduction &reduction : reductions)
    for (Values &parts : reduction.parts)
      for (Value part : parts) {
        int64_t bytes = part.getType().getIntOrFloatBitWidth() / 8;
        slots.emplace_back(sharedRegion(groups * size * bytes, true), part.getType());
      }
  Value mine = add(mul(group, index(size)), rank);
  // Lane k of the row writes to workgroup k.
  ifThen(less(laneOfRow, index(size)), [&] {
    size_t slot = 0;
    for (Reduction &reduction : reductions)
      for (Values &parts : reduction.parts)
        for (Value part : parts) {
          auto [base, type] = slots[slot++];
          Value there =
              hooks.inWorkgroup(b, elementPointer(base, mine, type), laneOfRow);
          LLVM::StoreOp::create(b, part, there, type.getIntOrFloatBitWidth() / 8);
        }
  });
  hooks.clusterBarrier(b);
  if (exchangeFreesStage())
    refillStage();
  Value first = mul(group, index(size));
  size_t slot = 0;
  for (Reduction &reduction : reductions)
    for (Values &parts : reduction.parts) {
      SmallVector<Values> each(size);
      for (size_t k = 0; k < parts.size(); ++k, ++slot) {
        auto [base, type] = slots[slot];
        for (int64_t w = 0; w < size; ++w)
          each[w].push_back(LLVM::LoadOp::create(
              b, type, elementPointer(base, add(first, index(w)), type),
              type.getIntOrFloatBitWidth() / 8));
      }
      parts = combineInOrder(reduction, std::move(each), tiling.lanes_per_row);
    }
  // Without a second copy in turn the next writer must wait for these reads.
  if (!parity && tiling.loop == schedule::Loop::Persistent)
    hooks.clusterBarrier(b);
}
