// The norms in float64: what every kernel is compared with.
//
// Written from the definitions of the ops, one scalar at a time, and sharing nothing
// with the kernels. Tensors are row major [rows, cols] arrays of doubles that hold the
// widened values of their element type. A null pointer is an absent operand; arrays of
// zero rows are not read. rows >= 0, cols >= 1.
//
// Results are doubles *before* the rounding to the result's type. Each has beside it a
// bound on the error of a computation in the compute type C before that rounding, so a
// right result r of type T differs from the value v by at most
//   bound + ulp_T(|v| + bound) / 2.
// docs/numerics.md derives the bounds. An infinite bound marks an element outside of
// the domain (squares that overflow C, or rounding errors as large as the result): it
// is excluded from a comparison, and counted. NaN and infinite values are exact.
#ifndef NORMC_REFERENCE_NORMS_H
#define NORMC_REFERENCE_NORMS_H

#include "normc/Reference/Types.h"

#include <cstdint>
#include <vector>

namespace normc::reference {

struct Result {
  std::vector<double> values;
  std::vector<double> bounds;
};

/// How the computation that is checked computes.
struct Arithmetic {
  /// C: computeType() of the op's operands and results.
  Type compute = Type::F32;
  /// The longest chain of dependent additions in a sum, before it is combined with
  /// others pairwise. A caller that knows the schedule may give less: the bounds shrink
  /// in proportion.
  int64_t longestChain = 1024;
  /// The relative error of a forward tanh; 0 stands for the usual one of C. A hardware
  /// tanh, allowed where y is f16 or bf16, has 2^-11.
  double forwardTanhError = 0;
  /// The relative error of a tanh t of which a backward takes 1 - t*t; 0 stands for the
  /// formula without that cancellation.
  double backwardTanhError = 0;
};

/// The relative error that kernels' tanh, erf and exp may have in C.
double functionError(Type compute);

// --- layer_norm --------------------------------------------------------------------

struct LayerNormInputs {
  int64_t rows, cols;
  const double *x;                ///< [rows, cols]
  const double *weight = nullptr; ///< [cols]; null: ones
  const double *bias = nullptr;   ///< [cols]; null: zeros
  double weightOffset = 0;        ///< rounded to C here, as epsilon is
  double epsilon;
  Arithmetic arithmetic = {};
};

struct LayerNormResults {
  Result y;          ///< [rows, cols]
  Result mean, rstd; ///< [rows]
};

LayerNormResults layerNorm(const LayerNormInputs &inputs);

/// Which gradients are computed; the others stay empty.
struct NormMask {
  bool dx = true, dweight = true, dbias = true;
};

struct LayerNormBackwardInputs {
  int64_t rows, cols;
  const double *dy;               ///< [rows, cols]
  const double *x;                ///< [rows, cols]; x, mean and rstd may be null where
  const double *mean, *rstd;      ///< [rows]        dbias alone is asked for
  const double *weight = nullptr; ///< [cols]; null: ones
  double weightOffset = 0;
  NormMask mask = {};
  Arithmetic arithmetic = {};
};

struct NormGradients {
  Result dx;             ///< [rows, cols]
  Result dweight, dbias; ///< [cols]
};

NormGradients layerNormBackward(const LayerNormBackwardInputs &inputs);

// --- rms_norm ----------------------------------------------------------------------

/// Where x * rstd is rounded to the type of x: not at all, or before the weight.
enum class Cast : uint8_t { AfterWeight, BeforeWeight };

struct RmsNormInputs {
  int64_t rows, cols;
  const double *x;
  const double *weight = nullptr;
  double weightOffset = 0;
  double epsilon;
  Cast cast = Cast::AfterWeight;
  Type xType = Type::F32; ///< what Cast::BeforeWeight rounds to
  Arithmetic arithmetic = {};
};

struct RmsNormResults {
  Result y;
  Result rstd;
};

RmsNormResults rmsNorm(const RmsNormInputs &inputs);

struct RmsNormBackwardInputs {
  int64_t rows, cols;
  const double *dy, *x;
  const double *rstd;
  const double *weight = nullptr;
  double weightOffset = 0;
  Cast cast = Cast::AfterWeight;
  Type xType = Type::F32;
  NormMask mask = {}; ///< there is no bias: dbias is not read
  Arithmetic arithmetic = {};
};

NormGradients rmsNormBackward(const RmsNormBackwardInputs &inputs);

// --- dyt ---------------------------------------------------------------------------

enum class Activation : uint8_t { Tanh, Erf };

struct DytInputs {
  int64_t rows, cols;
  const double *x;
  double alpha;
  double shift = 0; ///< of erf only
  const double *weight = nullptr;
  const double *bias = nullptr;
  Activation activation = Activation::Tanh;
  Arithmetic arithmetic = {};
};

Result dyt(const DytInputs &inputs);

struct DytMask {
  bool dx = true, dalpha = true, dshift = true, dweight = true, dbias = true;
};

struct DytBackwardInputs {
  int64_t rows, cols;
  const double *dy, *x;
  double alpha;
  double shift = 0;
  const double *weight = nullptr;
  Activation activation = Activation::Tanh;
  DytMask mask = {};
  Arithmetic arithmetic = {};
};

struct DytGradients {
  Result dx;             ///< [rows, cols]
  Result dalpha, dshift; ///< one element
  Result dweight, dbias; ///< [cols]
};

DytGradients dytBackward(const DytBackwardInputs &inputs);

} // namespace normc::reference

#endif // NORMC_REFERENCE_NORMS_H
