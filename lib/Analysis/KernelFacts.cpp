//===- KernelFacts.cpp - What the decisions know of a row kernel ------------===//
#include "normc/Analysis/KernelFacts.h"
#include "normc/Analysis/Phases.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace normc;
using namespace normc::row;

schedule::ElementType normc::row::elementTypeFact(Type type) {
  if (type.isF16())
    return schedule::ElementType::F16;
  if (type.isBF16())
    return schedule::ElementType::BF16;
  return type.isF64() ? schedule::ElementType::F64 : schedule::ElementType::F32;
}

namespace {

struct OpCount {
  int64_t all = 0, special = 0;
};

} // namespace

/// Whether exp of the same value is computed too, whose result makes this tanh.
static bool isBesideExponential(MapOp map) {
  if (map.getInputs().size() != 1)
    return false;
  return llvm::any_of(map.getInputs().front().getUsers(), [](Operation *user) {
    auto other = dyn_cast<MapOp>(user);
    return other && other.getInputs().size() == 1 &&
           !other.getBody().getOps<math::ExpOp>().empty();
  });
}

/// Arithmetic of a scalar region.
static OpCount countRegion(Block &block) {
  // What an accurate tanh takes, with or without the exponential that it shares.
  constexpr int64_t kTanhOps = 9;
  OpCount count;
  for (Operation &op : block.without_terminator()) {
    if (op.hasTrait<OpTrait::ConstantLike>())
      continue;
    auto tanh = dyn_cast<math::TanhOp>(op);
    if (tanh && !bitEnumContainsAll(tanh.getFastmath(), arith::FastMathFlags::afn)) {
      auto map = dyn_cast<MapOp>(block.getParentOp());
      count.all += kTanhOps;
      count.special += map && isBesideExponential(map) ? 0 : 1;
      continue;
    }
    ++count.all;
    // Of math's ops these are the ones that are an instruction or two everywhere.
    bool cheapMath =
        isa<math::FmaOp, math::AbsFOp, math::CopySignOp, math::FloorOp, math::CeilOp,
            math::RoundOp, math::RoundEvenOp, math::TruncOp>(op);
    if (isa<arith::DivFOp, arith::RemFOp>(op) ||
        (isa<math::MathDialect>(op.getDialect()) && !cheapMath))
      ++count.special;
  }
  return count;
}

/// Arithmetic that an op does for each element of a tile; none for per-row work.
static OpCount countPerElement(Operation *op) {
  // Mean and square of one element, two passes: two subtractions, an addition, an fma.
  constexpr int64_t kMomentsOps = 4;
  auto isTile = [](Value value) { return kindOf(value.getType()) == Kind::Tile; };
  return llvm::TypeSwitch<Operation *, OpCount>(op)
      .Case([&](MapOp map) {
        return isTile(map.getResult()) ? countRegion(map.getBody().front()) : OpCount();
      })
      .Case([&](ReduceOp reduce) { return countRegion(reduce.getBody().front()); })
      .Case([&](MomentsOp) { return OpCount{kMomentsOps, 0}; })
      .Case([&](RoundOp round) { return OpCount{isTile(round.getValue()) ? 1 : 0, 0}; })
      .Case(
          [&](AccumulateOp sum) { return OpCount{isTile(sum.getValue()) ? 1 : 0, 0}; })
      .Case([&](FinalizeOp) { return OpCount{1, 0}; })
      .Default([](Operation *) { return OpCount(); });
}

/// Arithmetic on one per-row value that takes long.
static int64_t countSpecialPerRow(Operation *op) {
  auto map = dyn_cast<MapOp>(op);
  if (!map || kindOf(map.getType()) != Kind::Rows)
    return 0;
  return countRegion(map.getBody().front()).special;
}

/// Values that one exchange carries for a row.
static int64_t exchangeWidth(const Phase &phase) {
  int64_t width = 0;
  for (Operation *op : phase.exchanges)
    width += op->getNumResults();
  return width;
}

static void countSums(KernelOp kernel, schedule::KernelFacts &facts) {
  auto count = [&](Sum to) {
    ++(to == Sum::cols ? facts.column_sums : facts.scalar_sums);
  };
  for (Operation &op : *kernel.getBodyBlock()) {
    if (auto sum = dyn_cast<AccumulateOp>(op))
      count(sum.getTo());
    if (auto finalize = dyn_cast<FinalizeOp>(op)) {
      count(finalize.getTo());
      facts.is_finalize = true;
    }
  }
}

schedule::KernelFacts normc::row::computeKernelFacts(KernelOp kernel) {
  schedule::KernelFacts facts;
  facts.rows = kernel.getStaticSize(Axis::rows);
  facts.cols = kernel.getStaticSize(Axis::cols);
  if (!facts.rows)
    facts.max_rows = kernel.getMaxRows();
  facts.accumulator = elementTypeFact(kernel.getAccumulatorType());
  countSums(kernel, facts);
  for (BlockArgument buffer : kernel.getBody().getArguments()) {
    if (buffer.use_empty())
      continue;
    auto type = cast<MemRefType>(buffer.getType());
    schedule::Extent extent = extentOf(buffer);
    facts.buffers.push_back({extent, elementTypeFact(type.getElementType()),
                             kernel.isOutputBuffer(buffer.getArgNumber())});
    if (facts.is_finalize && extent == schedule::Extent::Partials &&
        !type.isDynamicDim(0))
      facts.rows = type.getDimSize(0);
  }

  PhaseAnalysis analysis(kernel);
  facts.phases = analysis.getNumPhases();
  for (auto sum : kernel.getBodyBlock()->getOps<AccumulateOp>())
    facts.sums_wait |= sum.getTo() == Sum::cols && analysis.getPhase(sum) > 0;
  for (const Phase &phase : analysis.getPhases()) {
    facts.row_reductions = std::max(facts.row_reductions, exchangeWidth(phase));
    facts.moments += llvm::count_if(phase.exchanges, llvm::IsaPred<MomentsOp>);
    for (Operation *op : phase.evaluated) {
      facts.special_ops_per_row += countSpecialPerRow(op);
      OpCount count = countPerElement(op);
      facts.ops_per_element += count.all;
      facts.special_ops_per_element += count.special;
    }
  }
  return facts;
}
