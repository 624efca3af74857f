//===- LayerNorm.cpp - layer_norm as a row program --------------------------===//
#include "Decompositions.h"

using namespace mlir;
using namespace normc;
using namespace normc::row;

Value normc::inverseRoot(KernelBuilder &kernel, Value sum, Value inverseCols,
                         double epsilon) {
  return kernel.map({sum, inverseCols}, [&](ArrayRef<Term> in) {
    return in[0].constant(1.0) / sqrt(fma(in[0], in[1], in[0].constant(epsilon)));
  });
}

/// xh = (x - mean) * rstd.
static Value normalize(KernelBuilder &kernel, Value x, Value mean, Value rstd) {
  return kernel.map({x, mean, rstd},
                    [](ArrayRef<Term> in) { return (in[0] - in[1]) * in[2]; });
}

void normc::decompose(norm::LayerNormOp op, KernelBuilder &kernel) {
  Value x = kernel.load(op.getX(), Kind::Tile);
  MomentsOp moments = kernel.moments(x);
  Value mean = moments.getMean();
  Value rstd;
  if (op.getYInit() || op.getRstdInit())
    rstd = inverseRoot(kernel, moments.getM2(), kernel.inverseCols(),
                       op.getEpsilon().convertToDouble());
  if (op.getYInit()) {
    Value weight =
        kernel.parameter(op.getWeight(), op.getWeightOffset().convertToDouble());
    Value bias = kernel.parameter(op.getBias());
    Value xh = normalize(kernel, x, mean, rstd);
    kernel.store(kernel.affine(xh, weight, bias), op.getYInit());
  }
  if (op.getMeanInit())
    kernel.store(mean, op.getMeanInit());
  if (op.getRstdInit())
    kernel.store(rstd, op.getRstdInit());
}

void normc::decompose(norm::LayerNormBackwardOp op, KernelBuilder &kernel) {
  Value dy = kernel.load(op.getDy(), Kind::Tile);
  Value rstd, xh;
  if (op.getDxInit() || op.getDweightInit()) {
    Value x = kernel.load(op.getX(), Kind::Tile);
    Value mean = kernel.load(op.getMean(), Kind::Rows);
    rstd = kernel.load(op.getRstd(), Kind::Rows);
    xh = normalize(kernel, x, mean, rstd);
  }
  auto product = [](ArrayRef<Term> in) { return in[0] * in[1]; };

  if (op.getDxInit()) {
    Value weight =
        kernel.parameter(op.getWeight(), op.getWeightOffset().convertToDouble());
    Value g = kernel.affine(dy, weight, /*bias=*/{});
    SmallVector<Value> sums = kernel.sums({g, kernel.map({g, xh}, product)});
    Value inverseCols = kernel.inverseCols();
    Value meanG = kernel.map({sums[0], inverseCols}, product);
    Value meanGxh = kernel.map({sums[1], inverseCols}, product);
    Value dx = kernel.map({g, xh, rstd, meanG, meanGxh}, [](ArrayRef<Term> in) {
      return in[2] * fma(-in[1], in[4], in[0] - in[3]);
    });
    kernel.store(dx, op.getDxInit());
  }
  if (op.getDweightInit())
    kernel.accumulate(kernel.map({dy, xh}, product), op.getDweightInit(), Sum::cols);
  if (op.getDbiasInit())
    kernel.accumulate(dy, op.getDbiasInit(), Sum::cols);
}
