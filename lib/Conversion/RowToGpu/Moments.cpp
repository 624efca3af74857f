//===- Moments.cpp - Mean and squares around it -----------------------------===//
#include "GpuEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace normc;
using namespace normc::gpu;

/// As in Values.cpp: the key of a per-row value.
static constexpr int64_t kRow = -2;

/// How many of the row's columns this lane has, where that is the same for all lanes.
std::optional<int64_t> GpuEmitter::equalCount() {
  if (!unrolled() || llvm::any_of(allChunks, [](const Chunk &chunk) {
        return chunk.own || chunk.begins;
      }))
    return std::nullopt;
  return int64_t(allChunks.size()) * tiling.vector_elems;
}

/// How many of the row's columns this lane has: whole steps, and what the last leaves.
Value GpuEmitter::laneCount() {
  int64_t elems = tiling.vector_elems;
  Value width = arith::SubIOp::create(b, columnEnd, columnBegin);
  Value step = index(tiling.lanes_per_row * elems);
  Value steps = arith::DivUIOp::create(b, width, step);
  Value rest = arith::SubIOp::create(b, arith::RemUIOp::create(b, width, step),
                                     mul(laneOfRow, index(elems)));
  rest = minimum(arith::MaxSIOp::create(b, rest, index(0)), index(elems));
  return arith::SIToFPOp::create(b, b.getF32Type(),
                                 add(mul(steps, index(elems)), rest));
}

/// The mean of the lane's columns, the sum of squares around it and, unless it is the
/// same for all lanes, their count. Equal values have exactly their mean: a power of
/// two of them adds up without rounding, otherwise the mean is corrected by the mean of
/// what is left.
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
  std::optional<int64_t> equal = equalCount();
  bool isExact = equal && llvm::isPowerOf2_64(*equal);
  Value count, divisor;
  if (!equal) {
    count = convert(laneCount(), type);
    // A lane without a column divides nothing by one.
    divisor = arith::MaximumFOp::create(b, count, floatConstant(type, 1.0));
  }
  auto average = [&](Value sum) -> Value {
    if (equal)
      return arith::MulFOp::create(b, sum, floatConstant(type, 1.0 / double(*equal)));
    return arith::DivFOp::create(b, sum, divisor);
  };
  Values sum{zero};
  forEachChunk(sum, [&](const Chunk &chunk, Values &partial) {
    Value term =
        maskedFragment(fragmentOf(op.getValue(), slots, q, chunk), zero, chunk);
    partial.front() = arith::AddFOp::create(b, partial.front(), term);
  });
  Value mean = average(total(sum.front()));
  Values around{zero, zero};
  forEachChunk(around, [&](const Chunk &chunk, Values &partial) {
    Value distance = arith::SubFOp::create(
        b, fragmentOf(op.getValue(), slots, q, chunk), splat(mean, elems));
    distance = maskedFragment(distance, zero, chunk);
    if (!isExact)
      partial[0] = arith::AddFOp::create(b, partial[0], distance);
    partial[1] = math::FmaOp::create(b, distance, distance, partial[1]);
  });
  Value m2 = total(around[1]);
  Values moments{mean, m2};
  if (!isExact) {
    Value left = total(around[0]);
    Value shift = average(left);
    m2 =
        arith::SubFOp::create(b, m2, arith::MulFOp::create(b, left, shift).getResult());
    moments = {arith::AddFOp::create(b, mean, shift),
               arith::MaximumFOp::create(b, m2, floatConstant(type, 0.0))};
  }
  if (count)
    moments.push_back(count);
  else
    momentsCount = *equal;
  return moments;
}

/// Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing
/// sample variances", 1979, eq. 2.1, for sides of known size.
GpuEmitter::Values GpuEmitter::combineCountedMoments(ArrayRef<Value> x,
                                                     ArrayRef<Value> y, int64_t xCount,
                                                     int64_t yCount) {
  Type type = x[0].getType();
  double all = double(xCount + yCount);
  Value delta = arith::SubFOp::create(b, y[0], x[0]);
  // Equal sides meet in the middle, the same in both of two lanes that swap them.
  Value mean =
      xCount == yCount
          ? arith::MulFOp::create(b, arith::AddFOp::create(b, x[0], y[0]),
                                  floatConstant(type, 0.5))
                .getResult()
          : math::FmaOp::create(b, delta, floatConstant(type, yCount / all), x[0])
                .getResult();
  Value both = arith::AddFOp::create(b, x[1], y[1]);
  Value square = arith::MulFOp::create(b, delta, delta);
  Value weight = floatConstant(type, double(xCount) * yCount / all);
  return {mean, math::FmaOp::create(b, square, weight, both)};
}

/// The same for sides of any size; a side without elements leaves the other as it is.
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

/// Mean, then squares around it, each by shuffles: a row of one subgroup needs neither
/// counts nor divisions. The mean is corrected as in laneMoments.
void GpuEmitter::subgroupMoments(row::MomentsOp op, ArrayRef<RowSlot> slots) {
  Type type = row::elementTypeOf(op.getValue().getType());
  const int64_t elems = tiling.vector_elems;
  Value zero = floatConstant(vectorOf(elems, type), 0.0);
  auto total = [&](Value vector) {
    SmallVector<Value> elements;
    for (int64_t i = 0; i < elems; ++i)
      elements.push_back(extract(vector, i));
    return addTree(elements);
  };
  auto sumOverLanes = [&](SmallVector<Values> parts) {
    Reduction sum;
    sum.parts = std::move(parts);
    sum.isSymmetric = true;
    sum.combine = [this](ArrayRef<Value> x, ArrayRef<Value> y, int64_t, int64_t) {
      Values both;
      for (auto [left, right] : llvm::zip_equal(x, y))
        both.push_back(arith::AddFOp::create(b, left, right));
      return both;
    };
    reduceOverLanes(sum);
    return sum.parts;
  };
  Value count = arith::SIToFPOp::create(b, type, cols);
  auto average = [&](Value sum) -> Value {
    if (staticCols)
      return arith::MulFOp::create(b, sum,
                                   floatConstant(type, 1.0 / double(*staticCols)));
    return arith::DivFOp::create(b, sum, count);
  };
  SmallVector<Values> sums, around;
  for (size_t q = 0; q < slots.size(); ++q) {
    Values sum{zero};
    forEachChunk(sum, [&](const Chunk &chunk, Values &partial) {
      Value term =
          maskedFragment(fragmentOf(op.getValue(), slots, q, chunk), zero, chunk);
      partial.front() = arith::AddFOp::create(b, partial.front(), term);
    });
    sums.push_back({total(sum.front())});
  }
  sums = sumOverLanes(std::move(sums));
  bool isExact = staticCols && llvm::isPowerOf2_64(*staticCols);
  for (size_t q = 0; q < slots.size(); ++q) {
    Value mean = average(sums[q].front());
    sums[q] = {mean};
    Values sum{zero, zero};
    forEachChunk(sum, [&](const Chunk &chunk, Values &partial) {
      Value distance = arith::SubFOp::create(
          b, fragmentOf(op.getValue(), slots, q, chunk), splat(mean, elems));
      distance = maskedFragment(distance, zero, chunk);
      partial[0] = math::FmaOp::create(b, distance, distance, partial[0]);
      if (!isExact)
        partial[1] = arith::AddFOp::create(b, partial[1], distance);
    });
    around.push_back({total(sum[0])});
    if (!isExact)
      around.back().push_back(total(sum[1]));
  }
  around = sumOverLanes(std::move(around));
  for (size_t q = 0; q < slots.size(); ++q) {
    Value mean = sums[q].front(), m2 = around[q][0];
    if (!isExact) {
      Value shift = average(around[q][1]);
      mean = arith::AddFOp::create(b, mean, shift);
      Value twice = arith::MulFOp::create(b, around[q][1], shift);
      m2 = arith::MaximumFOp::create(b, arith::SubFOp::create(b, m2, twice).getResult(),
                                     floatConstant(type, 0.0));
    }
    known.insert(Key{op.getMean(), int64_t(q), kRow}, mean);
    known.insert(Key{op.getM2(), int64_t(q), kRow}, m2);
  }
}
