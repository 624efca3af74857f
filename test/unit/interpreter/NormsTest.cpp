// Every norm op in every mode: converted to a row program and interpreted, against the
// direct formulas of the reference.
//
// Both compute in double or wider, so they may differ by the roundings of double, where
// the reference's bound allows those of C: |difference| <= 1e-12 of bound / u_C, the
// magnitude of the terms. Programs in f32 hold constants in f32: epsilon is chosen
// exact, a folded 1/cols, 2/sqrt(pi) and the series of a backward tanh are not (1e-7).
#include "Programs.h"

#include "normc/Reference/Norms.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace normc;
using namespace normc::test;
using reference::Type;

namespace {

struct Case {
  Type x, parameter, result;
  int64_t rows, cols;
  bool isStatic, canonicalize;

  Type statistics() const { return x == Type::F64 ? Type::F64 : Type::F32; }
};

std::ostream &operator<<(std::ostream &os, const Case &c) {
  return os << reference::typeName(c.x) << "_" << reference::typeName(c.parameter)
            << "_" << reference::typeName(c.result) << "_" << c.rows << "x" << c.cols
            << (c.isStatic ? "_static" : "_dynamic")
            << (c.canonicalize ? "_canonical" : "_raw");
}

constexpr double kEpsilon = 0x1p-17;

/// Builds the text of an op from its operands and runs it.
class NormOp {
public:
  explicit NormOp(const Case &c) : c(c) {}

  enum Shape { Tile, Rows, Cols, Scalar };

  NormOp &in(const std::string &name, Shape shape, Type type,
             const std::vector<double> &values) {
    operand(name, name, shape, type);
    inputs[name] = values;
    return *this;
  }
  NormOp &out(const std::string &name, Shape shape, Type type, bool wanted = true) {
    if (!hasOuts)
      ins = operands, operands.clear(), hasOuts = true;
    if (wanted)
      operand(name, name + "_out", shape, type);
    return *this;
  }
  Outputs run(const std::string &mnemonic, const std::string &epsilon,
              const std::string &attributes) {
    std::string text = "func.func @f(" + signature + ") {\n  norm." + mnemonic + ins +
                       " outs" + operands + epsilon + " " + attributes +
                       "\n  return\n}";
    bool failed = !program.parse(text, names) || !program.convert(c.canonicalize);
    Outputs outputs;
    if (!failed)
      outputs = program.run(inputs, c.rows, c.cols, failed);
    EXPECT_FALSE(failed) << text << "\n" << program.takeDiagnostics();
    return outputs;
  }

  /// C of the operands that were named.
  Type compute() const { return reference::computeType(types); }
  /// Relative to the magnitude of the terms; looser where the program holds 1/cols.
  double tolerance() const {
    return compute() == Type::F32 && c.isStatic && c.canonicalize ? 1e-7 : 1e-12;
  }

  Program program;

private:
  std::string memref(Shape shape, Type type) const {
    auto size = [&](int64_t n) { return c.isStatic ? std::to_string(n) : "?"; };
    std::string dims = shape == Tile   ? size(c.rows) + "x" + size(c.cols) + "x"
                       : shape == Rows ? size(c.rows) + "x"
                       : shape == Cols ? size(c.cols) + "x"
                                       : "";
    return "memref<" + dims + std::string(reference::typeName(type)) + ">";
  }
  void operand(const std::string &keyword, const std::string &name, Shape shape,
               Type type) {
    std::string memrefType = memref(shape, type);
    operands += " " + keyword + "(%" + name + " : " + memrefType + ")";
    signature += (names.empty() ? "%" : ", %") + name + ": " + memrefType;
    names.push_back(name);
    types.push_back(type);
  }

  Case c;
  std::vector<Type> types;
  std::string operands, ins, signature;
  std::vector<std::string> names;
  bool hasOuts = false;
  Inputs inputs;
};

/// Compares where the result was asked for, and checks that it is absent where not.
void expectNear(const Outputs &outputs, const std::string &name,
                const reference::Result &expected, const NormOp &op, bool wanted = true,
                double tolerance = 0) {
  tolerance = std::max(tolerance, op.tolerance());
  auto found = outputs.find(name + "_out");
  ASSERT_EQ(found != outputs.end(), wanted) << name;
  if (!wanted)
    return;
  const interpreter::Output &output = found->second;
  ASSERT_EQ(output.values.size(), expected.values.size()) << name;
  double u = reference::unitRoundoff(op.compute());
  for (size_t i = 0; i < expected.values.size(); ++i) {
    double want = expected.values[i], got = output.values[i];
    if (std::isnan(want)) {
      ASSERT_TRUE(std::isnan(got)) << name << " at " << i << ": " << got;
      continue;
    }
    if (std::isinf(want)) {
      ASSERT_EQ(got, want) << name << " at " << i;
      continue;
    }
    double scale = std::max(expected.bounds[i] / u, std::fabs(want));
    ASSERT_LE(std::fabs(got - want), tolerance * scale)
        << name << " at " << i << ": got " << got << ", expected " << want << ", scale "
        << scale;
    // The two bounds are derived apart: an element's own, and one of the whole op.
    ASSERT_LE(output.bounds[i], 32 * expected.bounds[i] + 1e-300)
        << name << " at " << i << ": a bound far above the reference's";
  }
}

class Norms : public ::testing::TestWithParam<Case> {
protected:
  void SetUp() override {
    const Case &c = GetParam();
    x = sample(1, c.rows * c.cols, c.x, 0.5, 2);
    dy = sample(2, c.rows * c.cols, c.x);
    weight = sample(3, c.cols, c.parameter, 1, 0.5);
    bias = sample(4, c.cols, c.parameter);
    mean = sample(5, c.rows, c.statistics(), 0.5, 0.1);
    rstd = sample(6, c.rows, c.statistics(), 0.5, 0.01);
  }

  std::vector<double> x, dy, weight, bias, mean, rstd;
};

std::string offsetText(double offset) {
  return offset == 0 ? "" : "weight_offset = 1.0 : f64";
}

TEST_P(Norms, LayerNorm) {
  const Case &c = GetParam();
  for (int mode = 0; mode < 16; ++mode) {
    bool hasWeight = mode & 1, hasBias = mode & 2, hasMean = mode & 4, hasY = mode & 8;
    if (!hasY && !hasMean)
      continue;
    double offset = hasWeight && hasBias ? 1 : 0;
    reference::LayerNormInputs in{};
    in.rows = c.rows, in.cols = c.cols, in.x = x.data();
    in.weight = hasWeight ? weight.data() : nullptr;
    in.bias = hasBias ? bias.data() : nullptr;
    in.weightOffset = offset;
    in.epsilon = kEpsilon;
    NormOp op(c);
    op.in("x", NormOp::Tile, c.x, x);
    if (hasWeight)
      op.in("weight", NormOp::Cols, c.parameter, weight);
    if (hasBias)
      op.in("bias", NormOp::Cols, c.parameter, bias);
    op.out("y", NormOp::Tile, c.result, hasY)
        .out("mean", NormOp::Rows, c.statistics(), hasMean)
        .out("rstd", NormOp::Rows, c.statistics(), hasMean || !hasY);
    in.arithmetic.compute = op.compute();
    auto expected = reference::layerNorm(in);
    Outputs outputs = op.run("layer_norm", " epsilon = 7.62939453125e-06",
                             hasWeight && offset ? "{" + offsetText(offset) + "}" : "");
    expectNear(outputs, "y", expected.y, op, hasY);
    expectNear(outputs, "mean", expected.mean, op, hasMean);
    expectNear(outputs, "rstd", expected.rstd, op, hasMean || !hasY);
    if (HasFatalFailure())
      FAIL() << op.program.print();
  }
}

TEST_P(Norms, LayerNormBackward) {
  const Case &c = GetParam();
  for (int mode = 1; mode < 16; ++mode) {
    bool dx = mode & 1, dweight = mode & 2, dbias = mode & 4, hasWeight = mode & 8;
    if (!dx && !dweight && !dbias)
      continue;
    reference::LayerNormBackwardInputs in{c.rows,   c.cols,      dy.data(),
                                          x.data(), mean.data(), rstd.data()};
    in.weight = hasWeight ? weight.data() : nullptr;
    in.weightOffset = hasWeight ? 1 : 0;
    in.mask = {dx, dweight, dbias};
    NormOp op(c);
    op.in("dy", NormOp::Tile, c.x, dy)
        .in("x", NormOp::Tile, c.x, x)
        .in("mean", NormOp::Rows, c.statistics(), mean)
        .in("rstd", NormOp::Rows, c.statistics(), rstd);
    if (hasWeight)
      op.in("weight", NormOp::Cols, c.parameter, weight);
    op.out("dx", NormOp::Tile, c.result, dx)
        .out("dweight", NormOp::Cols, c.parameter, dweight)
        .out("dbias", NormOp::Cols, c.parameter, dbias);
    in.arithmetic.compute = op.compute();
    auto expected = reference::layerNormBackward(in);
    Outputs outputs = op.run("layer_norm_backward", "",
                             hasWeight ? "{weight_offset = 1.0 : f64}" : "");
    expectNear(outputs, "dx", expected.dx, op, dx);
    expectNear(outputs, "dweight", expected.dweight, op, dweight);
    expectNear(outputs, "dbias", expected.dbias, op, dbias);
    if (HasFatalFailure())
      FAIL() << op.program.print();
  }
}

TEST_P(Norms, RmsNorm) {
  const Case &c = GetParam();
  for (int mode = 0; mode < 8; ++mode) {
    bool hasWeight = mode & 1, before = mode & 2, hasOffset = (mode & 4) && hasWeight;
    reference::RmsNormInputs in{};
    in.rows = c.rows, in.cols = c.cols, in.x = x.data();
    in.weight = hasWeight ? weight.data() : nullptr;
    in.weightOffset = hasOffset ? 1 : 0;
    in.epsilon = kEpsilon;
    in.cast = before ? reference::Cast::BeforeWeight : reference::Cast::AfterWeight;
    in.xType = c.x;
    NormOp op(c);
    op.in("x", NormOp::Tile, c.x, x);
    if (hasWeight)
      op.in("weight", NormOp::Cols, c.parameter, weight);
    op.out("y", NormOp::Tile, c.result).out("rstd", NormOp::Rows, c.statistics());
    std::string attributes = before ? "cast = #norm.cast<before_weight>" : "";
    if (hasOffset)
      attributes += (before ? ", " : "") + offsetText(1);
    in.arithmetic.compute = op.compute();
    auto expected = reference::rmsNorm(in);
    Outputs outputs = op.run("rms_norm", " epsilon = 7.62939453125e-06",
                             attributes.empty() ? "" : "{" + attributes + "}");
    // The reference rounds to x's type also where that is C, which is a rounding
    // anyway.
    bool same = before && c.x == op.compute();
    expectNear(outputs, "y", expected.y, op, true, same ? 1e-7 : 0);
    expectNear(outputs, "rstd", expected.rstd, op);
    if (HasFatalFailure())
      FAIL() << op.program.print();
  }
}

TEST_P(Norms, RmsNormBackward) {
  const Case &c = GetParam();
  for (int mode = 1; mode < 16; ++mode) {
    bool dx = mode & 1, dweight = mode & 2, hasWeight = mode & 4, before = mode & 8;
    if (!dx && !dweight)
      continue;
    reference::RmsNormBackwardInputs in{c.rows, c.cols, dy.data(), x.data(),
                                        rstd.data()};
    in.weight = hasWeight ? weight.data() : nullptr;
    in.cast = before ? reference::Cast::BeforeWeight : reference::Cast::AfterWeight;
    in.xType = c.x;
    in.mask = {dx, dweight, false};
    NormOp op(c);
    op.in("dy", NormOp::Tile, c.x, dy)
        .in("x", NormOp::Tile, c.x, x)
        .in("rstd", NormOp::Rows, c.statistics(), rstd);
    if (hasWeight)
      op.in("weight", NormOp::Cols, c.parameter, weight);
    op.out("dx", NormOp::Tile, c.result, dx)
        .out("dweight", NormOp::Cols, c.parameter, dweight);
    in.arithmetic.compute = op.compute();
    auto expected = reference::rmsNormBackward(in);
    Outputs outputs = op.run("rms_norm_backward", "",
                             before ? "{cast = #norm.cast<before_weight>}" : "");
    expectNear(outputs, "dx", expected.dx, op, dx);
    // As in the forward: C rounds where the reference rounds to x's type.
    bool same = before && c.x == op.compute();
    expectNear(outputs, "dweight", expected.dweight, op, dweight, same ? 1e-7 : 0);
    if (HasFatalFailure())
      FAIL() << op.program.print();
  }
}

TEST_P(Norms, Dyt) {
  const Case &c = GetParam();
  for (int mode = 0; mode < 8; ++mode) {
    bool hasWeight = mode & 1, hasBias = mode & 2, isErf = mode & 4;
    reference::DytInputs in{c.rows, c.cols, x.data(), 0.75};
    in.shift = isErf ? -0.25 : 0;
    in.weight = hasWeight ? weight.data() : nullptr;
    in.bias = hasBias ? bias.data() : nullptr;
    in.activation = isErf ? reference::Activation::Erf : reference::Activation::Tanh;
    // The interpreter's bound allows the hardware's tanh where the op does.
    bool is16 = c.result == Type::F16 || c.result == Type::BF16;
    in.arithmetic.forwardTanhError = is16 ? 0x1p-11 : 0;
    NormOp op(c);
    op.in("x", NormOp::Tile, c.x, x).in("alpha", NormOp::Scalar, c.parameter, {0.75});
    if (isErf)
      op.in("shift", NormOp::Scalar, c.parameter, {-0.25});
    if (hasWeight)
      op.in("weight", NormOp::Cols, c.parameter, weight);
    if (hasBias)
      op.in("bias", NormOp::Cols, c.parameter, bias);
    op.out("y", NormOp::Tile, c.result);
    in.arithmetic.compute = op.compute();
    auto expected = reference::dyt(in);
    Outputs outputs =
        op.run("dyt", "", isErf ? "{activation = #norm.activation<erf>}" : "");
    expectNear(outputs, "y", expected, op);
    if (HasFatalFailure())
      FAIL() << op.program.print();
  }
}

TEST_P(Norms, DytBackward) {
  const Case &c = GetParam();
  // Small arguments, so that the series of tanh is reached as well.
  std::vector<double> x = sample(7, c.rows * c.cols, c.x, 0, 1);
  for (int mode = 1; mode < 128; ++mode) {
    bool isErf = mode & 32, hasWeight = mode & 64;
    reference::DytMask mask{(mode & 1) != 0, (mode & 2) != 0, (mode & 4) && isErf,
                            (mode & 8) != 0, (mode & 16) != 0};
    if (!mask.dx && !mask.dalpha && !mask.dshift && !mask.dweight && !mask.dbias)
      continue;
    reference::DytBackwardInputs in{c.rows, c.cols, dy.data(), x.data(), 0.75};
    in.shift = isErf ? -0.25 : 0;
    in.weight = hasWeight ? weight.data() : nullptr;
    in.activation = isErf ? reference::Activation::Erf : reference::Activation::Tanh;
    in.mask = mask;
    NormOp op(c);
    op.in("dy", NormOp::Tile, c.x, dy)
        .in("x", NormOp::Tile, c.x, x)
        .in("alpha", NormOp::Scalar, c.parameter, {0.75});
    if (isErf)
      op.in("shift", NormOp::Scalar, c.parameter, {-0.25});
    if (hasWeight)
      op.in("weight", NormOp::Cols, c.parameter, weight);
    op.out("dx", NormOp::Tile, c.result, mask.dx)
        .out("dalpha", NormOp::Scalar, c.parameter, mask.dalpha)
        .out("dshift", NormOp::Scalar, c.parameter, mask.dshift)
        .out("dweight", NormOp::Cols, c.parameter, mask.dweight)
        .out("dbias", NormOp::Cols, c.parameter, mask.dbias);
    in.arithmetic.compute = op.compute();
    auto expected = reference::dytBackward(in);
    Outputs outputs =
        op.run("dyt_backward", "", isErf ? "{activation = #norm.activation<erf>}" : "");
    // Scale of dweight is sum of |dy * f(u)|; in f32 f comes from a short series, and
    // the constant 2/sqrt(pi) of the erf is rounded to f32.
    bool narrow = op.compute() == Type::F32;
    double derivative = narrow && isErf ? 1e-7 : 0;
    expectNear(outputs, "dx", expected.dx, op, mask.dx, derivative);
    expectNear(outputs, "dalpha", expected.dalpha, op, mask.dalpha, derivative);
    expectNear(outputs, "dshift", expected.dshift, op, mask.dshift, derivative);
    expectNear(outputs, "dweight", expected.dweight, op, mask.dweight,
               narrow && !isErf ? 1e-7 : 0);
    expectNear(outputs, "dbias", expected.dbias, op, mask.dbias);
    if (HasFatalFailure())
      FAIL() << op.program.print();
  }
}

INSTANTIATE_TEST_SUITE_P(
    , Norms,
    ::testing::Values(Case{Type::F64, Type::F64, Type::F64, 5, 7, false, false},
                      Case{Type::F64, Type::F64, Type::F64, 5, 7, true, true},
                      Case{Type::F32, Type::F32, Type::F32, 3, 24, false, false},
                      Case{Type::F32, Type::F32, Type::F32, 3, 24, true, true},
                      Case{Type::BF16, Type::F32, Type::BF16, 17, 33, true, true},
                      Case{Type::F16, Type::BF16, Type::F16, 4, 1, false, true},
                      Case{Type::F32, Type::F32, Type::F64, 1, 129, false, true},
                      Case{Type::BF16, Type::F64, Type::F32, 2, 300, true, false},
                      Case{Type::F32, Type::F16, Type::BF16, 0, 8, false, true}),
    [](const auto &info) { return ::testing::PrintToString(info.param); });

} // namespace
