//===- Tile.cpp - One tile of rows ------------------------------------------===//
#include "GpuEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace normc;
using namespace normc::gpu;

/// As in Values.cpp: the key of a per-row value.
static constexpr int64_t kRow = -2;

RowSlot GpuEmitter::rowSlot(Value row, Value firstOfTile) {
  RowSlot slot;
  bool always = staticRows && *staticRows % tiling.rows_per_tile == 0;
  if (!always) {
    slot.valid = less(row, rows);
    row = minimum(row, add(rows, index(-1)));
  }
  // Row-major position of the row in the outer dimensions, last dimension first.
  SmallVector<Value> position(outerSizes.size() + 1);
  Value rest = row;
  for (size_t d = outerSizes.size(); d > 0; --d) {
    position[d] = arith::RemUIOp::create(b, rest, outerSizes[d - 1]);
    rest = arith::DivUIOp::create(b, rest, outerSizes[d - 1]);
  }
  position[0] = rest;
  slot.pointers.resize(kernel.getNumBuffers());
  for (unsigned buffer = 0; buffer < kernel.getNumBuffers(); ++buffer) {
    if (!plan::isIndexedByRow(kernel, buffer))
      continue;
    if (stages && stages->offsets.contains(buffer)) {
      Value inTile = arith::SubIOp::create(b, row, firstOfTile);
      slot.pointers[buffer] =
          elementPointer(stagePointer(stages->current, buffer),
                         mul(inTile, index(rowBytes(buffer))), b.getI8Type());
      continue;
    }
    Value offset = index(0);
    if (rowStrides[buffer])
      offset = mul(row, rowStrides[buffer]);
    for (auto [p, stride] : llvm::zip(position, outerStrides[buffer]))
      offset = add(offset, mul(p, stride));
    slot.pointers[buffer] = elementPointer(pointers[buffer], offset, elementOf(buffer));
  }
  return slot;
}

void GpuEmitter::emitTile(Value tile, Carried &carried) {
  const int64_t groups = tiling.workgroup_size / tiling.lanes_per_row;
  const int64_t perGroup = tiling.rows_per_tile / groups;
  const int64_t batch = std::min(perGroup, tiling.rows_in_flight);
  Value firstOfTile = mul(tile, index(tiling.rows_per_tile));
  Value firstRow = add(firstOfTile, group);
  for (int64_t q = 0; q < perGroup; q += batch) {
    Scope scope(known);
    SmallVector<RowSlot> slots;
    for (int64_t i = q; i < std::min(q + batch, perGroup); ++i)
      slots.push_back(rowSlot(add(firstRow, index(i * groups)), firstOfTile));
    isLastBatch = q + batch >= perGroup;
    emitBatch(slots, carried);
  }
  if (stages)
    finishStage();
}

/// Asks for the tiles of all rows before the first of them is used. Pinned behind the
/// last load, since the compiler would move each next to its use to save registers.
void GpuEmitter::issueLoads(ArrayRef<RowSlot> slots) {
  SmallVector<std::pair<Key, Value>> issued;
  auto loads = llvm::to_vector(kernel.getBodyBlock()->getOps<row::LoadOp>());
  for (row::LoadOp load : loads)
    if (row::kindOf(load.getType()) == row::Kind::Rows)
      for (size_t q = 0; q < slots.size(); ++q)
        rowOf(load, slots, q);
  // What is per row is on its way before the wait for the tile.
  if (stages && !stages->isRead)
    awaitStage();
  for (row::LoadOp load : loads)
    if (row::kindOf(load.getType()) == row::Kind::Tile)
      for (size_t q = 0; q < slots.size(); ++q)
        for (const Chunk &chunk : allChunks)
          issued.emplace_back(Key{load.getResult(), int64_t(q), chunk.id},
                              rawOf(load, slots, q, chunk));
  if (stages)
    stages->isRead = true;
  if (issued.size() > 1)
    for (auto [key, raw] : issued)
      known.insert(key, hooks.pin(b, raw));
}

void GpuEmitter::emitBatch(ArrayRef<RowSlot> slots, Carried &carried) {
  if (unrolled())
    issueLoads(slots);
  isFirstPhase = true;
  for (const row::Phase &phase : phases.getPhases()) {
    Scope scope(fragments);
    finishRows(phase, slots, carried);
    accumulate(phase, slots, carried);
    storePhase(phase, slots);
    reducePhase(phase, slots);
    isFirstPhase = false;
  }
}

void GpuEmitter::finishRows(const row::Phase &phase, ArrayRef<RowSlot> slots,
                            Carried &carried) {
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, laneOfRow, index(0));
  for (Operation *op : phase.ops) {
    if (auto store = dyn_cast<row::StoreOp>(op)) {
      if (row::kindOf(store.getValue().getType()) != row::Kind::Rows)
        continue;
      unsigned buffer = bufferIndex(store.getBuffer());
      for (size_t q = 0; q < slots.size(); ++q) {
        Value value = rowOf(store.getValue(), slots, q);
        ifThen(isFirst, [&] {
          ifThen(slots[q].valid, [&] {
            this->store(value, slots[q].pointers[buffer], elementOf(buffer), {});
          });
        });
      }
    }
    auto sum = dyn_cast<row::AccumulateOp>(op);
    if (!sum || row::kindOf(sum.getValue().getType()) != row::Kind::Rows)
      continue;
    // One lane of the row adds it.
    Value &total = carried.scalars[llvm::find(sums, sum) - sums.begin()];
    for (size_t q = 0; q < slots.size(); ++q) {
      Value value = rowOf(sum.getValue(), slots, q);
      Value zero = floatConstant(value.getType(), 0.0);
      value = arith::SelectOp::create(b, isFirst, value, zero);
      if (slots[q].valid)
        value = arith::SelectOp::create(b, slots[q].valid, value, zero);
      total = arith::AddFOp::create(b, total, value);
    }
  }
}

//===----------------------------------------------------------------------===//
// Chunks
//===----------------------------------------------------------------------===//

Chunk GpuEmitter::chunkAt(Value step, int64_t id, bool checked) {
  int64_t elems = tiling.vector_elems;
  Value lanes = add(mul(step, index(tiling.lanes_per_row)), laneOfRow);
  Chunk chunk{add(columnBegin, mul(lanes, index(elems))), {}, {}, {}, id};
  if (!checked)
    return chunk;
  if (staticCols && *staticCols >= elems) {
    chunk.own = chunk.column;
    chunk.column = minimum(chunk.column, add(columnEnd, index(-elems)));
    // A block without columns of its own stays inside the row.
    if (tiling.col_blocks > 1)
      chunk.column = arith::MaxSIOp::create(b, chunk.column, index(0));
    return chunk;
  }
  chunk.begins = less(chunk.column, columnEnd);
  if (elems > 1)
    chunk.whole = less(add(chunk.column, index(elems - 1)), columnEnd);
  return chunk;
}

void GpuEmitter::forEachChunk(Values &values,
                              llvm::function_ref<void(const Chunk &, Values &)> body) {
  if (unrolled()) {
    for (const Chunk &chunk : allChunks)
      body(chunk, values);
    return;
  }
  // Every lane of a group makes the same number of steps.
  Value width = index(tiling.lanes_per_row * tiling.vector_elems);
  Value steps = arith::CeilDivUIOp::create(
      b, arith::SubIOp::create(b, columnEnd, columnBegin).getResult(), width);
  auto loop = scf::ForOp::create(b, index(0), steps, index(1), values);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Scope scope(known), inner(fragments);
    Values next(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
    body(chunkAt(loop.getInductionVar(), 0, true), next);
    if (!next.empty())
      scf::YieldOp::create(b, next);
  }
  values.assign(loop.getResults().begin(), loop.getResults().end());
}

//===----------------------------------------------------------------------===//
// Sums, stores, reductions of a phase
//===----------------------------------------------------------------------===//

void GpuEmitter::accumulate(const row::Phase &phase, ArrayRef<RowSlot> slots,
                            Carried &carried) {
  for (Operation *op : phase.ops) {
    auto sum = dyn_cast<row::AccumulateOp>(op);
    if (!sum || row::kindOf(sum.getValue().getType()) != row::Kind::Tile)
      continue;
    unsigned number = llvm::find(sums, sum) - sums.begin();
    Values values;
    if (!isColumnSum(number))
      values.push_back(floatConstant(
          vectorOf(tiling.vector_elems, row::elementTypeOf(sum.getValue().getType())),
          0.0));
    forEachChunk(values, [&](const Chunk &chunk, Values &partial) {
      for (size_t q = 0; q < slots.size(); ++q) {
        Value term = fragmentOf(sum.getValue(), slots, q, chunk);
        Value zero = floatConstant(term.getType(), 0.0);
        if (slots[q].valid)
          term = arith::SelectOp::create(b, slots[q].valid, term, zero);
        Value &total =
            isColumnSum(number) ? carried.columns[number][chunk.id] : partial.front();
        if (!isColumnSum(number))
          term = maskedFragment(term, zero, chunk);
        total = arith::AddFOp::create(b, total, term);
      }
    });
    if (isColumnSum(number))
      continue;
    SmallVector<Value> elements;
    for (int64_t i = 0; i < tiling.vector_elems; ++i)
      elements.push_back(extract(values.front(), i));
    carried.scalars[number] =
        arith::AddFOp::create(b, carried.scalars[number], addTree(elements));
  }
}

void GpuEmitter::storePhase(const row::Phase &phase, ArrayRef<RowSlot> slots) {
  SmallVector<row::StoreOp> stores;
  for (Operation *op : phase.ops)
    if (auto store = dyn_cast<row::StoreOp>(op))
      if (row::kindOf(store.getValue().getType()) == row::Kind::Tile)
        stores.push_back(store);
  if (stores.empty())
    return;
  Values none;
  forEachChunk(none, [&](const Chunk &chunk, Values &) {
    for (size_t q = 0; q < slots.size(); ++q)
      for (row::StoreOp store : stores) {
        unsigned buffer = bufferIndex(store.getBuffer());
        storeFragment(fragmentOf(store.getValue(), slots, q, chunk),
                      slots[q].pointers[buffer], elementOf(buffer), chunk);
      }
  });
}

GpuEmitter::Values GpuEmitter::laneReduce(row::ReduceOp op, ArrayRef<RowSlot> slots,
                                          int64_t q) {
  int64_t elems = tiling.vector_elems;
  Values identities, values;
  for (Attribute attr : op.getIdentities()) {
    auto identity = cast<FloatAttr>(attr);
    auto type = vectorOf(elems, identity.getType());
    identities.push_back(
        arith::ConstantOp::create(b, DenseElementsAttr::get(type, attr)));
  }
  values = identities;
  forEachChunk(values, [&](const Chunk &chunk, Values &partial) {
    SmallVector<Value> args(partial);
    for (auto [input, identity] : llvm::zip_equal(op.getInputs(), identities))
      args.push_back(
          maskedFragment(fragmentOf(input, slots, q, chunk), identity, chunk));
    partial = inlineRegion(op.getBody(), args, elems);
  });
  SmallVector<Values> each(elems);
  for (Value value : values)
    for (int64_t i = 0; i < elems; ++i)
      each[i].push_back(extract(value, i));
  for (; each.size() > 1; each.resize(each.size() / 2))
    for (size_t i = 0; i < each.size() / 2; ++i) {
      SmallVector<Value> args(each[i]);
      llvm::append_range(args, each[i + each.size() / 2]);
      each[i] = inlineRegion(op.getBody(), args, 0);
    }
  return each.front();
}

/// Whether swapping the sides gives the same bits: each result one commutative op of a
/// left and a right argument.
static bool combinesSymmetrically(row::ReduceOp op) {
  return llvm::all_of(op.getBody().front().without_terminator(), [](Operation &inner) {
    return isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp>(
               inner) &&
           llvm::all_of(inner.getOperands(), llvm::IsaPred<BlockArgument>);
  });
}

void GpuEmitter::reducePhase(const row::Phase &phase, ArrayRef<RowSlot> slots) {
  SmallVector<Reduction> reductions;
  SmallVector<Operation *> reduced;
  for (Operation *op : phase.exchanges) {
    auto moments = dyn_cast<row::MomentsOp>(op);
    if (moments && tiling.lanes_per_row <= subgroup()) {
      subgroupMoments(moments, slots);
      continue;
    }
    Reduction reduction;
    if (auto reduce = dyn_cast<row::ReduceOp>(op)) {
      for (size_t q = 0; q < slots.size(); ++q)
        reduction.parts.push_back(laneReduce(reduce, slots, q));
      reduction.combine = [this, reduce](ArrayRef<Value> x, ArrayRef<Value> y, int64_t,
                                         int64_t) mutable {
        SmallVector<Value> args(x);
        llvm::append_range(args, y);
        return inlineRegion(reduce.getBody(), args, 0);
      };
      reduction.isSymmetric = combinesSymmetrically(reduce);
    } else {
      for (size_t q = 0; q < slots.size(); ++q)
        reduction.parts.push_back(laneMoments(moments, slots, q));
      bool isEqual = equalCount().has_value();
      reduction.isSymmetric = isEqual;
      reduction.combine = [this, isEqual](ArrayRef<Value> x, ArrayRef<Value> y,
                                          int64_t xLanes, int64_t yLanes) {
        return isEqual ? combineCountedMoments(x, y, momentsCount * xLanes,
                                               momentsCount * yLanes)
                       : combineMoments(x, y);
      };
    }
    reductions.push_back(std::move(reduction));
    reduced.push_back(op);
  }
  if (reductions.empty())
    return;
  reduceOverLanes(reductions);
  for (auto [op, reduction] : llvm::zip_equal(reduced, reductions))
    for (size_t q = 0; q < slots.size(); ++q)
      for (OpResult result : op->getResults())
        known.insert(Key{result, int64_t(q), kRow},
                     reduction.parts[q][result.getResultNumber()]);
}
