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

Value GpuEmitter::sumElements(Value vector) {
  SmallVector<Value> elements;
  for (int64_t i = 0; i < tiling.vector_elems; ++i)
    elements.push_back(extract(vector, i));
  return addTree(elements);
}

Value GpuEmitter::firstOfLane(row::MomentsOp op, ArrayRef<RowSlot> slots, int64_t q) {
  Scope scope(known), inner(fragments);
  Chunk first = unrolled() ? allChunks.front() : chunkAt(index(0), -1, true);
  return extract(fragmentOf(op.getValue(), slots, q, first), 0);
}

/// The mean of the lane's columns, the sum of squares around it and, unless it is the
/// same for all lanes, their count. Taken of x - x0, x0 a value of the lane: a row of
/// one repeated value has that mean and no squares, whatever the value.
GpuEmitter::Values GpuEmitter::laneMoments(row::MomentsOp op, ArrayRef<RowSlot> slots,
                                           int64_t q) {
  Type type = row::elementTypeOf(op.getValue().getType());
  int64_t elems = tiling.vector_elems;
  Value zero = floatConstant(vectorOf(elems, type), 0.0);
  std::optional<int64_t> equal = equalCount();
  Value count;
  if (!equal)
    count = convert(laneCount(), type);
  auto average = [&](Value sum) -> Value {
    if (equal)
      return arith::MulFOp::create(b, sum, floatConstant(type, 1.0 / double(*equal)));
    // A lane without a column divides nothing by one.
    Value divisor = arith::MaximumFOp::create(b, count, floatConstant(type, 1.0));
    return arith::DivFOp::create(b, sum, divisor);
  };
  Value x0 = firstOfLane(op, slots, q);
  auto walk = [&](std::function<Value(Value distance, Value total)> step) {
    Values sum{zero};
    forEachChunk(sum, [&](const Chunk &chunk, Values &partial) {
      Value value = fragmentOf(op.getValue(), slots, q, chunk);
      Value distance = arith::SubFOp::create(b, value, splat(x0, elems));
      Value next = step(distance, partial.front());
      partial.front() = maskedFragment(next, partial.front(), chunk);
    });
    return sumElements(sum.front());
  };
  Value shift = average(walk([&](Value distance, Value total) -> Value {
    return arith::AddFOp::create(b, total, distance);
  }));
  Value m2 = walk([&](Value distance, Value total) -> Value {
    Value rest = arith::SubFOp::create(b, distance, splat(shift, elems));
    return math::FmaOp::create(b, rest, rest, total);
  });
  Values moments{arith::AddFOp::create(b, x0, shift), m2};
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
/// counts nor divisions. Taken of x - x0 as in laneMoments, x0 of the row's first lane.
void GpuEmitter::subgroupMoments(row::MomentsOp op, ArrayRef<RowSlot> slots) {
  Type type = row::elementTypeOf(op.getValue().getType());
  const int64_t elems = tiling.vector_elems;
  Value zero = floatConstant(vectorOf(elems, type), 0.0);
  Value count = arith::SIToFPOp::create(b, type, cols);
  auto average = [&](Value sum) -> Value {
    if (staticCols)
      return arith::MulFOp::create(b, sum,
                                   floatConstant(type, 1.0 / double(*staticCols)));
    return arith::DivFOp::create(b, sum, count);
  };
  // One sum over the row for each row slot.
  auto sumOverRows =
      [&](std::function<Value(size_t q, Value value, Value total)> step) {
        Reduction sum;
        for (size_t q = 0; q < slots.size(); ++q) {
          Values partials{zero};
          forEachChunk(partials, [&](const Chunk &chunk, Values &partial) {
            Value next =
                step(q, fragmentOf(op.getValue(), slots, q, chunk), partial.front());
            partial.front() = maskedFragment(next, partial.front(), chunk);
          });
          sum.parts.push_back({sumElements(partials.front())});
        }
        sum.isSymmetric = true;
        sum.combine = [this](ArrayRef<Value> x, ArrayRef<Value> y, int64_t, int64_t) {
          return Values{arith::AddFOp::create(b, x[0], y[0])};
        };
        reduceOverLanes(sum);
        return sum.parts;
      };
  Values x0, shift;
  for (size_t q = 0; q < slots.size(); ++q) {
    Value first = firstOfLane(op, slots, q);
    x0.push_back(tiling.lanes_per_row > 1 ? fromFirstLane(first) : first);
  }
  for (const Values &sum :
       sumOverRows([&](size_t q, Value value, Value total) -> Value {
         Value distance = arith::SubFOp::create(b, value, splat(x0[q], elems));
         return arith::AddFOp::create(b, total, distance);
       }))
    shift.push_back(average(sum.front()));
  auto squares = sumOverRows([&](size_t q, Value value, Value total) -> Value {
    Value distance = arith::SubFOp::create(b, value, splat(x0[q], elems));
    Value rest = arith::SubFOp::create(b, distance, splat(shift[q], elems));
    return math::FmaOp::create(b, rest, rest, total);
  });
  for (size_t q = 0; q < slots.size(); ++q) {
    Value mean = arith::AddFOp::create(b, x0[q], shift[q]);
    known.insert(Key{op.getMean(), int64_t(q), kRow}, mean);
    known.insert(Key{op.getM2(), int64_t(q), kRow}, squares[q].front());
  }
}
