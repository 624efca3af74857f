//===- NormVerify.cpp - The numbered constraints of the norm ops ------------===//
//
// NormOps.td lists the constraints of each op. c1 to c9 are the same for every op and
// are checked over the named operands; the rest is in the op's own verifier.
//
//===----------------------------------------------------------------------===//
#include "dialects/norm/Norm.h"
#include "dialects/norm/NormDetail.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/Support/Format.h"

using namespace mlir;
using namespace normc::norm;

/// Emits "'norm.op' op <message> (op_c<number>)".
static LogicalResult violated(Operation *op, unsigned number, const Twine &message) {
  return op->emitOpError() << message << " (" << op->getName().stripDialect() << "_c"
                           << number << ")";
}

static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (auto [i, size] : llvm::enumerate(shape))
    text +=
        (i ? ", " : "") + (ShapedType::isDynamic(size) ? "?" : std::to_string(size));
  return text + "]";
}

static std::string numberText(const APFloat &number) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", number.convertToDouble());
  return text;
}

static ShapedType shapedType(const NamedOperand &operand) {
  return cast<ShapedType>(operand.value.getType());
}

/// c3: one kind of operand. The first operand decides which.
static LogicalResult verifyOneForm(Operation *op, ArrayRef<NamedOperand> operands) {
  const NamedOperand &first = operands.front();
  bool onTensors = isa<TensorType>(first.value.getType());
  for (const NamedOperand &operand : operands)
    if (isa<TensorType>(operand.value.getType()) != onTensors)
      return violated(op, 3,
                      "expected " + operand.name + " to be a " +
                          (onTensors ? "tensor" : "memref") + ", because " +
                          first.name +
                          " is one and all operands are of one form, but got a " +
                          (onTensors ? "memref" : "tensor"));
  return success();
}

/// c3: nothing in the type that would be passed over.
static LogicalResult verifyPlainTypes(Operation *op, ArrayRef<NamedOperand> operands) {
  for (const NamedOperand &operand : operands) {
    Type type = operand.value.getType();
    auto memref = dyn_cast<MemRefType>(type);
    auto tensor = dyn_cast<RankedTensorType>(type);
    Attribute extra = memref   ? memref.getMemorySpace()
                      : tensor ? tensor.getEncoding()
                               : Attribute();
    if (!extra)
      continue;
    InFlightDiagnostic diagnostic = op->emitOpError();
    return diagnostic << "expected " << operand.name
                      << (memref ? " in the default memory space, because a kernel's "
                                   "parameters are in the device's memory, but got "
                                 : " without an encoding, because elements are dense, "
                                   "but got ")
                      << extra << " (" << op->getName().stripDialect() << "_c3)";
  }
  return success();
}

/// c4: result i is init i.
static LogicalResult verifyResults(Operation *op, ArrayRef<NamedOperand> operands) {
  SmallVector<NamedOperand> inits;
  for (const NamedOperand &operand : operands)
    if (operand.is_init && isa<TensorType>(operand.value.getType()))
      inits.push_back(operand);
  if (inits.size() != op->getNumResults())
    return violated(
        op, 4,
        "expected " + Twine(inits.size()) +
            " result(s), because every tensor init has one and memrefs have "
            "none, but got " +
            Twine(op->getNumResults()));
  for (auto [init, type] : llvm::zip_equal(inits, op->getResultTypes())) {
    if (init.value.getType() == type)
      continue;
    InFlightDiagnostic diagnostic = op->emitOpError();
    return diagnostic << "expected result " << init.name << " to be "
                      << init.value.getType() << ", because its init is, but got "
                      << type << " (" << op->getName().stripDialect() << "_c4)";
  }
  return success();
}

/// c5, c6: the shapes of what is indexed by elements and by columns.
static LogicalResult verifyShape(Operation *op, unsigned number,
                                 const NamedOperand &operand,
                                 ArrayRef<int64_t> expected, StringRef reason) {
  ArrayRef<int64_t> shape = shapedType(operand).getShape();
  if (succeeded(verifyCompatibleShape(shape, expected)))
    return success();
  return violated(op, number,
                  "expected " + operand.name + " of shape " + shapeText(expected) +
                      ", because " + reason + ", but got " + shapeText(shape));
}

/// c8: what a launch would refuse is refused here where the type shows it.
static LogicalResult verifyContiguous(Operation *op, const NamedOperand &operand,
                                      int64_t dims) {
  auto type = dyn_cast<MemRefType>(operand.value.getType());
  if (!type)
    return success();
  if (!type.isStrided())
    return violated(op, 8,
                    "expected " + operand.name +
                        " to have a strided layout, because the normalized dimensions "
                        "are contiguous, but got a layout that is not strided");
  std::optional<shared::StrideMismatch> mismatch =
      shared::findInnerStrideMismatch(type, dims);
  if (!mismatch)
    return success();
  return violated(op, 8,
                  "expected stride " + Twine(mismatch->expected) + " of dimension " +
                      Twine(mismatch->dim) + " of " + operand.name +
                      ", because the normalized dimensions are contiguous, but got " +
                      Twine(mismatch->found));
}

/// c9: an output that is an input as well would be read after it is written.
static LogicalResult verifyDistinct(Operation *op, ArrayRef<NamedOperand> operands) {
  for (auto [i, init] : llvm::enumerate(operands)) {
    if (!init.is_init || !isa<MemRefType>(init.value.getType()))
      continue;
    for (auto [j, other] : llvm::enumerate(operands))
      if (i != j && init.value == other.value)
        return violated(
            op, 9,
            "expected init " + init.name +
                " to be a buffer of its own, because outputs do not overlap "
                "other operands, but got the same memref as " +
                other.name);
  }
  return success();
}

std::optional<shared::StrideMismatch> shared::findInnerStrideMismatch(MemRefType type,
                                                                      int64_t dims) {
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t expected = 1;
  for (int64_t dim = type.getRank() - 1; dim >= type.getRank() - dims; --dim) {
    int64_t size = type.getDimSize(dim);
    bool known =
        !ShapedType::isDynamic(expected) && !ShapedType::isDynamic(strides[dim]);
    // The stride of a dimension of one element is never used.
    if (known && size != 1 && strides[dim] != expected)
      return StrideMismatch{dim, expected, strides[dim]};
    if (ShapedType::isDynamic(size))
      expected = ShapedType::kDynamic;
    if (!ShapedType::isDynamic(expected))
      expected *= size;
  }
  return std::nullopt;
}

/// Shapes, columns and layout of one operand: c5 to c8.
static LogicalResult verifyOperand(NormOpInterface norm, const NamedOperand &operand) {
  ArrayRef<int64_t> shape = cast<ShapedType>(norm.getX().getType()).getShape();
  auto normDims = static_cast<int64_t>(norm.getNormDims());
  if (operand.role == Role::Tile &&
      failed(verifyShape(norm, 5, operand, shape, "that is the shape of x")))
    return failure();
  if (operand.role == Role::Cols &&
      failed(verifyShape(norm, 6, operand, shape.take_back(normDims),
                         "those are the normalized dimensions of x")))
    return failure();
  if (operand.role != Role::Tile && operand.role != Role::Cols)
    return verifyContiguous(norm, operand, 0);
  ArrayRef<int64_t> cols = shapedType(operand).getShape().take_back(normDims);
  for (auto [dim, size] : llvm::enumerate(cols))
    if (size == 0)
      return violated(norm, 7,
                      "expected cols >= 1, because a row without elements has no mean, "
                      "but got " +
                          operand.name + " with 0 in normalized dimension " +
                          Twine(dim));
  return verifyContiguous(norm, operand, normDims);
}

/// The generic form can give a segment two operands, or a required one none.
static LogicalResult verifySegments(Operation *op) {
  auto segments = op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
  for (auto [i, size] : llvm::enumerate(segments.asArrayRef()))
    if (size > 1)
      return op->emitOpError() << "expected operandSegmentSizes of 0 or 1, because an "
                                  "operand is one value, but got "
                               << size << " at index " << i;
  SmallVector<NamedOperand> operands = cast<NormOpInterface>(op).getNamedOperands();
  if (operands.size() != op->getNumOperands())
    return op->emitOpError() << "expected operandSegmentSizes of 1 for every operand "
                                "that is not optional, but got "
                             << segments;
  return success();
}

LogicalResult shared::verifyShared(Operation *op) {
  if (failed(verifySegments(op)))
    return failure();
  auto norm = cast<NormOpInterface>(op);
  SmallVector<NamedOperand> operands = norm.getNamedOperands();
  int64_t rank = cast<ShapedType>(norm.getX().getType()).getRank();
  if (rank == 0)
    return violated(op, 1,
                    "expected x of rank >= 1, because its last dimensions are "
                    "normalized, but got rank 0");
  // The accessor is unsigned; the attribute may be negative.
  auto normDims = static_cast<int64_t>(norm.getNormDims());
  if (normDims < 1 || normDims > rank)
    return violated(
        op, 1,
        "expected norm_dims in [1, " + Twine(rank) +
            "], because it counts the last dimensions of x, which has rank " +
            Twine(rank) + ", but got " + Twine(normDims));
  if (norm.getInits().empty())
    return violated(op, 2,
                    "expected at least one init, because an init asks for its result, "
                    "but got none");
  if (failed(verifyOneForm(op, operands)) || failed(verifyPlainTypes(op, operands)) ||
      failed(verifyResults(op, operands)))
    return failure();
  for (const NamedOperand &operand : operands)
    if (failed(verifyOperand(norm, operand)))
      return failure();
  return verifyDistinct(op, operands);
}

//===----------------------------------------------------------------------===//
// Constraints of single ops
//===----------------------------------------------------------------------===//

/// mean and rstd are what a row has one of, in the accumulator's type of x alone, so
/// that the backward of any mix of types takes what the forward made.
static LogicalResult verifyStatistics(NormOpInterface norm, unsigned shapeNumber,
                                      unsigned typeNumber) {
  auto x = cast<ShapedType>(norm.getX().getType());
  ArrayRef<int64_t> rows = x.getShape().drop_back(norm.getNormDims());
  Builder builder(norm.getContext());
  Type expected =
      x.getElementType().isF64() ? builder.getF64Type() : builder.getF32Type();
  for (const NamedOperand &operand : norm.getNamedOperands()) {
    if (operand.role != Role::Rows)
      continue;
    if (failed(verifyShape(norm, shapeNumber, operand, rows,
                           "those are the dimensions of x that are not normalized")))
      return failure();
    Type type = shapedType(operand).getElementType();
    if (type == expected)
      continue;
    return norm->emitOpError()
           << "expected " << operand.name << " of element type " << expected
           << ", because x has " << x.getElementType() << ", but got " << type << " ("
           << norm->getName().stripDialect() << "_c" << typeNumber << ")";
  }
  return success();
}

/// The accumulator: f64 if any operand or result is f64, else f32.
static const llvm::fltSemantics &accumulatorSemantics(Operation *op) {
  bool anyF64 = llvm::any_of(op->getOperandTypes(), [](Type type) {
    return cast<ShapedType>(type).getElementType().isF64();
  });
  return anyF64 ? APFloat::IEEEdouble() : APFloat::IEEEsingle();
}

static APFloat roundToAccumulator(Operation *op, APFloat number) {
  bool losesInfo;
  number.convert(accumulatorSemantics(op), APFloat::rmNearestTiesToEven, &losesInfo);
  return number;
}

static LogicalResult verifyEpsilon(Operation *op, APFloat epsilon, unsigned number) {
  APFloat rounded = roundToAccumulator(op, epsilon);
  if (rounded.isFinite() && (!rounded.isNegative() || rounded.isZero()))
    return success();
  SmallString<24> text;
  epsilon.toString(text);
  return violated(
      op, number,
      "expected epsilon to be finite and >= 0, because the root is taken of "
      "a sum with it, but got " +
          numberText(epsilon));
}

static LogicalResult verifyWeightOffset(Operation *op, APFloat offset, Value weight,
                                        unsigned number) {
  if (!roundToAccumulator(op, offset).isFinite())
    return violated(op, number,
                    "expected weight_offset to be finite, because it is added to the "
                    "weight, but got " +
                        numberText(offset));
  if (!weight && !offset.isZero())
    return violated(
        op, number,
        "expected weight_offset 0, because there is no weight to add it to, "
        "but got " +
            numberText(offset));
  return success();
}

LogicalResult LayerNormOp::verify() {
  if (failed(verifyStatistics(*this, 10, 11)) ||
      failed(verifyEpsilon(*this, getEpsilon(), 12)))
    return failure();
  return verifyWeightOffset(*this, getWeightOffset(), getWeight(), 13);
}

LogicalResult LayerNormBackwardOp::verify() {
  if (failed(verifyStatistics(*this, 10, 11)))
    return failure();
  return verifyWeightOffset(*this, getWeightOffset(), getWeight(), 12);
}

LogicalResult RmsNormOp::verify() {
  if (failed(verifyStatistics(*this, 10, 11)) ||
      failed(verifyEpsilon(*this, getEpsilon(), 12)))
    return failure();
  return verifyWeightOffset(*this, getWeightOffset(), getWeight(), 13);
}

LogicalResult RmsNormBackwardOp::verify() {
  if (failed(verifyStatistics(*this, 10, 11)))
    return failure();
  return verifyWeightOffset(*this, getWeightOffset(), getWeight(), 12);
}

/// alpha, shift and their gradients: dyt_c10 and dyt_backward_c10.
static LogicalResult verifyOneElement(NormOpInterface norm) {
  for (const NamedOperand &operand : norm.getNamedOperands()) {
    if (operand.role != Role::Scalar)
      continue;
    ArrayRef<int64_t> shape = shapedType(operand).getShape();
    if (shape.empty() || (shape.size() == 1 && shape[0] == 1))
      continue;
    return violated(norm, 10,
                    "expected " + operand.name +
                        " of shape [] or [1], because it is one number, but got " +
                        shapeText(shape));
  }
  return success();
}

/// dyt_c11 and dyt_backward_c11.
static LogicalResult verifyShiftHasErf(Operation *op, Activation activation,
                                       Value value, StringRef name) {
  if (!value || activation == Activation::erf)
    return success();
  return violated(op, 11,
                  "expected no " + name +
                      ", because activation = tanh has none, but got one");
}

/// dyt_backward_c12.
static LogicalResult verifySameRank(Operation *op, StringRef name, Value parameter,
                                    Value gradient) {
  if (!parameter || !gradient)
    return success();
  auto expected = cast<ShapedType>(parameter.getType()).getShape();
  auto found = cast<ShapedType>(gradient.getType()).getShape();
  if (expected == found)
    return success();
  return violated(op, 12,
                  "expected d" + name + " of shape " + shapeText(expected) +
                      ", because that is the shape of " + name + ", but got " +
                      shapeText(found));
}

LogicalResult DytOp::verify() {
  if (failed(verifyOneElement(*this)))
    return failure();
  return verifyShiftHasErf(*this, getActivation(), getShift(), "shift");
}

LogicalResult DytBackwardOp::verify() {
  if (failed(verifyOneElement(*this)) ||
      failed(verifyShiftHasErf(*this, getActivation(), getShift(), "shift")) ||
      failed(verifyShiftHasErf(*this, getActivation(), getDshiftInit(), "dshift")) ||
      failed(verifySameRank(*this, "alpha", getAlpha(), getDalphaInit())))
    return failure();
  return verifySameRank(*this, "shift", getShift(), getDshiftInit());
}
