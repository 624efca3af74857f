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

RowSlot GpuEmitter::rowSlot(Value row, Value firstOfTile, int64_t number,
                            bool isStaged) {
  RowSlot slot;
  slot.number = number;
  bool always = tiling.rows_per_tile == 1 ||
                (staticRows && *staticRows % tiling.rows_per_tile == 0);
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
    const bool isInput = stages && !stages->byLane && stages->offsets.contains(buffer);
    if (isStaged && (isInput || (results && results->offsets.contains(buffer)))) {
      // Where the row's first column would be; the stage begins at the workgroup's.
      Value inTile = arith::SubIOp::create(b, row, firstOfTile);
      Value stage =
          isInput ? stagePointer(stages->current, buffer) : resultPointer(buffer);
      Value begin =
          elementPointer(stage, mul(inTile, index(rowBytes(buffer))), b.getI8Type());
      slot.pointers[buffer] =
          columnParts() == 1
              ? begin
              : elementPointer(begin, arith::SubIOp::create(b, index(0), columnBegin),
                               elementOf(buffer));
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
      slots.push_back(rowSlot(add(firstRow, index(i * groups)), firstOfTile, i));
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
    if (row::kindOf(load.getType()) == row::Kind::Tile && !staysInStage())
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
    finishRows(phase, slots, carried);
    walkColumns(phase, slots, carried);
    isFirstPhase = false;
  }
}

Value GpuEmitter::isFirstOfRow() {
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, laneOfRow, index(0));
  if (!rank)
    return isFirst;
  return arith::AndIOp::create(
      b, isFirst, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rank, index(0)));
}

void GpuEmitter::finishRows(const row::Phase &phase, ArrayRef<RowSlot> slots,
                            Carried &carried) {
  Value isFirst = isFirstOfRow();
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
    if (columnParts() != 1)
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
    for (const Chunk &chunk : allChunks) {
      Scope scope(fragments);
      body(chunk, values);
    }
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

/// What one walk over the columns does, and where its running values lie: sums to a
/// scalar first, one each, then for each reduce [row slot][operand].
struct GpuEmitter::Walk {
  SmallVector<unsigned> columnSums, scalarSums;
  SmallVector<row::StoreOp> stores;
  SmallVector<row::ReduceOp> reduces;
  SmallVector<size_t> reduceBase;
  Values values;

  bool isEmpty() const {
    return columnSums.empty() && scalarSums.empty() && stores.empty() &&
           reduces.empty();
  }
};

GpuEmitter::Walk GpuEmitter::walkOf(const row::Phase &phase, size_t slotCount) {
  Walk walk;
  auto isTile = [](Value value) {
    return row::kindOf(value.getType()) == row::Kind::Tile;
  };
  for (Operation *op : phase.ops) {
    if (auto store = dyn_cast<row::StoreOp>(op))
      if (isTile(store.getValue()))
        walk.stores.push_back(store);
    if (auto reduce = dyn_cast<row::ReduceOp>(op))
      walk.reduces.push_back(reduce);
    auto sum = dyn_cast<row::AccumulateOp>(op);
    if (!sum || !isTile(sum.getValue()))
      continue;
    unsigned number = llvm::find(sums, sum) - sums.begin();
    (isColumnSum(number) ? walk.columnSums : walk.scalarSums).push_back(number);
  }
  const int64_t elems = tiling.vector_elems;
  for (unsigned sum : walk.scalarSums) {
    Type element = row::elementTypeOf(sums[sum].getValue().getType());
    walk.values.push_back(floatConstant(vectorOf(elems, element), 0.0));
  }
  for (row::ReduceOp op : walk.reduces) {
    walk.reduceBase.push_back(walk.values.size());
    for (size_t q = 0; q < slotCount; ++q)
      for (Attribute identity : op.getIdentities()) {
        auto type = vectorOf(elems, cast<FloatAttr>(identity).getType());
        walk.values.push_back(
            arith::ConstantOp::create(b, DenseElementsAttr::get(type, identity)));
      }
  }
  return walk;
}

void GpuEmitter::sumChunk(const Walk &walk, ArrayRef<RowSlot> slots, const Chunk &chunk,
                          Values &values, Carried &carried) {
  SmallVector<Value *> totals;
  for (unsigned sum : walk.columnSums)
    totals.push_back(&carried.columns[sum][chunk.id]);
  for (size_t i = 0; i < walk.scalarSums.size(); ++i)
    totals.push_back(&values[i]);
  if (totals.empty())
    return;
  auto addRow = [&](size_t q) {
    size_t next = 0;
    for (unsigned sum : walk.columnSums) {
      Value &total = *totals[next++];
      total = addTo(total, fragmentOf(sums[sum].getValue(), slots, q, chunk));
    }
    for (unsigned sum : walk.scalarSums) {
      Value term = fragmentOf(sums[sum].getValue(), slots, q, chunk);
      Value zero = floatConstant(term.getType(), 0.0);
      Value &total = *totals[next++];
      total = addTo(total, maskedFragment(term, zero, chunk));
    }
  };
  for (size_t q = 0; q < slots.size(); ++q) {
    // Where copies bring the rows, a select after each sum: a branch around them would
    // keep what it adds from the stores, and all rows' terms in registers.
    if (!slots[q].valid || stages) {
      Values before;
      for (Value *total : totals)
        before.push_back(*total);
      addRow(q);
      for (auto [total, old] : llvm::zip_equal(totals, before)) {
        if (slots[q].valid)
          *total = arith::SelectOp::create(b, slots[q].valid, *total, old);
        // Here and not behind the next barrier, where LLVM would sink the sums to: that
        // keeps all of their terms in registers up to there.
        *total = hooks.pin(b, *total);
      }
      continue;
    }
    // One branch, the same way for all lanes of a row, in place of a select an element.
    Values before;
    for (Value *total : totals)
      before.push_back(*total);
    auto branch =
        scf::IfOp::create(b, ValueRange(before).getTypes(), slots[q].valid, true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, before);
    b.setInsertionPointToStart(branch.thenBlock());
    {
      Scope outer(known), inner(fragments);
      addRow(q);
    }
    Values after;
    for (Value *total : totals)
      after.push_back(*total);
    scf::YieldOp::create(b, after);
    for (auto [total, result] : llvm::zip_equal(totals, branch.getResults()))
      *total = result;
  }
}

void GpuEmitter::reduceChunk(const Walk &walk, ArrayRef<RowSlot> slots,
                             const Chunk &chunk, Values &values) {
  for (auto [op, base] : llvm::zip_equal(walk.reduces, walk.reduceBase)) {
    row::ReduceOp reduce = op;
    const size_t operands = reduce.getInputs().size();
    for (size_t q = 0; q < slots.size(); ++q) {
      auto running = MutableArrayRef(values).slice(base + q * operands, operands);
      SmallVector<Value> args(running.begin(), running.end());
      for (auto [k, input] : llvm::enumerate(reduce.getInputs())) {
        auto identity = cast<FloatAttr>(reduce.getIdentities()[k]);
        Value value = fragmentOf(input, slots, q, chunk);
        Value neutral = arith::ConstantOp::create(
            b, DenseElementsAttr::get(cast<VectorType>(value.getType()),
                                      Attribute(identity)));
        args.push_back(maskedFragment(value, neutral, chunk));
      }
      SmallVector<Value> next =
          inlineRegion(reduce.getBody(), args, tiling.vector_elems);
      for (auto [into, value] : llvm::zip_equal(running, next))
        into = fuseProduct(value);
    }
  }
}

/// What is left in a stage is written once, by the lane that owns it: another may have
/// to read there still what was copied.
void GpuEmitter::storeChunk(row::StoreOp store, ArrayRef<RowSlot> slots, size_t q,
                            const Chunk &chunk) {
  unsigned buffer = bufferIndex(store.getBuffer());
  Value value = fragmentOf(store.getValue(), slots, q, chunk);
  Value owns, valid;
  if (results && results->offsets.contains(buffer)) {
    valid = slots[q].valid;
    if (chunk.own)
      owns =
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, chunk.column, chunk.own);
  }
  ifThen(valid, [&] {
    ifThen(owns, [&] {
      storeFragment(value, slots[q].pointers[buffer], elementOf(buffer), chunk);
    });
  });
}

/// One chunk after the other, everything that a chunk takes part in: only its fragments
/// are wide at a time.
void GpuEmitter::walkColumns(const row::Phase &phase, ArrayRef<RowSlot> slots,
                             Carried &carried) {
  Walk walk = walkOf(phase, slots.size());
  if (!walk.isEmpty())
    forEachChunk(walk.values, [&](const Chunk &chunk, Values &values) {
      reduceChunk(walk, slots, chunk, values);
      sumChunk(walk, slots, chunk, values, carried);
      for (row::StoreOp store : walk.stores)
        for (size_t q = 0; q < slots.size(); ++q)
          storeChunk(store, slots, q, chunk);
    });
  for (auto [i, sum] : llvm::enumerate(walk.scalarSums)) {
    SmallVector<Value> elements;
    for (int64_t k = 0; k < tiling.vector_elems; ++k)
      elements.push_back(extract(walk.values[i], k));
    carried.scalars[sum] =
        hooks.pin(b, arith::AddFOp::create(b, carried.scalars[sum], addTree(elements)));
  }
  reducePhase(phase, walk, slots);
}

/// The lane's own part of a reduce: the elements of its running vectors, in a tree.
GpuEmitter::Values GpuEmitter::reduceElements(row::ReduceOp op,
                                              ArrayRef<Value> running) {
  SmallVector<Values> each(tiling.vector_elems);
  for (Value value : running)
    for (int64_t i = 0; i < tiling.vector_elems; ++i)
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

void GpuEmitter::reducePhase(const row::Phase &phase, const Walk &walk,
                             ArrayRef<RowSlot> slots) {
  SmallVector<Reduction> reductions;
  SmallVector<Operation *> reduced;
  for (Operation *op : phase.exchanges) {
    auto moments = dyn_cast<row::MomentsOp>(op);
    if (moments && tiling.lanes_per_row <= subgroup() && !rank) {
      subgroupMoments(moments, slots);
      continue;
    }
    Reduction reduction;
    if (auto reduce = dyn_cast<row::ReduceOp>(op)) {
      const size_t operands = reduce.getInputs().size();
      size_t base =
          walk.reduceBase[llvm::find(walk.reduces, reduce) - walk.reduces.begin()];
      for (size_t q = 0; q < slots.size(); ++q)
        reduction.parts.push_back(reduceElements(
            reduce, ArrayRef(walk.values).slice(base + q * operands, operands)));
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
  if (skew) {
    skew->reductions = std::move(reductions);
    skew->reduced = std::move(reduced);
    return;
  }
  for (auto [op, reduction] : llvm::zip_equal(reduced, reductions))
    for (size_t q = 0; q < slots.size(); ++q)
      for (OpResult result : op->getResults())
        known.insert(Key{result, int64_t(q), kRow},
                     reduction.parts[q][result.getResultNumber()]);
}
