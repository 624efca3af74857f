//===- Primitives.cpp - Constants, memory, conversions, lanes ---------------===//
#include "HostEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace normc;
using namespace normc::host;

Value HostEmitter::index(int64_t value) {
  return arith::ConstantIntOp::create(b, b.getI64Type(), value);
}
Value HostEmitter::add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
Value HostEmitter::mul(Value x, Value y) { return arith::MulIOp::create(b, x, y); }
Value HostEmitter::minimum(Value x, Value y) { return arith::MinSIOp::create(b, x, y); }

Value HostEmitter::floatConstant(Type type, double value) {
  TypedAttr attr = b.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(b, type, attr);
}

VectorType HostEmitter::vectorOf(int64_t lanes, Type element) {
  return VectorType::get({lanes}, element);
}

Value HostEmitter::splat(Value scalar, int64_t lanes) {
  return vector::BroadcastOp::create(b, vectorOf(lanes, scalar.getType()), scalar);
}

Value HostEmitter::extract(Value vector, int64_t lane) {
  return vector::ExtractOp::create(b, vector, lane);
}

Value HostEmitter::gather(ArrayRef<Value> scalars) {
  auto type = vectorOf(scalars.size(), scalars.front().getType());
  return vector::FromElementsOp::create(b, type, scalars);
}

Value HostEmitter::elementPointer(Value base, Value offset, Type element) {
  return LLVM::GEPOp::create(b, base.getType(), element, base, ValueRange{offset});
}

Value HostEmitter::addTree(SmallVector<Value> values) {
  while (values.size() > 1) {
    SmallVector<Value> sums;
    for (size_t i = 0; i + 1 < values.size(); i += 2)
      sums.push_back(arith::AddFOp::create(b, values[i], values[i + 1]));
    if (values.size() % 2)
      sums.push_back(values.back());
    values = std::move(sums);
  }
  return values.front();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// 16-bit floats move as integers: the back end has no masked accesses of bf16.
static Type memoryType(OpBuilder &b, Type element) {
  return element.getIntOrFloatBitWidth() == 16 ? b.getI16Type() : element;
}

static Type withLanes(Type element, int64_t width) {
  return width ? Type(VectorType::get({width}, element)) : element;
}

Value HostEmitter::load(Value pointer, Type element, int64_t width, Value mask,
                        Type to) {
  Type memory = memoryType(b, element);
  unsigned alignment = element.getIntOrFloatBitWidth() / 8;
  Type type = withLanes(memory, width);
  Value raw;
  if (mask) {
    Value zero = arith::ConstantOp::create(b, type, b.getZeroAttr(type));
    raw = LLVM::MaskedLoadOp::create(b, type, pointer, mask, zero,
                                     b.getI32IntegerAttr(alignment), UnitAttr());
  } else {
    raw = LLVM::LoadOp::create(b, type, pointer, alignment);
  }
  if (memory != element)
    raw = arith::BitcastOp::create(b, withLanes(element, width), raw);
  return convert(raw, to);
}

void HostEmitter::store(Value value, Value pointer, Type element, Value mask) {
  Value rounded = convert(value, element);
  Type memory = memoryType(b, element);
  unsigned alignment = element.getIntOrFloatBitWidth() / 8;
  if (memory != element) {
    auto vector = dyn_cast<VectorType>(value.getType());
    rounded = arith::BitcastOp::create(
        b, withLanes(memory, vector ? vector.getNumElements() : 0), rounded);
  }
  if (mask)
    LLVM::MaskedStoreOp::create(b, rounded, pointer, mask,
                                b.getI32IntegerAttr(alignment));
  else
    LLVM::StoreOp::create(b, rounded, pointer, alignment);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// f64 to f32, rounded to odd: exact, or the neighbour with an odd significand. A
/// second rounding to a type of at most 22 bits is then right (Boldo and Melquiond,
/// "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to
/// odd", 2008).
Value HostEmitter::roundToOdd(Value wide) {
  auto lanesLike = [&](Type element) {
    auto vector = dyn_cast<VectorType>(wide.getType());
    return withLanes(element, vector ? vector.getNumElements() : 0);
  };
  auto integer = [&](int64_t value) -> Value {
    Type type = lanesLike(b.getI32Type());
    TypedAttr attr = b.getI32IntegerAttr(value);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(b, type, attr);
  };
  Value nearest = arith::TruncFOp::create(b, lanesLike(b.getF32Type()), wide);
  Value back = arith::ExtFOp::create(b, wide.getType(), nearest);
  Value inexact = arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, back, wide);
  Value tooFar =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, math::AbsFOp::create(b, back),
                            math::AbsFOp::create(b, wide));
  Value bits = arith::BitcastOp::create(b, lanesLike(b.getI32Type()), nearest);
  Value below = arith::SubIOp::create(b, bits, integer(1));
  Value towardZero = arith::SelectOp::create(b, tooFar, below, bits);
  Value odd = arith::OrIOp::create(b, towardZero, integer(1));
  Value result = arith::SelectOp::create(b, inexact, odd, bits);
  return arith::BitcastOp::create(b, nearest.getType(), result);
}

Value HostEmitter::convert(Value value, Type element) {
  Type from = getElementTypeOrSelf(value.getType());
  if (from == element)
    return value;
  auto vector = dyn_cast<VectorType>(value.getType());
  Type type = withLanes(element, vector ? vector.getNumElements() : 0);
  if (from.getIntOrFloatBitWidth() < element.getIntOrFloatBitWidth()) {
    if (from.isBF16() && element.isF64())
      return convert(convert(value, b.getF32Type()), element);
    return arith::ExtFOp::create(b, type, value);
  }
  if (from.isF64() && element.getIntOrFloatBitWidth() == 16)
    value = roundToOdd(value);
  return arith::TruncFOp::create(b, type, value);
}

//===----------------------------------------------------------------------===//
// Regions and lanes
//===----------------------------------------------------------------------===//

SmallVector<Value> HostEmitter::inlineRegion(Region &region, ValueRange args,
                                             int64_t lanes) {
  IRMapping mapping;
  mapping.map(region.getArguments(), args);
  Block &body = region.front();
  for (Operation &op : body.without_terminator()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      TypedAttr attr = constant.getValue();
      if (lanes)
        attr = DenseElementsAttr::get(vectorOf(lanes, constant.getType()),
                                      Attribute(attr));
      mapping.map(constant.getResult(), arith::ConstantOp::create(b, attr).getResult());
      continue;
    }
    Operation *clone = b.clone(op, mapping);
    if (!lanes)
      continue;
    for (OpResult result : clone->getResults())
      result.setType(vectorOf(lanes, result.getType()));
  }
  return llvm::map_to_vector(body.getTerminator()->getOperands(), [&](Value value) {
    return mapping.lookupOrDefault(value);
  });
}

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
