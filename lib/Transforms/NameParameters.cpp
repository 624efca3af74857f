//===- NameParameters.cpp - Names for arguments and results -----------------===//
#include "dialects/norm/Norm.h"
#include "normc/Transforms/Passes.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringMap.h"

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

/// The value whose buffer `tensor` is once it has one.
Value findRoot(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (!isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      break;
    tensor = op->getOperand(0);
  }
  return tensor;
}

/// Each result must have a buffer of its own once it is one.
LogicalResult checkReturn(func::ReturnOp op) {
  llvm::SmallDenseMap<Value, unsigned> seen;
  for (auto [i, value] : llvm::enumerate(op.getOperands())) {
    if (!isa<TensorType>(value.getType()))
      continue;
    Value root = findRoot(value);
    if (isa<BlockArgument>(root))
      return op.emitOpError() << "expected result " << i
                              << " to be computed, because it becomes an output, but "
                                 "got an argument of the function";
    auto [it, isNew] = seen.try_emplace(root, i);
    if (!isNew)
      return op.emitOpError() << "expected result " << i
                              << " to be a value of its own, because each result has a "
                                 "buffer, but got the value of result "
                              << it->second << " or a view of it";
  }
  return success();
}

/// Whether nothing but sizes and the buffer of a tensor is asked for: it is an init, or
/// a view of it is.
bool isInitOnly(Value tensor) {
  return llvm::all_of(tensor.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<norm::NormOpInterface>(user))
      return cast<DestinationStyleOpInterface>(user).isDpsInit(&use);
    if (isa<tensor::DimOp>(user))
      return true;
    if (isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(user))
      return isInitOnly(user->getResult(0));
    return false;
  });
}

/// What an op reads is never an output, even where it is given as an init after its
/// last use: a caller's input stays as it is.
void protectInputs(func::FuncOp function) {
  Builder builder(function.getContext());
  for (BlockArgument argument : function.getArguments())
    if (isa<TensorType>(argument.getType()) && !isInitOnly(argument))
      function.setArgAttr(argument.getArgNumber(),
                          bufferization::BufferizationDialect::kWritableAttrName,
                          builder.getBoolAttr(false));
}

struct NameParametersPass : normc::impl::NameParametersPassBase<NameParametersPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (failed(Namer(function).run()))
        return signalPassFailure();
      if (function.isExternal())
        continue;
      protectInputs(function);
      if (function.walk([](func::ReturnOp op) { return WalkResult(checkReturn(op)); })
              .wasInterrupted())
        return signalPassFailure();
    }
  }
};
} // namespace
