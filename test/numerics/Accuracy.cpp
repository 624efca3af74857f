//===- Accuracy.cpp - The largest errors of tanh, erf and exp ---------------===//
//
// docs/numerics.md states them; here they are measured, in units in the last place of
// f32, over floats that are spread evenly through all exponents.
//
//===----------------------------------------------------------------------===//
#include "Cases.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace normc::numerics {
namespace {

constexpr int64_t kCols = 1024;

/// A row.kernel that applies one function of math.
std::string functionIr(const std::string &function) {
  return R"(
func.func @f(%x: memref<?x1024xf32> {norm.name = "x"},
             %y: memref<?x1024xf32> {norm.name = "y"}) {
  row.kernel ins(%x : memref<?x1024xf32>) outs(%y : memref<?x1024xf32>) norm_dims = 1 {
  ^bb0(%in: memref<?x1024xf32>, %out: memref<?x1024xf32>):
    %0 = row.load %in : memref<?x1024xf32> -> !row.tile<f32>
    %1 = row.map ins(%0 : !row.tile<f32>) -> !row.tile<f32> {
    ^bb0(%a: f32):
      %2 = math.)" +
         function + R"( %a : f32
      row.yield %2 : f32
    }
    row.store %1, %out : !row.tile<f32>, memref<?x1024xf32>
  }
  return
})";
}

/// Every `step`-th float from `low` to `high` in the order of their patterns, which is
/// that of the values of one sign; both signs where `low` is 0.
std::vector<float> sweep(float low, float high, uint32_t step) {
  std::vector<float> values;
  bool negative = std::signbit(low);
  auto begin = std::bit_cast<uint32_t>(negative ? high : low);
  auto end = std::bit_cast<uint32_t>(negative ? low : high);
  for (uint64_t bits = begin; bits <= end; bits += step)
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  while (values.size() % kCols)
    values.push_back(values.back());
  return values;
}

Array toArray(const std::vector<float> &values) {
  Array array = reference::makeArray(
      Type::F32, {static_cast<int64_t>(values.size()) / kCols, kCols});
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

/// |result - exact| in units in the last place of f32.
double ulpError(float result, long double exact) {
  if (static_cast<long double>(result) == exact)
    return 0;
  double unit = reference::ulp(Type::F32, static_cast<double>(exact));
  return static_cast<double>(std::fabs(static_cast<long double>(result) - exact) /
                             unit);
}

using Exact = long double (*)(long double);

/// What the largest error must lie between.
struct Limits {
  double least, most;
};

/// The host's largest error must be at most `limit`, and more than half of it: a limit
/// that is far off says nothing.
Limits onHost(double limit) { return {limit / 2, limit}; }

/// docs/numerics.md, dyt: what a device promises of tanh and erf, 1e-6, in units in the
/// last place; of a slope more, from the rounding of the exponent.
constexpr Limits kDevice = {0, 17}, kDeviceTanhSlope = {0, 180},
                 kDeviceErfSlope = {0, 340}, kDeviceApproximate = {0, 8192},
                 kAnything = {0, HUGE_VAL};

/// The largest error of output `name` must lie between the limits.
void expectLargest(Bench &bench, const Arrays &outputs, const std::string &name,
                   const std::vector<float> &x, Exact exact, Limits limits) {
  const Array &y = outputs.at(name);
  double worst = 0;
  float where = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    float result;
    std::memcpy(&result, y.bytes.data() + 4 * i, 4);
    double error = ulpError(result, exact(x[i]));
    if (!(error <= worst)) {
      worst = error;
      where = x[i];
    }
  }
  char text[160];
  std::snprintf(text, sizeof(text), "%s: %.3f ulp at %.9g, %.3f allowed", name.c_str(),
                worst, where, limits.most);
  bench.note(text);
  if (!(worst <= limits.most) || worst < limits.least)
    bench.fail(text);
}

struct Function {
  const char *name;
  Exact exact;
  float low, high;
  /// docs/numerics.md, dyt.
  Limits limits;
};

void runFunction(Bench &bench, const Function &function, const std::string &target) {
  auto program = bench.compile(functionIr(function.name), target);
  if (!program)
    return;
  std::vector<float> x = sweep(function.low, function.high, 251);
  Run run;
  run.inputs["x"] = toArray(x);
  auto outputs = bench.launch(*program, run, function.name);
  if (outputs)
    expectLargest(bench, *outputs, "y", x, function.exact, function.limits);
}

/// dx of one row with dy = 1 and alpha = 1 is f'(x), dweight is f(x).
void runBackward(Bench &bench, bool erf, Exact slope, Limits slopeLimits, Exact value,
                 Limits valueLimits, float high) {
  Spec spec = fullSpec(Op::DytBackward, erf);
  spec.present = {"dx", "dweight"};
  auto program = bench.compile(spec);
  if (!program)
    return;
  std::vector<float> x = sweep(1e-30F, high, 251);
  Run run;
  auto cols = static_cast<int64_t>(x.size());
  run.inputs["x"] = toArray(x);
  run.inputs["x"].shape = {1, cols};
  run.inputs["dy"] =
      *reference::generate("const:1:1x" + std::to_string(cols), Type::F32);
  run.inputs["x"].strides = run.inputs["dy"].strides;
  run.inputs["alpha"] = *reference::generate("const:1:1", Type::F32);
  auto outputs = bench.launch(*program, run, "backward");
  if (!outputs)
    return;
  expectLargest(bench, *outputs, "dx", x, slope, slopeLimits);
  expectLargest(bench, *outputs, "dweight", x, value, valueLimits);
}

/// y of alpha = 1 alone is f(x).
void runApproximate(Bench &bench, Limits limits) {
  Spec spec = fullSpec(Op::Dyt);
  spec.present = {"y"};
  spec.accuracy = "approximate";
  spec.inner = {kCols};
  auto program = bench.compile(spec);
  if (!program)
    return;
  std::vector<float> x = sweep(1e-30F, 20, 251);
  Run run;
  run.inputs["x"] = toArray(x);
  run.inputs["alpha"] = *reference::generate("const:1:1", Type::F32);
  if (auto outputs = bench.launch(*program, run, "approximate"))
    expectLargest(
        bench, *outputs, "y", x, [](long double u) { return std::tanh(u); }, limits);
}

long double tanhSlope(long double u) {
  long double e = std::exp(-2 * std::fabs(u));
  return 4 * e / ((1 + e) * (1 + e));
}

long double erfSlope(long double u) {
  return 1.128379167095512573896158903121545172L * std::exp(-u * u);
}

long double exactTanh(long double u) { return std::tanh(u); }
long double exactErf(long double u) { return std::erf(u); }
long double exactExp(long double u) { return std::exp(u); }

} // namespace

static void addFunction(Cases &cases, const Function &function,
                        const std::string &target) {
  cases.push_back(
      {std::string("accuracy/") + function.name +
           (std::signbit(function.low) ? " of negative values for " : " for ") + target,
       [=](Bench &bench) { runFunction(bench, function, target); }});
}

/// On a device the largest errors are printed, and the reference's tolerances hold.
static void addDeviceCases(Cases &cases, const Settings &settings) {
  const Function functions[] = {{"tanh", exactTanh, 0.0F, 20.0F, kDevice},
                                {"tanh", exactTanh, -20.0F, -0.0F, kDevice},
                                {"erf", exactErf, 0.0F, 10.0F, kDevice},
                                {"erf", exactErf, -10.0F, -0.0F, kDevice},
                                {"exp", exactExp, 0.0F, 88.0F, kDevice},
                                {"exp", exactExp, -87.0F, -0.0F, kDevice}};
  for (const Function &function : functions)
    addFunction(cases, function, settings.targets.front());
  cases.push_back({"accuracy/tanh that may be approximate",
                   [](Bench &bench) { runApproximate(bench, kDeviceApproximate); }});
  // Backward 1 - e is rounded to a multiple of u, which is any part of a small tanh.
  cases.push_back({"accuracy/tanh and its slope, backward", [](Bench &bench) {
                     runBackward(bench, false, tanhSlope, kDeviceTanhSlope, exactTanh,
                                 kAnything, 40);
                   }});
  cases.push_back({"accuracy/erf and its slope, backward", [](Bench &bench) {
                     runBackward(bench, true, erfSlope, kDeviceErfSlope, exactErf,
                                 kDevice, 9);
                   }});
}

void addAccuracyCases(Cases &cases, const Settings &settings) {
  if (!settings.device.empty())
    return addDeviceCases(cases, settings);
  const Function functions[] = {
      {"tanh", exactTanh, 0.0F, 20.0F, onHost(5)},
      {"tanh", exactTanh, -20.0F, -0.0F, onHost(5)},
      {"erf", exactErf, 0.0F, 10.0F, onHost(5)},
      {"erf", exactErf, -10.0F, -0.0F, onHost(5)},
      {"exp", exactExp, 0.0F, 88.0F, onHost(1.1)},
      {"exp", exactExp, -87.0F, -0.0F, onHost(1.1)},
  };
  for (const std::string &target : settings.targets)
    for (const Function &function : functions)
      addFunction(cases, function, target);
  cases.push_back({"accuracy/tanh and its slope, backward", [](Bench &bench) {
                     runBackward(bench, false, tanhSlope, onHost(5), exactTanh,
                                 onHost(5), 40);
                   }});
  cases.push_back({"accuracy/erf and its slope, backward", [](Bench &bench) {
                     runBackward(bench, true, erfSlope, onHost(70), exactErf, onHost(5),
                                 9);
                   }});
}

} // namespace normc::numerics
