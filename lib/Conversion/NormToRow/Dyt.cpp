//===- Dyt.cpp - dyt as a row program ---------------------------------------===//
//
// The derivative of tanh comes from one exponential and one division:
//   e = exp(-2|u|), r = 1/(1+e): 1 - tanh(u)^2 = 4*e*r*r.
// 1 - t*t with a rounded t cancels: it has no right digit from |u| = 9 in f32 on. e is
// written with exp, not exp2, since -2|u| is exact and -2|u|*log2(e) is rounded, an
// error of |u| ulp in e, and since a vectorized polynomial exists for exp. A target
// makes the tanh beside it of the same two.
//
//===----------------------------------------------------------------------===//
#include "Decompositions.h"

#include <numbers>

using namespace mlir;
using namespace normc;
using namespace normc::row;

static Term product(ArrayRef<Term> in) { return in[0] * in[1]; }

/// u = alpha * x + shift.
static Value argument(KernelBuilder &kernel, Value x, Value alpha, Value shift) {
  if (!shift)
    return kernel.map({alpha, x}, product);
  return kernel.map({alpha, x, shift},
                    [](ArrayRef<Term> in) { return fma(in[0], in[1], in[2]); });
}

static bool mayUseHardwareTanh(norm::DytOp op) {
  switch (op.getAccuracy()) {
  case norm::Accuracy::approximate:
    return true;
  case norm::Accuracy::exact:
    return false;
  case norm::Accuracy::automatic:
    // 2^-11 relative is within the rounding of a 16-bit result, and of no other.
    return cast<MemRefType>(op.getYInit().getType())
               .getElementType()
               .getIntOrFloatBitWidth() == 16;
  }
  llvm_unreachable("all accuracies are handled");
}

void normc::decompose(norm::DytOp op, KernelBuilder &kernel) {
  Value x = kernel.load(op.getX(), Kind::Tile);
  Value alpha = kernel.load(op.getAlpha(), Kind::Scalar);
  Value shift = op.getShift() ? kernel.load(op.getShift(), Kind::Scalar) : Value();
  Value weight = kernel.parameter(op.getWeight());
  Value bias = kernel.parameter(op.getBias());

  Value u = argument(kernel, x, alpha, shift);
  bool isErf = op.getActivation() == norm::Activation::erf;
  bool hardware = !isErf && mayUseHardwareTanh(op);
  Value f = kernel.map(
      {u},
      [&](ArrayRef<Term> in) { return isErf ? erf(in[0]) : tanh(in[0], hardware); },
      /*keep=*/true);
  kernel.store(kernel.affine(f, weight, bias), op.getYInit());
}

namespace {

/// f(u) and f'(u); either is null where it was not asked for.
struct Activated {
  Value f, derivative;
};

} // namespace

static Activated activateErf(KernelBuilder &kernel, Value u, bool wantF, bool wantD) {
  Activated result;
  if (wantF)
    result.f = kernel.map({u}, [](ArrayRef<Term> in) { return erf(in[0]); }, true);
  if (wantD)
    result.derivative = kernel.map(
        {u},
        [](ArrayRef<Term> in) {
          Term u = in[0];
          return u.constant(2.0 * std::numbers::inv_sqrtpi) * exp(-(u * u));
        },
        true);
  return result;
}

/// The op asked for the hardware's tanh, so 1 - t*t is what it gets.
static Activated activateHardwareTanh(KernelBuilder &kernel, Value u, bool wantD) {
  Activated result;
  result.f = kernel.map({u}, [](ArrayRef<Term> in) { return tanh(in[0], true); }, true);
  if (wantD)
    result.derivative = kernel.map({result.f}, [](ArrayRef<Term> in) {
      return fma(-in[0], in[0], in[0].constant(1));
    });
  return result;
}

static Activated activateTanh(KernelBuilder &kernel, Value u, bool wantF, bool wantD) {
  Activated result;
  if (wantF)
    result.f =
        kernel.map({u}, [](ArrayRef<Term> in) { return tanh(in[0], false); }, true);
  if (!wantD)
    return result;
  Value e = kernel.map(
      {u}, [](ArrayRef<Term> in) { return exp(in[0].constant(-2.0) * abs(in[0])); },
      true);
  Value r = kernel.map(
      {e}, [](ArrayRef<Term> in) { return reciprocal(in[0].constant(1.0) + in[0]); },
      true);
  result.derivative = kernel.map({e, r}, [](ArrayRef<Term> in) {
    return in[0].constant(4.0) * in[0] * in[1] * in[1];
  });
  return result;
}

static Activated activate(norm::DytBackwardOp op, KernelBuilder &kernel, Value u,
                          bool wantF, bool wantD) {
  if (op.getActivation() == norm::Activation::erf)
    return activateErf(kernel, u, wantF, wantD);
  if (op.getAccuracy() == norm::Accuracy::approximate)
    return activateHardwareTanh(kernel, u, wantD);
  return activateTanh(kernel, u, wantF, wantD);
}

void normc::decompose(norm::DytBackwardOp op, KernelBuilder &kernel) {
  bool wantF = bool(op.getDweightInit());
  bool wantD = op.getDxInit() || op.getDalphaInit() || op.getDshiftInit();
  Value dy = kernel.load(op.getDy(), Kind::Tile);
  if (wantF || wantD) {
    Value x = kernel.load(op.getX(), Kind::Tile);
    Value alpha = kernel.load(op.getAlpha(), Kind::Scalar);
    Value shift = op.getShift() ? kernel.load(op.getShift(), Kind::Scalar) : Value();
    Value u = argument(kernel, x, alpha, shift);
    Activated activated = activate(op, kernel, u, wantF, wantD);
    if (wantD) {
      Value weight = kernel.parameter(op.getWeight());
      Value g = kernel.map(
          {kernel.affine(dy, weight, /*bias=*/{}), activated.derivative}, product);
      if (op.getDxInit())
        kernel.store(kernel.map({g, alpha}, product), op.getDxInit());
      if (op.getDalphaInit())
        kernel.accumulate(kernel.map({g, x}, product), op.getDalphaInit(), Sum::scalar);
      if (op.getDshiftInit())
        kernel.accumulate(g, op.getDshiftInit(), Sum::scalar);
    }
    if (wantF)
      kernel.accumulate(kernel.map({dy, activated.f}, product), op.getDweightInit(),
                        Sum::cols);
  }
  if (op.getDbiasInit())
    kernel.accumulate(dy, op.getDbiasInit(), Sum::cols);
}
