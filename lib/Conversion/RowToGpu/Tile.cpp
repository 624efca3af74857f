//===- Tile.cpp - One tile of rows ------------------------------------------===//
#include "GpuEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace normc;
using namespace normc::gpu;

RowSlot GpuEmitter::rowSlot(Value row) {
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
  Value firstRow = add(mul(tile, index(tiling.rows_per_tile)), group);
  for (int64_t q = 0; q < perGroup; q += batch) {
    Scope scope(known);
    SmallVector<RowSlot> slots;
    for (int64_t i = q; i < std::min(q + batch, perGroup); ++i)
      slots.push_back(rowSlot(add(firstRow, index(i * groups))));
    emitBatch(slots, carried);
  }
}

void GpuEmitter::emitBatch(ArrayRef<RowSlot> slots, Carried &carried) {
  // The tiles of all rows are asked for before the first of them is used.
  if (unrolled())
    for (auto load : kernel.getBodyBlock()->getOps<row::LoadOp>())
      for (size_t q = 0; q < slots.size(); ++q) {
        if (row::kindOf(load.getType()) == row::Kind::Rows)
          rowOf(load, slots, q);
        if (row::kindOf(load.getType()) == row::Kind::Tile)
          for (const Chunk &chunk : allChunks)
            fragmentOf(load, slots, q, chunk);
      }
  for (const row::Phase &phase : phases.getPhases()) {
    finishRows(phase, slots, carried);
    accumulate(phase, slots, carried);
    storePhase(phase, slots);
    reducePhase(phase, slots);
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
  Chunk chunk{add(columnBegin, mul(lanes, index(elems))), {}, {}, id};
  if (!checked)
    return chunk;
  chunk.begins = less(chunk.column, columnEnd);
  bool isCut = !staticCols || *staticCols % elems != 0;
  if (isCut && elems > 1)
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
    Scope scope(known);
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
                      slots[q].pointers[buffer], elementOf(buffer), chunk,
                      slots[q].valid);
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

/// How many of the row's columns this lane has, as a float.
Value GpuEmitter::laneCount() {
  int64_t elems = tiling.vector_elems;
  if (!unrolled() ||
      llvm::any_of(allChunks, [](const Chunk &c) { return c.begins || c.whole; })) {
    // Columns l*V.. of every lanes*V: whole steps, and what the last one leaves.
    Value width = arith::SubIOp::create(b, columnEnd, columnBegin);
    Value step = index(tiling.lanes_per_row * elems);
    Value steps = arith::DivUIOp::create(b, width, step);
    Value rest = arith::SubIOp::create(b, arith::RemUIOp::create(b, width, step),
                                       mul(laneOfRow, index(elems)));
    rest = minimum(arith::MaxSIOp::create(b, rest, index(0)), index(elems));
    return arith::SIToFPOp::create(b, b.getF32Type(),
                                   add(mul(steps, index(elems)), rest));
  }
  return floatConstant(b.getF32Type(), double(allChunks.size() * elems));
}

/// The mean of the lane's columns and the sum of squares around it, then their count.
/// The mean is corrected by the mean of what is left, so that equal values have exactly
/// that mean.
GpuEmitter::Values GpuEmitter::laneMoments(row::MomentsOp op, ArrayRef<RowSlot> slots,
                                           int64_t q) {
  Type type = row::elementTypeOf(op.getValue().getType());
  int64_t elems = tiling.vector_elems;
  Value zero = floatConstant(vectorOf(elems, type), 0.0);
  auto total = [&](Value vector) {
    SmallVector<Value> elements;
    for (int64_t i = 0; i < elems; ++i)
      elements.push_back(extract(vector, i));
    return addTree(elements);
  };
  Value count = convert(laneCount(), type);
  Value one = floatConstant(type, 1.0);
  // A lane without a column divides nothing by one.
  Value divisor = arith::MaximumFOp::create(b, count, one);
  Values sum{zero};
  forEachChunk(sum, [&](const Chunk &chunk, Values &partial) {
    Value term =
        maskedFragment(fragmentOf(op.getValue(), slots, q, chunk), zero, chunk);
    partial.front() = arith::AddFOp::create(b, partial.front(), term);
  });
  Value mean = arith::DivFOp::create(b, total(sum.front()), divisor);
  Values around{zero, zero};
  forEachChunk(around, [&](const Chunk &chunk, Values &partial) {
    Value distance = arith::SubFOp::create(
        b, fragmentOf(op.getValue(), slots, q, chunk), splat(mean, elems));
    distance = maskedFragment(distance, zero, chunk);
    partial[0] = arith::AddFOp::create(b, partial[0], distance);
    partial[1] = math::FmaOp::create(b, distance, distance, partial[1]);
  });
  Value left = total(around[0]);
  Value shift = arith::DivFOp::create(b, left, divisor);
  Value m2 = arith::SubFOp::create(b, total(around[1]),
                                   arith::MulFOp::create(b, left, shift).getResult());
  return {arith::AddFOp::create(b, mean, shift),
          arith::MaximumFOp::create(b, m2, floatConstant(type, 0.0)), count};
}

/// Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing
/// sample variances", 1979, eq. 2.1. A side without elements leaves the other as it is.
GpuEmitter::Values GpuEmitter::combineMoments(ArrayRef<Value> x, ArrayRef<Value> y) {
  Value count = arith::AddFOp::create(b, x[2], y[2]);
  Value one = floatConstant(count.getType(), 1.0);
  Value divisor = arith::MaximumFOp::create(b, count, one);
  Value share = arith::DivFOp::create(b, y[2], divisor);
  Value delta = arith::SubFOp::create(b, y[0], x[0]);
  Value shift = arith::MulFOp::create(b, delta, share);
  Value mean = arith::AddFOp::create(b, x[0], shift);
  Value between =
      arith::MulFOp::create(b, arith::MulFOp::create(b, delta, shift), x[2]);
  Value m2 = arith::AddFOp::create(b, arith::AddFOp::create(b, x[1], y[1]).getResult(),
                                   between);
  auto isEmpty = [&](Value n) -> Value {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, n,
                                 floatConstant(n.getType(), 0.0));
  };
  auto pick = [&](Value merged, Value left, Value right) -> Value {
    Value some = arith::SelectOp::create(b, isEmpty(x[2]), right, merged);
    return arith::SelectOp::create(b, isEmpty(y[2]), left, some);
  };
  return {pick(mean, x[0], y[0]), pick(m2, x[1], y[1]), count};
}

void GpuEmitter::reducePhase(const row::Phase &phase, ArrayRef<RowSlot> slots) {
  SmallVector<Reduction> reductions;
  for (Operation *op : phase.exchanges) {
    Reduction reduction;
    if (auto reduce = dyn_cast<row::ReduceOp>(op)) {
      for (size_t q = 0; q < slots.size(); ++q)
        reduction.parts.push_back(laneReduce(reduce, slots, q));
      reduction.combine = [this, reduce](ArrayRef<Value> x, ArrayRef<Value> y) mutable {
        SmallVector<Value> args(x);
        llvm::append_range(args, y);
        return inlineRegion(reduce.getBody(), args, 0);
      };
    } else {
      for (size_t q = 0; q < slots.size(); ++q)
        reduction.parts.push_back(laneMoments(cast<row::MomentsOp>(op), slots, q));
      reduction.combine = [this](ArrayRef<Value> x, ArrayRef<Value> y) {
        return combineMoments(x, y);
      };
    }
    reductions.push_back(std::move(reduction));
  }
  if (reductions.empty())
    return;
  reduceOverLanes(reductions);
  for (auto [op, reduction] : llvm::zip_equal(phase.exchanges, reductions))
    for (size_t q = 0; q < slots.size(); ++q)
      for (OpResult result : op->getResults())
        known.insert(Key{result, int64_t(q), -2},
                     reduction.parts[q][result.getResultNumber()]);
}
