//===- Masks.cpp - Every choice of optional operands and results ------------===//
#include "Cases.h"
#include "Choices.h"

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
    for (Mask &mask : masksOf(op)) {
      // Every set of operands once, and some of them in the other flavors.
      if (settings.selection && !mask.isPlain && (mask.inputs + mask.outputs) % 4 != 0)
        continue;
      Spec &spec = mask.spec;
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

} // namespace normc::numerics
