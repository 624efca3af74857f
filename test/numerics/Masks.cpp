//===- Masks.cpp - Every choice of optional operands and results ------------===//
#include "Cases.h"

namespace normc::numerics {

/// Runs of one program: no row, one, and enough for several tiles and blocks.
static void runMask(Bench &bench, const Spec &spec, int64_t cols) {
  auto program = bench.compile(spec);
  if (!program)
    return;
  for (int64_t rows : {0, 1, 37, 530})
    bench.check(*program, makeRun(spec, {rows}, {cols}),
                describe(spec) + " " + std::to_string(rows) + "x" +
                    std::to_string(cols));
}

/// The subset of `names` that the bits of `number` say.
static std::set<std::string> subset(const std::vector<std::string> &names,
                                    unsigned number) {
  std::set<std::string> present;
  for (size_t i = 0; i < names.size(); ++i)
    if (number >> i & 1)
      present.insert(names[i]);
  return present;
}

/// Casts and offsets of the op: flavors that meet with every mask.
static std::vector<Spec> flavors(Op op) {
  std::vector<Spec> specs = {fullSpec(op)};
  bool isDyt = op == Op::Dyt || op == Op::DytBackward;
  if (isDyt) {
    specs.push_back(fullSpec(op, /*erf=*/true));
    return specs;
  }
  Spec offset = fullSpec(op);
  offset.weightOffset = 1;
  specs.push_back(offset);
  if (op == Op::RmsNorm || op == Op::RmsNormBackward) {
    for (Spec spec : {specs[0], specs[1]}) {
      spec.castBeforeWeight = true;
      specs.push_back(spec);
    }
  }
  return specs;
}

/// Which tanh the op asks for.
static void addAccuracies(Cases &cases, bool selection) {
  for (Op op : {Op::Dyt, Op::DytBackward})
    for (Type type : {Type::F32, Type::BF16, Type::F64})
      for (const char *accuracy : {"exact", "approximate"})
        for (bool erf : {false, true}) {
          // Which has no tanh.
          if (selection && erf)
            continue;
          Spec spec = fullSpec(op, erf);
          setTypes(spec, type);
          spec.accuracy = accuracy;
          spec.inner = {40};
          cases.push_back({"masks/" + describe(spec),
                           [=](Bench &bench) { runMask(bench, spec, 40); }});
        }
}

void addMaskCases(Cases &cases, const Settings &settings) {
  addAccuracies(cases, settings.selection);
  unsigned number = 0;
  for (Op op : kOps)
    for (Spec spec : flavors(op)) {
      bool isFirst = spec.weightOffset == 0 && !spec.castBeforeWeight && !spec.erf;
      std::vector<std::string> inputs = optionalInputs(op, spec.erf);
      std::vector<std::string> outputs = possibleOutputs(op, spec.erf);
      for (unsigned in = 0; in < 1u << inputs.size(); ++in)
        for (unsigned out = 1; out < 1u << outputs.size(); ++out) {
          spec.present = subset(inputs, in);
          spec.present.merge(subset(outputs, out));
          if (spec.weightOffset != 0 && !spec.present.count("weight"))
            continue;
          // Every set of operands once, and some of them in the other flavors.
          if (settings.selection && !isFirst && (in + out) % 4 != 0)
            continue;
          // bf16, so that a rounding in the wrong place shows; forms by turns.
          setTypes(spec, Type::BF16);
          spec.tensors = ++number % 2;
          spec.rank0 = number % 3 == 0;
          int64_t cols = 24;
          spec.inner = {number % 4 < 2 ? cols : kDynamic};
          cases.push_back({"masks/" + describe(spec),
                           [=](Bench &bench) { runMask(bench, spec, cols); }});
        }
    }
}

} // namespace normc::numerics
