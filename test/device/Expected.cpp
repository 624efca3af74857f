//===- Expected.cpp - What the results of a case must be --------------------===//
#include "Expected.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace normc::device {

using numerics::Array;
using numerics::Extent;
using numerics::Operand;
using reference::Result;
using Results = std::map<std::string, Result>;

/// Elements that are taken to doubles at once, so that memory stays bounded.
static constexpr int64_t kElementsAtOnce = int64_t{1} << 21;
/// Rows of a large tensor whose results are compared.
static constexpr int64_t kSampledRows = 384;

namespace {

/// Some rows of the inputs in doubles.
struct RowBlock {
  int64_t rows = 0;
  std::map<std::string, std::vector<double>> values;

  const double *data(const std::string &name) const {
    auto found = values.find(name);
    return found == values.end() ? nullptr : found->second.data();
  }
  double scalar(const std::string &name, double absent) const {
    const double *value = data(name);
    return value ? *value : absent;
  }
};

/// Which results are wanted: those of rows, or sums over them.
enum class Part : uint8_t { Rows, Sums };

class Evaluator {
public:
  Evaluator(const Spec &spec, const numerics::Run &run, int64_t rows, int64_t cols)
      : spec(spec), run(run), rows(rows), cols(cols) {
    std::vector<Type> types;
    for (const Operand &operand : operandsOf(spec)) {
      types.push_back(operand.type);
      if (operand.name == "y")
        y = operand.type;
      if (operand.name == "x")
        x = operand.type;
    }
    arithmetic.compute = reference::computeType(types);
    arithmetic.longestChain = std::max(run.longestChain, cols / 16 + 1);
    setTanh();
  }

  /// The results of some rows.
  Results rowsAt(const std::vector<int64_t> &sample) const {
    return evaluate(block(sample), Part::Rows);
  }

  /// Sums over all rows, block by block.
  Results sums(int64_t copies) const {
    const int64_t step = std::max<int64_t>(kElementsAtOnce / cols, 1);
    Results total;
    for (int64_t begin = 0; begin == 0 || begin < rows; begin += step) {
      std::vector<int64_t> sample;
      for (int64_t row = begin; row < std::min(begin + step, rows); ++row)
        sample.push_back(row);
      for (auto &[name, result] : evaluate(block(sample), Part::Sums))
        add(total[name], result);
    }
    // A block's bound is for chains of 1024 adds and more; its sum then passes at most
    // 20 more, which is a 50th of that.
    const double more = rows > step || copies > 1 ? 1.02 : 1;
    for (auto &[name, result] : total)
      for (size_t i = 0; i < result.values.size(); ++i) {
        result.values[i] *= static_cast<double>(copies);
        result.bounds[i] *= static_cast<double>(copies) * more;
      }
    return total;
  }

private:
  /// SEMANTICS, Numbers: the hardware's tanh is for a forward result of 16 bits, unless
  /// the op asks for either.
  void setTanh() {
    constexpr double kHardware = 0x1p-11;
    if (spec.erf || spec.accuracy == "exact" || arithmetic.compute == Type::F64)
      return;
    if (spec.op == Op::Dyt &&
        (spec.accuracy == "approximate" || reference::byteSize(y) == 2))
      arithmetic.forwardTanhError = kHardware;
    if (spec.op == Op::DytBackward && spec.accuracy == "approximate")
      arithmetic.backwardTanhError = kHardware;
  }

  static void add(Result &total, const Result &result) {
    if (total.values.empty()) {
      total = result;
      return;
    }
    for (size_t i = 0; i < result.values.size(); ++i) {
      total.values[i] += result.values[i];
      total.bounds[i] += result.bounds[i];
    }
  }

  RowBlock block(const std::vector<int64_t> &sample) const {
    RowBlock block;
    block.rows = static_cast<int64_t>(sample.size());
    for (const Operand &operand : operandsOf(spec)) {
      if (operand.isOutput)
        continue;
      const Array &array = run.inputs.at(operand.name);
      std::vector<double> &values = block.values[operand.name];
      if (operand.extent == Extent::Cols || operand.extent == Extent::Scalar) {
        values = array.toDoubles();
        continue;
      }
      const int64_t width = operand.extent == Extent::Tile ? cols : 1;
      const size_t size = reference::byteSize(array.type);
      values.resize(sample.size() * static_cast<size_t>(width));
      for (size_t i = 0; i < sample.size(); ++i)
        reference::decodeAll(array.type,
                             array.bytes.data() +
                                 static_cast<size_t>(sample[i] * width) * size,
                             std::span(values).subspan(i * static_cast<size_t>(width),
                                                       static_cast<size_t>(width)));
    }
    return block;
  }

  bool wants(const char *name, bool is) const { return is && spec.present.count(name); }

  Results evaluate(const RowBlock &in, Part part) const {
    switch (spec.op) {
    case Op::LayerNorm:
      return layerNorm(in, part);
    case Op::RmsNorm:
      return rmsNorm(in, part);
    case Op::Dyt:
      return part == Part::Rows ? Results{{"y", dyt(in)}} : Results{};
    case Op::DytBackward:
      return dytBackward(in, part);
    default:
      return gradients(in, part);
    }
  }

  Results layerNorm(const RowBlock &in, Part part) const {
    if (part == Part::Sums)
      return {};
    auto out = reference::layerNorm({.rows = in.rows,
                                     .cols = cols,
                                     .x = in.data("x"),
                                     .weight = in.data("weight"),
                                     .bias = in.data("bias"),
                                     .weightOffset = spec.weightOffset,
                                     .epsilon = spec.epsilon,
                                     .arithmetic = arithmetic});
    return {{"y", std::move(out.y)},
            {"mean", std::move(out.mean)},
            {"rstd", std::move(out.rstd)}};
  }

  Results rmsNorm(const RowBlock &in, Part part) const {
    if (part == Part::Sums)
      return {};
    auto out = reference::rmsNorm({.rows = in.rows,
                                   .cols = cols,
                                   .x = in.data("x"),
                                   .weight = in.data("weight"),
                                   .weightOffset = spec.weightOffset,
                                   .epsilon = spec.epsilon,
                                   .cast = cast(),
                                   .xType = x,
                                   .arithmetic = arithmetic});
    return {{"y", std::move(out.y)}, {"rstd", std::move(out.rstd)}};
  }

  Result dyt(const RowBlock &in) const {
    return reference::dyt({.rows = in.rows,
                           .cols = cols,
                           .x = in.data("x"),
                           .alpha = in.scalar("alpha", 0),
                           .shift = in.scalar("shift", 0),
                           .weight = in.data("weight"),
                           .bias = in.data("bias"),
                           .activation = activation(),
                           .arithmetic = arithmetic});
  }

  Results gradients(const RowBlock &in, Part part) const {
    const bool isRows = part == Part::Rows;
    const reference::NormMask mask{.dx = wants("dx", isRows),
                                   .dweight = wants("dweight", !isRows),
                                   .dbias = wants("dbias", !isRows)};
    reference::NormGradients out;
    if (spec.op == Op::LayerNormBackward)
      out = reference::layerNormBackward({.rows = in.rows,
                                          .cols = cols,
                                          .dy = in.data("dy"),
                                          .x = in.data("x"),
                                          .mean = in.data("mean"),
                                          .rstd = in.data("rstd"),
                                          .weight = in.data("weight"),
                                          .weightOffset = spec.weightOffset,
                                          .mask = mask,
                                          .arithmetic = arithmetic});
    else
      out = reference::rmsNormBackward({.rows = in.rows,
                                        .cols = cols,
                                        .dy = in.data("dy"),
                                        .x = in.data("x"),
                                        .rstd = in.data("rstd"),
                                        .weight = in.data("weight"),
                                        .weightOffset = spec.weightOffset,
                                        .cast = cast(),
                                        .xType = x,
                                        .mask = mask,
                                        .arithmetic = arithmetic});
    if (isRows)
      return {{"dx", std::move(out.dx)}};
    return {{"dweight", std::move(out.dweight)}, {"dbias", std::move(out.dbias)}};
  }

  Results dytBackward(const RowBlock &in, Part part) const {
    const bool isRows = part == Part::Rows;
    auto out = reference::dytBackward({.rows = in.rows,
                                       .cols = cols,
                                       .dy = in.data("dy"),
                                       .x = in.data("x"),
                                       .alpha = in.scalar("alpha", 0),
                                       .shift = in.scalar("shift", 0),
                                       .weight = in.data("weight"),
                                       .activation = activation(),
                                       .mask = {.dx = wants("dx", isRows),
                                                .dalpha = wants("dalpha", !isRows),
                                                .dshift = wants("dshift", !isRows),
                                                .dweight = wants("dweight", !isRows),
                                                .dbias = wants("dbias", !isRows)},
                                       .arithmetic = arithmetic});
    if (isRows)
      return {{"dx", std::move(out.dx)}};
    return {{"dalpha", std::move(out.dalpha)},
            {"dshift", std::move(out.dshift)},
            {"dweight", std::move(out.dweight)},
            {"dbias", std::move(out.dbias)}};
  }

  reference::Cast cast() const {
    return spec.castBeforeWeight ? reference::Cast::BeforeWeight
                                 : reference::Cast::AfterWeight;
  }
  reference::Activation activation() const {
    return spec.erf ? reference::Activation::Erf : reference::Activation::Tanh;
  }

  const Spec &spec;
  const numerics::Run &run;
  int64_t rows, cols;
  Type x = Type::F32, y = Type::F32;
  reference::Arithmetic arithmetic;
};

} // namespace

/// All rows of small tensors; of others the first, the last and some between.
static std::vector<int64_t> sampleOf(int64_t rows, int64_t cols) {
  std::vector<int64_t> sample;
  const bool all = rows * cols <= kElementsAtOnce;
  const int64_t count = all ? rows
                            : std::clamp<int64_t>(kElementsAtOnce / cols, 3,
                                                  std::min(rows, kSampledRows));
  for (int64_t i = 0; i < count; ++i)
    sample.push_back(count == rows ? i : i * (rows - 1) / (count - 1));
  return sample;
}

static std::string compareOne(const std::string &name, const std::byte *bytes,
                              Type type, const Result &expected, bool mayLeave) {
  const reference::Comparison comparison = reference::compare(bytes, type, expected);
  if (comparison.pass && (comparison.excluded == 0 || mayLeave))
    return "";
  return name + " " + std::string(reference::typeName(type)) + ": " +
         (comparison.excluded ? "not all inside of the domain, " : "") +
         reference::describe(comparison);
}

/// "" where the values are those of the reference, rounded, but for the sign of zero.
static std::string compareExactly(const std::string &name, const Array &array,
                                  const Result &expected) {
  const Array rounded = reference::makeArray(array.type, array.shape, expected.values);
  return array.toDoubles() == rounded.toDoubles() ? "" : name + " is not exact";
}

std::string compareWithReference(const Spec &spec, const numerics::Run &run,
                                 const Launch &launch, const numerics::Arrays &outputs,
                                 int64_t copies) {
  int64_t rows = 1, cols = 1;
  for (int64_t size : launch.outer)
    rows *= size;
  for (int64_t size : launch.inner)
    cols *= size;
  const Evaluator evaluator(spec, run, rows, cols);
  const std::vector<int64_t> sample = sampleOf(rows, cols);
  const Results ofRows = evaluator.rowsAt(sample), sums = evaluator.sums(copies);
  // Overflow, and NaN where it spreads, are outside of what the bounds say.
  const bool mayLeave = launch.input != Input::Ordinary;
  for (const Operand &operand : operandsOf(spec)) {
    if (!operand.isOutput)
      continue;
    const Array &array = outputs.at(operand.name);
    if (launch.input == Input::ConstantRows && spec.op == Op::LayerNorm &&
        operand.name == "y" && sample.size() == static_cast<size_t>(rows))
      if (std::string wrong = compareExactly("y", array, ofRows.at("y"));
          !wrong.empty())
        return wrong;
    const bool isRows =
        operand.extent == Extent::Tile || operand.extent == Extent::Rows;
    const size_t width =
        (operand.extent == Extent::Tile ? static_cast<size_t>(cols) : 1) *
        reference::byteSize(array.type);
    std::vector<std::byte> taken;
    if (isRows) {
      taken.resize(sample.size() * width);
      for (size_t i = 0; i < sample.size(); ++i)
        std::memcpy(taken.data() + i * width,
                    array.bytes.data() + static_cast<size_t>(sample[i]) * width, width);
    }
    const std::string wrong =
        compareOne(operand.name, isRows ? taken.data() : array.bytes.data(), array.type,
                   isRows ? ofRows.at(operand.name) : sums.at(operand.name), mayLeave);
    if (!wrong.empty())
      return wrong;
  }
  return "";
}

} // namespace normc::device
