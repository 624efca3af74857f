//===- HardInputs.cpp - Values that try to break a kernel -------------------===//
#include "Cases.h"

#include <cmath>
#include <limits>

namespace normc::numerics {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct HardInput {
  const char *name;
  double xScale = 1, xOffset = 0;
  double epsilon = 1e-5;
  /// Changes x, dy or another input of `cols` columns.
  std::function<void(const std::string &, std::vector<double> &, size_t cols, Type)>
      change = {};
  /// Squares or sums overflow on the way, or cancel to nothing.
  bool mayLeaveDomain = false;
};

bool isTile(const std::string &name) { return name == "x" || name == "dy"; }

/// Every row one value.
void makeConstant(const std::string &name, std::vector<double> &values, size_t cols,
                  Type type) {
  if (name != "x")
    return;
  const double constants[] = {1234, 1234.1, 0.1, -7, 0, 1e-3};
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = constants[i / cols % std::size(constants)];
}

/// One row in three has `value` somewhere.
auto put(const char *operand, double value) {
  return [=](const std::string &name, std::vector<double> &values, size_t cols, Type) {
    if (name != operand)
      return;
    for (size_t row = 1; row * cols < values.size(); row += 3)
      values[row * cols + row * 7 % cols] = value;
  };
}

void makeDenormal(const std::string &name, std::vector<double> &values, size_t,
                  Type type) {
  if (name == "x")
    for (double &value : values)
      value *= 64 * reference::smallestDenormal(type);
}

/// Half of the square root of the largest value, so that sums of squares overflow in
/// the element type, and in C only where that is no wider.
void makeHuge(const std::string &name, std::vector<double> &values, size_t, Type type) {
  if (name == "x")
    for (double &value : values)
      value =
          std::copysign(reference::largestFinite(type) * (0.5 + 0.01 * value), value);
}

void alternate(const std::string &name, std::vector<double> &values, size_t, Type) {
  if (isTile(name))
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = (i % 2 ? -1 : 1) * (1000 + std::fabs(values[i]));
}

/// Columns add up to nearly nothing.
void cancelColumns(const std::string &name, std::vector<double> &values, size_t cols,
                   Type) {
  if (name == "dy")
    for (size_t i = cols; i < values.size(); i += 2 * cols)
      for (size_t col = 0; col < cols && i + col < values.size(); ++col)
        values[i + col] = -values[i + col - cols];
}

std::vector<HardInput> hardInputs() {
  return {
      {.name = "mean 100, spread 0.01", .xScale = 0.01, .xOffset = 100},
      {.name = "mean 40000, spread 1", .xScale = 1, .xOffset = 40000, .epsilon = 1e-12},
      {.name = "mean -1e4, spread 1e-3",
       .xScale = 1e-3,
       .xOffset = -1e4,
       .mayLeaveDomain = true},
      {.name = "constant rows, epsilon 1e-5", .change = makeConstant},
      {.name = "constant rows, epsilon 1e-12",
       .epsilon = 1e-12,
       .change = makeConstant},
      {.name = "denormals", .change = makeDenormal},
      {.name = "denormals, epsilon 0",
       .epsilon = 0,
       .change = makeDenormal,
       .mayLeaveDomain = true},
      {.name = "infinity in x", .change = put("x", kInfinity), .mayLeaveDomain = true},
      {.name = "-infinity in x",
       .change = put("x", -kInfinity),
       .mayLeaveDomain = true},
      {.name = "NaN in x", .change = put("x", kNan), .mayLeaveDomain = true},
      {.name = "infinity in dy", .change = put("dy", kInfinity)},
      {.name = "NaN in dy", .change = put("dy", kNan)},
      {.name = "infinity in weight",
       .change = put("weight", kInfinity),
       .mayLeaveDomain = true},
      {.name = "NaN in weight", .change = put("weight", kNan)},
      {.name = "huge", .change = makeHuge, .mayLeaveDomain = true},
      {.name = "alternating signs", .change = alternate},
      {.name = "columns that cancel", .change = cancelColumns},
      {.name = "zeros", .xScale = 0},
  };
}

/// A NaN or an infinity stays in its own row.
void expectFiniteElsewhere(Bench &bench, const Run &run, const Arrays &outputs,
                           size_t cols, const std::string &what) {
  std::vector<double> x = run.inputs.at("x").toDoubles();
  for (const char *name : {"y", "dx"}) {
    auto output = outputs.find(name);
    if (output == outputs.end())
      continue;
    std::vector<double> y = output->second.toDoubles();
    for (size_t row = 0; row * cols < x.size(); ++row) {
      bool clean = true;
      for (size_t col = 0; col < cols; ++col)
        clean &= std::isfinite(x[row * cols + col]) != 0;
      for (size_t col = 0; clean && col < cols; ++col)
        if (!std::isfinite(y[row * cols + col]))
          return bench.fail(what + ": " + name + " of row " + std::to_string(row) +
                            " is not finite, though x is there");
    }
  }
}

/// All hard inputs on one size; a program for each epsilon.
void runHard(Bench &bench, Spec spec, int64_t cols) {
  auto size = static_cast<size_t>(cols);
  std::map<double, std::unique_ptr<Program>> programs;
  for (const HardInput &hard : hardInputs()) {
    spec.epsilon = hard.epsilon;
    // Of the ops without an epsilon there is one program.
    double key = spec.op == Op::LayerNorm || spec.op == Op::RmsNorm ? hard.epsilon : 0;
    std::unique_ptr<Program> &program = programs[key];
    if (!program)
      program = bench.compile(spec);
    if (!program)
      return;
    Recipe recipe;
    recipe.xScale = hard.xScale;
    recipe.xOffset = hard.xOffset;
    recipe.change = [&](const std::string &name, std::vector<double> &values) {
      if (hard.change)
        hard.change(name, values, size, spec.x);
    };
    Run run = makeRun(spec, {35}, {cols}, recipe);
    run.mayLeaveDomain = hard.mayLeaveDomain;
    auto outputs = bench.check(*program, run, hard.name);
    bool stays = std::string(hard.name).find("in x") != std::string::npos;
    if (outputs && stays)
      expectFiniteElsewhere(bench, run, *outputs, size, hard.name);
  }
}

} // namespace

void addInputCases(Cases &cases, const Settings &settings) {
  unsigned number = 0;
  for (Op op : kOps)
    for (bool erf : {false, true}) {
      if (erf && op != Op::Dyt && op != Op::DytBackward)
        continue;
      for (Type type : kTypes)
        for (int64_t cols : {1, 7, 24, 129, 768, 1300}) {
          // Of a selection, a size of an op in one type, all types with some size.
          if (settings.selection && number++ % 5 != 0)
            continue;
          Spec spec = fullSpec(op, erf);
          setTypes(spec, type);
          spec.inner = {cols == 129 ? kDynamic : cols};
          cases.push_back(
              {"inputs/" + std::to_string(cols) + " columns/" + describe(spec),
               [=](Bench &bench) { runHard(bench, spec, cols); }});
        }
    }
}

} // namespace normc::numerics
