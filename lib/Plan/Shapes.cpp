//===- Shapes.cpp - Sizes of an entry's buffers in its symbols --------------===//
#include "normc/Plan/Shapes.h"

#include "lib/Plan/ShapeSolver.h"

using namespace mlir;
using namespace normc;
using namespace normc::plan;

AffineExpr Shapes::dim(Value memref, unsigned index) const {
  return dims.lookup(memref)[index];
}

AffineExpr Shapes::product(Value memref, unsigned first, unsigned last) const {
  AffineExpr result = getAffineConstantExpr(1, context);
  for (unsigned i = first; i < last; ++i)
    result = result * dim(memref, i);
  return result;
}

FailureOr<Shapes> Shapes::solve(Block &body, Block::BlockArgListType arguments,
                                ArrayRef<ParamAttr> params) {
  ShapeSolver solver(body.getParentOp()->getContext());
  if (failed(solver.collect(body, arguments)) ||
      failed(params.empty() ? solver.number(arguments)
                            : solver.seed(arguments, params)))
    return failure();
  return solver.finish();
}
