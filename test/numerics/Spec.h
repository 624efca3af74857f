//===- Spec.h - One norm op, and its text -----------------------------------===//
#ifndef NORMC_TEST_NUMERICS_SPEC_H
#define NORMC_TEST_NUMERICS_SPEC_H

#include "normc/Reference/Types.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace normc::numerics {

using reference::Type;

inline constexpr int64_t kDynamic = -1;

enum class Op : uint8_t {
  LayerNorm,
  LayerNormBackward,
  RmsNorm,
  RmsNormBackward,
  Dyt,
  DytBackward,
};

inline constexpr Op kOps[] = {Op::LayerNorm, Op::LayerNormBackward,
                              Op::RmsNorm,   Op::RmsNormBackward,
                              Op::Dyt,       Op::DytBackward};
inline constexpr Type kTypes[] = {Type::F16, Type::BF16, Type::F32, Type::F64};

const char *opName(Op op);
bool isBackward(Op op);

/// What an operand has an element for.
enum class Extent : uint8_t { Tile, Rows, Cols, Scalar };

struct Operand {
  std::string name;
  bool isOutput;
  Extent extent;
  Type type;
};

/// A function of one norm op.
struct Spec {
  Op op = Op::LayerNorm;
  /// Which optional inputs and which outputs it has, by name.
  std::set<std::string> present;
  /// Element types: of the result of the shape of x (y, dx), of weight, bias, alpha and
  /// shift, and of the parameter gradients. mean and rstd have the type that the op
  /// demands.
  Type x = Type::F32, dy = Type::F32, param = Type::F32, result = Type::F32,
       gradient = Type::F32;
  /// Types of single operands, by name.
  std::map<std::string, Type> types = {};
  /// Sizes in the type, kDynamic where it has none: the outer dimensions, and the
  /// normalized ones.
  std::vector<int64_t> outer = {kDynamic}, inner = {kDynamic};
  bool tensors = false;
  double epsilon = 1e-5;
  double weightOffset = 0;
  bool castBeforeWeight = false;
  bool erf = false;
  /// "", "exact" or "approximate".
  std::string accuracy = {};
  /// alpha and shift have rank 0 rather than shape [1].
  bool rank0 = false;
};

/// The optional inputs and the outputs that the op may have.
std::vector<std::string> optionalInputs(Op op, bool erf);
std::vector<std::string> possibleOutputs(Op op, bool erf);

/// A spec with all optional inputs and all outputs.
Spec fullSpec(Op op, bool erf = false);
/// Every tensor in one type.
void setTypes(Spec &spec, Type type);
/// Types of x, of the parameters and their gradients, and of the results.
void setTypes(Spec &spec, Type x, Type param, Type result);

/// The present operands in the order of the op.
std::vector<Operand> operandsOf(const Spec &spec);
/// The shape of an operand for sizes of the outer and of the normalized dimensions.
std::vector<int64_t> shapeOf(const Spec &spec, Extent extent,
                             const std::vector<int64_t> &outer,
                             const std::vector<int64_t> &inner);

/// A module with one function, `f`.
std::string toIr(const Spec &spec);

/// The op, its types and mask: "rms_norm(bf16,f32,bf16)weight->y".
std::string describe(const Spec &spec);

} // namespace normc::numerics

#endif // NORMC_TEST_NUMERICS_SPEC_H
