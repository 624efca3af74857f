//===- Inputs.cpp - Tensors for a spec --------------------------------------===//
#include "Inputs.h"

#include <cmath>

namespace normc::numerics {

static Array generateArray(const std::string &specification, Type type,
                           const std::vector<int64_t> &shape) {
  auto array = reference::generate(specification, type);
  return array ? std::move(*array) : reference::makeArray(type, shape);
}

/// `specification` with a shape in its third field.
static std::string withShape(const std::string &specification,
                             const std::vector<int64_t> &shape) {
  std::string text = reference::formatShape(shape);
  size_t second = specification.find(':', specification.find(':') + 1);
  if (second == std::string::npos)
    return specification + ":" + text;
  return specification.substr(0, second + 1) + text + specification.substr(second + 1);
}

/// Where mean and rstd are parameters, they are those of x: a backward op is given what
/// the forward one computed.
static void computeStatistics(const Array &x, int64_t rows, int64_t cols,
                              double epsilon, bool centered, std::vector<double> &mean,
                              std::vector<double> &rstd) {
  std::vector<double> values = x.toDoubles();
  for (int64_t row = 0; row < rows; ++row) {
    const double *at = values.data() + row * cols;
    long double sum = 0, square = 0;
    for (int64_t col = 0; col < cols; ++col)
      sum += at[col];
    long double center = centered ? sum / cols : 0;
    for (int64_t col = 0; col < cols; ++col)
      square += (at[col] - center) * (at[col] - center);
    mean.push_back(static_cast<double>(center));
    rstd.push_back(static_cast<double>(1 / std::sqrt(square / cols + epsilon)));
  }
}

static int64_t product(const std::vector<int64_t> &sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

namespace {

class Maker {
public:
  Maker(const Spec &spec, const std::vector<int64_t> &outer,
        const std::vector<int64_t> &inner, const Recipe &recipe)
      : spec(spec), outer(outer), inner(inner), recipe(recipe) {}

  Run make() {
    for (const Operand &operand : operandsOf(spec)) {
      std::vector<int64_t> shape = shapeOf(spec, operand.extent, outer, inner);
      if (operand.isOutput)
        run.shapes[operand.name] = shape;
      else if (operand.extent != Extent::Rows)
        run.inputs[operand.name] = plain(operand, shape);
    }
    for (const Operand &operand : operandsOf(spec))
      if (!operand.isOutput && operand.extent == Extent::Rows)
        run.inputs[operand.name] = statistic(operand);
    return std::move(run);
  }

private:
  /// Values that are ordinary for what an operand is.
  std::string specificationOf(const std::string &name) const {
    auto own = recipe.specifications.find(name);
    if (own != recipe.specifications.end())
      return own->second;
    auto normal = [&](uint64_t salt, double scale, double offset) {
      return "normal:" + std::to_string(recipe.seed * 16 + salt) +
             "::" + std::to_string(scale) + ":" + std::to_string(offset);
    };
    if (name == "x")
      return normal(1, recipe.xScale, recipe.xOffset);
    if (name == "dy")
      return normal(2, 1, 0);
    if (name == "weight")
      return normal(3, 0.5, 1);
    if (name == "bias")
      return normal(4, 1, 0);
    return name == "alpha" ? "const:0.7" : "const:-0.2";
  }

  void change(const Operand &operand, Array &array) const {
    if (!recipe.change)
      return;
    std::vector<double> values = array.toDoubles();
    recipe.change(operand.name, values);
    array = reference::makeArray(array.type, array.shape, values);
  }

  Array plain(const Operand &operand, const std::vector<int64_t> &shape) const {
    Array array = generateArray(withShape(specificationOf(operand.name), shape),
                                operand.type, shape);
    change(operand, array);
    return array;
  }

  Array statistic(const Operand &operand) {
    int64_t rows = product(outer), cols = product(inner);
    if (rstd.empty())
      computeStatistics(run.inputs.at("x"), rows, cols, recipe.epsilon,
                        spec.op == Op::LayerNormBackward, mean, rstd);
    Array array =
        reference::makeArray(operand.type, outer, operand.name == "mean" ? mean : rstd);
    change(operand, array);
    return array;
  }

  const Spec &spec;
  const std::vector<int64_t> &outer, &inner;
  const Recipe &recipe;
  Run run;
  std::vector<double> mean, rstd;
};

} // namespace

Run makeRun(const Spec &spec, const std::vector<int64_t> &outer,
            const std::vector<int64_t> &inner, const Recipe &recipe) {
  Recipe own = recipe;
  own.epsilon = spec.epsilon;
  return Maker(spec, outer, inner, own).make();
}

void fillIntegers(std::vector<double> &values, int64_t most, uint64_t seed) {
  uint64_t state = seed * 0x9e3779b97f4a7c15 + 1;
  for (double &value : values) {
    // Knuth's linear congruential generator (MMIX); the high bits are good enough.
    state = state * 6364136223846793005 + 1442695040888963407;
    value = static_cast<double>(static_cast<int64_t>((state >> 33) % (2 * most + 1)) -
                                most);
  }
}

} // namespace normc::numerics
