//===- Block.cpp - A block of rows and its sums down the columns ------------===//
#include "HostEmitter.h"
#include "normc/Schedule/HostStores.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace normc;
using namespace normc::host;

/// A load whose address differs from a store's just before by a multiple of 4 KiB makes
/// it leave its buffer early: an output that begins up to a quarter of a page behind an
/// input, in the last 12 bits, is loaded from there soon after it is stored. Measured
/// on Zen 3, layer_norm, f32, 1024 columns: 1.9 times as long as through the caches at
/// 128 bytes, 0.8 times at 0.
static constexpr int64_t kPageBytes = 4096;
static constexpr int64_t kAliasedBytes = 1024;
/// Tiles past the caches, in bytes that a launch moves, read and written: more than
/// what 32 MiB of a last-level cache (Zen 3 and 4, eight cores) keep.
static constexpr int64_t kStreamedBytes = 24 * 1024 * 1024;

HostEmitter::HostEmitter(ImplicitLocOpBuilder &builder, row::KernelOp kernel,
                         const schedule::Tiling &tiling, bool collapsed)
    : RowEmitter(builder), kernel(kernel), tiling(tiling), collapsed(collapsed),
      passes(kernel) {}

void HostEmitter::readArguments(Value args) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  rowStrides.resize(kernel.getNumBuffers());
  outerStrides.resize(kernel.getNumBuffers());
  if (int64_t known = plan::staticCols(kernel); !ShapedType::isDynamic(known)) {
    staticCols = known;
    cols = index(known);
  }
  for (auto [i, arg] : llvm::enumerate(plan::kernelArgs(kernel, collapsed))) {
    using Kind = plan::KernelArg::Kind;
    Value slot = elementPointer(args, index(i), b.getI64Type());
    Type type = arg.kind == Kind::Pointer ? pointer : Type(b.getI64Type());
    Value value = LLVM::LoadOp::create(b, type, slot, 8);
    switch (arg.kind) {
    case Kind::Pointer:
      pointers.push_back(value);
      break;
    case Kind::RowStride:
      rowStrides[arg.buffer] = value;
      break;
    case Kind::OuterStride:
      outerStrides[arg.buffer].push_back(value);
      break;
    case Kind::OuterSize:
      outerSizes.push_back(value);
      break;
    case Kind::Rows:
      rows = value;
      break;
    case Kind::Cols:
      cols = value;
      break;
    }
  }
}

void HostEmitter::emit(Value args, Value workgroup) {
  llvm::ScopedHashTable<Key, Value>::ScopeTy scope(known);
  readArguments(args);
  workgroupId = workgroup;
  if (llvm::any_of(*kernel.getBodyBlock(), llvm::IsaPred<row::FinalizeOp>)) {
    emitFinalize(workgroup);
    return;
  }
  if (unrolled() && staticCols)
    allChunks = staticChunks(0, *staticCols);
  hoistInvariants();
  emitBlock(workgroup);
}

void HostEmitter::emitBlock(Value workgroup) {
  Value begin = index(0), end = rows;
  if (tiling.rows_per_workgroup > 0) {
    Value count = index(tiling.rows_per_workgroup);
    begin = mul(workgroup, count);
    end = minimum(add(begin, count), rows);
  }
  findSumTargets();
  clearColumnSums();

  SmallVector<Carried> parts;
  int64_t rowCount = tiling.rows_per_tile;
  if (rowCount > 1) {
    // Whole tiles, then what is left row by row: the order of a row's sums is the same.
    Value tiles = arith::DivSIOp::create(
        b, arith::SubIOp::create(b, end, begin).getResult(), index(rowCount));
    Value wholeEnd = add(begin, mul(tiles, index(rowCount)));
    parts.push_back(zeroSums(rowCount));
    tileLoop(begin, wholeEnd, parts.back());
    begin = wholeEnd;
  }
  parts.push_back(zeroSums(1));
  if (rowCount > 1)
    rowLoop(begin, end, 1, parts.back());
  else
    tileLoop(begin, end, parts.back());
  storeSums(parts);
}

bool HostEmitter::mayStorePastCaches(unsigned buffer) {
  int64_t bytes = elementOf(buffer).getIntOrFloatBitWidth() / 8;
  return schedule::host::mayStorePastCaches(tiling, bytes, staticCols,
                                            !passes.sums.empty());
}

/// Whether no tile is loaded from where `output` was stored just before, by the last
/// bits of the addresses.
Value HostEmitter::isApartFromInputs(Value output) {
  Value apart = arith::ConstantIntOp::create(b, b.getI1Type(), 1);
  for (unsigned i = 0; i < kernel.getInputs().size(); ++i) {
    if (plan::bufferExtent(kernel, i) != schedule::Extent::Tile)
      continue;
    Value input = LLVM::PtrToIntOp::create(b, b.getI64Type(), pointers[i]);
    Value distance = arith::SubIOp::create(b, output, input);
    Value last = arith::AndIOp::create(b, distance, index(kPageBytes - 1));
    // 0 becomes the largest: what is loaded there is loaded before.
    Value before = arith::SubIOp::create(b, last, index(1));
    Value far = arith::CmpIOp::create(b, arith::CmpIPredicate::uge, before,
                                      index(kAliasedBytes - 1));
    apart = arith::AndIOp::create(b, apart, far);
  }
  return apart;
}

Value HostEmitter::storesPastCaches() {
  if (!collapsed || !alongColumns())
    return {};
  int64_t tileBytes = 0;
  Value bits, apart;
  for (unsigned i = 0; i < kernel.getNumBuffers(); ++i) {
    if (plan::bufferExtent(kernel, i) != schedule::Extent::Tile)
      continue;
    int64_t bytes = elementOf(i).getIntOrFloatBitWidth() / 8;
    tileBytes += bytes;
    if (i < kernel.getInputs().size())
      continue;
    if (!mayStorePastCaches(i))
      return {};
    Value address = LLVM::PtrToIntOp::create(b, b.getI64Type(), pointers[i]);
    Value stride = rowStrides[i] ? mul(rowStrides[i], index(bytes)) : index(0);
    Value both = arith::OrIOp::create(b, address, stride);
    bits = bits ? arith::OrIOp::create(b, bits, both).getResult() : both;
    Value mayStream = isApartFromInputs(address);
    apart = apart ? arith::AndIOp::create(b, apart, mayStream).getResult() : mayStream;
  }
  if (!bits)
    return {};
  Value low = arith::AndIOp::create(b, bits, index(schedule::host::kLineBytes - 1));
  Value aligned = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, low, index(0));
  Value moved = mul(mul(rows, cols), index(tileBytes));
  Value large =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, moved, index(kStreamedBytes));
  return arith::AndIOp::create(b, arith::AndIOp::create(b, aligned, large), apart);
}

void HostEmitter::tileLoop(Value begin, Value end, Carried &carried) {
  Value streams = storesPastCaches();
  if (!streams)
    return rowLoop(begin, end, tiling.rows_per_tile, carried);
  const SmallVector<Value> before = carried.flatten();
  auto branch = scf::IfOp::create(b, ValueRange(before).getTypes(), streams,
                                  /*withElseRegion=*/true);
  for (bool past : {true, false}) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(past ? branch.thenBlock() : branch.elseBlock());
    llvm::SaveAndRestore saved(pastCaches, past);
    carried.assign(before);
    rowLoop(begin, end, tiling.rows_per_tile, carried);
    // The stores that tell others of this block's end do not wait for such ones.
    if (past)
      LLVM::FenceOp::create(b, LLVM::AtomicOrdering::seq_cst, StringRef());
    if (!before.empty())
      scf::YieldOp::create(b, carried.flatten());
  }
  carried.assign(branch.getResults());
}

void HostEmitter::rowLoop(Value begin, Value end, int64_t rowCount, Carried &carried) {
  auto loop = scf::ForOp::create(b, begin, end, index(rowCount), carried.flatten());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    carried.assign(loop.getRegionIterArgs());
    emitTile(loop.getInductionVar(), rowCount, carried);
    SmallVector<Value> next = carried.flatten();
    if (!next.empty())
      scf::YieldOp::create(b, next);
  }
  carried.assign(loop.getResults());
}

//===----------------------------------------------------------------------===//
// Sums down the columns
//===----------------------------------------------------------------------===//

bool HostEmitter::isColumnSum(unsigned sum) const {
  return row::AccumulateOp(passes.sums[sum]).getTo() == row::Sum::cols;
}

void HostEmitter::findSumTargets() {
  int64_t colsSlots = 0, scalarSlots = 0;
  for (row::AccumulateOp op : passes.sums)
    if (op.getSlot())
      ++(op.getTo() == row::Sum::cols ? colsSlots : scalarSlots);
  for (row::AccumulateOp op : passes.sums) {
    unsigned buffer = bufferIndex(op.getBuffer());
    Type element = elementOf(buffer);
    Value pointer = pointers[buffer];
    if (auto slot = op.getSlot()) {
      Value offset = mul(workgroupId, partialWidth(colsSlots, scalarSlots, element));
      offset = op.getTo() == row::Sum::cols
                   ? add(offset, mul(index(*slot), cols))
                   : add(add(offset, mul(index(colsSlots), cols)), index(*slot));
      pointer = elementPointer(pointer, offset, element);
    }
    sumTargets.push_back({pointer, element});
  }
}

void HostEmitter::clearColumnSums() {
  if (unrolled())
    return;
  for (unsigned sum = 0; sum < passes.sums.size(); ++sum) {
    if (!isColumnSum(sum))
      continue;
    int64_t bytes = sumTargets[sum].element.getIntOrFloatBitWidth() / 8;
    Value zero = arith::ConstantIntOp::create(b, b.getI8Type(), 0);
    LLVM::MemsetOp::create(b, sumTargets[sum].pointer, zero, mul(cols, index(bytes)),
                           /*isVolatile=*/false);
  }
}

Carried HostEmitter::zeroSums(int64_t rowCount) {
  Carried carried;
  carried.columns.resize(passes.sums.size());
  carried.scalars.resize(passes.sums.size());
  for (auto [sum, op] : llvm::enumerate(passes.sums)) {
    Type type = row::AccumulateOp(op).getValue().getType();
    Type element = row::elementTypeOf(type);
    Value zero = floatConstant(vectorOf(lanesOf(rowCount), element), 0.0);
    if (isColumnSum(sum))
      carried.columns[sum].assign(unrolled() ? allChunks.size() : 0, zero);
    else if (row::kindOf(type) == row::Kind::Tile)
      carried.scalars[sum] = zero;
    else
      carried.scalars[sum] = floatConstant(element, 0.0);
  }
  return carried;
}

Value HostEmitter::finalColumn(Value fragment) {
  return alongColumns() ? fragment : sumLanes(fragment);
}

Value HostEmitter::finalScalar(Value carried) {
  return isa<VectorType>(carried.getType()) ? sumLanes(carried) : carried;
}

void HostEmitter::storeSums(ArrayRef<Carried> parts) {
  for (unsigned sum = 0; sum < passes.sums.size(); ++sum) {
    auto [pointer, element] = sumTargets[sum];
    if (!isColumnSum(sum)) {
      auto values = llvm::map_to_vector(
          parts, [&](const Carried &part) { return finalScalar(part.scalars[sum]); });
      store(addTree(values), pointer, element, {});
      continue;
    }
    if (!unrolled())
      continue;
    for (auto [k, chunk] : llvm::enumerate(allChunks)) {
      auto values = llvm::map_to_vector(parts, [&, k = k](const Carried &part) {
        return finalColumn(part.columns[sum][k]);
      });
      store(addTree(values), elementPointer(pointer, chunk.column, element), element,
            chunk.mask);
    }
  }
}
