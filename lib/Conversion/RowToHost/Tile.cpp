//===- Tile.cpp - The passes over one tile ----------------------------------===//
#include "HostEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace normc;
using namespace normc::host;

/// Chunk of the first column alone, from which moments are taken.
static constexpr int64_t kFirstColumn = -100;

RowGroup HostEmitter::rowGroup(Value row, int64_t rowCount) {
  RowGroup group{rowCount, {}};
  group.pointers.resize(kernel.getNumBuffers());
  for (int64_t i = 0; i < rowCount; ++i) {
    Value r = i ? add(row, index(i)) : row;
    // Row-major position of row r in the outer dimensions, last dimension first.
    SmallVector<Value> position(outerSizes.size() + 1);
    Value rest = r;
    if (!collapsed) {
      for (size_t d = outerSizes.size(); d > 0; --d) {
        position[d] = arith::RemSIOp::create(b, rest, outerSizes[d - 1]);
        rest = arith::DivSIOp::create(b, rest, outerSizes[d - 1]);
      }
      position[0] = rest;
    }
    for (unsigned buffer = 0; buffer < kernel.getNumBuffers(); ++buffer) {
      if (!plan::isIndexedByRow(kernel, buffer))
        continue;
      Value offset = index(0);
      if (collapsed && rowStrides[buffer])
        offset = mul(r, rowStrides[buffer]);
      else
        for (auto [p, stride] : llvm::zip(position, outerStrides[buffer]))
          offset = add(offset, mul(p, stride));
      group.pointers[buffer].push_back(
          elementPointer(pointers[buffer], offset, elementOf(buffer)));
    }
  }
  return group;
}

void HostEmitter::emitTile(Value row, int64_t rowCount, Carried &carried) {
  llvm::ScopedHashTable<Key, Value>::ScopeTy scope(known);
  RowGroup group = rowGroup(row, rowCount);
  for (const ColumnPass &pass : passes.get()) {
    finishRows(pass, group, carried);
    if (!pass.walksColumns())
      continue;
    PassState state = initialState(pass, group);
    if (unrolled()) {
      emitChunks(pass, group, allChunks, state, carried);
    } else {
      broadcastRows(group);
      emitStreamed(pass, group, state, carried);
    }
    finishPass(pass, group, state, carried);
  }
}

void HostEmitter::finishRows(const ColumnPass &pass, const RowGroup &group,
                             Carried &carried) {
  for (row::StoreOp op : pass.rowStores) {
    unsigned buffer = bufferIndex(op.getBuffer());
    Value values = rowsOf(op.getValue(), group);
    for (int64_t i = 0; i < group.rows; ++i)
      store(extract(values, i), group.pointers[buffer][i], elementOf(buffer), {});
  }
  for (unsigned sum : pass.rowSums) {
    Value total = sumLanes(rowsOf(passes.sums[sum].getValue(), group));
    carried.scalars[sum] = arith::AddFOp::create(b, carried.scalars[sum], total);
  }
}

//===----------------------------------------------------------------------===//
// Chunks
//===----------------------------------------------------------------------===//

Value HostEmitter::maskAt(Value column, Value end) {
  int64_t lanes = chunkWidth();
  Type narrow = b.getI32Type();
  Value left = minimum(arith::SubIOp::create(b, end, column), index(lanes));
  Value count = arith::TruncIOp::create(b, narrow, left);
  auto steps = llvm::to_vector(llvm::seq<int32_t>(0, lanes));
  Value step = arith::ConstantOp::create(b, b.getI32VectorAttr(steps));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, step, splat(count, lanes));
}

SmallVector<Chunk> HostEmitter::staticChunks(int64_t begin, int64_t end) {
  SmallVector<Chunk> chunks;
  int64_t width = chunkWidth();
  for (int64_t column = begin; column < end; column += width) {
    Value mask;
    if (column + width > end) {
      SmallVector<bool> inside(width, false);
      std::fill_n(inside.begin(), end - column, true);
      mask = arith::ConstantOp::create(b, b.getBoolVectorAttr(inside));
    }
    chunks.push_back({index(column), width, mask, column});
  }
  return chunks;
}

void HostEmitter::emitChunks(const ColumnPass &pass, const RowGroup &group,
                             ArrayRef<Chunk> chunks, PassState &state,
                             Carried &carried) {
  // Past the caches a line leaves once it is whole: row by row then, except where the
  // columns' sums want all rows of a chunk at once.
  bool byRow = pastCaches && pass.sums.empty();
  for (auto [k, chunk] : llvm::enumerate(chunks)) {
    int64_t u = k % state.accumulators;
    reduceChunk(pass, group, chunk, u, state);
    momentsChunk(pass, group, chunk, u, state);
    accumulateChunk(pass, group, chunk, u, state, carried);
    for (int64_t i = 0; !byRow && i < fragmentsOf(group.rows); ++i)
      storeChunk(pass, group, i, chunk);
  }
  for (int64_t i = 0; byRow && i < fragmentsOf(group.rows); ++i)
    for (const Chunk &chunk : chunks)
      storeChunk(pass, group, i, chunk);
}

void HostEmitter::emitStreamed(const ColumnPass &pass, const RowGroup &group,
                               PassState &state, Carried &carried) {
  int64_t width = chunkWidth(), step = width * state.accumulators;
  Value whole = staticCols
                    ? index(*staticCols / step * step)
                    : mul(arith::DivUIOp::create(b, cols, index(step)), index(step));
  if (!staticCols || *staticCols >= step)
    chunkLoop(index(0), whole, step, state, [&](Value column) {
      SmallVector<Chunk> chunks;
      for (int64_t u = 0; u < state.accumulators; ++u) {
        Value at = u ? add(column, index(u * width)) : column;
        chunks.push_back({at, width, Value(), u});
      }
      emitChunks(pass, group, chunks, state, carried);
    });
  if (staticCols) {
    llvm::ScopedHashTable<Key, Value>::ScopeTy scope(known);
    auto tail = staticChunks(*staticCols / step * step, *staticCols);
    emitChunks(pass, group, tail, state, carried);
    return;
  }
  // Masked accesses take many instructions where a processor has none: what is left is
  // a loop over single chunks. Each goes to the accumulator that is ahead, which then
  // goes behind the others: after a turn for each they stand as they did.
  Value isCut = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, whole, cols);
  Value end = arith::SelectOp::create(b, isCut, add(whole, index(step)), whole);
  chunkLoop(whole, end, width, state, [&](Value column) {
    emitWhere(arith::CmpIOp::create(b, arith::CmpIPredicate::slt, column, cols), state,
              [&] {
                emitChunks(pass, group, Chunk{column, width, maskAt(column, cols), 0},
                           state, carried);
              });
    for (size_t at = 0; at < state.values.size(); at += state.accumulators) {
      auto first = state.values.begin() + at;
      std::rotate(first, first + 1, first + state.accumulators);
    }
  });
}

void HostEmitter::emitWhere(Value condition, PassState &state,
                            llvm::function_ref<void()> body) {
  llvm::ScopedHashTable<Key, Value>::ScopeTy scope(known);
  auto branch = scf::IfOp::create(b, ValueRange(state.values).getTypes(), condition,
                                  /*withElseRegion=*/!state.values.empty());
  OpBuilder::InsertionGuard guard(b);
  if (!state.values.empty()) {
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, state.values);
  }
  b.setInsertionPointToStart(branch.thenBlock());
  body();
  if (!state.values.empty())
    scf::YieldOp::create(b, state.values);
  state.values.assign(branch.getResults().begin(), branch.getResults().end());
}

void HostEmitter::chunkLoop(Value begin, Value end, int64_t step, PassState &state,
                            llvm::function_ref<void(Value)> body) {
  llvm::ScopedHashTable<Key, Value>::ScopeTy scope(known);
  auto loop = scf::ForOp::create(b, begin, end, index(step), state.values);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  state.values.assign(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end());
  body(loop.getInductionVar());
  if (!state.values.empty())
    scf::YieldOp::create(b, state.values);
  state.values.assign(loop.getResults().begin(), loop.getResults().end());
}

//===----------------------------------------------------------------------===//
// Work on a chunk
//===----------------------------------------------------------------------===//

HostEmitter::PassState HostEmitter::initialState(const ColumnPass &pass,
                                                 const RowGroup &group) {
  PassState state;
  state.fragments = fragmentsOf(group.rows);
  state.accumulators = alongColumns() ? tiling.vectors_in_flight : 1;
  int64_t lanes = lanesOf(group.rows);
  for (row::ReduceOp op : pass.reduces) {
    state.reduceBase.push_back(state.values.size());
    for (Attribute identity : op.getIdentities()) {
      auto attr = cast<FloatAttr>(identity);
      auto splat = DenseElementsAttr::get(vectorOf(lanes, attr.getType()), identity);
      Value vector = arith::ConstantOp::create(b, splat);
      state.values.append(state.fragments * state.accumulators, vector);
    }
  }
  auto zero = [&](Type type) {
    return floatConstant(vectorOf(lanes, row::elementTypeOf(type)), 0.0);
  };
  for (const MomentsStep &step : pass.moments) {
    if (!step.second)
      momentsCenter[step.op] = firstOfRow(step.op, group);
    state.momentsBase.push_back(state.values.size());
    Value vector = zero(row::MomentsOp(step.op).getValue().getType());
    state.values.append(state.fragments * state.accumulators, vector);
  }
  for (unsigned sum : pass.sums) {
    state.sumBase.push_back(state.values.size());
    if (!isColumnSum(sum))
      state.values.append(state.accumulators,
                          zero(passes.sums[sum].getValue().getType()));
  }
  return state;
}

void HostEmitter::reduceChunk(const ColumnPass &pass, const RowGroup &group,
                              const Chunk &chunk, int64_t u, PassState &state) {
  for (auto [op, base] : llvm::zip_equal(pass.reduces, state.reduceBase)) {
    row::ReduceOp reduce = op;
    int64_t lanes = lanesOf(group.rows);
    for (int64_t i = 0; i < state.fragments; ++i) {
      SmallVector<Value> args, next;
      for (size_t k = 0; k < reduce.getInputs().size(); ++k)
        args.push_back(state.values[state.at(base, k, i, u)]);
      for (auto [k, input] : llvm::enumerate(reduce.getInputs())) {
        Value value = fragmentOf(input, group, i, chunk);
        if (chunk.mask) {
          auto identity = cast<FloatAttr>(reduce.getIdentities()[k]);
          auto type = vectorOf(lanes, identity.getType());
          Value none = arith::ConstantOp::create(
              b, DenseElementsAttr::get(type, Attribute(identity)));
          value = arith::SelectOp::create(b, chunk.mask, value, none);
        }
        args.push_back(value);
      }
      next = inlineRegion(reduce.getBody(), args, lanes);
      for (auto [k, value] : llvm::enumerate(next))
        state.values[state.at(base, k, i, u)] = fuseProduct(value);
    }
  }
}

/// x0: the first value of each row, a vector over the rows; 0 for one that is infinite
/// or NaN, from which infinite elements would have no distance.
Value HostEmitter::firstOfRow(row::MomentsOp op, const RowGroup &group) {
  Chunk chunk{index(0), 1, {}, kFirstColumn};
  Value first;
  if (alongColumns()) {
    SmallVector<Value> values;
    for (int64_t i = 0; i < group.rows; ++i)
      values.push_back(extract(fragmentOf(op.getValue(), group, i, chunk), 0));
    first = gather(values);
  } else {
    first = fragmentOf(op.getValue(), group, 0, chunk);
  }
  Value infinity =
      floatConstant(first.getType(), std::numeric_limits<double>::infinity());
  Value isFinite = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT,
                                         math::AbsFOp::create(b, first), infinity);
  return arith::SelectOp::create(b, isFinite, first,
                                 floatConstant(first.getType(), 0.0));
}

void HostEmitter::momentsChunk(const ColumnPass &pass, const RowGroup &group,
                               const Chunk &chunk, int64_t u, PassState &state) {
  for (auto [step, base] : llvm::zip_equal(pass.moments, state.momentsBase)) {
    row::MomentsOp op = step.op;
    Value center = momentsCenter.lookup(op);
    for (int64_t i = 0; i < state.fragments; ++i) {
      Value &sum = state.values[state.at(base, 0, i, u)];
      Value value = fragmentOf(op.getValue(), group, i, chunk);
      Value at = alongColumns() ? splat(extract(center, i), chunk.width) : center;
      Value distance = arith::SubFOp::create(b, value, at);
      if (step.second) {
        Value shift = momentsShift.lookup(op);
        shift = alongColumns() ? splat(extract(shift, i), chunk.width) : shift;
        distance = arith::SubFOp::create(b, distance, shift);
      }
      if (chunk.mask)
        distance = arith::SelectOp::create(b, chunk.mask, distance,
                                           floatConstant(distance.getType(), 0.0));
      if (step.second)
        sum = math::FmaOp::create(b, distance, distance, sum);
      else
        sum = arith::AddFOp::create(b, sum, distance);
    }
  }
}

void HostEmitter::accumulateChunk(const ColumnPass &pass, const RowGroup &group,
                                  const Chunk &chunk, int64_t u, PassState &state,
                                  Carried &carried) {
  for (auto [index, base] : llvm::zip_equal(pass.sums, state.sumBase)) {
    Value tile = passes.sums[index].getValue();
    SmallVector<Value> terms;
    for (int64_t i = 0; i < state.fragments; ++i)
      terms.push_back(fragmentOf(tile, group, i, chunk));
    Value term = addTree(terms);
    if (!isColumnSum(index)) {
      if (chunk.mask)
        term = arith::SelectOp::create(b, chunk.mask, term,
                                       floatConstant(term.getType(), 0.0));
      Value &sum = state.values[state.at(base, 0, 0, u)];
      sum = arith::AddFOp::create(b, sum, term);
      continue;
    }
    if (unrolled()) {
      Value &sum = carried.columns[index][chunk.id / chunkWidth()];
      sum = arith::AddFOp::create(b, sum, term);
      continue;
    }
    auto [pointer, element] = sumTargets[index];
    Value address = elementPointer(pointer, chunk.column, element);
    Value sum = load(address, element, chunk.width, chunk.mask, element);
    store(arith::AddFOp::create(b, sum, term), address, element, chunk.mask);
  }
}

void HostEmitter::storeChunk(const ColumnPass &pass, const RowGroup &group, int64_t i,
                             const Chunk &chunk) {
  for (row::StoreOp op : pass.stores) {
    unsigned buffer = bufferIndex(op.getBuffer());
    Type element = elementOf(buffer);
    Value value = fragmentOf(op.getValue(), group, i, chunk);
    if (alongColumns()) {
      Value pointer = elementPointer(group.pointers[buffer][i], chunk.column, element);
      if (pastCaches && !chunk.mask)
        storePastCaches(value, pointer, element);
      else
        store(value, pointer, element, chunk.mask);
      continue;
    }
    Value rounded = convert(value, element);
    for (int64_t lane = 0; lane < group.rows; ++lane)
      store(extract(rounded, lane),
            elementPointer(group.pointers[buffer][lane], chunk.column, element),
            element, {});
  }
}

//===----------------------------------------------------------------------===//
// The end of a pass
//===----------------------------------------------------------------------===//

void HostEmitter::finishReduce(row::ReduceOp op, size_t base, const PassState &state,
                               const RowGroup &group) {
  size_t operands = op.getInputs().size();
  auto combine = [&](ArrayRef<Value> x, ArrayRef<Value> y) {
    SmallVector<Value> args(x);
    args.append(y.begin(), y.end());
    int64_t lanes = cast<VectorType>(x.front().getType()).getNumElements();
    return inlineRegion(op.getBody(), args, lanes);
  };
  SmallVector<SmallVector<Value>> rowValues;
  for (int64_t i = 0; i < state.fragments; ++i) {
    SmallVector<SmallVector<Value>> parts;
    for (int64_t u = 0; u < state.accumulators; ++u) {
      parts.emplace_back();
      for (size_t k = 0; k < operands; ++k)
        parts.back().push_back(state.values[state.at(base, k, i, u)]);
    }
    while (parts.size() > 1) {
      SmallVector<SmallVector<Value>> merged;
      for (size_t u = 0; u + 1 < parts.size(); u += 2)
        merged.push_back(combine(parts[u], parts[u + 1]));
      if (parts.size() % 2)
        merged.push_back(parts.back());
      parts = std::move(merged);
    }
    rowValues.push_back(parts.front());
  }
  SmallVector<Value> results =
      alongColumns() ? reduceLanes(rowValues, combine) : rowValues.front();
  for (auto [result, value] : llvm::zip_equal(op.getResults(), results))
    setRows(result, value);
}

void HostEmitter::finishMoments(const MomentsStep &step, size_t base,
                                const PassState &state, const RowGroup &group) {
  row::MomentsOp op = step.op;
  SmallVector<SmallVector<Value>> rowValues;
  for (int64_t i = 0; i < state.fragments; ++i) {
    SmallVector<Value> parts;
    for (int64_t u = 0; u < state.accumulators; ++u)
      parts.push_back(state.values[state.at(base, 0, i, u)]);
    rowValues.push_back({addTree(parts)});
  }
  auto addition = [&](ArrayRef<Value> x, ArrayRef<Value> y) {
    return SmallVector<Value>{arith::AddFOp::create(b, x[0], y[0])};
  };
  Value sum = alongColumns() ? reduceLanes(rowValues, addition).front()
                             : rowValues.front().front();
  if (step.second) {
    setRows(op.getM2(), sum);
    return;
  }
  Value count = arith::SIToFPOp::create(b, getElementTypeOrSelf(sum.getType()), cols);
  Value shift = arith::DivFOp::create(b, sum, splat(count, group.rows));
  momentsShift[op] = shift;
  setRows(op.getMean(), arith::AddFOp::create(b, momentsCenter.lookup(op), shift));
}

void HostEmitter::finishPass(const ColumnPass &pass, const RowGroup &group,
                             PassState &state, Carried &carried) {
  for (auto [op, base] : llvm::zip_equal(pass.reduces, state.reduceBase))
    finishReduce(op, base, state, group);
  for (auto [step, base] : llvm::zip_equal(pass.moments, state.momentsBase))
    finishMoments(step, base, state, group);
  for (auto [index, base] : llvm::zip_equal(pass.sums, state.sumBase)) {
    if (isColumnSum(index))
      continue;
    SmallVector<Value> parts;
    for (int64_t u = 0; u < state.accumulators; ++u)
      parts.push_back(state.values[state.at(base, 0, 0, u)]);
    carried.scalars[index] =
        arith::AddFOp::create(b, carried.scalars[index], addTree(parts));
  }
}
