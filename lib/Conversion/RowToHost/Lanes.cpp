//===- Lanes.cpp - Reductions over the lanes of vectors ---------------------===//
#include "HostEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace normc;
using namespace normc::host;

SmallVector<Value> HostEmitter::reduceLanes(SmallVector<SmallVector<Value>> rowValues,
                                            Combine combine) {
  auto lanesOfValue = [](Value v) {
    return cast<VectorType>(v.getType()).getNumElements();
  };
  // Halves of each of `segments` runs of lanes, of one vector or of two after another.
  auto halves = [&](Value x, Value y, int64_t segment, bool high) -> Value {
    int64_t total = lanesOfValue(x) * (x == y ? 1 : 2);
    SmallVector<int64_t> lanes;
    for (int64_t start = 0; start < total; start += segment)
      for (int64_t i = 0; i < segment / 2; ++i)
        lanes.push_back(start + i + (high ? segment / 2 : 0));
    return vector::ShuffleOp::create(b, x, y, lanes);
  };
  auto step = [&](ArrayRef<Value> x, ArrayRef<Value> y, int64_t segment) {
    SmallVector<Value> low, high;
    for (auto [p, q] : llvm::zip_equal(x, y)) {
      low.push_back(halves(p, q, segment, false));
      high.push_back(halves(p, q, segment, true));
    }
    return combine(low, high);
  };
  int64_t segment = lanesOfValue(rowValues.front().front());
  for (; rowValues.size() > 1; segment /= 2) {
    SmallVector<SmallVector<Value>> merged;
    for (size_t i = 0; i < rowValues.size(); i += 2)
      merged.push_back(step(rowValues[i], rowValues[i + 1], segment));
    rowValues = std::move(merged);
  }
  SmallVector<Value> values = rowValues.front();
  for (; segment > 1; segment /= 2)
    values = step(values, values, segment);
  return values;
}

Value HostEmitter::sumLanes(Value vector) {
  auto addition = [&](ArrayRef<Value> x, ArrayRef<Value> y) {
    return SmallVector<Value>{arith::AddFOp::create(b, x[0], y[0])};
  };
  return extract(reduceLanes({{vector}}, addition).front(), 0);
}
