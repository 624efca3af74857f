//===- Large.cpp - Many rows ------------------------------------------------===//
//
// A long double oracle of a hundred million elements takes minutes. Here the rows of
// the inputs repeat with a period: the rows of an output must repeat with it to the
// bit, the first period is compared with the oracle, and sums down the columns are of
// integers, which are exact: one row that is missing or there twice shows.
//
//===----------------------------------------------------------------------===//
#include "Cases.h"

#include <cmath>
#include <cstring>

namespace normc::numerics {
namespace {

constexpr int64_t kPeriod = 61;

/// `rows` rows that repeat the rows of `array`.
Array repeatRows(const Array &array, int64_t rows) {
  Array result = array;
  size_t period = array.bytes.size();
  size_t row = period / static_cast<size_t>(array.shape[0]);
  result.shape[0] = rows;
  result.strides = reference::rowMajorStrides(result.shape);
  result.bytes.resize(row * static_cast<size_t>(rows));
  for (size_t at = 0; at < result.bytes.size(); at += period)
    std::memcpy(&result.bytes[at], array.bytes.data(),
                std::min(period, result.bytes.size() - at));
  return result;
}

/// Integers, so that sums down the columns are exact: xh is x with mean 0 and rstd 1,
/// tanh of an infinite argument is a sign.
void useIntegers(const std::string &name, std::vector<double> &values) {
  if (name == "x" || name == "dy")
    fillIntegers(values, 2, name == "x" ? 7 : 8);
  if (name == "x")
    for (double &value : values)
      value = value == 0 ? 1 : value;
  if (name == "mean" || name == "rstd")
    std::fill(values.begin(), values.end(), name == "mean" ? 0 : 1);
  if (name == "alpha")
    values[0] = HUGE_VAL;
}

struct LargeCase {
  Spec spec;
  int64_t rows;
  std::vector<int64_t> inner;
};

/// What a column sum of `rows` rows must be, from the terms of one period.
void expectSum(Bench &bench, const Array &sums, const std::vector<double> &terms,
               int64_t rows, const std::string &name) {
  std::vector<double> values = sums.toDoubles();
  size_t cols = values.size();
  for (size_t col = 0; col < cols; ++col) {
    double sum = 0;
    for (int64_t row = 0; row < kPeriod; ++row) {
      double times = static_cast<double>(rows / kPeriod + (row < rows % kPeriod));
      sum += times * terms[static_cast<size_t>(row) * cols + col];
    }
    double expected = reference::roundTo(sums.type, sum);
    if (values[col] != expected)
      return bench.fail(name + " of column " + std::to_string(col) + " is " +
                        std::to_string(values[col]) + ", not " +
                        std::to_string(expected));
  }
}

void expectPeriodic(Bench &bench, const Array &output, const std::string &name) {
  size_t period = output.bytes.size() / static_cast<size_t>(output.shape[0]) * kPeriod;
  for (size_t at = period; at < output.bytes.size(); at += period)
    if (std::memcmp(&output.bytes[at], output.bytes.data(),
                    std::min(period, output.bytes.size() - at)) != 0)
      return bench.fail(name + " does not repeat in rows " +
                        std::to_string(at / period * kPeriod) + " and on");
}

void checkSums(Bench &bench, const LargeCase &one, const Run &period,
               const Arrays &outputs) {
  std::vector<double> dy = period.inputs.at("dy").toDoubles();
  std::vector<double> x = period.inputs.at("x").toDoubles();
  if (auto dbias = outputs.find("dbias"); dbias != outputs.end())
    expectSum(bench, dbias->second, dy, one.rows, "dbias");
  if (auto dweight = outputs.find("dweight"); dweight != outputs.end()) {
    bool isDyt = one.spec.op == Op::DytBackward;
    for (size_t i = 0; i < dy.size(); ++i)
      dy[i] *= isDyt ? std::copysign(1, x[i]) : x[i];
    expectSum(bench, dweight->second, dy, one.rows, "dweight");
  }
}

void runLarge(Bench &bench, const LargeCase &one) {
  auto program = bench.compile(one.spec);
  if (!program)
    return;
  Recipe recipe;
  if (isBackward(one.spec.op))
    recipe.change = useIntegers;
  Run period = makeRun(one.spec, {kPeriod}, one.inner, recipe);
  auto first = bench.check(*program, period, "one period");
  Run run = period;
  for (const Operand &operand : operandsOf(one.spec))
    if (operand.extent == Extent::Tile || operand.extent == Extent::Rows) {
      if (operand.isOutput)
        run.shapes[operand.name][0] = one.rows;
      else
        run.inputs[operand.name] = repeatRows(run.inputs[operand.name], one.rows);
    }
  auto outputs = bench.launch(*program, run, std::to_string(one.rows) + " rows");
  if (!outputs || !first)
    return;
  for (const auto &[name, output] : *outputs) {
    if (name != "y" && name != "dx" && name != "mean" && name != "rstd")
      continue;
    expectPeriodic(bench, output, name);
    // dx may depend on the number of rows; what repeats is within its tolerance there.
    if (!isBackward(one.spec.op))
      bench.expectSame({{name, first->at(name)}}, {{name, firstRows(output, kPeriod)}},
                       "the first rows");
  }
  if (isBackward(one.spec.op))
    checkSums(bench, one, period, *outputs);
}

/// A bound of 1e-5 of the sum of the terms' magnitudes, before the last rounding: the
/// gradients are f32 while the parameters are bf16.
void runManyRows(Bench &bench, Op op, Type gradient) {
  Spec spec = fullSpec(op);
  setTypes(spec, Type::BF16);
  spec.gradient = gradient;
  spec.inner = {3};
  auto program = bench.compile(spec);
  if (!program)
    return;
  // Terms of one sign: the errors of a chain add up.
  Recipe recipe;
  recipe.specifications["dy"] = "uniform:9::0.5:1";
  bench.check(*program, makeRun(spec, {1000003}, {3}, recipe), "1000003x3");
}

} // namespace

void addLargeCases(Cases &cases) {
  auto add = [&](Op op, Type type, int64_t rows, std::vector<int64_t> inner) {
    Spec spec = fullSpec(op);
    setTypes(spec, type);
    // Sums of 400,000 integers are no f16 or bf16.
    spec.gradient = Type::F32;
    spec.inner = inner;
    LargeCase one{spec, rows, inner};
    cases.push_back({"large/" + std::to_string(rows) + " rows of " +
                         reference::formatShape(inner) + "/" + describe(spec),
                     [=](Bench &bench) { runLarge(bench, one); }});
  };
  for (Op op : {Op::Dyt, Op::DytBackward}) {
    for (int64_t rows : {65535, 65536, 1000003})
      for (int64_t cols : {7, 24, 32})
        add(op, Type::BF16, rows, {cols});
    for (int64_t cols : {255, 256, 257})
      add(op, Type::BF16, 65536, {cols});
  }
  for (Op op : kOps) {
    add(op, Type::F32, 401408, {24});
    add(op, Type::F32, 65536, {64}); // whole lines, enough for stores past the caches
  }
  for (Op op : {Op::LayerNorm, Op::LayerNormBackward})
    add(op, Type::BF16, 100000, {8, 16});
  for (Op op : {Op::RmsNorm, Op::RmsNormBackward})
    add(op, Type::BF16, 65536, {128});
  for (Op op : {Op::LayerNormBackward, Op::RmsNormBackward, Op::DytBackward})
    for (Type gradient : {Type::F32, Type::BF16})
      cases.push_back({std::string("large/1000003 rows, error of sums, ") + opName(op) +
                           " to " + std::string(reference::typeName(gradient)),
                       [=](Bench &bench) { runManyRows(bench, op, gradient); }});
}

} // namespace normc::numerics
