//===- Sample.cpp - A random sample of everything else ----------------------===//
#include "Cases.h"

#include <random>

namespace normc::numerics {
namespace {

using Sizes = std::vector<int64_t>;

class Sampler {
public:
  Sampler(uint64_t seed, bool hasF64) : random(seed), types(hasF64 ? 4 : 3) {}

  void run(Bench &bench, const Settings &settings) {
    makeSpec();
    makeSizes();
    const auto &targets = settings.targets;
    const std::string &target = targets[below(targets.size())];
    auto program = bench.compile(toIr(spec), target);
    if (!program)
      return;
    for (int repeat = 0; repeat < 2; ++repeat) {
      Run run = makeInputs();
      std::string what = describe(spec) + " " + reference::formatShape(outer) + " of " +
                         reference::formatShape(inner) + " for " + target;
      bench.check(*program, run, what, static_cast<int>(1 + below(4)));
      resizeDynamic();
    }
  }

private:
  size_t below(size_t count) { return random() % count; }
  bool chance(int percent) { return static_cast<int>(below(100)) < percent; }
  template <typename T, size_t n> T oneOf(const T (&values)[n]) {
    return values[below(n)];
  }

  void makeSpec() {
    Op op = oneOf(kOps);
    spec = fullSpec(op, (op == Op::Dyt || op == Op::DytBackward) && chance(50));
    std::vector<std::string> outputs = possibleOutputs(op, spec.erf);
    std::string kept = outputs[below(outputs.size())];
    for (const std::string &name : outputs)
      if (name != kept && chance(35))
        spec.present.erase(name);
    for (const std::string &name : optionalInputs(op, spec.erf))
      if (chance(30))
        spec.present.erase(name);
    for (const Operand &operand : operandsOf(spec))
      if (operand.extent != Extent::Rows)
        spec.types[operand.name] = kTypes[below(types)];
    bool isDyt = op == Op::Dyt || op == Op::DytBackward;
    if (!isDyt && spec.present.count("weight") && chance(30))
      spec.weightOffset = 1;
    spec.castBeforeWeight =
        (op == Op::RmsNorm || op == Op::RmsNormBackward) && chance(50);
    spec.tensors = chance(50);
    spec.rank0 = chance(50);
    if (isDyt && !spec.erf && chance(30))
      spec.accuracy = "exact";
    spec.epsilon = chance(50) ? 1e-5 : 1e-6;
  }

  int64_t size(int64_t most) {
    // Small ones as often as large ones.
    int64_t bound = 1 + static_cast<int64_t>(below(static_cast<size_t>(most)));
    return 1 + static_cast<int64_t>(below(static_cast<size_t>(bound)));
  }

  void makeSizes() {
    size_t rows = below(4), cols = 1 + below(3);
    outer.assign(rows, 0);
    inner.assign(cols, 0);
    for (int64_t &extent : outer)
      extent = size(rows == 1 ? 200 : rows == 2 ? 20 : 8);
    for (int64_t &extent : inner)
      extent = size(cols == 1 ? 1500 : cols == 2 ? 40 : 12);
    spec.outer = outer;
    spec.inner = inner;
    for (Sizes *sizes : {&spec.outer, &spec.inner})
      for (int64_t &extent : *sizes)
        if (chance(60))
          extent = kDynamic;
  }

  /// Other sizes where the program knows none.
  void resizeDynamic() {
    for (size_t i = 0; i < outer.size(); ++i)
      if (spec.outer[i] == kDynamic)
        outer[i] = chance(10) ? 0 : size(20);
    for (size_t i = 0; i < inner.size(); ++i)
      if (spec.inner[i] == kDynamic)
        inner[i] = size(inner.size() == 1 ? 500 : 12);
  }

  Run makeInputs() {
    Recipe recipe;
    recipe.seed = random();
    recipe.seed %= 1000003;
    recipe.xScale = oneOf({0.5, 1.0, 2.5});
    recipe.xOffset = oneOf({0.0, 0.3, -4.0});
    Run run = makeRun(spec, outer, inner, recipe);
    run.longestChain = 2048;
    for (const Operand &operand : operandsOf(spec))
      run.layouts[operand.name] = layoutOf(operand, run);
    return run;
  }

  Layout layoutOf(const Operand &operand, const Run &run) {
    Layout layout;
    if (chance(30))
      layout.offset = static_cast<int64_t>(below(9));
    if (chance(20))
      layout.placement = chance(50) ? Placement::EndsAtPage : Placement::BeginsAtPage;
    bool byRow = operand.extent == Extent::Tile || operand.extent == Extent::Rows;
    if (!byRow || outer.empty() || !chance(50))
      return layout;
    const Sizes &shape = operand.isOutput ? run.shapes.at(operand.name)
                                          : run.inputs.at(operand.name).shape;
    layout.strides = reference::rowMajorStrides(shape);
    Sizes order(outer.size());
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = static_cast<int64_t>(order.size() - 1 - i);
    if (chance(40))
      std::shuffle(order.begin(), order.end(), random);
    int64_t step = 1;
    for (size_t dim = outer.size(); dim < shape.size(); ++dim)
      step *= shape[dim];
    step += static_cast<int64_t>(below(4));
    for (int64_t dim : order) {
      layout.strides[static_cast<size_t>(dim)] = step;
      step = step * std::max<int64_t>(shape[static_cast<size_t>(dim)], 1) +
             static_cast<int64_t>(below(3));
    }
    return layout;
  }

  std::mt19937_64 random;
  /// How many of kTypes there are; f64 is the last.
  size_t types;
  Spec spec;
  Sizes outer, inner;
};

} // namespace

void addSampleCases(Cases &cases, const Settings &settings) {
  for (int64_t i = 0; i < settings.samples; ++i) {
    uint64_t seed = settings.seed * 1000003 + static_cast<uint64_t>(i);
    cases.push_back({"sample/" + std::to_string(i), [=](Bench &bench) {
                       Sampler(seed, settings.has_f64).run(bench, settings);
                     }});
  }
}

} // namespace normc::numerics
