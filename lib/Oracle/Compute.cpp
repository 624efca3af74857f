//===- Compute.cpp - Norm ops and row kernels on the machine's buffers ------===//
#include "Machine.h"

#include <cmath>

using namespace mlir;

namespace normc::oracle {

FailureOr<View> Machine::read(Operation *op, Value value) {
  auto it = views.find(value);
  if (it == views.end() ||
      (it->second.storage->values.empty() && it->second.size() != 0))
    return op->emitOpError("expected its operands to be written before it reads them");
  return it->second;
}

/// How far from round(value) a value that is off by `bound` may be after rounding.
static double roundedError(reference::Type type, double value, double bound) {
  if (!std::isfinite(value) || bound == 0)
    return 0;
  double stored = reference::roundTo(type, value);
  return std::max(reference::roundTo(type, value + bound) - stored,
                  stored - reference::roundTo(type, value - bound));
}

void Machine::write(Value init, Value result, reference::Result computed) {
  View view = views.lookup(init);
  if (result) {
    // A tensor is a value: its init keeps what it had.
    reference::Type type = view.storage->type;
    view.storage = std::make_shared<Storage>();
    view.storage->type = type;
    views[result] = view;
  }
  Storage &storage = *view.storage;
  storage.owned.resize(computed.values.size());
  storage.errors.resize(computed.values.size());
  for (size_t i = 0; i < computed.values.size(); ++i) {
    storage.owned[i] = reference::roundTo(storage.type, computed.values[i]);
    storage.errors[i] =
        roundedError(storage.type, computed.values[i], computed.bounds[i]);
  }
  storage.values = storage.owned;
  storage.exact = std::move(computed);
  storage.is_written = true;
}

/// Rows and columns of a shape of which the last `normDims` dimensions are a row.
static std::pair<int64_t, int64_t> rowsAndCols(ArrayRef<int64_t> shape,
                                               int64_t normDims) {
  std::pair<int64_t, int64_t> size(1, 1);
  int64_t outer = int64_t(shape.size()) - normDims;
  for (auto [dim, extent] : llvm::enumerate(shape))
    (int64_t(dim) < outer ? size.first : size.second) *= extent;
  return size;
}

LogicalResult Machine::runNorm(norm::NormOpInterface op) {
  NamedViews operands;
  std::vector<reference::Type> types;
  for (const norm::NamedOperand &operand : op.getNamedOperands()) {
    View view = views.lookup(operand.value);
    if (!operand.is_init) {
      FailureOr<View> readable = read(op, operand.value);
      if (failed(readable))
        return failure();
      view = *readable;
    }
    types.push_back(view.storage->type);
    operands[operand.name] = view;
  }
  auto [rows, cols] = rowsAndCols(operands.lookup("x").shape, op.getNormDims());
  if (cols == 0)
    return op->emitOpError("expected at least one column, because a norm of none is "
                           "not defined, but got cols = 0");
  reference::Arithmetic arithmetic;
  arithmetic.compute = reference::computeType(types);
  arithmetic.longestChain = options.longest_chain;
  arithmetic.forwardTanhError = options.hardware_tanh ? 0x1p-11 : 0;
  FailureOr<NamedResults> results = evaluateNorm(op, operands, rows, cols, arithmetic);
  if (failed(results) || failed(propagateErrors(op, rows, cols, *results)))
    return failure();
  unsigned number = 0;
  for (const norm::NamedOperand &operand : op.getNamedOperands()) {
    if (!operand.is_init)
      continue;
    Value result = op->getNumResults() ? op->getResult(number) : Value();
    write(operand.value, result, std::move((*results)[operand.name]));
    ++number;
  }
  return success();
}

/// The size of the grid of elements that a kernel's buffers span.
static std::pair<int64_t, int64_t> gridOf(row::KernelOp kernel,
                                          ArrayRef<View> buffers) {
  std::pair<int64_t, int64_t> size(1, 1);
  for (auto [index, view] : llvm::enumerate(buffers)) {
    BlockArgument buffer = kernel.getBuffer(index);
    if (buffer.use_empty())
      continue;
    switch (row::extentOf(buffer)) {
    case schedule::Extent::Tile:
      return rowsAndCols(view.shape, kernel.getNormDims());
    case schedule::Extent::Rows:
      size.first = view.size();
      break;
    case schedule::Extent::Cols:
      size.second = view.size();
      break;
    case schedule::Extent::Partials:
      if (!kernel.isOutputBuffer(index))
        size.first = view.shape[0];
      break;
    case schedule::Extent::Scalar:
      break;
    }
  }
  return size;
}

interpreter::Options Machine::interpreterOptions() const {
  interpreter::Options model;
  model.longestChain = options.longest_chain;
  if (!options.hardware_tanh)
    model.hardwareTanhError = 0;
  return model;
}

LogicalResult Machine::runKernel(row::KernelOp op) {
  SmallVector<View> buffers;
  SmallVector<ArrayRef<double>> inputs, errors;
  for (Value input : op.getInputs()) {
    FailureOr<View> view = read(op, input);
    if (failed(view))
      return failure();
    buffers.push_back(*view);
    inputs.push_back(view->storage->values);
    errors.push_back(view->storage->errors);
  }
  for (Value output : op.getOutputs())
    buffers.push_back(views.lookup(output));
  auto [rows, cols] = gridOf(op, buffers);
  interpreter::Options model = interpreterOptions();
  model.inputErrors = errors;
  auto outputs = interpreter::interpret(op, inputs, rows, cols, model);
  if (failed(outputs))
    return failure();
  for (auto [value, output] : llvm::zip(op.getOutputs(), *outputs)) {
    if (output.extent == schedule::Extent::Partials)
      views[value].shape = {1, int64_t(output.values.size())};
    write(value, Value(), {std::move(output.values), std::move(output.bounds)});
  }
  return success();
}

} // namespace normc::oracle
