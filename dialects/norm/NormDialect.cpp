//===- NormDialect.cpp - Registration of the norm dialect -------------------===//
#include "dialects/norm/Norm.h"
#include "dialects/norm/NormDetail.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/StringExtras.h"
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

LogicalResult NormDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  if (attribute.getName() != "norm.target" || isa<TargetAttr>(attribute.getValue()))
    return success();
  return op->emitOpError() << "expected norm.target to be a #norm.target, because "
                              "decisions read its numbers, but got "
                           << attribute.getValue();
}

/// [A-Za-z_][A-Za-z0-9_]*: what C, Python and a command line take as a name.
static bool isIdentifier(StringRef text) {
  if (text.empty() || llvm::isDigit(text.front()))
    return false;
  return llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

static LogicalResult verifyParameterAttribute(Operation *op, NamedAttribute attribute,
                                              const Twine &parameter) {
  if (attribute.getName() == "norm.name") {
    auto name = dyn_cast<StringAttr>(attribute.getValue());
    if (name && isIdentifier(name.getValue()))
      return success();
    return op->emitOpError() << "expected norm.name of " << parameter
                             << " to be an identifier, because callers use it in code "
                                "and on command lines, but got "
                             << attribute.getValue();
  }
  if (attribute.getName() == "norm.out" && !isa<UnitAttr>(attribute.getValue()))
    return op->emitOpError() << "expected norm.out of " << parameter
                             << " without a value, but got " << attribute.getValue();
  return success();
}

LogicalResult NormDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned index,
                                                    NamedAttribute attribute) {
  return verifyParameterAttribute(op, attribute, "argument " + Twine(index));
}

LogicalResult NormDialect::verifyRegionResultAttribute(Operation *op, unsigned,
                                                       unsigned index,
                                                       NamedAttribute attribute) {
  return verifyParameterAttribute(op, attribute, "result " + Twine(index));
}
