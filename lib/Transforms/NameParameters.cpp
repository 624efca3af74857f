//===- NameParameters.cpp - Names for arguments and results -----------------===//
#include "dialects/norm/Norm.h"
#include "normc/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringSet.h"

namespace normc {
#define GEN_PASS_DEF_NAMEPARAMETERSPASS
#include "normc/Transforms/Passes.h.inc"
} // namespace normc

using namespace mlir;
using namespace normc;

namespace {
constexpr StringLiteral kName = "norm.name";
constexpr StringLiteral kOut = "norm.out";

/// Every parameter of a function has a name of its own.
class Namer {
public:
  explicit Namer(func::FuncOp function) : function(function) {}

  LogicalResult run() {
    Builder builder(function.getContext());
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i) {
      auto given = function.getArgAttrOfType<StringAttr>(i, kName);
      StringAttr name = given ? given : builder.getStringAttr("arg" + Twine(i));
      if (failed(claim(name, "argument", i)))
        return failure();
      function.setArgAttr(i, kName, name);
    }
    for (unsigned i = 0, e = function.getNumResults(); i < e; ++i) {
      auto given = function.getResultAttrOfType<StringAttr>(i, kName);
      StringAttr name = given ? given : builder.getStringAttr("res" + Twine(i));
      if (failed(claim(name, "result", i)))
        return failure();
      function.setResultAttr(i, kName, name);
      if (isa<TensorType>(function.getResultTypes()[i]))
        function.setResultAttr(i, kOut, builder.getUnitAttr());
    }
    return success();
  }

private:
  LogicalResult claim(StringAttr name, StringRef kind, unsigned index) {
    std::string holder = (kind + " " + Twine(index)).str();
    auto [it, isNew] = holders.try_emplace(name.getValue(), holder);
    if (isNew)
      return success();
    return function.emitOpError()
           << "expected the name of " << holder << " to be its own, because parameters "
           << "are found by name, but got " << name << ", which is that of "
           << it->second << " as well";
  }

  func::FuncOp function;
  llvm::StringMap<std::string> holders;
};

/// A result must be a buffer of its own once it is one.
LogicalResult checkReturn(func::ReturnOp op) {
  for (auto [i, value] : llvm::enumerate(op.getOperands())) {
    if (!isa<TensorType>(value.getType()))
      continue;
    Value source = value;
    while (auto cast = source.getDefiningOp<tensor::CastOp>())
      source = cast.getSource();
    if (isa<BlockArgument>(source))
      return op.emitOpError() << "expected result " << i
                              << " to be computed, because it becomes an output, but "
                                 "got an argument of the function";
    for (auto [j, other] : llvm::enumerate(op.getOperands().take_front(i)))
      if (other == value)
        return op.emitOpError() << "expected result " << i
                                << " to be a value of its own, because each result has "
                                   "a buffer, but got the value of result "
                                << j;
  }
  return success();
}

struct NameParametersPass : normc::impl::NameParametersPassBase<NameParametersPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (failed(Namer(function).run()))
        return signalPassFailure();
      if (function.walk([](func::ReturnOp op) { return WalkResult(checkReturn(op)); })
              .wasInterrupted())
        return signalPassFailure();
    }
  }
};
} // namespace
