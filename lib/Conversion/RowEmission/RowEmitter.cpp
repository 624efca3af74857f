//===- RowEmitter.cpp - Constants, memory, conversions, regions -------------===//
#include "RowEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace normc;

Value RowEmitter::index(int64_t value) {
  return arith::ConstantIntOp::create(b, b.getI64Type(), value);
}
Value RowEmitter::add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
Value RowEmitter::mul(Value x, Value y) { return arith::MulIOp::create(b, x, y); }
Value RowEmitter::minimum(Value x, Value y) { return arith::MinSIOp::create(b, x, y); }

Value RowEmitter::floatConstant(Type type, double value) {
  TypedAttr attr = b.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(b, type, attr);
}

VectorType RowEmitter::vectorOf(int64_t lanes, Type element) {
  return VectorType::get({lanes}, element);
}

Value RowEmitter::splat(Value scalar, int64_t lanes) {
  return vector::BroadcastOp::create(b, vectorOf(lanes, scalar.getType()), scalar);
}

Value RowEmitter::extract(Value vector, int64_t lane) {
  return vector::ExtractOp::create(b, vector, lane);
}

Value RowEmitter::gather(ArrayRef<Value> scalars) {
  auto type = vectorOf(scalars.size(), scalars.front().getType());
  return vector::FromElementsOp::create(b, type, scalars);
}

Value RowEmitter::addTo(Value total, Value term) {
  if (auto product = term.getDefiningOp<arith::MulFOp>())
    return math::FmaOp::create(b, product.getLhs(), product.getRhs(), total);
  return arith::AddFOp::create(b, total, term);
}

Value RowEmitter::fuseProduct(Value sum) {
  auto add = sum.getDefiningOp<arith::AddFOp>();
  if (!add || !add.getRhs().getDefiningOp<arith::MulFOp>())
    return sum;
  Value fused = addTo(add.getLhs(), add.getRhs());
  add->erase();
  return fused;
}

/// 16-bit floats move as integers: the host's back end has no masked accesses of bf16,
/// and SPIR-V no bf16.
static Type memoryType(OpBuilder &b, Type element) {
  return element.getIntOrFloatBitWidth() == 16 ? b.getI16Type() : element;
}

Value RowEmitter::elementPointer(Value base, Value offset, Type element) {
  return LLVM::GEPOp::create(b, base.getType(), memoryType(b, element), base,
                             ValueRange{offset});
}

Value RowEmitter::addTree(SmallVector<Value> values) {
  while (values.size() > 1) {
    SmallVector<Value> sums;
    for (size_t i = 0; i + 1 < values.size(); i += 2)
      sums.push_back(addTo(values[i], values[i + 1]));
    if (values.size() % 2)
      sums.push_back(values.back());
    values = std::move(sums);
  }
  return values.front();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static Type withLanes(Type element, int64_t width) {
  return width ? Type(VectorType::get({width}, element)) : element;
}

Value RowEmitter::load(Value pointer, Type element, int64_t width, Value mask,
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

Value RowEmitter::asStored(Value value, Type element) {
  Value rounded = convert(value, element);
  Type memory = memoryType(b, element);
  if (memory == element)
    return rounded;
  auto vector = dyn_cast<VectorType>(value.getType());
  return arith::BitcastOp::create(
      b, withLanes(memory, vector ? vector.getNumElements() : 0), rounded);
}

void RowEmitter::store(Value value, Value pointer, Type element, Value mask) {
  Value stored = asStored(value, element);
  unsigned alignment = element.getIntOrFloatBitWidth() / 8;
  if (mask)
    LLVM::MaskedStoreOp::create(b, stored, pointer, mask,
                                b.getI32IntegerAttr(alignment));
  else
    LLVM::StoreOp::create(b, stored, pointer, alignment);
}

void RowEmitter::storePastCaches(Value vector, Value pointer, Type element) {
  Value stored = asStored(vector, element);
  auto lanes = cast<VectorType>(stored.getType()).getNumElements();
  unsigned alignment = lanes * element.getIntOrFloatBitWidth() / 8;
  LLVM::StoreOp::create(b, stored, pointer, alignment, /*isVolatile=*/false,
                        /*isNonTemporal=*/true);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// f64 to f32, rounded to odd: exact, or the neighbour with an odd significand. A
/// second rounding to a type of at most 22 bits is then right (Boldo and Melquiond,
/// "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to
/// odd", 2008).
Value RowEmitter::roundToOdd(Value wide) {
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

Value RowEmitter::convert(Value value, Type element) {
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

Value RowEmitter::roundValue(row::RoundOp op, Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return convert(convert(value, op.getTo()), element);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

SmallVector<Value> RowEmitter::inlineRegion(Region &region, ValueRange args,
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
    // As everywhere: f64 to and from bf16 is no one instruction.
    if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
      Value converted =
          convert(mapping.lookup(op.getOperand(0)), op.getResult(0).getType());
      mapping.map(op.getResult(0), converted);
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
