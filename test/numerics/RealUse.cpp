//===- RealUse.cpp - Cases that went wrong elsewhere, small ones ------------===//
#include "Cases.h"

#include <cmath>

namespace normc::numerics {
namespace {

Array toArray(Type type, std::vector<int64_t> shape,
              const std::vector<double> &values) {
  return reference::makeArray(type, std::move(shape), values);
}

void expectNear(Bench &bench, const Array &array, const std::vector<double> &expected,
                double tolerance, const std::string &what) {
  std::vector<double> values = array.toDoubles();
  for (size_t i = 0; i < expected.size(); ++i)
    if (!(std::fabs(values[i] - expected[i]) <= tolerance))
      return bench.fail(what + ": " + std::to_string(values[i]) + " at " +
                        std::to_string(i) + ", not " + std::to_string(expected[i]));
}

Spec plain(Op op, std::set<std::string> present, Type type = Type::F32) {
  Spec spec = fullSpec(op);
  spec.present = std::move(present);
  setTypes(spec, type);
  return spec;
}

/// E[x^2] - E[x]^2 makes NaN of it.
void largeMeanOfFour(Bench &bench) {
  auto program = bench.compile(plain(Op::LayerNorm, {"y"}));
  if (!program)
    return;
  Run run;
  run.inputs["x"] = toArray(Type::F32, {1, 4}, {40000, 40001, 40002, 40003});
  if (auto outputs = bench.check(*program, run, "40000 to 40003"))
    expectNear(bench, outputs->at("y"), {-1.3416, -0.4472, 0.4472, 1.3416}, 1e-4, "y");
}

void smallVarianceAroundHundred(Bench &bench) {
  Spec spec = plain(Op::LayerNorm, {"y", "rstd"});
  spec.inner = {32768};
  auto program = bench.compile(spec);
  if (!program)
    return;
  Recipe recipe;
  recipe.xScale = 0.01;
  recipe.xOffset = 100;
  Run run = makeRun(spec, {64}, {32768}, recipe);
  auto outputs = bench.check(*program, run, "0.01 * normal + 100");
  if (!outputs)
    return;
  std::vector<double> x = run.inputs.at("x").toDoubles();
  std::vector<double> rstd = outputs->at("rstd").toDoubles();
  for (size_t row = 0; row < rstd.size(); ++row) {
    double sum = 0, square = 0;
    for (size_t col = 0; col < 32768; ++col)
      sum += x[row * 32768 + col] - 100;
    for (size_t col = 0; col < 32768; ++col)
      square += std::pow(x[row * 32768 + col] - 100 - sum / 32768, 2);
    double variance = 1 / (rstd[row] * rstd[row]) - spec.epsilon;
    if (std::fabs(variance / (square / 32768) - 1) > 0.01)
      bench.fail("variance " + std::to_string(variance * 1e4) + "e-4, not " +
                 std::to_string(square / 32768 * 1e4) + "e-4");
  }
}

/// The rounding of the mean, over the root of a tiny epsilon, is no small number.
void constantRows(Bench &bench, Type type, bool atLaunch) {
  for (double epsilon : {1e-5, 1e-12})
    for (int64_t cols : {24, 127, 256, 768, 4096}) {
      Spec spec = fullSpec(Op::LayerNorm);
      setTypes(spec, type);
      spec.inner = {atLaunch ? kDynamic : cols};
      spec.epsilon = epsilon;
      auto program = bench.compile(spec);
      if (!program)
        return;
      Recipe recipe;
      recipe.change = [&](const std::string &name, std::vector<double> &values) {
        const double constants[] = {1234, 1234.1, 0.1};
        if (name == "x")
          for (size_t i = 0; i < values.size(); ++i)
            values[i] = constants[i / static_cast<size_t>(cols) % 3];
      };
      Run run = makeRun(spec, {3}, {cols}, recipe);
      run.exact = {"y"};
      auto outputs = bench.check(*program, run, std::to_string(cols) + " columns");
      if (!outputs)
        continue;
      // Exactly the bias.
      std::vector<double> y = outputs->at("y").toDoubles();
      std::vector<double> bias = run.inputs.at("bias").toDoubles();
      for (size_t i = 0; i < y.size(); ++i)
        if (y[i] != bias[i % bias.size()])
          return bench.fail(std::to_string(y[i]) + " is not the bias");
    }
}

/// The variance of 0 to n-1 is (n^2 - 1) / 12; lanes beyond the row do not count.
void variancesOfShortRows(Bench &bench) {
  for (int64_t cols : {3, 17, 127}) {
    Spec spec = plain(Op::LayerNorm, {"mean", "rstd"});
    spec.inner = {cols};
    spec.epsilon = 0;
    auto program = bench.compile(spec);
    if (!program)
      return;
    Run run;
    run.inputs["x"] =
        *reference::generate("ramp:0:1x" + std::to_string(cols), Type::F32);
    auto outputs = bench.check(*program, run, std::to_string(cols) + " columns");
    if (!outputs)
      continue;
    auto n = static_cast<double>(cols);
    double rstd = 1 / std::sqrt((n * n - 1) / 12);
    expectNear(bench, outputs->at("rstd"), {rstd}, 1e-6 * rstd, "rstd");
    expectNear(bench, outputs->at("mean"), {(n - 1) / 2}, 0, "mean");
  }
}

void largeHalves(Bench &bench) {
  Spec spec = plain(Op::RmsNorm, {"y", "rstd"}, Type::F16);
  spec.inner = {64};
  auto program = bench.compile(spec);
  if (!program)
    return;
  for (double value : {300.0, 60000.0}) {
    Run run;
    run.inputs["x"] = toArray(Type::F16, {2, 64}, std::vector<double>(128, value));
    auto outputs = bench.check(*program, run, std::to_string(value));
    if (outputs)
      expectNear(bench, outputs->at("y"), std::vector<double>(128, 1), 0, "y");
  }
}

/// 1 + w rounded to bf16 would be 1.
void smallWeightWithOffset(Bench &bench) {
  Spec spec = fullSpec(Op::RmsNorm);
  spec.types = {{"weight", Type::BF16}};
  spec.weightOffset = 1;
  spec.inner = {16};
  auto program = bench.compile(spec);
  if (!program)
    return;
  Run run;
  run.inputs["x"] = toArray(Type::F32, {1, 16}, std::vector<double>(16, 1));
  run.inputs["weight"] = toArray(Type::BF16, {16}, std::vector<double>(16, 0.00390625));
  auto outputs = bench.check(*program, run, "weight 2^-8");
  if (outputs)
    expectNear(bench, outputs->at("y"), std::vector<double>(16, 1.00390625), 1e-5, "y");
}

void tinyEpsilonInHalf(Bench &bench) {
  for (Op op : {Op::LayerNorm, Op::RmsNorm}) {
    Spec spec = fullSpec(op);
    setTypes(spec, Type::F16);
    spec.epsilon = 1e-12;
    spec.inner = {40};
    auto program = bench.compile(spec);
    if (!program)
      continue;
    for (const char *constant : {"const:3.5", "const:0"}) {
      Recipe recipe;
      recipe.specifications["x"] = constant;
      auto outputs = bench.check(*program, makeRun(spec, {2}, {40}, recipe), constant);
      if (!outputs)
        continue;
      for (const auto &[name, array] : *outputs)
        for (double value : array.toDoubles())
          if (!std::isfinite(value) && name == "y")
            bench.fail(name + " is not finite");
    }
  }
}

void mixedTypesInOneKernel(Bench &bench) {
  for (auto [x, weight] : {std::pair(Type::BF16, Type::F32), {Type::F32, Type::F16}}) {
    Spec spec = fullSpec(Op::LayerNorm);
    setTypes(spec, x);
    spec.types = {{"weight", weight}, {"bias", weight}};
    auto program = bench.compile(spec);
    if (!program)
      continue;
    bench.check(*program, makeRun(spec, {20}, {60}), "20x60");
    if (int32_t launches = bench.worker.launchesOf(*program); launches != 1)
      bench.fail(std::to_string(launches) + " kernels");
  }
}

/// Padding lanes would give 0 * inf; x is without a zero but in the last run.
void infiniteAlpha(Bench &bench, double alpha) {
  for (auto [rows, cols] : {std::pair<int64_t, int64_t>(37, 29), {129, 7}, {5, 130}})
    for (bool atLaunch : {false, true})
      for (bool zero : {false, true}) {
        Spec spec = fullSpec(Op::DytBackward);
        spec.inner = {atLaunch ? kDynamic : cols};
        auto program = bench.compile(spec);
        if (!program)
          return;
        Recipe recipe;
        recipe.change = [&](const std::string &name, std::vector<double> &values) {
          if (name == "alpha")
            values[0] = alpha;
          if (name == "dy" || name == "x")
            fillIntegers(values, 5, name == "x" ? 3 : 4);
          if (name == "x")
            for (double &value : values)
              value = value == 0 ? 0.5 : value;
          if (name == "x" && zero)
            values[values.size() / 2] = 0;
        };
        Run run = makeRun(spec, {rows}, {cols}, recipe);
        run.exact = {"dbias"};
        if (!zero)
          run.exact.emplace_back("dweight");
        bench.check(*program, run,
                    std::to_string(rows) + "x" + std::to_string(cols) +
                        (zero ? " with a zero" : ""));
      }
}

/// 300 ones are no bf16.
void gradientsInTheirOwnTypes(Bench &bench) {
  Spec spec = fullSpec(Op::DytBackward);
  setTypes(spec, Type::BF16, Type::F32, Type::BF16);
  spec.inner = {33};
  auto program = bench.compile(spec);
  if (!program)
    return;
  Recipe recipe;
  recipe.specifications["dy"] = "const:1";
  Run run = makeRun(spec, {257}, {33}, recipe);
  run.exact = {"dbias"};
  bench.check(*program, run, "257 ones");
}

void noRows(Bench &bench, Op op, bool erf) {
  for (bool atLaunch : {false, true}) {
    Spec spec = fullSpec(op, erf);
    spec.inner = {atLaunch ? kDynamic : 48};
    auto program = bench.compile(spec);
    if (!program)
      return;
    auto outputs = bench.check(*program, makeRun(spec, {0}, {48}), "no rows");
    if (!outputs)
      continue;
    for (const auto &[name, array] : *outputs)
      for (double value : array.toDoubles())
        if (value != 0 || std::signbit(value))
          bench.fail(name + " is not zero");
  }
}

/// Sums of integers are exact, so a row that is missing, or there twice, shows.
void everyNumberOfRows(Bench &bench, Op op, int64_t cols, bool atLaunch) {
  Spec spec = fullSpec(op);
  spec.inner = {atLaunch ? kDynamic : cols};
  auto program = bench.compile(spec);
  if (!program)
    return;
  Recipe recipe;
  recipe.change = [](const std::string &name, std::vector<double> &values) {
    if (name == "dy" || name == "x")
      fillIntegers(values, 6, name == "x" ? 5 : 6);
    if (name == "mean")
      std::fill(values.begin(), values.end(), 1);
    if (name == "rstd")
      std::fill(values.begin(), values.end(), 2);
    if (name == "alpha")
      values[0] = HUGE_VAL;
  };
  std::vector<int64_t> sizes;
  for (int64_t rows = 1; rows <= 70; ++rows)
    sizes.push_back(rows);
  for (int64_t block = 128; block <= 2048; block *= 2)
    for (int64_t off : {-17, -16, -15, -9, -8, -7, -1, 0, 1, 7, 8, 9})
      if ((block + off) * cols <= 200000)
        sizes.push_back(block + off);
  for (int64_t rows : sizes) {
    Run run = makeRun(spec, {rows}, {cols}, recipe);
    run.exact = {"dweight"};
    if (op != Op::RmsNormBackward)
      run.exact.emplace_back("dbias");
    // With an infinite alpha a zero in x is NaN, and nothing is said of an exact sum.
    if (op == Op::DytBackward)
      run.exact = {"dbias"};
    bench.check(*program, run, std::to_string(rows) + " rows");
  }
}

void sameBitsEveryTime(Bench &bench, Op op, Type type) {
  Spec spec = fullSpec(op);
  setTypes(spec, type);
  spec.inner = {96};
  auto program = bench.compile(spec);
  if (!program)
    return;
  Run run = makeRun(spec, {3001}, {96});
  auto first = bench.check(*program, run, "3001x96");
  // Every launch of the bench is two.
  for (int repeat = 0; first && repeat < 50; ++repeat)
    for (int threads : {repeat % 8 + 1})
      if (auto again = bench.launch(*program, run, "again", threads))
        bench.expectSame(*first, *again, std::to_string(threads) + " threads");
}

/// Offsets of rows pass 2^31 and 2^32 elements; the memory between them is not there.
void stridesOfGigabytes(Bench &bench, Op op, bool transposed) {
  Spec spec = fullSpec(op);
  setTypes(spec, Type::BF16);
  spec.outer = transposed ? std::vector<int64_t>{kDynamic, kDynamic}
                          : std::vector<int64_t>{kDynamic};
  spec.inner = {256};
  auto program = bench.compile(spec);
  if (!program)
    return;
  std::vector<int64_t> outer = {5};
  if (transposed)
    outer = {2, 3};
  Run run = makeRun(spec, outer, {256});
  constexpr int64_t kStride = (int64_t{1} << 30) + 48;
  Layout far;
  far.placement = Placement::Sparse;
  far.strides = {kStride, 1};
  if (transposed)
    far.strides = {kStride, 2 * kStride + 16, 1};
  for (const char *name : {"x", "dy", "y", "dx"})
    run.layouts[name] = far;
  auto outputs = bench.check(*program, run, "rows 2^30 elements apart");
  Run compact = run;
  compact.layouts.clear();
  auto expected = bench.check(*program, compact, "compact");
  if (outputs && expected)
    bench.expectSame(*expected, *outputs, "far apart and compact");
}

void add(Cases &cases, const std::string &name, std::function<void(Bench &)> body) {
  cases.push_back({"real use/" + name, std::move(body)});
}

} // namespace

void addRealUseCases(Cases &cases, const Settings &settings) {
  add(cases, "layer_norm of 40000 to 40003", largeMeanOfFour);
  add(cases, "layer_norm of 0.01 normal + 100 keeps its variance",
      smallVarianceAroundHundred);
  for (Type type : {Type::F32, Type::BF16, Type::F16})
    for (bool atLaunch : {false, true})
      add(cases,
          "layer_norm of constant rows is the bias in " +
              std::string(reference::typeName(type)) + (atLaunch ? " at launch" : ""),
          [=](Bench &bench) { constantRows(bench, type, atLaunch); });
  add(cases, "layer_norm of 3, 17 and 127 columns counts them", variancesOfShortRows);
  add(cases, "rms_norm of f16 values 300 and 60000", largeHalves);
  add(cases, "rms_norm with offset 1 and a bf16 weight of 2^-8", smallWeightWithOffset);
  add(cases, "epsilon 1e-12 with constant f16 rows", tinyEpsilonInHalf);
  add(cases, "bf16 x with f32 weight, f32 x with f16 weight", mixedTypesInOneKernel);
  for (double alpha : {HUGE_VAL, -HUGE_VAL})
    add(cases, std::string("dyt backward with alpha ") + (alpha > 0 ? "inf" : "-inf"),
        [=](Bench &bench) { infiniteAlpha(bench, alpha); });
  add(cases, "dyt backward of bf16 x sums in f32", gradientsInTheirOwnTypes);
  for (Op op : kOps) {
    std::string name = opName(op);
    add(cases, name + " of no rows", [=](Bench &bench) { noRows(bench, op, false); });
    for (Type type : {Type::F32, Type::BF16})
      add(cases,
          name + ": a hundred runs, the same bits in " +
              std::string(reference::typeName(type)),
          [=](Bench &bench) { sameBitsEveryTime(bench, op, type); });
    for (bool transposed : {false, true}) {
      // Of memory that is mostly not there, a device has a copy of all.
      if (!settings.device.empty())
        continue;
      add(cases, name + (transposed ? ": strides" : ": a stride") + " of gigabytes",
          [=](Bench &bench) { stridesOfGigabytes(bench, op, transposed); });
    }
    if (!isBackward(op))
      continue;
    for (int64_t cols : {7, 24, 100, 1000})
      add(cases,
          name + " of every number of rows, " + std::to_string(cols) + " columns",
          [=](Bench &bench) { everyNumberOfRows(bench, op, cols, cols == 100); });
  }
  add(cases, "dyt backward:erf of no rows",
      [](Bench &bench) { noRows(bench, Op::DytBackward, true); });
}

} // namespace normc::numerics
