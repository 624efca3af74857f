//===- Values.cpp - Values of a row program as scalars and fragments --------===//
#include "HostEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace normc;
using namespace normc::host;

/// Keys of values that have no fragment or no chunk.
static constexpr int64_t kNone = -1;
static constexpr int64_t kRows = -2;

unsigned HostEmitter::bufferIndex(Value buffer) const {
  return cast<BlockArgument>(buffer).getArgNumber();
}

Type HostEmitter::elementOf(unsigned buffer) {
  return cast<MemRefType>(kernel.getBody().getArgument(buffer).getType())
      .getElementType();
}

Value HostEmitter::scalarOf(Value value) {
  Key key{value, kNone, kNone};
  if (Value seen = known.lookup(key))
    return seen;
  Value result;
  Operation *op = value.getDefiningOp();
  if (auto load = dyn_cast<row::LoadOp>(op)) {
    unsigned buffer = bufferIndex(load.getBuffer());
    result = this->load(pointers[buffer], elementOf(buffer), 0, {}, value.getType());
  } else if (auto dim = dyn_cast<row::DimOp>(op)) {
    Value count = dim.getAxis() == row::Axis::rows ? rows : cols;
    result = arith::SIToFPOp::create(b, value.getType(), count);
  } else if (auto round = dyn_cast<row::RoundOp>(op)) {
    result = roundValue(round, scalarOf(round.getValue()));
  } else if (auto map = dyn_cast<row::MapOp>(op)) {
    auto args =
        llvm::map_to_vector(map.getInputs(), [&](Value v) { return scalarOf(v); });
    result = inlineRegion(map.getBody(), args, 0).front();
  } else {
    result = b.clone(*op)->getResult(0); // a constant
  }
  known.insert(key, result);
  return result;
}

Value HostEmitter::rowsOf(Value value, const RowGroup &group) {
  Key key{value, kRows, kNone};
  if (Value seen = known.lookup(key))
    return seen;
  Value result;
  Operation *op = value.getDefiningOp();
  if (row::kindOf(value.getType()) == row::Kind::Scalar) {
    result = splat(scalarOf(value), group.rows);
  } else if (auto load = dyn_cast<row::LoadOp>(op)) {
    unsigned buffer = bufferIndex(load.getBuffer());
    Type to = row::elementTypeOf(value.getType());
    auto scalars = llvm::map_to_vector(group.pointers[buffer], [&](Value pointer) {
      return this->load(pointer, elementOf(buffer), 0, {}, to);
    });
    result = gather(scalars);
  } else if (auto round = dyn_cast<row::RoundOp>(op)) {
    result = roundValue(round, rowsOf(round.getValue(), group));
  } else {
    auto map = cast<row::MapOp>(op);
    auto args =
        llvm::map_to_vector(map.getInputs(), [&](Value v) { return rowsOf(v, group); });
    result = inlineRegion(map.getBody(), args, group.rows).front();
  }
  known.insert(key, result);
  return result;
}

Value HostEmitter::loadTile(row::LoadOp op, const RowGroup &group, int64_t i,
                            const Chunk &chunk) {
  unsigned buffer = bufferIndex(op.getBuffer());
  Type element = elementOf(buffer);
  Type to = row::elementTypeOf(op.getResult().getType());
  if (alongColumns())
    return load(elementPointer(group.pointers[buffer][i], chunk.column, element),
                element, chunk.width, chunk.mask, to);
  auto scalars = llvm::map_to_vector(group.pointers[buffer], [&](Value row) {
    Value pointer = elementPointer(row, chunk.column, element);
    return load(pointer, element, 0, {}, element);
  });
  return convert(gather(scalars), to);
}

Value HostEmitter::loadColumns(row::LoadOp op, int64_t lanes, const Chunk &chunk) {
  unsigned buffer = bufferIndex(op.getBuffer());
  Type element = elementOf(buffer);
  Type to = row::elementTypeOf(op.getResult().getType());
  Value pointer = elementPointer(pointers[buffer], chunk.column, element);
  if (alongColumns())
    return load(pointer, element, chunk.width, chunk.mask, to);
  return splat(load(pointer, element, 0, {}, to), lanes);
}

Value HostEmitter::computeFragment(Value value, const RowGroup &group, int64_t i,
                                   const Chunk &chunk, int64_t lanes) {
  row::Kind kind = row::kindOf(value.getType());
  if (kind == row::Kind::Scalar)
    return splat(scalarOf(value), lanes);
  if (kind == row::Kind::Rows) {
    Value rows = rowsOf(value, group);
    return alongColumns() ? splat(extract(rows, i), lanes) : rows;
  }
  Operation *op = value.getDefiningOp();
  if (auto load = dyn_cast<row::LoadOp>(op))
    return kind == row::Kind::Tile ? loadTile(load, group, i, chunk)
                                   : loadColumns(load, lanes, chunk);
  if (auto round = dyn_cast<row::RoundOp>(op))
    return roundValue(round, fragmentOf(round.getValue(), group, i, chunk));
  auto map = cast<row::MapOp>(op);
  auto args = llvm::map_to_vector(
      map.getInputs(), [&](Value v) { return fragmentOf(v, group, i, chunk); });
  return inlineRegion(map.getBody(), args, lanes).front();
}

Value HostEmitter::fragmentOf(Value value, const RowGroup &group, int64_t i,
                              const Chunk &chunk) {
  row::Kind kind = row::kindOf(value.getType());
  bool perRow = kind == row::Kind::Tile || kind == row::Kind::Rows;
  bool perColumn = kind == row::Kind::Tile || kind == row::Kind::Cols;
  int64_t lanes = alongColumns() ? chunk.width : group.rows;
  // A broadcast serves every row or chunk, for one number of lanes.
  int64_t any = kRows - lanes;
  Key key{value, perRow ? i : any, perColumn ? chunk.id : any};
  if (Value seen = known.lookup(key))
    return seen;
  Value result = computeFragment(value, group, i, chunk, lanes);
  known.insert(key, result);
  return result;
}

/// Whether a per-row value can be computed by now: from loads and what is known.
bool HostEmitter::isReady(Value value) {
  if (row::kindOf(value.getType()) != row::Kind::Rows ||
      known.lookup(Key{value, kRows, kNone}))
    return true;
  Operation *op = value.getDefiningOp();
  if (isa<row::ReduceOp, row::MomentsOp>(op))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return isa<BlockArgument>(operand) || isReady(operand);
  });
}

void HostEmitter::setRows(Value value, Value vector) {
  known.insert(Key{value, kRows, kNone}, vector);
}

void HostEmitter::broadcastRows(const RowGroup &group) {
  Chunk any{nullptr, chunkWidth(), nullptr, kNone};
  auto isTile = [](Type type) { return row::kindOf(type) == row::Kind::Tile; };
  for (Operation &op : *kernel.getBodyBlock()) {
    if (llvm::none_of(op.getOperandTypes(), isTile) &&
        llvm::none_of(op.getResultTypes(), isTile))
      continue;
    for (Value operand : op.getOperands()) {
      if (row::kindOf(operand.getType()) != row::Kind::Rows || !isReady(operand))
        continue;
      for (int64_t i = 0; i < fragmentsOf(group.rows); ++i)
        fragmentOf(operand, group, i, any);
    }
  }
}

void HostEmitter::hoistInvariants() {
  for (Operation &op : *kernel.getBodyBlock())
    for (Value result : op.getResults())
      if (row::kindOf(result.getType()) == row::Kind::Scalar)
        scalarOf(result);
  if (!unrolled())
    return;
  for (Operation &op : *kernel.getBodyBlock())
    for (Value result : op.getResults())
      if (row::kindOf(result.getType()) == row::Kind::Cols)
        for (const Chunk &chunk : allChunks)
          for (int64_t rows : {tiling.rows_per_tile, int64_t(1)})
            fragmentOf(result, RowGroup{rows, {}}, 0, chunk);
}
