//===- RmsNorm.cpp - rms_norm as a row program ------------------------------===//
#include "Decompositions.h"

using namespace mlir;
using namespace normc;
using namespace normc::row;

/// What the weight multiplies: xh, or with cast = before_weight xh rounded to x's type.
static Value castToInput(KernelBuilder &kernel, Value xh, Type memref,
                         norm::Cast mode) {
  Type inputType = cast<MemRefType>(memref).getElementType();
  if (mode == norm::Cast::after_weight || inputType == kernel.getAccumulator())
    return xh;
  return kernel.round(xh, inputType);
}

static Term product(ArrayRef<Term> in) { return in[0] * in[1]; }

void normc::decompose(norm::RmsNormOp op, KernelBuilder &kernel) {
  Value x = kernel.load(op.getX(), Kind::Tile);
  Value square = kernel.map({x}, [](ArrayRef<Term> in) { return in[0] * in[0]; });
  Value sum = kernel.sums({square}).front();
  Value rstd =
      inverseRoot(kernel, sum, kernel.inverseCols(), op.getEpsilon().convertToDouble());
  if (op.getYInit()) {
    Value weight =
        kernel.parameter(op.getWeight(), op.getWeightOffset().convertToDouble());
    Value xh = kernel.map({x, rstd}, product);
    Value h = castToInput(kernel, xh, op.getX().getType(), op.getCast());
    kernel.store(kernel.affine(h, weight, /*bias=*/{}), op.getYInit());
  }
  if (op.getRstdInit())
    kernel.store(rstd, op.getRstdInit());
}

void normc::decompose(norm::RmsNormBackwardOp op, KernelBuilder &kernel) {
  Value dy = kernel.load(op.getDy(), Kind::Tile);
  Value x = kernel.load(op.getX(), Kind::Tile);
  Value rstd = kernel.load(op.getRstd(), Kind::Rows);
  Value xh = kernel.map({x, rstd}, product);

  if (op.getDxInit()) {
    Value weight =
        kernel.parameter(op.getWeight(), op.getWeightOffset().convertToDouble());
    Value g = kernel.affine(dy, weight, /*bias=*/{});
    Value sum = kernel.sums({kernel.map({g, xh}, product)}).front();
    Value meanGxh = kernel.map({sum, kernel.inverseCols()}, product);
    Value dx = kernel.map({g, xh, rstd, meanGxh}, [](ArrayRef<Term> in) {
      return in[2] * fma(-in[1], in[3], in[0]);
    });
    kernel.store(dx, op.getDxInit());
  }
  if (op.getDweightInit()) {
    Value h = castToInput(kernel, xh, op.getX().getType(), op.getCast());
    kernel.accumulate(kernel.map({dy, h}, product), op.getDweightInit(), Sum::cols);
  }
}
