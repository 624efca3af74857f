//===- Types.cpp - Element types in pairs, and double rounding --------------===//
#include "Cases.h"
#include "Choices.h"

#include <cmath>

namespace normc::numerics {

static std::string nameOf(Type type) { return std::string(reference::typeName(type)); }

static void runTypes(Bench &bench, Spec spec, std::vector<int64_t> inner) {
  auto program = bench.compile(spec);
  if (!program)
    return;
  for (int64_t rows : {1, 35}) {
    Recipe recipe;
    recipe.seed = static_cast<uint64_t>(rows);
    bench.check(*program, makeRun(spec, {rows}, inner, recipe),
                std::to_string(rows) + " rows");
  }
}

static std::string typesCase(const Spec &spec) { return "types/" + describe(spec); }

static void addPairs(Cases &cases, Op op, bool erf) {
  for (unsigned number = 0; number < kTypeChoices; ++number) {
    Spec spec = fullSpec(op, erf);
    setTypeChoice(spec, number);
    const unsigned a = number / 4, b = number % 4;
    spec.castBeforeWeight = op == Op::RmsNorm && (a + b) % 2;
    int64_t cols = b == 0 ? 130 : 17;
    spec.inner = {b % 2 ? cols : kDynamic};
    cases.push_back(
        {typesCase(spec), [=](Bench &bench) { runTypes(bench, spec, {cols}); }});
  }
}

static void addTriples(Cases &cases, Op op, bool erf) {
  unsigned number = 0;
  for (Type x : kTypes)
    for (Type param : kTypes)
      for (Type result : kTypes) {
        Spec spec = fullSpec(op, erf);
        setTypes(spec, x, param, result);
        // dy and the gradients meet with every type of the others, by turns.
        spec.dy = kTypes[++number % 4];
        spec.gradient = kTypes[number / 4 % 4];
        spec.castBeforeWeight = op == Op::RmsNorm && number % 2;
        int64_t cols = number % 3 == 0 ? 130 : 17;
        spec.inner = {number % 2 ? cols : kDynamic};
        cases.push_back(
            {typesCase(spec), [=](Bench &bench) { runTypes(bench, spec, {cols}); }});
      }
}

/// A value that lies just off the middle of two values of a 16-bit type: rounded to f32
/// first it would be the middle, and then go the wrong way.
static double offMiddle(Type type, double base, int side) {
  double spacing = reference::ulp(type, base);
  return base + spacing / 2 + side * std::ldexp(base, -40);
}

/// x in f64 comes out of dyt with alpha = inf ... as it went in: y = 1 * w + b, where b
/// is f64 and what is rounded to y's type.
static void runDoubleRounding(Bench &bench, Type narrow, Op op) {
  Spec spec = fullSpec(op);
  setTypes(spec, Type::F64);
  spec.result = spec.gradient = narrow;
  spec.inner = {19};
  auto program = bench.compile(spec);
  if (!program)
    return;
  Recipe recipe;
  recipe.change = [&](const std::string &name, std::vector<double> &values) {
    // Everything but one operand drops out: sums of one row are its values.
    std::string carrier = isBackward(op) ? "dy" : "bias";
    if (name == "weight")
      std::fill(values.begin(), values.end(), 0);
    if (name != carrier)
      return;
    for (size_t i = 0; i < values.size(); ++i) {
      double base = std::ldexp(1 + 2 * reference::unitRoundoff(narrow) * double(i % 7),
                               int(i % 5) - 3);
      values[i] = offMiddle(narrow, base, i % 2 ? 1 : -1) * (i % 3 ? 1 : -1);
    }
  };
  Run run = makeRun(spec, {1}, {19}, recipe);
  run.exact = {isBackward(op) ? "dbias" : "y"};
  bench.check(*program, run, "values next to the middle of two");
}

void addTypeCases(Cases &cases, const Settings &settings) {
  auto add = settings.selection ? addPairs : addTriples;
  for (Op op : kOps) {
    add(cases, op, false);
    if (op == Op::Dyt || op == Op::DytBackward)
      add(cases, op, true);
  }
  for (Type narrow : {Type::BF16, Type::F16, Type::F32})
    for (Op op : {Op::LayerNorm, Op::Dyt, Op::LayerNormBackward, Op::DytBackward})
      cases.push_back({std::string("types/f64 is rounded once to ") + nameOf(narrow) +
                           " by " + opName(op),
                       [=](Bench &bench) { runDoubleRounding(bench, narrow, op); }});
}

} // namespace normc::numerics
