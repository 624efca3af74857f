//===- Values.cpp - Values of a row program in a lane -----------------------===//
#include "GpuEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace normc;
using namespace normc::gpu;

/// Keys of values that have no row slot or no chunk.
static constexpr int64_t kNone = -1;
static constexpr int64_t kRow = -2;
/// From this number of a chunk on: its elements as they are in memory.
static constexpr int64_t kAsLoaded = int64_t(1) << 32;

unsigned GpuEmitter::bufferIndex(Value buffer) const {
  return cast<BlockArgument>(buffer).getArgNumber();
}

Type GpuEmitter::elementOf(unsigned buffer) {
  return cast<MemRefType>(kernel.getBuffer(buffer).getType()).getElementType();
}

Value GpuEmitter::scalarOf(Value value) {
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

Value GpuEmitter::rowOf(Value value, ArrayRef<RowSlot> slots, int64_t q) {
  if (row::kindOf(value.getType()) == row::Kind::Scalar)
    return scalarOf(value);
  Key key{value, q, kRow};
  if (Value seen = known.lookup(key))
    return seen;
  Value result;
  Operation *op = value.getDefiningOp();
  if (auto load = dyn_cast<row::LoadOp>(op)) {
    unsigned buffer = bufferIndex(load.getBuffer());
    result = this->load(slots[q].pointers[buffer], elementOf(buffer), 0, {},
                        row::elementTypeOf(value.getType()));
  } else if (auto round = dyn_cast<row::RoundOp>(op)) {
    result = roundValue(round, rowOf(round.getValue(), slots, q));
  } else {
    auto map = cast<row::MapOp>(op);
    auto args = llvm::map_to_vector(map.getInputs(),
                                    [&](Value v) { return rowOf(v, slots, q); });
    result = inlineRegion(map.getBody(), args, 0).front();
  }
  known.insert(key, result);
  return result;
}

Value GpuEmitter::rawOf(row::LoadOp load, ArrayRef<RowSlot> slots, int64_t q,
                        const Chunk &chunk) {
  bool isTile = row::kindOf(load.getType()) == row::Kind::Tile;
  // What stays in its stage is known for one visit of its chunk.
  const bool stays = isTile && staysInStage();
  Key key{load.getResult(), isTile ? q : kNone,
          stays ? kAsLoaded + chunk.id : chunk.id};
  auto &table = stays ? fragments : known;
  if (Value seen = table.lookup(key))
    return seen;
  unsigned buffer = bufferIndex(load.getBuffer());
  Value base = isTile ? slots[q].pointers[buffer] : pointers[buffer];
  Value raw = isTile && stages && stages->byLane
                  ? loadLanePiece(buffer, slots[q].number, chunk)
                  : loadFragment(base, elementOf(buffer), chunk);
  table.insert(key, raw);
  return raw;
}

Value GpuEmitter::widen(Value raw, Type element, Type to) {
  if (element.isBF16() && to.isF32())
    if (Value wide = hooks.widenBf16(b, raw))
      return wide;
  if (getElementTypeOrSelf(raw.getType()) != element)
    raw = arith::BitcastOp::create(b, vectorOf(tiling.vector_elems, element), raw);
  return convert(raw, to);
}

Value GpuEmitter::fragmentOf(Value value, ArrayRef<RowSlot> slots, int64_t q,
                             const Chunk &chunk) {
  row::Kind kind = row::kindOf(value.getType());
  if (kind == row::Kind::Scalar)
    return splat(scalarOf(value), tiling.vector_elems);
  if (kind == row::Kind::Rows)
    return splat(rowOf(value, slots, q), tiling.vector_elems);
  Key key{value, kind == row::Kind::Tile ? q : kNone, chunk.id};
  if (Value seen = fragments.lookup(key))
    return seen;
  Operation *op = value.getDefiningOp();
  auto map = dyn_cast<row::MapOp>(op);
  // Registers hold nothing of a row that stays in its stage.
  bool isKept = map && map.getKeep() && !staysInStage();
  if (Value seen = isKept ? known.lookup(key) : Value())
    return seen;
  Value result;
  if (auto load = dyn_cast<row::LoadOp>(op)) {
    Type element = elementOf(bufferIndex(load.getBuffer()));
    Value raw = rawOf(load, slots, q, chunk);
    // The packed form stays: parameters outside of the loop over rows, tiles from phase
    // to phase.
    bool isInvariant =
        kind == row::Kind::Cols && tiling.loop == schedule::Loop::Persistent;
    if (unrolled() && element.getIntOrFloatBitWidth() == 16 &&
        (isInvariant || (!isFirstPhase && !staysInStage())))
      raw = hooks.pin(b, raw);
    result = widen(raw, element, row::elementTypeOf(value.getType()));
  } else if (auto round = dyn_cast<row::RoundOp>(op)) {
    result = roundValue(round, fragmentOf(round.getValue(), slots, q, chunk));
  } else {
    auto args = llvm::map_to_vector(
        map.getInputs(), [&](Value v) { return fragmentOf(v, slots, q, chunk); });
    result = inlineRegion(map.getBody(), args, tiling.vector_elems).front();
  }
  (isKept ? known : fragments).insert(key, result);
  return result;
}

//===----------------------------------------------------------------------===//
// Accesses of a fragment
//===----------------------------------------------------------------------===//

/// The type in which an element moves: 16-bit floats as integers.
static Type memoryType(OpBuilder &b, Type element) {
  return element.getIntOrFloatBitWidth() == 16 ? b.getI16Type() : element;
}

/// Elements of one access: all of the fragment where rows are aligned, at most 16
/// bytes.
static int64_t accessElems(int64_t elems, Type element, bool aligned) {
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  return aligned ? std::min<int64_t>(elems, 16 / bytes) : 1;
}

/// All elements of a chunk that lies inside the row, as they are in memory.
Value GpuEmitter::loadElements(Value row, Type element, const Chunk &chunk) {
  int64_t elems = tiling.vector_elems;
  int64_t width = accessElems(elems, element, aligned);
  Type memory = memoryType(b, element);
  unsigned bytes = element.getIntOrFloatBitWidth() / 8;
  if (width == 1 && elems == 1) {
    Value scalar = LLVM::LoadOp::create(
        b, memory, elementPointer(row, chunk.column, element), bytes);
    return gather({scalar});
  }
  if (width == 1) {
    SmallVector<Value> scalars;
    for (int64_t i = 0; i < elems; ++i) {
      Value pointer = elementPointer(row, add(chunk.column, index(i)), element);
      scalars.push_back(LLVM::LoadOp::create(b, memory, pointer, bytes));
    }
    return gather(scalars);
  }
  Value all;
  for (int64_t at = 0; at < elems; at += width) {
    Value pointer = elementPointer(row, add(chunk.column, index(at)), element);
    Value part =
        LLVM::LoadOp::create(b, vectorOf(width, memory), pointer, width * bytes);
    if (width == elems)
      return part;
    if (!all)
      all = arith::ConstantOp::create(b, b.getZeroAttr(vectorOf(elems, memory)));
    all = vector::InsertStridedSliceOp::create(b, part, all, ArrayRef<int64_t>{at},
                                               ArrayRef<int64_t>{1});
  }
  return all;
}

Value GpuEmitter::loadFragment(Value row, Type element, const Chunk &chunk) {
  return chunk.begins ? loadBranching(row, element, chunk)
                      : loadElements(row, element, chunk);
}

/// For rows that may be narrower than an access: lanes past the row's end read nothing.
Value GpuEmitter::loadBranching(Value row, Type element, const Chunk &chunk) {
  int64_t elems = tiling.vector_elems;
  Type memory = memoryType(b, element);
  auto choose = [&](Type type, Value condition, llvm::function_ref<Value()> inside,
                    llvm::function_ref<Value()> outside) -> Value {
    auto branch = scf::IfOp::create(b, type, condition, true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, inside());
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, outside());
    return branch.getResult(0);
  };
  auto zero = [&](Type type) -> Value {
    return arith::ConstantOp::create(b, b.getZeroAttr(type));
  };
  VectorType type = vectorOf(elems, memory);
  auto whole = [&] { return loadElements(row, element, chunk); };
  if (!chunk.whole)
    return choose(type, chunk.begins, whole, [&] { return zero(type); });
  auto elementwise = [&]() -> Value {
    SmallVector<Value> all;
    for (int64_t i = 0; i < elems; ++i) {
      Value column = add(chunk.column, index(i));
      all.push_back(choose(
          memory, less(column, columnEnd),
          [&]() -> Value {
            return LLVM::LoadOp::create(b, memory, elementPointer(row, column, element),
                                        element.getIntOrFloatBitWidth() / 8);
          },
          [&] { return zero(memory); }));
    }
    return gather(all);
  };
  return choose(type, chunk.whole, whole, elementwise);
}

void GpuEmitter::storeFragment(Value value, Value row, Type element,
                               const Chunk &chunk) {
  int64_t elems = tiling.vector_elems;
  int64_t width = accessElems(elems, element, aligned);
  Type memory = memoryType(b, element);
  unsigned bytes = element.getIntOrFloatBitWidth() / 8;
  Value raw = convert(value, element);
  if (memory != element)
    raw = arith::BitcastOp::create(b, vectorOf(elems, memory), raw);
  auto pointerAt = [&](int64_t i) {
    return elementPointer(row, add(chunk.column, index(i)), element);
  };
  auto storeOne = [&](int64_t i) {
    LLVM::StoreOp::create(b, extract(raw, i), pointerAt(i), bytes);
  };
  auto storeAll = [&] {
    for (int64_t at = 0; at < elems; at += width) {
      if (width == 1) {
        storeOne(at);
        continue;
      }
      Value part = raw;
      if (width != elems)
        part = vector::ExtractStridedSliceOp::create(b, raw, ArrayRef<int64_t>{at},
                                                     ArrayRef<int64_t>{width},
                                                     ArrayRef<int64_t>{1});
      LLVM::StoreOp::create(b, part, pointerAt(at), width * bytes);
    }
  };
  if (!chunk.begins) {
    storeAll();
    return;
  }
  if (!chunk.whole) {
    ifThen(chunk.begins, storeAll);
    return;
  }
  ifThen(chunk.whole, storeAll);
  Value isCut = arith::XOrIOp::create(
      b, chunk.whole, arith::ConstantIntOp::create(b, b.getI1Type(), 1));
  ifThen(isCut, [&] {
    for (int64_t i = 0; i < elems; ++i)
      ifThen(less(add(chunk.column, index(i)), columnEnd), [&] { storeOne(i); });
  });
}

Value GpuEmitter::elementsInside(const Chunk &chunk) {
  int64_t elems = tiling.vector_elems;
  if (!chunk.own && !chunk.begins)
    return {};
  SmallVector<Value> inside;
  for (int64_t i = 0; i < elems; ++i) {
    Value column = add(chunk.column, index(i));
    inside.push_back(chunk.own ? arith::CmpIOp::create(b, arith::CmpIPredicate::sge,
                                                       column, chunk.own)
                                     .getResult()
                               : less(column, columnEnd));
  }
  return gather(inside);
}

Value GpuEmitter::maskedFragment(Value fragment, Value neutral, const Chunk &chunk) {
  Value inside = elementsInside(chunk);
  return inside ? arith::SelectOp::create(b, inside, fragment, neutral).getResult()
                : fragment;
}

void GpuEmitter::hoistInvariants() {
  for (Operation &op : *kernel.getBodyBlock())
    for (Value result : op.getResults())
      if (row::kindOf(result.getType()) == row::Kind::Scalar)
        scalarOf(result);
  if (!unrolled())
    return;
  for (auto load : kernel.getBodyBlock()->getOps<row::LoadOp>())
    if (row::kindOf(load.getType()) == row::Kind::Cols)
      for (const Chunk &chunk : allChunks)
        rawOf(load, {}, kNone, chunk);
}
