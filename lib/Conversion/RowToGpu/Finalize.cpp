//===- Finalize.cpp - Adds partials down the columns ------------------------===//
//
// A workgroup takes lanes_per_row columns side by side; its other lanes share their
// partials and add their sums through workgroup memory. One lane adds in four chains.
//
//===----------------------------------------------------------------------===//
#include "GpuEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace normc;
using namespace normc::gpu;

static constexpr int64_t kChains = 4;

void GpuEmitter::emitFinalize() {
  for (Operation &op : *kernel.getBodyBlock())
    finalizeSegment(cast<row::FinalizeOp>(op));
}

Value GpuEmitter::addPartials(Value base, Value width, Type element, Value first,
                              Value step) {
  unsigned bytes = element.getIntOrFloatBitWidth() / 8;
  auto loadAt = [&](Value partial) -> Value {
    return LLVM::LoadOp::create(
        b, element, elementPointer(base, mul(partial, width), element), bytes);
  };
  SmallVector<Value> sums(kChains, floatConstant(element, 0.0));
  Value stride = mul(step, index(kChains));
  // Whole rounds of all chains, then the rest one by one.
  Value last = arith::SubIOp::create(b, rows, mul(step, index(kChains - 1)));
  auto rounds = scf::ForOp::create(b, first, last, stride, sums);
  Value begin;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(rounds.getBody());
    SmallVector<Value> next;
    for (int64_t k = 0; k < kChains; ++k) {
      Value partial = add(rounds.getInductionVar(), mul(step, index(k)));
      next.push_back(
          arith::AddFOp::create(b, rounds.getRegionIterArgs()[k], loadAt(partial)));
    }
    scf::YieldOp::create(b, next);
  }
  Value span = arith::MaxSIOp::create(
      b, arith::SubIOp::create(b, last, first).getResult(), index(0));
  begin = add(first, mul(arith::CeilDivUIOp::create(b, span, stride), stride));
  Value total = addTree(llvm::to_vector(ValueRange(rounds.getResults())));
  auto rest = scf::ForOp::create(b, begin, rows, step, ValueRange{total});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(rest.getBody());
    Value sum = arith::AddFOp::create(b, rest.getRegionIterArgs()[0],
                                      loadAt(rest.getInductionVar()));
    scf::YieldOp::create(b, sum);
  }
  return rest.getResult(0);
}

/// The sum over the lanes that share a column: those of one subgroup by shuffles, the
/// rest through workgroup memory.
Value GpuEmitter::addGroups(Value total, Value region, Type type) {
  const int64_t across = tiling.lanes_per_row;
  for (int64_t d = across; d < subgroup(); d *= 2)
    total = arith::AddFOp::create(b, total, shuffle(total, d));
  const int64_t stride = std::max(across, subgroup());
  const int64_t parts = tiling.workgroup_size / stride;
  if (parts == 1)
    return total;
  unsigned bytes = type.getIntOrFloatBitWidth() / 8;
  Value part = arith::DivUIOp::create(b, lane, index(stride));
  Value isOwner = less(arith::RemUIOp::create(b, lane, index(stride)), index(across));
  ifThen(across < stride ? isOwner : Value(), [&] {
    Value slot = add(mul(part, index(across)), laneOfRow);
    LLVM::StoreOp::create(b, total, elementPointer(region, slot, type), bytes);
  });
  mlir::gpu::BarrierOp::create(b);
  SmallVector<Value> values;
  for (int64_t p = 0; p < parts; ++p)
    values.push_back(LLVM::LoadOp::create(
        b, type, elementPointer(region, add(laneOfRow, index(p * across)), type),
        bytes));
  total = addTree(values);
  mlir::gpu::BarrierOp::create(b);
  return total;
}

void GpuEmitter::finalizeSegment(row::FinalizeOp op) {
  const int64_t across = tiling.lanes_per_row;
  const int64_t down = tiling.workgroup_size / across;
  unsigned source = bufferIndex(op.getPartials()), buffer = bufferIndex(op.getBuffer());
  Type from = elementOf(source), to = elementOf(buffer);
  unsigned bytes = from.getIntOrFloatBitWidth() / 8;
  int64_t scalarSlots = 0;
  for (auto other : kernel.getBodyBlock()->getOps<row::FinalizeOp>())
    if (other.getTo() == row::Sum::scalar)
      scalarSlots = std::max<int64_t>(scalarSlots, other.getSlot() + 1);
  Value width = partialWidth(op.getNumColsSlots(), scalarSlots, from);
  bool isColumns = op.getTo() == row::Sum::cols;
  Value count = isColumns ? cols : index(1);
  Value offset = isColumns
                     ? mul(index(op.getSlot()), cols)
                     : add(mul(index(op.getNumColsSlots()), cols), index(op.getSlot()));

  // Columns in turn: workgroup k takes block k, k + number of workgroups, ...
  Value blocks = arith::CeilDivUIOp::create(b, count, index(across));
  Value workgroup = arith::IndexCastUIOp::create(
      b, b.getI64Type(), mlir::gpu::BlockIdOp::create(b, mlir::gpu::Dimension::x));
  Value workgroups = arith::IndexCastUIOp::create(
      b, b.getI64Type(), mlir::gpu::GridDimOp::create(b, mlir::gpu::Dimension::x));
  int64_t before = sharedUsed;
  Value region = sharedRegion(tiling.workgroup_size * bytes, false);
  auto loop = scf::ForOp::create(b, workgroup, blocks, workgroups);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Scope scope(known);
    Value column = add(mul(loop.getInductionVar(), index(across)), laneOfRow);
    // Lanes past the end add the last column again and store nothing.
    Value inside = less(column, count);
    Value at = minimum(column, add(count, index(-1)));
    Value base = elementPointer(pointers[source], add(offset, at), from);
    Value total = addPartials(base, width, from, group, index(down));
    total = addGroups(total, region, from);
    Value stores = arith::AndIOp::create(
        b, inside, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, group, index(0)));
    ifThen(stores,
           [&] { store(total, elementPointer(pointers[buffer], column, to), to, {}); });
  }
  sharedHigh = std::max(sharedHigh, sharedUsed);
  sharedUsed = before;
}
