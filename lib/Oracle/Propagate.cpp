//===- Propagate.cpp - Rounding errors from one op of an entry to the next --===//
//
// The reference takes its inputs to be exact. Where they are results of another op, the
// compiled entry may have rounded some of them the other way; what that does to a norm
// op comes from the running error analysis of the interpreter, on the op's row program.
//
//===----------------------------------------------------------------------===//
#include "Machine.h"

#include "normc/Conversion/Passes.h"
#include "normc/Interpreter/Interpreter.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace normc::oracle {

bool View::isExact() const {
  return llvm::all_of(storage->errors, [](double error) { return error == 0; });
}

/// A module with one function: the op on buffers that are the function's arguments, in
/// the order of its operands.
static OwningOpRef<ModuleOp> isolate(Operation *op) {
  OpBuilder builder(op->getContext());
  OwningOpRef<ModuleOp> module(ModuleOp::create(op->getLoc()));
  SmallVector<Type> types;
  for (Value operand : op->getOperands()) {
    auto type = cast<ShapedType>(operand.getType());
    types.push_back(MemRefType::get(type.getShape(), type.getElementType()));
  }
  builder.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(builder, op->getLoc(), "isolated",
                                       builder.getFunctionType(types, {}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(ValueRange(function.getArguments()));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
  builder.create(state);
  func::ReturnOp::create(builder, op->getLoc());
  return module;
}

/// The row program of a norm op; its buffers are arguments of the function around it.
static row::KernelOp toRowProgram(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.addPass(createConvertNormToRowPass());
  if (failed(pm.run(module)))
    return nullptr;
  row::KernelOp kernel;
  module.walk([&](row::KernelOp op) { kernel = op; });
  return kernel;
}

LogicalResult Machine::propagateErrors(norm::NormOpInterface op, int64_t rows,
                                       int64_t cols, NamedResults &results) {
  auto isExact = [&](Value input) { return views.lookup(input).isExact(); };
  if (llvm::all_of(op.getIns(), isExact))
    return success();
  OwningOpRef<ModuleOp> module = isolate(op);
  row::KernelOp kernel = toRowProgram(*module);
  if (!kernel)
    return op->emitOpError("expected a row program of the op, to see what rounding "
                           "errors of its inputs do");
  auto operandOf = [&](Value buffer) {
    return op->getOperand(cast<BlockArgument>(buffer).getArgNumber());
  };
  SmallVector<ArrayRef<double>> values, errors;
  for (Value input : kernel.getInputs()) {
    View view = views.lookup(operandOf(input));
    values.push_back(view.storage->values);
    errors.push_back(view.storage->errors);
  }
  interpreter::Options model = interpreterOptions();
  model.inputErrors = errors;
  auto outputs = interpreter::interpret(kernel, values, rows, cols, model);
  if (failed(outputs))
    return failure();
  for (auto [buffer, output] : llvm::zip(kernel.getOutputs(), *outputs))
    for (const norm::NamedOperand &operand : op.getNamedOperands()) {
      if (operand.value != operandOf(buffer) || !operand.is_init)
        continue;
      std::vector<double> &bounds = results[operand.name].bounds;
      for (auto [bound, propagated] : llvm::zip(bounds, output.bounds))
        bound = std::max(bound, propagated);
    }
  return success();
}

} // namespace normc::oracle
