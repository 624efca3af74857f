//===- NormOps.cpp - The norm ops by the reference --------------------------===//
#include "Machine.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace normc::oracle {

namespace {
/// The operands of an op as the reference takes them.
struct Operands {
  const NamedViews &views;

  /// The elements of an operand, null where it is absent.
  const double *data(StringRef name) const {
    auto it = views.find(name);
    return it == views.end() ? nullptr : it->second.storage->values.data();
  }
  double scalar(StringRef name, double absent = 0) const {
    const double *value = data(name);
    return value ? *value : absent;
  }
  bool has(StringRef name) const { return views.contains(name); }
  reference::Type type(StringRef name) const {
    return views.find(name)->second.storage->type;
  }
};
} // namespace

static double toDouble(const llvm::APFloat &value) { return value.convertToDouble(); }

static reference::Cast castOf(norm::Cast cast) {
  return cast == norm::Cast::before_weight ? reference::Cast::BeforeWeight
                                           : reference::Cast::AfterWeight;
}
static reference::Activation activationOf(norm::Activation activation) {
  return activation == norm::Activation::erf ? reference::Activation::Erf
                                             : reference::Activation::Tanh;
}

static NamedResults evaluate(norm::LayerNormOp op, const Operands &operands,
                             int64_t rows, int64_t cols,
                             const reference::Arithmetic &arithmetic) {
  reference::LayerNormInputs in{.rows = rows,
                                .cols = cols,
                                .x = operands.data("x"),
                                .weight = operands.data("weight"),
                                .bias = operands.data("bias"),
                                .weightOffset = toDouble(op.getWeightOffset()),
                                .epsilon = toDouble(op.getEpsilon()),
                                .arithmetic = arithmetic};
  reference::LayerNormResults out = reference::layerNorm(in);
  NamedResults results;
  results["y"] = std::move(out.y);
  results["mean"] = std::move(out.mean);
  results["rstd"] = std::move(out.rstd);
  return results;
}

static NamedResults takeGradients(reference::NormGradients gradients) {
  NamedResults results;
  results["dx"] = std::move(gradients.dx);
  results["dweight"] = std::move(gradients.dweight);
  results["dbias"] = std::move(gradients.dbias);
  return results;
}

static reference::NormMask maskOf(const Operands &operands) {
  return {.dx = operands.has("dx"),
          .dweight = operands.has("dweight"),
          .dbias = operands.has("dbias")};
}

static NamedResults evaluate(norm::LayerNormBackwardOp op, const Operands &operands,
                             int64_t rows, int64_t cols,
                             const reference::Arithmetic &arithmetic) {
  reference::LayerNormBackwardInputs in{.rows = rows,
                                        .cols = cols,
                                        .dy = operands.data("dy"),
                                        .x = operands.data("x"),
                                        .mean = operands.data("mean"),
                                        .rstd = operands.data("rstd"),
                                        .weight = operands.data("weight"),
                                        .weightOffset = toDouble(op.getWeightOffset()),
                                        .mask = maskOf(operands),
                                        .arithmetic = arithmetic};
  return takeGradients(reference::layerNormBackward(in));
}

static NamedResults evaluate(norm::RmsNormOp op, const Operands &operands, int64_t rows,
                             int64_t cols, const reference::Arithmetic &arithmetic) {
  reference::RmsNormInputs in{.rows = rows,
                              .cols = cols,
                              .x = operands.data("x"),
                              .weight = operands.data("weight"),
                              .weightOffset = toDouble(op.getWeightOffset()),
                              .epsilon = toDouble(op.getEpsilon()),
                              .cast = castOf(op.getCast()),
                              .xType = operands.type("x"),
                              .arithmetic = arithmetic};
  reference::RmsNormResults out = reference::rmsNorm(in);
  NamedResults results;
  results["y"] = std::move(out.y);
  results["rstd"] = std::move(out.rstd);
  return results;
}

static NamedResults evaluate(norm::RmsNormBackwardOp op, const Operands &operands,
                             int64_t rows, int64_t cols,
                             const reference::Arithmetic &arithmetic) {
  reference::RmsNormBackwardInputs in{.rows = rows,
                                      .cols = cols,
                                      .dy = operands.data("dy"),
                                      .x = operands.data("x"),
                                      .rstd = operands.data("rstd"),
                                      .weight = operands.data("weight"),
                                      .weightOffset = toDouble(op.getWeightOffset()),
                                      .cast = castOf(op.getCast()),
                                      .xType = operands.type("x"),
                                      .mask = maskOf(operands),
                                      .arithmetic = arithmetic};
  return takeGradients(reference::rmsNormBackward(in));
}

static NamedResults evaluate(norm::DytOp op, const Operands &operands, int64_t rows,
                             int64_t cols, const reference::Arithmetic &arithmetic) {
  reference::DytInputs in{.rows = rows,
                          .cols = cols,
                          .x = operands.data("x"),
                          .alpha = operands.scalar("alpha"),
                          .shift = operands.scalar("shift"),
                          .weight = operands.data("weight"),
                          .bias = operands.data("bias"),
                          .activation = activationOf(op.getActivation()),
                          .arithmetic = arithmetic};
  // SEMANTICS, Numbers: the hardware's tanh is for a forward result of 16 bits, unless
  // the op asks for either.
  bool narrow = reference::byteSize(operands.type("y")) == 2;
  bool exact = op.getAccuracy() == norm::Accuracy::exact ||
               (op.getAccuracy() == norm::Accuracy::automatic && !narrow);
  if (exact)
    in.arithmetic.forwardTanhError = 0;
  NamedResults results;
  results["y"] = reference::dyt(in);
  return results;
}

static NamedResults evaluate(norm::DytBackwardOp op, const Operands &operands,
                             int64_t rows, int64_t cols,
                             const reference::Arithmetic &arithmetic) {
  reference::DytBackwardInputs in{.rows = rows,
                                  .cols = cols,
                                  .dy = operands.data("dy"),
                                  .x = operands.data("x"),
                                  .alpha = operands.scalar("alpha"),
                                  .shift = operands.scalar("shift"),
                                  .weight = operands.data("weight"),
                                  .activation = activationOf(op.getActivation()),
                                  .mask = {.dx = operands.has("dx"),
                                           .dalpha = operands.has("dalpha"),
                                           .dshift = operands.has("dshift"),
                                           .dweight = operands.has("dweight"),
                                           .dbias = operands.has("dbias")},
                                  .arithmetic = arithmetic};
  // 1 - t*t of a rounded t, which the op asks for, cancels whatever t's error is.
  bool cancels = op.getAccuracy() == norm::Accuracy::approximate &&
                 op.getActivation() == norm::Activation::tanh;
  if (cancels)
    in.arithmetic.backwardTanhError = std::max(
        arithmetic.forwardTanhError, reference::functionError(arithmetic.compute));
  reference::DytGradients out = reference::dytBackward(in);
  NamedResults results;
  results["dx"] = std::move(out.dx);
  results["dalpha"] = std::move(out.dalpha);
  results["dshift"] = std::move(out.dshift);
  results["dweight"] = std::move(out.dweight);
  results["dbias"] = std::move(out.dbias);
  return results;
}

FailureOr<NamedResults> evaluateNorm(Operation *op, const NamedViews &views,
                                     int64_t rows, int64_t cols,
                                     const reference::Arithmetic &arithmetic) {
  Operands operands{views};
  return llvm::TypeSwitch<Operation *, FailureOr<NamedResults>>(op)
      .Case<norm::LayerNormOp, norm::LayerNormBackwardOp, norm::RmsNormOp,
            norm::RmsNormBackwardOp, norm::DytOp, norm::DytBackwardOp>(
          [&](auto op) { return evaluate(op, operands, rows, cols, arithmetic); })
      .Default([](Operation *op) {
        return op->emitOpError("expected a norm op that the reference defines");
      });
}

} // namespace normc::oracle
