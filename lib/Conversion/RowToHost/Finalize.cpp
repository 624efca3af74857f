//===- Finalize.cpp - Adds partials down the columns ------------------------===//
//
// rows_per_tile partials are added side by side, each chain a rows_per_tile-th of them
// long, for vectors_in_flight vectors of columns at a time.
//
//===----------------------------------------------------------------------===//
#include "HostEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace normc;
using namespace normc::host;

Value HostEmitter::partialWidth(int64_t colsSlots, int64_t scalarSlots, Type element) {
  int64_t align = 16 / (element.getIntOrFloatBitWidth() / 8);
  Value width = add(mul(index(colsSlots), cols), index(scalarSlots + align - 1));
  return mul(arith::DivUIOp::create(b, width, index(align)), index(align));
}

void HostEmitter::emitFinalize(Value workgroup) {
  for (Operation &op : *kernel.getBodyBlock()) {
    auto finalize = cast<row::FinalizeOp>(op);
    if (finalize.getTo() == row::Sum::cols)
      finalizeColumns(finalize, workgroup);
    else
      finalizeScalar(finalize, workgroup);
  }
}

/// Scalar segments of the partials that this kernel finalizes.
static int64_t countScalarSlots(row::KernelOp kernel) {
  int64_t count = 0;
  for (auto op : kernel.getBodyBlock()->getOps<row::FinalizeOp>())
    if (op.getTo() == row::Sum::scalar)
      count = std::max<int64_t>(count, op.getSlot() + 1);
  return count;
}

SmallVector<Value> HostEmitter::addPartials(ArrayRef<Value> bases, Value width,
                                            Type element, int64_t lanes,
                                            ArrayRef<Value> masks) {
  const int64_t chains = tiling.rows_per_tile;
  auto loadAt = [&](size_t v, Value partial) {
    Value mask = masks.empty() ? Value() : masks[v];
    Value pointer = elementPointer(bases[v], mul(partial, width), element);
    return load(pointer, element, lanes, mask, element);
  };
  auto addTo = [&](SmallVector<Value> &sums, int64_t chain, Value partial) {
    for (size_t v = 0; v < bases.size(); ++v) {
      Value &sum = sums[v * chains + chain];
      sum = arith::AddFOp::create(b, sum, loadAt(v, partial));
    }
  };
  auto loopOver = [&](Value begin, Value end, int64_t step, SmallVector<Value> &sums) {
    auto loop = scf::ForOp::create(b, begin, end, index(step), sums);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> next(loop.getRegionIterArgs());
    for (int64_t chain = 0; chain < step; ++chain)
      addTo(next, chain, add(loop.getInductionVar(), index(chain)));
    scf::YieldOp::create(b, next);
    sums.assign(loop.getResults().begin(), loop.getResults().end());
  };
  Type type = lanes ? Type(vectorOf(lanes, element)) : element;
  SmallVector<Value> sums(bases.size() * chains, floatConstant(type, 0.0));
  Value whole = mul(arith::DivUIOp::create(b, rows, index(chains)), index(chains));
  loopOver(index(0), whole, chains, sums);
  // What is left goes to half as many chains each time, so that none gets longer by
  // more than the logarithm of their number.
  for (int64_t step = chains / 2; step >= 1; step /= 2) {
    Value left = arith::SubIOp::create(b, rows, whole);
    Value fits = arith::DivUIOp::create(b, left, index(step));
    Value end = add(whole, mul(fits, index(step)));
    loopOver(whole, end, step, sums);
    whole = end;
  }
  SmallVector<Value> totals;
  for (size_t v = 0; v < bases.size(); ++v)
    totals.push_back(
        addTree(llvm::to_vector(ArrayRef(sums).slice(v * chains, chains))));
  return totals;
}

void HostEmitter::finalizeColumns(row::FinalizeOp op, Value workgroup) {
  Value partials = pointers[bufferIndex(op.getPartials())];
  unsigned buffer = bufferIndex(op.getBuffer());
  Type from = elementOf(bufferIndex(op.getPartials())), to = elementOf(buffer);
  int64_t lanes = tiling.vector_elems, vectors = tiling.vectors_in_flight;
  int64_t step = lanes * vectors;
  Value width = partialWidth(op.getNumColsSlots(), countScalarSlots(kernel), from);
  Value segment = elementPointer(partials, mul(index(op.getSlot()), cols), from);

  // Columns of this workgroup, whole steps of them.
  Value steps = arith::CeilDivUIOp::create(b, cols, index(step * tiling.col_blocks));
  Value count = mul(steps, index(step));
  Value begin = minimum(mul(workgroup, count), cols);
  Value end = minimum(add(begin, count), cols);
  auto loop = scf::ForOp::create(b, begin, end, index(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> columns, bases, masks;
  for (int64_t v = 0; v < vectors; ++v) {
    columns.push_back(add(loop.getInductionVar(), index(v * lanes)));
    bases.push_back(elementPointer(segment, columns.back(), from));
    masks.push_back(maskAt(columns.back(), end));
  }
  SmallVector<Value> totals = addPartials(bases, width, from, lanes, masks);
  for (int64_t v = 0; v < vectors; ++v)
    store(totals[v], elementPointer(pointers[buffer], columns[v], to), to, masks[v]);
}

void HostEmitter::finalizeScalar(row::FinalizeOp op, Value workgroup) {
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, workgroup, index(0));
  auto first = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(first.thenBlock());
  unsigned buffer = bufferIndex(op.getBuffer());
  Type from = elementOf(bufferIndex(op.getPartials())), to = elementOf(buffer);
  Value width = partialWidth(op.getNumColsSlots(), countScalarSlots(kernel), from);
  Value offset = add(mul(index(op.getNumColsSlots()), cols), index(op.getSlot()));
  Value base = elementPointer(pointers[bufferIndex(op.getPartials())], offset, from);
  Value total = addPartials({base}, width, from, 0, {}).front();
  store(total, pointers[buffer], to, {});
}
