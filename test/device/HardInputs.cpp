//===- HardInputs.cpp - Values that try to break a kernel -------------------===//
#include "DeviceCases.h"

#include <cmath>
#include <limits>

namespace normc::device {

const char *name(Input input) {
  switch (input) {
  case Input::Ordinary:
    return "";
  case Input::ConstantRows:
    return ", constant rows";
  case Input::NanInX:
    return ", NaN in x";
  case Input::InfinityInX:
    return ", infinity in x";
  case Input::NanInDy:
    return ", NaN in dy";
  case Input::InfiniteAlpha:
    return ", infinite alpha";
  case Input::NegativeInfiniteAlpha:
    break;
  }
  return ", alpha of -infinity";
}

/// One row in three has `value` somewhere.
static void put(std::vector<double> &values, double value, size_t cols) {
  for (size_t row = 1; row * cols < values.size(); row += 3)
    values[row * cols + row * 7 % cols] = value;
}

static void makeConstant(std::vector<double> &values, size_t cols) {
  const double constants[] = {1234, 1234.1, 0.1, -7, 0, 1e-3};
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = constants[i / cols % std::size(constants)];
}

/// No zero: infinity times that has no sign.
static void avoidZero(std::vector<double> &values) {
  for (double &value : values)
    value = std::copysign(std::fabs(value) + 0.125, value);
}

numerics::Recipe recipeOf(const Launch &launch) {
  numerics::Recipe recipe{
      .seed = launch.seed, .xScale = launch.xScale, .xOffset = launch.xOffset};
  size_t cols = 1;
  for (int64_t size : launch.inner)
    cols *= static_cast<size_t>(size);
  const Input input = launch.input;
  if (input == Input::InfiniteAlpha)
    recipe.specifications["alpha"] = "const:inf";
  if (input == Input::NegativeInfiniteAlpha)
    recipe.specifications["alpha"] = "const:-inf";
  recipe.change = [=](const std::string &name, std::vector<double> &values) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (name == "dy" && input == Input::NanInDy)
      put(values, kNan, cols);
    if (name != "x")
      return;
    if (input == Input::ConstantRows)
      makeConstant(values, cols);
    if (input == Input::NanInX)
      put(values, kNan, cols);
    if (input == Input::InfinityInX)
      put(values, kInfinity, cols);
    if (input == Input::InfiniteAlpha || input == Input::NegativeInfiniteAlpha)
      avoidZero(values);
  };
  return recipe;
}

} // namespace normc::device
