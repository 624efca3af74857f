//===- ScalarOps.cpp - Regions of arith and math ops on arrays --------------===//
#include "ScalarOps.h"
#include "ScalarRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace normc;
using namespace normc::interpreter;

static const RuleTable &ruleTable() {
  static const RuleTable table = [] {
    RuleTable all;
    addFloatRules(all);
    addFunctionRules(all);
    addIntegerRules(all);
    addConversionRules(all);
    return all;
  }();
  return table;
}

bool interpreter::isKnown(StringRef opName) { return ruleTable().find(opName); }

Number Context::rounded(double value, double error, double roundings) const {
  if (!std::isfinite(value))
    return {value};
  double bound = error + roundings * precision.u * std::fabs(value);
  // A result below the normal numbers may also be flushed to zero.
  if (roundings > 0 && value != 0 && std::fabs(value) < precision.smallestNormal)
    bound += precision.smallestNormal;
  return {value, std::isnan(bound) ? HUGE_VAL : bound};
}

namespace {

/// What a value is for each element, or one that stands for all.
using Numbers = std::vector<Number>;

/// Evaluates ops on arrays and remembers the results.
class Evaluator {
public:
  explicit Evaluator(const Model &model) : model(model) {}

  void bind(Value value, const Array &array) {
    Numbers numbers(array.size());
    for (size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = {array.values[i], array.bounds[i]};
    values[value] = std::move(numbers);
  }
  const Numbers &get(Value value) const { return values.find(value)->second; }
  LogicalResult run(Operation *op);

private:
  LogicalResult runConstant(arith::ConstantOp op);

  const Model &model;
  llvm::DenseMap<Value, Numbers> values;
};

const Number &at(const Numbers &numbers, size_t i) {
  return numbers[numbers.size() == 1 ? 0 : i];
}

LogicalResult Evaluator::runConstant(arith::ConstantOp op) {
  Number number;
  if (auto attr = dyn_cast<FloatAttr>(op.getValue()))
    number.value = attr.getValueAsDouble();
  else if (auto attr = dyn_cast<IntegerAttr>(op.getValue()))
    number.integer = attr.getValue().getSExtValue();
  else
    return op.emitOpError("expected a number, because a region is a scalar function");
  values[op.getResult()] = {number};
  return success();
}

LogicalResult Evaluator::run(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return runConstant(constant);
  const Rule *rule = ruleTable().find(op->getName().getStringRef());
  if (!rule)
    return op->emitOpError("expected an op that row.map lists, because the interpreter "
                           "knows no other");
  constexpr size_t kMostOperands = 3, kMostResults = 2;
  const Numbers *operands[kMostOperands] = {};
  size_t length = 1;
  for (auto [k, operand] : llvm::enumerate(op->getOperands())) {
    operands[k] = &get(operand);
    length = std::max(length, operands[k]->size());
  }
  Context context{op, Precision(referenceType(op->getResult(0).getType())),
                  model.options};
  context.precision.u *= model.roundingsEach;
  Numbers results[kMostResults];
  for (unsigned k = 0; k < op->getNumResults(); ++k)
    results[k].resize(length);
  for (size_t i = 0; i < length; ++i) {
    Number in[kMostOperands] = {}, out[kMostResults] = {};
    for (unsigned k = 0; k < op->getNumOperands(); ++k)
      in[k] = at(*operands[k], i);
    (*rule)(context, in, out);
    for (unsigned k = 0; k < op->getNumResults(); ++k)
      results[k][i] = out[k];
  }
  for (OpResult result : op->getResults())
    values[result] = std::move(results[result.getResultNumber()]);
  return success();
}

} // namespace

FailureOr<std::vector<Array>> interpreter::evaluate(Block &block,
                                                    ArrayRef<const Array *> arguments,
                                                    size_t size, const Model &model) {
  Evaluator evaluator(model);
  for (auto [argument, array] : llvm::zip(block.getArguments(), arguments))
    evaluator.bind(argument, *array);
  for (Operation &op : block.without_terminator())
    if (failed(evaluator.run(&op)))
      return failure();
  std::vector<Array> results;
  for (Value yielded : block.getTerminator()->getOperands()) {
    const Numbers &numbers = evaluator.get(yielded);
    Array result(size);
    for (size_t i = 0; i < size; ++i) {
      result.values[i] = at(numbers, i).value;
      result.bounds[i] = at(numbers, i).bound;
    }
    results.push_back(std::move(result));
  }
  return results;
}
