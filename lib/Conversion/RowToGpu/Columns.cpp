//===- Columns.cpp - Sums down the columns ----------------------------------===//
#include "GpuEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace normc;
using namespace normc::gpu;

bool GpuEmitter::isColumnSum(unsigned sum) const {
  return row::AccumulateOp(sums[sum]).getTo() == row::Sum::cols;
}

Carried GpuEmitter::zeroSums() {
  Carried carried;
  carried.columns.resize(sums.size());
  carried.scalars.resize(sums.size());
  for (auto [i, sum] : llvm::enumerate(sums)) {
    Type element = row::elementTypeOf(sum.getValue().getType());
    if (isColumnSum(i))
      carried.columns[i].assign(
          allChunks.size(), floatConstant(vectorOf(tiling.vector_elems, element), 0.0));
    else
      carried.scalars[i] = floatConstant(element, 0.0);
  }
  return carried;
}

Value GpuEmitter::partialWidth(int64_t colsSlots, int64_t scalarSlots, Type element) {
  int64_t align = 16 / (element.getIntOrFloatBitWidth() / 8);
  Value width = add(mul(index(colsSlots), cols), index(scalarSlots + align - 1));
  return mul(arith::DivUIOp::create(b, width, index(align)), index(align));
}

GpuEmitter::SumTarget GpuEmitter::sumTarget(unsigned sum) {
  row::AccumulateOp op = sums[sum];
  unsigned buffer = bufferIndex(op.getBuffer());
  Type element = elementOf(buffer);
  if (!op.getSlot())
    return {pointers[buffer], element};
  int64_t colsSlots = 0, scalarSlots = 0;
  for (row::AccumulateOp other : sums)
    if (other.getSlot())
      ++(other.getTo() == row::Sum::cols ? colsSlots : scalarSlots);
  // One partial for all workgroups that add theirs.
  Value number = rowGroup;
  if (partialRank)
    number = arith::DivUIOp::create(b, rowGroup, index(tiling.cluster_partials));
  Value offset = mul(number, partialWidth(colsSlots, scalarSlots, element));
  int64_t slot = *op.getSlot();
  if (op.getTo() == row::Sum::cols)
    offset = add(offset, mul(index(slot), cols));
  else
    offset = add(add(offset, mul(index(colsSlots), cols)), index(slot));
  // A row of partials begins at a multiple of 16 bytes, its segments where columns do.
  const bool isAligned =
      op.getTo() == row::Sum::cols && staticCols &&
      *staticCols * (element.getIntOrFloatBitWidth() / 8) % plan::kAlignedBytes == 0;
  return {elementPointer(pointers[buffer], offset, element), element, isAligned};
}

void GpuEmitter::storeSums(const Carried &carried) {
  if (partialRank)
    return storeSumsOfCluster(carried);
  for (unsigned sum = 0; sum < sums.size(); ++sum) {
    if (isColumnSum(sum))
      storeColumnSum(sum, carried.columns[sum], sumTarget(sum));
    else if (!rank)
      storeScalarSum(sum, carried.scalars[sum], sumTarget(sum));
  }
  if (rank)
    storeScalarsOfCluster(carried);
}

/// Groups of one subgroup add by shuffles; what is left of the workgroup, one value a
/// column and subgroup, adds through workgroup memory.
void GpuEmitter::storeColumnSum(unsigned sum, ArrayRef<Value> fragments,
                                SumTarget target) {
  const int64_t elems = tiling.vector_elems, T = tiling.workgroup_size;
  const int64_t stride = std::max(tiling.lanes_per_row, subgroup());
  const int64_t parts = T / stride;
  const Value pointer = target.pointer;
  const Type element = target.element;
  SmallVector<Value> totals(fragments);
  for (Value &fragment : totals) {
    SmallVector<Value> each;
    for (int64_t i = 0; i < elems; ++i) {
      Value value = extract(fragment, i);
      for (int64_t d = tiling.lanes_per_row; d < subgroup(); d *= 2)
        value = arith::AddFOp::create(b, value, shuffle(value, d));
      each.push_back(value);
    }
    fragment = gather(each);
  }
  if (parts == 1) {
    Value owns = less(lane, index(tiling.lanes_per_row));
    ifThen(tiling.lanes_per_row < launchedLanes() ? owns : Value(), [&] {
      for (auto [fragment, chunk] : llvm::zip_equal(totals, allChunks))
        if (!storeWholeFragment(fragment, target, chunk))
          storeFragmentElements(fragment, pointer, element, chunk);
    });
    return;
  }
  // [part][column of the block].
  Type type = row::elementTypeOf(row::AccumulateOp(sums[sum]).getValue().getType());
  int64_t width = allChunks.size() * tiling.lanes_per_row * elems;
  int64_t before = sharedUsed;
  Value region = sharedRegion(parts * width * type.getIntOrFloatBitWidth() / 8, false);
  Value part = arith::DivUIOp::create(b, lane, index(stride));
  Value inPart = arith::RemUIOp::create(b, lane, index(stride));
  auto leave = [&] {
    for (auto [fragment, chunk] : llvm::zip_equal(totals, allChunks))
      for (int64_t i = 0; i < elems; ++i) {
        Value column =
            add(arith::SubIOp::create(b, chunk.column, columnBegin), index(i));
        // An access that was moved back may begin before the part.
        Value begins;
        if (columnParts() != 1 && chunk.own)
          begins =
              arith::CmpIOp::create(b, arith::CmpIPredicate::sge, column, index(0));
        ifThen(begins, [&] {
          Value at = add(mul(part, index(width)), column);
          LLVM::StoreOp::create(b, extract(fragment, i),
                                elementPointer(region, at, type),
                                type.getIntOrFloatBitWidth() / 8);
        });
      }
  };
  ifThen(tiling.lanes_per_row < stride ? less(inPart, index(tiling.lanes_per_row))
                                       : Value(),
         leave);
  mlir::gpu::BarrierOp::create(b);
  Value count = arith::SubIOp::create(b, columnEnd, columnBegin);
  auto loop = scf::ForOp::create(b, lane, count, index(T));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Scope scope(known);
    SmallVector<Value> values;
    for (int64_t p = 0; p < parts; ++p) {
      Value at = add(loop.getInductionVar(), index(p * width));
      values.push_back(LLVM::LoadOp::create(b, type, elementPointer(region, at, type),
                                            type.getIntOrFloatBitWidth() / 8));
    }
    Value column = add(columnBegin, loop.getInductionVar());
    store(addTree(values), elementPointer(pointer, column, element), element, {});
  }
  mlir::gpu::BarrierOp::create(b);
  // The next sum may use the same memory.
  sharedHigh = std::max(sharedHigh, sharedUsed);
  sharedUsed = before;
}

/// By 16 bytes where sums and fragment allow: with stores of one element the lanes of a
/// subgroup write 32 places 32 bytes apart, eight times: by a count of transactions
/// (not timed alone) 18 us for 132 rows of 16,384 sums.
bool GpuEmitter::storeWholeFragment(Value fragment, SumTarget target,
                                    const Chunk &chunk) {
  const int64_t bytes = target.element.getIntOrFloatBitWidth() / 8;
  const int64_t width = plan::kAlignedBytes / bytes, elems = tiling.vector_elems;
  if (!target.isAligned || chunk.own || chunk.begins || elems % width != 0)
    return false;
  Value rounded = convert(fragment, target.element);
  for (int64_t at = 0; at < elems; at += width) {
    Value part = vector::ExtractStridedSliceOp::create(
        b, rounded, ArrayRef<int64_t>{at}, ArrayRef<int64_t>{width},
        ArrayRef<int64_t>{1});
    Value pointer =
        elementPointer(target.pointer, add(chunk.column, index(at)), target.element);
    LLVM::StoreOp::create(b, part, pointer, plan::kAlignedBytes);
  }
  return true;
}

void GpuEmitter::storeFragmentElements(Value fragment, Value pointer, Type element,
                                       const Chunk &chunk) {
  Value rounded = convert(fragment, element);
  for (int64_t i = 0; i < tiling.vector_elems; ++i) {
    Value column = add(chunk.column, index(i));
    Value inside;
    if (chunk.own)
      inside = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, column, chunk.own);
    else if (chunk.begins)
      inside = less(column, columnEnd);
    ifThen(inside, [&] {
      store(extract(rounded, i), elementPointer(pointer, column, element), element, {});
    });
  }
}

void GpuEmitter::storeScalarSum(unsigned sum, Value value, SumTarget target) {
  const Value pointer = target.pointer;
  const Type element = target.element;
  for (int64_t d = 1; d < subgroup(); d *= 2)
    value = arith::AddFOp::create(b, value, shuffle(value, d));
  Type type = value.getType();
  unsigned bytes = type.getIntOrFloatBitWidth() / 8;
  const int64_t subgroups = launchedLanes() / subgroup();
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, index(0));
  if (subgroups > 1) {
    int64_t before = sharedUsed;
    Value region = sharedRegion(subgroups * bytes, false);
    Value inSubgroup = arith::RemUIOp::create(b, lane, index(subgroup()));
    Value leads =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, inSubgroup, index(0));
    ifThen(leads, [&] {
      Value mine = arith::DivUIOp::create(b, lane, index(subgroup()));
      LLVM::StoreOp::create(b, value, elementPointer(region, mine, type), bytes);
    });
    mlir::gpu::BarrierOp::create(b);
    SmallVector<Value> values;
    for (int64_t w = 0; w < subgroups; ++w)
      values.push_back(
          LLVM::LoadOp::create(b, type, elementPointer(region, index(w), type), bytes));
    value = addTree(values);
    mlir::gpu::BarrierOp::create(b);
    sharedHigh = std::max(sharedHigh, sharedUsed);
    sharedUsed = before;
  }
  ifThen(isFirst, [&] { store(value, pointer, element, {}); });
}
