//===- Interpreter.cpp - Row programs in float64 ----------------------------===//
#include "normc/Interpreter/Interpreter.h"
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

/// A sum down the rows, with what its bound needs.
struct RunningSum {
  long double total = 0;
  double magnitude = 0, bound = 0;
  int64_t terms = 0;

  void add(double value, double error) {
    total += value;
    magnitude += std::fabs(value);
    bound += error;
    ++terms;
  }
  /// A parameter gradient is within 1e-5 of the sum of its absolute terms in f32.
  double finish(const Model &model, bool wide) const {
    double relative = model.chain(terms) * model.u;
    if (!wide)
      relative = std::min(relative, 1e-5);
    double result = bound + relative * magnitude;
    return std::isfinite(double(total)) ? result : 0.0;
  }
};

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
  FailureOr<std::vector<Array>> reduceTree(ReduceOp op, std::vector<Array> tiles);
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
    output.values[i] = double(sum.total);
    output.bounds[i] = sum.finish(model, kernel.getAccumulatorType().isF64());
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

/// Whether the region adds each pair: result i is argument i + argument N + i.
static bool isSum(ReduceOp op) {
  Block &block = op.getBody().front();
  size_t count = op.getInputs().size();
  for (auto [i, yielded] : llvm::enumerate(block.getTerminator()->getOperands())) {
    auto add = yielded.getDefiningOp<arith::AddFOp>();
    auto a = block.getArgument(i), b = block.getArgument(count + i);
    if (!add || !((add.getLhs() == a && add.getRhs() == b) ||
                  (add.getLhs() == b && add.getRhs() == a)))
      return false;
  }
  return true;
}

LogicalResult Machine::reduce(ReduceOp op) {
  if (isSum(op)) {
    for (auto [input, result] : llvm::zip(op.getInputs(), op.getResults())) {
      RunningSum sum;
      const Array &array = values[input];
      for (size_t i = 0; i < array.size(); ++i)
        sum.add(array.values[i], array.bounds[i]);
      Array total(1);
      total.values[0] = double(sum.total);
      total.bounds[0] = sum.finish(model, /*wide=*/true);
      values[result] = std::move(total);
    }
    return success();
  }
  std::vector<Array> tiles;
  for (Value input : op.getInputs())
    tiles.push_back(values[input]);
  auto results = reduceTree(op, std::move(tiles));
  if (failed(results))
    return failure();
  for (auto [result, array] : llvm::zip(op.getResults(), *results))
    values[result] = std::move(array);
  return success();
}

/// Combines halves until one element is left: log2(cols) levels. A kernel may have a
/// longer chain, so each level's roundings count for as many as that has a level.
FailureOr<std::vector<Array>> Machine::reduceTree(ReduceOp op,
                                                  std::vector<Array> tiles) {
  Model level = model;
  level.u *= std::max(1.0, model.chain(cols) / std::max(1.0, std::log2(double(cols))));
  while (tiles.front().size() > 1) {
    size_t size = tiles.front().size(), half = size / 2;
    std::vector<Array> sides(2 * tiles.size(), Array(half));
    for (auto [k, tile] : llvm::enumerate(tiles))
      for (size_t i = 0; i < half; ++i) {
        Array &left = sides[k], &right = sides[tiles.size() + k];
        left.values[i] = tile.values[i];
        left.bounds[i] = tile.bounds[i];
        right.values[i] = tile.values[half + i];
        right.bounds[i] = tile.bounds[half + i];
      }
    SmallVector<const Array *> arguments;
    for (const Array &side : sides)
      arguments.push_back(&side);
    auto combined = evaluate(op.getBody().front(), arguments, half, level);
    if (failed(combined))
      return failure();
    for (auto [next, tile] : llvm::zip(*combined, tiles)) {
      if (size % 2 == 1) {
        next.values.push_back(tile.values.back());
        next.bounds.push_back(tile.bounds.back());
      }
    }
    tiles = std::move(*combined);
  }
  return tiles;
}

/// mean = mean0 + mean(x - mean0), so that the error of the first pass counts only to
/// second order, and m2 = sum((x - mean)^2).
void Machine::moments(MomentsOp op) {
  const Array &array = values[op.getValue()];
  double n = double(array.size());
  long double total = 0;
  for (double value : array.values)
    total += value;
  long double mean = total / (long double)(n);
  long double m2 = 0;
  double magnitude = 0, deviation = 0, inputBound = 0, weighted = 0;
  for (size_t i = 0; i < array.size(); ++i) {
    long double centered = array.values[i] - mean;
    m2 += centered * centered;
    magnitude += std::fabs(array.values[i]);
    deviation += std::fabs(double(centered));
    inputBound += array.bounds[i];
    weighted += 2 * scaled(array.bounds[i], std::fabs(double(centered)));
  }
  double chain = model.chain(array.size()) * model.u;
  // A row of one repeated value has exactly that mean (row.moments).
  double shift = deviation == 0
                     ? inputBound / n
                     : (inputBound + chain * (deviation + chain * magnitude)) / n +
                           2 * model.u * std::fabs(double(mean));
  Array means(1), squares(1);
  means.values[0] = double(mean);
  means.bounds[0] = std::isfinite(double(mean)) ? shift : 0.0;
  squares.values[0] = double(m2);
  squares.bounds[0] = std::isfinite(double(m2)) ? (chain + 3 * model.u) * double(m2) +
                                                      weighted + n * shift * shift
                                                : 0.0;
  values[op.getMean()] = std::move(means);
  values[op.getM2()] = std::move(squares);
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
        values[op.getResult()] = roundArray(values[op.getValue()], op.getTo(), model);
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
      output.values[first + i] = double(sum.total);
      output.bounds[first + i] = sum.finish(model, kernel.getAccumulatorType().isF64());
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
