//===- KernelBuilder.cpp - Writes one row.kernel ----------------------------===//
#include "KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace normc;
using namespace normc::row;

//===----------------------------------------------------------------------===//
// Term
//===----------------------------------------------------------------------===//

template <typename OpTy, typename... Args> Term Term::make(Args... operands) const {
  return Term(*builder, loc, OpTy::create(*builder, loc, operands...));
}

Term Term::constant(double number) const {
  return make<arith::ConstantOp>(builder->getFloatAttr(value.getType(), number));
}

namespace normc {

Term operator+(Term a, Term b) { return a.make<arith::AddFOp>(a.value, b.value); }
Term operator-(Term a, Term b) { return a.make<arith::SubFOp>(a.value, b.value); }
Term operator*(Term a, Term b) { return a.make<arith::MulFOp>(a.value, b.value); }
Term operator/(Term a, Term b) { return a.make<arith::DivFOp>(a.value, b.value); }
Term reciprocal(Term a) {
  return a.make<arith::DivFOp>(a.constant(1.0).value, a.value,
                               arith::FastMathFlags::arcp);
}
Term operator-(Term a) { return a.make<arith::NegFOp>(a.value); }
Term fma(Term a, Term b, Term c) {
  return a.make<math::FmaOp>(a.value, b.value, c.value);
}
Term sqrt(Term a) { return a.make<math::SqrtOp>(a.value); }
Term abs(Term a) { return a.make<math::AbsFOp>(a.value); }
Term exp(Term a) { return a.make<math::ExpOp>(a.value); }
Term erf(Term a) { return a.make<math::ErfOp>(a.value); }
Term tanh(Term a, bool hardware) {
  auto flags = hardware ? arith::FastMathFlags::afn : arith::FastMathFlags::none;
  return a.make<math::TanhOp>(a.value, flags);
}

} // namespace normc

//===----------------------------------------------------------------------===//
// KernelBuilder
//===----------------------------------------------------------------------===//

KernelBuilder::KernelBuilder(OpBuilder &builder, Location loc, FloatType accumulator)
    : builder(builder), loc(loc), accumulator(accumulator),
      region(std::make_unique<Region>()), body(&region->emplaceBlock()),
      inside(builder.getContext()) {
  inside.setInsertionPointToEnd(body);
}

Value KernelBuilder::load(Value memref, Kind kind) {
  Value buffer = body->insertArgument(inputs.size(), memref.getType(), loc);
  inputs.push_back(memref);
  return LoadOp::create(inside, loc, typeOf(kind, accumulator), buffer);
}

void KernelBuilder::store(Value value, Value memref) {
  Value buffer = body->addArgument(memref.getType(), loc);
  outputs.push_back(memref);
  StoreOp::create(inside, loc, value, buffer);
}

void KernelBuilder::accumulate(Value value, Value memref, Sum to) {
  Value buffer = body->addArgument(memref.getType(), loc);
  outputs.push_back(memref);
  AccumulateOp::create(inside, loc, value, buffer, to, /*slot=*/IntegerAttr());
}

Value KernelBuilder::map(ArrayRef<Value> operands, Function function, bool keep) {
  Kind kind = Kind::Scalar;
  for (Value operand : operands)
    kind = join(kind, kindOf(operand.getType()));
  auto op = MapOp::create(inside, loc, typeOf(kind, accumulator), operands, keep);
  OpBuilder::InsertionGuard guard(inside);
  Block *block = inside.createBlock(&op.getBody());
  SmallVector<Term> terms;
  for (Value operand : operands) {
    Value element = block->addArgument(elementTypeOf(operand.getType()), loc);
    terms.push_back(Term(inside, loc, element));
  }
  YieldOp::create(inside, loc, function(terms).getValue());
  return op.getResult();
}

Value KernelBuilder::round(Value value, Type to) {
  return RoundOp::create(inside, loc, value.getType(), value, TypeAttr::get(to));
}

SmallVector<Value> KernelBuilder::sums(ArrayRef<Value> tiles) {
  size_t count = tiles.size();
  SmallVector<Type> types(count, typeOf(Kind::Rows, accumulator));
  SmallVector<Attribute> zeros(count, inside.getFloatAttr(accumulator, 0.0));
  auto op = ReduceOp::create(inside, loc, types, tiles, inside.getArrayAttr(zeros));
  OpBuilder::InsertionGuard guard(inside);
  Block *block = inside.createBlock(&op.getBody());
  for (size_t i = 0; i < 2 * count; ++i)
    block->addArgument(accumulator, loc);
  SmallVector<Value> combined;
  for (size_t i = 0; i < count; ++i)
    combined.push_back(arith::AddFOp::create(inside, loc, block->getArgument(i),
                                             block->getArgument(count + i)));
  YieldOp::create(inside, loc, combined);
  return SmallVector<Value>(op.getResults());
}

MomentsOp KernelBuilder::moments(Value tile) {
  Type rows = typeOf(Kind::Rows, accumulator);
  return MomentsOp::create(inside, loc, rows, rows, tile);
}

Value KernelBuilder::inverseCols() {
  Value cols = DimOp::create(inside, loc, accumulator, Axis::cols);
  return map({cols}, [](ArrayRef<Term> in) { return in[0].constant(1.0) / in[0]; });
}

Value KernelBuilder::affine(Value value, Value weight, Value bias) {
  if (weight && bias)
    return map({value, weight, bias},
               [](ArrayRef<Term> in) { return fma(in[0], in[1], in[2]); });
  if (weight)
    return map({value, weight}, [](ArrayRef<Term> in) { return in[0] * in[1]; });
  if (bias)
    return map({value, bias}, [](ArrayRef<Term> in) { return in[0] + in[1]; });
  return value;
}

Value KernelBuilder::parameter(Value memref, double offset) {
  if (!memref)
    return {};
  Value loaded = load(memref, Kind::Cols);
  if (offset == 0)
    return loaded;
  return map({loaded},
             [&](ArrayRef<Term> in) { return in[0].constant(offset) + in[0]; });
}

KernelOp KernelBuilder::finish(StringRef name, int64_t normDims) {
  auto kernel = KernelOp::create(
      builder, loc, inputs, outputs, builder.getI64IntegerAttr(normDims),
      builder.getStringAttr(name), /*tiling=*/TilingAttr(),
      /*strategy=*/StrategyAttr(), /*max_rows=*/IntegerAttr());
  kernel.getBody().takeBody(*region);
  return kernel;
}
