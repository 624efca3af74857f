//===- Interpreter.cpp - Row programs in float64 ----------------------------===//
#include "normc/Interpreter/Interpreter.h"
#include "Reductions.h"
#include "ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace normc;
using namespace normc::row;
using namespace normc::interpreter;
using schedule::Extent;

namespace {

/// The state of one run.
class Machine {
public:
  Machine(KernelOp kernel, ArrayRef<ArrayRef<double>> inputs, int64_t rows,
          int64_t cols, const Options &options)
      : kernel(kernel), inputs(inputs), rows(rows), cols(cols),
        model(kernel.getAccumulatorType(), options) {}

  LogicalResult checkInputs();
  void makeOutputs();
  /// Runs the ops whose results do not depend on the row, then the others row by row.
  LogicalResult run();
  std::vector<Output> finish();

private:
  LogicalResult runOp(Operation *op, int64_t row);
  void load(LoadOp op, int64_t row);
  void store(StoreOp op, int64_t row);
  void accumulate(AccumulateOp op);
  void finalize(FinalizeOp op);
  LogicalResult map(MapOp op);
  LogicalResult reduce(ReduceOp op);
  void moments(MomentsOp op);

  /// Number of elements in this machine's storage of a value: per row, one row's.
  size_t sizeOf(Type type) const {
    Kind kind = kindOf(type);
    return kind == Kind::Tile || kind == Kind::Cols ? size_t(cols) : 1;
  }
  /// What the caller says of an input's errors.
  ArrayRef<double> errorsOf(Value buffer) const {
    unsigned number = cast<BlockArgument>(buffer).getArgNumber();
    ArrayRef<ArrayRef<double>> errors = model.options.inputErrors;
    return number < errors.size() ? errors[number] : ArrayRef<double>();
  }
  /// Elements of a buffer of that extent.
  int64_t elements(Extent extent, unsigned number);
  /// Elements of one partial.
  int64_t partialWidth(int64_t colsSlots, int64_t scalarSlots);
  /// A parameter gradient is within 1e-5 of the sum of its absolute terms in f32.
  double columnSumLimit() {
    return kernel.getAccumulatorType().isF64() ? HUGE_VAL : 1e-5;
  }
  unsigned outputIndex(Value buffer) {
    return cast<BlockArgument>(buffer).getArgNumber() - kernel.getInputs().size();
  }

  KernelOp kernel;
  ArrayRef<ArrayRef<double>> inputs;
  int64_t rows, cols;
  Model model;
  DenseMap<Value, Array> values;
  DenseMap<Operation *, std::vector<RunningSum>> sums;
  std::vector<Output> outputs;
};

} // namespace

int64_t Machine::partialWidth(int64_t colsSlots, int64_t scalarSlots) {
  // A partial is padded to 16 bytes (row.accumulate).
  int64_t pad = kernel.getAccumulatorType().isF64() ? 2 : 4;
  return llvm::alignTo(colsSlots * cols + scalarSlots, pad);
}

int64_t Machine::elements(Extent extent, unsigned number) {
  switch (extent) {
  case Extent::Tile:
    return rows * cols;
  case Extent::Rows:
    return rows;
  case Extent::Cols:
    return cols;
  case Extent::Scalar:
    return 1;
  case Extent::Partials:
    break;
  }
  int64_t colsSlots = 0, scalarSlots = 0;
  for (Operation *user : kernel.getBuffer(number).getUsers()) {
    if (auto sum = dyn_cast<AccumulateOp>(user))
      ++(sum.getTo() == Sum::cols ? colsSlots : scalarSlots);
    if (auto finalize = dyn_cast<FinalizeOp>(user)) {
      colsSlots = finalize.getNumColsSlots();
      if (finalize.getTo() == Sum::scalar)
        scalarSlots = std::max<int64_t>(scalarSlots, finalize.getSlot() + 1);
    }
  }
  int64_t width = partialWidth(colsSlots, scalarSlots);
  return kernel.isOutputBuffer(number) ? width : rows * width;
}

LogicalResult Machine::checkInputs() {
  if (rows < 0 || cols < 1)
    return kernel.emitOpError("expected rows of at least 0 and cols of at least 1, but "
                              "got ")
           << rows << " and " << cols;
  for (Axis axis : {Axis::rows, Axis::cols}) {
    bool isFinalize = !kernel.getBodyBlock()->getOps<FinalizeOp>().empty();
    auto expected = kernel.getStaticSize(axis);
    int64_t got = axis == Axis::rows ? rows : cols;
    if (expected && *expected != got && !isFinalize)
      return kernel.emitOpError("expected ")
             << *expected << " " << stringifyAxis(axis)
             << ", because the types of its buffers say so, but got " << got;
  }
  if (inputs.size() != kernel.getInputs().size())
    return kernel.emitOpError("expected an array for each of its ")
           << kernel.getInputs().size() << " inputs, but got " << inputs.size();
  for (auto [number, input] : llvm::enumerate(inputs)) {
    BlockArgument buffer = kernel.getBuffer(number);
    if (buffer.use_empty())
      continue;
    int64_t expected = elements(extentOf(buffer), number);
    // More partials than are known of here may be in use: other slots of them.
    bool enough = extentOf(buffer) == Extent::Partials
                      ? rows == 0 || (int64_t(input.size()) % rows == 0 &&
                                      int64_t(input.size()) >= expected)
                      : int64_t(input.size()) == expected;
    if (!enough)
      return kernel.emitOpError("expected ")
             << expected << " values of input " << number
             << ", because the kernel runs on " << rows << " rows of " << cols
             << " columns, but got " << input.size();
  }
  return success();
}

void Machine::makeOutputs() {
  for (unsigned number = kernel.getInputs().size(); number < kernel.getNumBuffers();
       ++number) {
    BlockArgument buffer = kernel.getBuffer(number);
    Extent extent = extentOf(buffer);
    Type element = cast<MemRefType>(buffer.getType()).getElementType();
    Output output;
    output.extent = extent;
    output.type = element.isF16()    ? schedule::ElementType::F16
                  : element.isBF16() ? schedule::ElementType::BF16
                  : element.isF64()  ? schedule::ElementType::F64
                                     : schedule::ElementType::F32;
    output.values.resize(elements(extent, number));
    output.bounds.resize(output.values.size());
    outputs.push_back(std::move(output));
  }
  for (auto op : kernel.getBodyBlock()->getOps<AccumulateOp>())
    sums[op].resize(op.getTo() == Sum::cols ? cols : 1);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

void Machine::load(LoadOp op, int64_t row) {
  Array array(sizeOf(op.getType()));
  ArrayRef<double> input = inputs[cast<BlockArgument>(op.getBuffer()).getArgNumber()];
  Kind kind = kindOf(op.getType());
  int64_t from = kind == Kind::Tile ? row * cols : kind == Kind::Rows ? row : 0;
  bool narrow = elementTypeOf(op.getType()).isF32();
  ArrayRef<double> errors = errorsOf(op.getBuffer());
  for (size_t i = 0; i < array.size(); ++i) {
    double value = input[from + i];
    array.values[i] = narrow ? double(float(value)) : value;
    array.bounds[i] = errors.empty() ? 0 : errors[from + i];
  }
  values[op.getResult()] = std::move(array);
}

void Machine::store(StoreOp op, int64_t row) {
  const Array &array = values[op.getValue()];
  Output &output = outputs[outputIndex(op.getBuffer())];
  int64_t to = kindOf(op.getValue().getType()) == Kind::Tile ? row * cols : row;
  llvm::copy(array.values, output.values.begin() + to);
  llvm::copy(array.bounds, output.bounds.begin() + to);
}

void Machine::accumulate(AccumulateOp op) {
  const Array &array = values[op.getValue()];
  std::vector<RunningSum> &sum = sums[op];
  for (size_t i = 0; i < array.size(); ++i)
    sum[sum.size() == 1 ? 0 : i].add(array.values[i], array.bounds[i]);
}

void Machine::finalize(FinalizeOp op) {
  ArrayRef<double> partials =
      inputs[cast<BlockArgument>(op.getPartials()).getArgNumber()];
  ArrayRef<double> errors = errorsOf(op.getPartials());
  int64_t width = rows ? int64_t(partials.size()) / rows : 0;
  bool toCols = op.getTo() == Sum::cols;
  int64_t first = toCols ? op.getSlot() * cols
                         : op.getNumColsSlots() * cols + int64_t(op.getSlot());
  Output &output = outputs[outputIndex(op.getBuffer())];
  for (size_t i = 0; i < output.values.size(); ++i) {
    RunningSum sum;
    for (int64_t row = 0; row < rows; ++row)
      sum.add(partials[row * width + first + i],
              errors.empty() ? 0 : errors[row * width + first + i]);
    output.values[i] = sum.value();
    output.bounds[i] = sum.finish(model, columnSumLimit());
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

LogicalResult Machine::map(MapOp op) {
  SmallVector<const Array *> arguments;
  for (Value input : op.getInputs())
    arguments.push_back(&values.find(input)->second);
  auto results = evaluate(op.getBody().front(), arguments, sizeOf(op.getType()), model);
  if (failed(results))
    return failure();
  values[op.getResult()] = std::move(results->front());
  return success();
}

LogicalResult Machine::reduce(ReduceOp op) {
  SmallVector<const Array *> tiles;
  for (Value input : op.getInputs())
    tiles.push_back(&values.find(input)->second);
  auto results = reduceRow(op, tiles, model);
  if (failed(results))
    return failure();
  for (auto [result, array] : llvm::zip(op.getResults(), *results))
    values[result] = std::move(array);
  return success();
}

void Machine::moments(MomentsOp op) {
  RowMoments result = momentsOfRow(values[op.getValue()], model);
  values[op.getMean()] = std::move(result.mean);
  values[op.getM2()] = std::move(result.m2);
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

LogicalResult Machine::runOp(Operation *op, int64_t row) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](LoadOp load) { return this->load(load, row), success(); })
      .Case([&](StoreOp store) { return this->store(store, row), success(); })
      .Case([&](AccumulateOp sum) { return accumulate(sum), success(); })
      .Case([&](FinalizeOp sum) { return finalize(sum), success(); })
      .Case([&](MomentsOp op) { return moments(op), success(); })
      .Case([&](MapOp op) { return map(op); })
      .Case([&](ReduceOp op) { return reduce(op); })
      .Case([&](RoundOp op) {
        values[op.getResult()] = roundArray(values[op.getValue()], op.getTo());
        return success();
      })
      .Case([&](DimOp op) {
        Array size(1);
        size.values[0] = double(op.getAxis() == Axis::rows ? rows : cols);
        values[op.getResult()] = std::move(size);
        return success();
      })
      .Case([&](arith::ConstantOp op) {
        Array number(1);
        number.values[0] = cast<FloatAttr>(op.getValue()).getValueAsDouble();
        values[op.getResult()] = std::move(number);
        return success();
      })
      .Default([](Operation *op) {
        return op->emitOpError(
            "expected an op of a row program, because the interpreter "
            "runs nothing else");
      });
}

LogicalResult Machine::run() {
  SmallVector<Operation *> once, everyRow;
  for (Operation &op : *kernel.getBodyBlock()) {
    bool perRow = isa<StoreOp, AccumulateOp>(op);
    for (Type type : op.getResultTypes())
      perRow |= kindOf(type) == Kind::Tile || kindOf(type) == Kind::Rows;
    (perRow ? everyRow : once).push_back(&op);
  }
  for (Operation *op : once)
    if (failed(runOp(op, 0)))
      return failure();
  for (int64_t row = 0; row < rows; ++row)
    for (Operation *op : everyRow)
      if (failed(runOp(op, row)))
        return failure();
  return success();
}

std::vector<Output> Machine::finish() {
  for (auto op : kernel.getBodyBlock()->getOps<AccumulateOp>()) {
    Output &output = outputs[outputIndex(op.getBuffer())];
    size_t first = 0;
    if (std::optional<uint64_t> slot = op.getSlot()) {
      int64_t colsSlots = 0;
      for (Operation *user : op.getBuffer().getUsers())
        colsSlots += cast<AccumulateOp>(user).getTo() == Sum::cols;
      first = op.getTo() == Sum::cols ? *slot * cols : colsSlots * cols + *slot;
    }
    for (auto [i, sum] : llvm::enumerate(sums[op])) {
      output.values[first + i] = sum.value();
      output.bounds[first + i] = sum.finish(model, columnSumLimit());
    }
  }
  return std::move(outputs);
}

FailureOr<std::vector<Output>> interpreter::interpret(KernelOp kernel,
                                                      ArrayRef<ArrayRef<double>> inputs,
                                                      int64_t rows, int64_t cols,
                                                      const Options &options) {
  Machine machine(kernel, inputs, rows, cols, options);
  if (failed(machine.checkInputs()))
    return failure();
  machine.makeOutputs();
  if (failed(machine.run()))
    return failure();
  return machine.finish();
}
