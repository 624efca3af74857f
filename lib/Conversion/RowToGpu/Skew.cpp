//===- Skew.cpp - The sums of a row before the end of the one before --------===//
//
// A workgroup has one row at a time. Its lanes sum row k + 1 and send the sums off,
// then end row k, whose sums have arrived meanwhile: no lane waits for an exchange. One
// more subgroup does nothing but copy rows ahead. Barriers tell
//   full[s]      that a row is in stage s,
//   freed[s]     that all subgroups have ended the row in stage s,
//   exchange[i]  that the sums of a row are there, from all workgroups that share it.
// Sums lie in four slots in turn: a subgroup that sends row k + 3 has ended row k + 1,
// so that all have sent that one, and ended row k - 1, which had the slot before.
//
//===----------------------------------------------------------------------===//
#include "GpuEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace normc;
using namespace normc::gpu;

/// As in Values.cpp: the key of a per-row value.
static constexpr int64_t kRow = -2;
/// Sums that every lane reads one by one; more are shared by the lanes of a subgroup.
static constexpr int64_t kFewParts = 8;

bool GpuEmitter::canSkew() {
  return tiling.skew == 1 && phases.getNumPhases() == 2 &&
         !phases.getPhases()[0].exchanges.empty() &&
         tiling.residency == schedule::Residency::Shared &&
         tiling.store == schedule::Store::Direct && tiling.rows_per_tile == 1 &&
         tiling.lanes_per_row == tiling.workgroup_size &&
         tiling.lanes_per_row > subgroup() && canStage() && canCopyInBulk();
}

void GpuEmitter::emitSkewed() {
  producerLanes = subgroup();
  beginSkew(rows);
  Carried carried = zeroSums();
  SmallVector<Value> zeros = carried.flatten();
  auto branch =
      scf::IfOp::create(b, ValueRange(zeros).getTypes(),
                        less(lane, index(tiling.workgroup_size)), /*withElse=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    auto emitInto = [&](Block *block, llvm::function_ref<SmallVector<Value>()> body) {
      b.setInsertionPointToStart(block);
      Scope scope(known);
      SmallVector<Value> results = body();
      if (!results.empty())
        scf::YieldOp::create(b, results);
    };
    emitInto(branch.thenBlock(), [&] {
      consume(carried);
      return carried.flatten();
    });
    emitInto(branch.elseBlock(), [&] {
      produce();
      return zeros;
    });
  }
  carried.assign(branch.getResults());
  endStages();
  storeSums(carried);
  // No workgroup ends while another may send it something.
  if (rank)
    hooks.clusterBarrier(b);
}

/// Slots are [value][turn][workgroup, subgroup].
void GpuEmitter::beginSkew(Value tiles) {
  skew.emplace();
  stages.emplace();
  stages->tiles = tiles;
  layOutStages();
  auto barriersFrom = [&](int64_t number) {
    return elementPointer(stages->barriers, index(8 * number), b.getI8Type());
  };
  skew->freed = barriersFrom(tiling.stages);
  skew->exchanges = barriersFrom(2 * tiling.stages);
  const int64_t subgroups = tiling.workgroup_size / subgroup();
  initBarriers([&] {
    for (int64_t s = 0; s < tiling.stages; ++s)
      hooks.initBarrier(b, barriersFrom(tiling.stages + s), subgroups);
    for (int64_t i = 0; i < kSkewSlots; ++i)
      hooks.initBarrier(b, barriersFrom(2 * tiling.stages + i), rank ? 1 : subgroups);
  });
  if (rank)
    hooks.clusterBarrier(b);
  else
    mlir::gpu::BarrierOp::create(b);
}

/// One lane: a stage is filled again when all subgroups have ended the row in it.
void GpuEmitter::produce() {
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane,
                                        index(tiling.workgroup_size));
  ifThen(isFirst, [&] {
    Value zero = arith::ConstantIntOp::create(b, b.getI32Type(), 0);
    Value one = arith::ConstantIntOp::create(b, b.getI32Type(), 1);
    auto loop = scf::ForOp::create(b, rowGroup, stages->tiles, rowGroups,
                                   ValueRange{index(0), zero});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value stage = loop.getRegionIterArgs()[0], phase = loop.getRegionIterArgs()[1];
    // A barrier that nobody has arrived at counts as one whose phase 1 has ended.
    Value freed = elementPointer(skew->freed, mul(stage, index(8)), b.getI8Type());
    awaitBarrier(freed, arith::XOrIOp::create(b, phase, one), /*ofCluster=*/false);
    issueStage(loop.getInductionVar(), stage);
    auto [next, nextPhase] = nextStage(stage, phase);
    scf::YieldOp::create(b, ValueRange{next, nextPhase});
  });
}

void GpuEmitter::consume(Carried &carried) {
  SmallVector<Value> inits = carried.flatten();
  auto branch = scf::IfOp::create(b, ValueRange(inits).getTypes(),
                                  less(rowGroup, stages->tiles), !inits.empty());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Scope scope(known);
    emitSkewedLoop(carried);
    if (!inits.empty()) {
      scf::YieldOp::create(b, carried.flatten());
      b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(b, inits);
    }
  }
  carried.assign(branch.getResults());
}

/// What is per row and loaded, in the order of the loads.
GpuEmitter::Values GpuEmitter::loadRowValues(Value row) {
  Scope scope(known);
  RowSlot slot = rowSlot(minimum(row, add(rows, index(-1))), row, 0,
                         /*isStaged=*/false);
  Values values;
  for (auto load : kernel.getBodyBlock()->getOps<row::LoadOp>())
    if (row::kindOf(load.getType()) == row::Kind::Rows)
      values.push_back(rowOf(load, slot, 0));
  return values;
}

/// The row's buffers, and what was loaded for it, which is known in this scope.
RowSlot GpuEmitter::beginRow(const SkewedRow &row) {
  stages->tile = row.tile;
  stages->current = row.stage;
  stages->phase = row.phase;
  skew->number = row.number;
  const Value *next = row.loaded.begin();
  for (auto load : kernel.getBodyBlock()->getOps<row::LoadOp>())
    if (row::kindOf(load.getType()) == row::Kind::Rows)
      known.insert(Key{load.getResult(), 0, kRow}, *next++);
  return rowSlot(row.tile, row.tile);
}

void GpuEmitter::emitSums(const SkewedRow &row, Carried &carried) {
  Scope scope(known);
  RowSlot slot = beginRow(row);
  awaitStage();
  isFirstPhase = true;
  finishRows(phases.getPhases()[0], slot, carried);
  walkColumns(phases.getPhases()[0], slot, carried);
}

void GpuEmitter::emitEnd(const SkewedRow &row, Carried &carried) {
  Scope scope(known);
  RowSlot slot = beginRow(row);
  receiveReductions();
  isFirstPhase = false;
  finishRows(phases.getPhases()[1], slot, carried);
  walkColumns(phases.getPhases()[1], slot, carried);
  hooks.subgroupBarrier(b);
  Value inSubgroup = arith::RemUIOp::create(b, lane, index(subgroup()));
  ifThen(arith::CmpIOp::create(b, arith::CmpIPredicate::eq, inSubgroup, index(0)), [&] {
    hooks.arriveAt(
        b, elementPointer(skew->freed, mul(row.stage, index(8)), b.getI8Type()));
  });
}

/// Carries the sums, the row at hand and what was loaded for it and for the next.
void GpuEmitter::emitSkewedLoop(Carried &carried) {
  Value zero = arith::ConstantIntOp::create(b, b.getI32Type(), 0);
  SkewedRow first{rowGroup, index(0), index(0), zero, loadRowValues(rowGroup)};
  const size_t loads = first.loaded.size();
  Values second = loadRowValues(add(rowGroup, rowGroups));
  emitSums(first, carried);
  SmallVector<Value> inits = carried.flatten();
  const size_t sumCount = inits.size();
  inits.append({first.number, first.stage, first.phase});
  llvm::append_range(inits, first.loaded);
  llvm::append_range(inits, second);
  auto loop = scf::ForOp::create(b, rowGroup, stages->tiles, rowGroups, inits);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Scope scope(known);
    auto args = loop.getRegionIterArgs();
    carried.assign(args.take_front(sumCount));
    Value tile = loop.getInductionVar();
    SkewedRow row{tile, args[sumCount], args[sumCount + 1], args[sumCount + 2], {}};
    auto loaded = args.drop_front(sumCount + 3);
    row.loaded.assign(loaded.begin(), loaded.begin() + loads);
    SkewedRow next{add(tile, rowGroups), add(row.number, index(1)), {}, {}, {}};
    std::tie(next.stage, next.phase) = nextStage(row.stage, row.phase);
    next.loaded.assign(loaded.begin() + loads, loaded.end());
    Values third = loadRowValues(add(next.tile, rowGroups));
    SmallVector<Value> before = carried.flatten();
    auto branch = scf::IfOp::create(b, ValueRange(before).getTypes(),
                                    less(next.tile, stages->tiles), !before.empty());
    {
      OpBuilder::InsertionGuard inner(b);
      b.setInsertionPointToStart(branch.thenBlock());
      emitSums(next, carried);
      if (!before.empty()) {
        scf::YieldOp::create(b, carried.flatten());
        b.setInsertionPointToStart(branch.elseBlock());
        scf::YieldOp::create(b, before);
      }
    }
    carried.assign(branch.getResults());
    emitEnd(row, carried);
    SmallVector<Value> results = carried.flatten();
    results.append({next.number, next.stage, next.phase});
    llvm::append_range(results, next.loaded);
    llvm::append_range(results, third);
    scf::YieldOp::create(b, results);
  }
  carried.assign(loop.getResults().take_front(sumCount));
}

//===----------------------------------------------------------------------===//
// The exchange
//===----------------------------------------------------------------------===//

/// Subgroups that have a part of the row, in all workgroups.
int64_t GpuEmitter::exchangeParts() const {
  return tiling.workgroup_size / subgroup() * tiling.cluster_cols;
}

Value GpuEmitter::exchangeSlot(size_t value, Value part, Type type) {
  Value turn = arith::AndIOp::create(b, skew->number, index(kSkewSlots - 1));
  Value at = add(mul(turn, index(exchangeParts())), part);
  at = add(at, index(int64_t(value) * kSkewSlots * exchangeParts()));
  return elementPointer(skew->slots, at, type);
}

Value GpuEmitter::exchangeBarrier() {
  Value turn = arith::AndIOp::create(b, skew->number, index(kSkewSlots - 1));
  return elementPointer(skew->exchanges, mul(turn, index(8)), b.getI8Type());
}

/// By one lane of the subgroup; in a cluster by one for each workgroup of the row.
void GpuEmitter::sendReductions(ArrayRef<Reduction> reductions) {
  Values values;
  for (const Reduction &reduction : reductions)
    llvm::append_range(values, reduction.parts.front());
  int64_t bytes = 0;
  for (Value value : values)
    bytes += value.getType().getIntOrFloatBitWidth() / 8 * exchangeParts();
  if (!skew->slots)
    skew->slots = sharedRegion(bytes * kSkewSlots, false);
  Value barrier = exchangeBarrier();
  Value inSubgroup = arith::RemUIOp::create(b, lane, index(subgroup()));
  Value mySubgroup = arith::DivUIOp::create(b, lane, index(subgroup()));
  if (!rank) {
    Value leads =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, inSubgroup, index(0));
    ifThen(leads, [&] {
      for (auto [i, value] : llvm::enumerate(values))
        LLVM::StoreOp::create(b, value, exchangeSlot(i, mySubgroup, value.getType()),
                              value.getType().getIntOrFloatBitWidth() / 8);
      hooks.arriveAt(b, barrier);
    });
    return;
  }
  ifThen(isFirstLane(), [&] { hooks.expectBytes(b, barrier, index(bytes)); });
  const int64_t subgroups = tiling.workgroup_size / subgroup();
  Value part = add(mul(rank, index(subgroups)), mySubgroup);
  ifThen(less(inSubgroup, index(tiling.cluster_cols)), [&] {
    Value there = hooks.inWorkgroup(b, barrier, inSubgroup);
    for (auto [i, value] : llvm::enumerate(values)) {
      Value slot = exchangeSlot(i, part, value.getType());
      hooks.sendToWorkgroup(b, value, hooks.inWorkgroup(b, slot, inSubgroup), there);
    }
  });
}

void GpuEmitter::receiveReductions() {
  Value turns = arith::DivUIOp::create(b, skew->number, index(kSkewSlots));
  Value phase = arith::TruncIOp::create(
      b, b.getI32Type(), arith::AndIOp::create(b, turns, index(1)).getResult());
  awaitBarrier(exchangeBarrier(), phase, /*ofCluster=*/bool(rank));
  const int64_t parts = exchangeParts();
  const bool isShared = parts > kFewParts && llvm::isPowerOf2_64(uint64_t(parts));
  const int64_t across = isShared ? std::min(parts, subgroup()) : 1;
  // The tree over all parts in their order, whichever lanes add them.
  Value first =
      mul(arith::RemUIOp::create(b, lane, index(across)), index(parts / across));
  size_t slot = 0;
  for (auto [op, reduction] : llvm::zip_equal(skew->reduced, skew->reductions)) {
    SmallVector<Values> each(parts / across);
    for (Value part : reduction.parts.front()) {
      for (int64_t i = 0; i < parts / across; ++i)
        each[i].push_back(LLVM::LoadOp::create(
            b, part.getType(), exchangeSlot(slot, add(first, index(i)), part.getType()),
            part.getType().getIntOrFloatBitWidth() / 8));
      ++slot;
    }
    Values total = combineInOrder(reduction, std::move(each), subgroup());
    if (across > 1)
      total = combineAcrossLanes(reduction, std::move(total), across);
    for (OpResult result : op->getResults())
      known.insert(Key{result, 0, kRow}, total[result.getResultNumber()]);
  }
}

/// Over `across` lanes of a subgroup, each with as many parts of the row.
GpuEmitter::Values GpuEmitter::combineAcrossLanes(const Reduction &reduction,
                                                  Values mine, int64_t across) {
  int64_t lanes = exchangeParts() / across * subgroup();
  for (int64_t distance = 1; distance < across; distance *= 2, lanes *= 2) {
    Values other =
        llvm::map_to_vector(mine, [&](Value v) { return shuffle(v, distance); });
    mine = reduction.combine(mine, other, lanes, lanes);
  }
  if (reduction.isSymmetric)
    return mine;
  Value zero = arith::ConstantIntOp::create(b, b.getI32Type(), 0);
  Value width = arith::ConstantIntOp::create(b, b.getI32Type(), subgroup());
  return llvm::map_to_vector(mine, [&](Value value) -> Value {
    return mlir::gpu::ShuffleOp::create(b, value, zero, width,
                                        mlir::gpu::ShuffleMode::IDX)
        .getShuffleResult();
  });
}
