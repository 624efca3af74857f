//===- ScalarOps.cpp - The ops of the regions of maps and reduces -----------===//
#include "dialects/row/ScalarOps.h"

#include "llvm/ADT/STLExtras.h"

using namespace normc;
using namespace normc::row;

static constexpr ScalarOp kScalarOps[] = {
    {"arith.addf", false},
    {"arith.subf", false},
    {"arith.mulf", false},
    {"arith.divf", false},
    {"arith.remf", false},
    {"arith.negf", false},
    {"arith.maximumf", false},
    {"arith.minimumf", false},
    {"arith.maxnumf", false},
    {"arith.minnumf", false},
    {"arith.cmpf", false},
    {"arith.select", false},
    {"arith.addi", false},
    {"arith.subi", false},
    {"arith.muli", false},
    {"arith.addui_extended", false},
    {"arith.mulsi_extended", false},
    {"arith.mului_extended", false},
    {"arith.andi", false},
    {"arith.ori", false},
    {"arith.xori", false},
    {"arith.shli", false},
    {"arith.shrsi", false},
    {"arith.shrui", false},
    {"arith.maxsi", false},
    {"arith.maxui", false},
    {"arith.minsi", false},
    {"arith.minui", false},
    {"arith.cmpi", false},
    {"arith.extsi", false},
    {"arith.extui", false},
    {"arith.trunci", false},
    {"arith.sitofp", false},
    {"arith.uitofp", false},
    {"arith.fptosi", false},
    {"arith.fptoui", false},
    {"arith.extf", true},
    {"arith.truncf", true},
    {"arith.bitcast", true},
    {"math.absf", false},
    {"math.absi", false},
    {"math.acos", false},
    {"math.acosh", false},
    {"math.asin", false},
    {"math.asinh", false},
    {"math.atan", false},
    {"math.atan2", false},
    {"math.atanh", false},
    {"math.cbrt", false},
    {"math.ceil", false},
    {"math.copysign", false},
    {"math.cos", false},
    {"math.cosh", false},
    {"math.erf", false},
    {"math.erfc", false},
    {"math.exp", false},
    {"math.exp2", false},
    {"math.expm1", false},
    {"math.floor", false},
    {"math.fma", false},
    {"math.isfinite", false},
    {"math.isnan", false},
    {"math.log", false},
    {"math.log10", false},
    {"math.log1p", false},
    {"math.log2", false},
    {"math.powf", false},
    {"math.round", false},
    {"math.roundeven", false},
    {"math.rsqrt", false},
    {"math.sin", false},
    {"math.sinh", false},
    {"math.sqrt", false},
    {"math.tan", false},
    {"math.tanh", false},
    {"math.trunc", false},
};

llvm::ArrayRef<ScalarOp> row::scalarOps() { return kScalarOps; }

const ScalarOp *row::findScalarOp(llvm::StringRef name) {
  const ScalarOp *found =
      llvm::find_if(kScalarOps, [&](const ScalarOp &op) { return op.name == name; });
  return found == std::end(kScalarOps) ? nullptr : found;
}
