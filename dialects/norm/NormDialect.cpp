//===- NormDialect.cpp - Registration of the norm dialect -------------------===//
#include "dialects/norm/Norm.h"
#include "dialects/norm/NormDetail.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace normc::norm;

#include "norm/NormDialect.cpp.inc"
#include "norm/NormEnums.cpp.inc"

void NormDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "norm/NormOps.cpp.inc"
      >();
}

void NormDialect::getCanonicalizationPatterns(RewritePatternSet &results) const {
  shared::populateCanonicalizationPatterns(results);
}
