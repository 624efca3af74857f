//===- Choices.h - Which operands and types an op is tried with -------------===//
#ifndef NORMC_TEST_NUMERICS_CHOICES_H
#define NORMC_TEST_NUMERICS_CHOICES_H

#include "Spec.h"

namespace normc::numerics {

/// A set of optional inputs and one of outputs, as bits of optionalInputs and
/// possibleOutputs.
struct Mask {
  Spec spec;
  unsigned inputs = 0, outputs = 0;
  /// Neither a cast, nor an offset, nor erf.
  bool isPlain = false;
};

/// Every mask of the op, with every cast, offset and activation that it may have.
std::vector<Mask> masksOf(Op op);

/// The least number of choices in which every two of the types of x, parameters,
/// results, dy and gradients meet in every pair: an orthogonal array of the lines of
/// the plane over the field of four elements.
inline constexpr unsigned kTypeChoices = 16;
void setTypeChoice(Spec &spec, unsigned number);

} // namespace normc::numerics

#endif // NORMC_TEST_NUMERICS_CHOICES_H
