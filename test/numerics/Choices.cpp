//===- Choices.cpp - Which operands and types an op is tried with -----------===//
#include "Choices.h"

namespace normc::numerics {

/// Casts, offsets and activations of the op.
static std::vector<Spec> flavorsOf(Op op) {
  std::vector<Spec> specs = {fullSpec(op)};
  if (op == Op::Dyt || op == Op::DytBackward) {
    specs.push_back(fullSpec(op, /*erf=*/true));
    return specs;
  }
  specs.push_back(fullSpec(op));
  specs.back().weightOffset = 1;
  if (op == Op::RmsNorm || op == Op::RmsNormBackward)
    for (size_t i = 0; i < 2; ++i) {
      specs.push_back(specs[i]);
      specs.back().castBeforeWeight = true;
    }
  return specs;
}

/// Adds those of `names` that the bits of `number` say.
static void addSubset(std::set<std::string> &present,
                      const std::vector<std::string> &names, unsigned number) {
  for (size_t i = 0; i < names.size(); ++i)
    if (number >> i & 1)
      present.insert(names[i]);
}

std::vector<Mask> masksOf(Op op) {
  std::vector<Mask> masks;
  for (const Spec &flavor : flavorsOf(op)) {
    const auto inputs = optionalInputs(op, flavor.erf);
    const auto outputs = possibleOutputs(op, flavor.erf);
    for (unsigned in = 0; in < 1U << inputs.size(); ++in)
      for (unsigned out = 1; out < 1U << outputs.size(); ++out) {
        Mask mask{flavor, in, out};
        mask.spec.present.clear();
        addSubset(mask.spec.present, inputs, in);
        addSubset(mask.spec.present, outputs, out);
        mask.isPlain =
            flavor.weightOffset == 0 && !flavor.castBeforeWeight && !flavor.erf;
        if (flavor.weightOffset == 0 || mask.spec.present.count("weight"))
          masks.push_back(std::move(mask));
      }
  }
  return masks;
}

void setTypeChoice(Spec &spec, unsigned number) {
  // Products in the field; sums are exclusive or.
  static constexpr unsigned kTimes[2][4] = {{0, 2, 3, 1}, {0, 3, 1, 2}};
  const unsigned a = number / 4 % 4, b = number % 4;
  setTypes(spec, kTypes[a], kTypes[b], kTypes[a ^ b]);
  spec.dy = kTypes[a ^ kTimes[0][b]];
  spec.gradient = kTypes[a ^ kTimes[1][b]];
}

} // namespace normc::numerics
