//===- Machine.cpp - Runs a function on arrays of double --------------------===//
#include "Machine.h"

#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;

namespace normc::oracle {

int64_t View::size() const {
  int64_t size = 1;
  for (int64_t dim : shape)
    size *= dim;
  return size;
}

reference::Type typeOf(Type elementType) {
  return elementType.isF16()    ? reference::Type::F16
         : elementType.isBF16() ? reference::Type::BF16
         : elementType.isF64()  ? reference::Type::F64
                                : reference::Type::F32;
}

static std::string argumentName(func::FuncOp function, unsigned index) {
  auto name = function.getArgAttrOfType<StringAttr>(index, "norm.name");
  return name ? name.str() : ("arg" + Twine(index)).str();
}

static std::string resultName(func::FuncOp function, unsigned index) {
  auto name = function.getResultAttrOfType<StringAttr>(index, "norm.name");
  return name ? name.str() : ("res" + Twine(index)).str();
}

LogicalResult Machine::bindArgument(unsigned index, const Argument &argument) {
  std::string name = argumentName(function, index);
  auto type = dyn_cast<ShapedType>(function.getArgumentTypes()[index]);
  if (!type || !isa<FloatType>(type.getElementType()))
    return function.emitOpError("expected argument \"")
           << name << "\" to be a tensor or a memref of floats, but got "
           << function.getArgumentTypes()[index];
  if (failed(verifyCompatibleShape(type.getShape(), argument.shape)))
    return function.emitOpError("expected argument \"")
           << name << "\" to have the shape of " << type;
  View view;
  view.storage = std::make_shared<Storage>();
  view.storage->type = typeOf(type.getElementType());
  view.storage->values = argument.values;
  view.shape.assign(argument.shape.begin(), argument.shape.end());
  if (!argument.values.empty() && int64_t(argument.values.size()) != view.size())
    return function.emitOpError("expected ")
           << view.size() << " values of argument \"" << name << "\", but got "
           << argument.values.size();
  views[function.getArgument(index)] = std::move(view);
  return success();
}

LogicalResult Machine::bindArguments(const llvm::StringMap<Argument> &arguments) {
  if (function.isExternal() || !llvm::hasSingleElement(function.getBody()))
    return function.emitOpError("expected a body of one block");
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i) {
    auto argument = arguments.find(argumentName(function, i));
    if (argument == arguments.end())
      return function.emitOpError("expected a value or a shape of argument \"")
             << argumentName(function, i) << "\"";
    if (failed(bindArgument(i, argument->second)))
      return failure();
  }
  return success();
}

LogicalResult Machine::runOp(Operation *op) {
  if (isa<func::ReturnOp>(op))
    return success();
  if (auto norm = dyn_cast<norm::NormOpInterface>(op))
    return runNorm(norm);
  if (auto kernel = dyn_cast<row::KernelOp>(op))
    return runKernel(kernel);
  return runShapeOp(op);
}

LogicalResult Machine::run() {
  for (Operation &op : function.getBody().front())
    if (failed(runOp(&op)))
      return failure();
  return success();
}

/// The tensor that an argument's buffer holds in the end: the argument was an init, and
/// what was computed into it may have been one again, as long as nothing reads it.
static Value lastTensorIn(BlockArgument argument) {
  Value value = argument;
  for (;;) {
    Value next;
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      auto destinations = dyn_cast<DestinationStyleOpInterface>(user);
      if (destinations && destinations.isDpsInit(&use)) {
        // Of several ops the last one gets the buffer.
        if (!next || next.getDefiningOp()->isBeforeInBlock(user))
          next = destinations.getTiedOpResult(&use);
      } else if (destinations) {
        return value;
      }
    }
    if (!next)
      return value;
    value = next;
  }
}

static Output makeOutput(std::string name, const View &view, reference::Result result) {
  return {std::move(name),
          view.storage->type,
          {view.shape.begin(), view.shape.end()},
          std::move(result)};
}

std::vector<Output> Machine::takeOutputs() {
  std::vector<Output> outputs;
  for (auto [index, argument] : llvm::enumerate(function.getArguments())) {
    std::string name = argumentName(function, index);
    bool isTensor = isa<TensorType>(argument.getType());
    View &view = views[isTensor ? lastTensorIn(argument) : argument];
    if (!view.storage->is_written)
      continue;
    reference::Result result = isTensor
                                   ? view.storage->exact // May be returned as well.
                                   : std::move(view.storage->exact);
    outputs.push_back(makeOutput(name, view, std::move(result)));
  }
  // Whether a result that is tied to an argument has the argument's buffer or one of
  // its own is bufferization's choice: such a result is there under both names.
  Operation *terminator = function.getBody().front().getTerminator();
  for (auto [index, returned] : llvm::enumerate(terminator->getOperands()))
    if (isa<TensorType>(returned.getType()))
      outputs.push_back(makeOutput(resultName(function, index), views[returned],
                                   std::move(views[returned].storage->exact)));
  return outputs;
}

FailureOr<std::vector<Output>> evaluate(func::FuncOp function,
                                        const llvm::StringMap<Argument> &arguments,
                                        const Options &options) {
  Machine machine(function, options);
  if (failed(machine.bindArguments(arguments)) || failed(machine.run()))
    return failure();
  return machine.takeOutputs();
}

} // namespace normc::oracle
