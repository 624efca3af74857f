//===- KernelBuilder.h - Writes one row.kernel ------------------------------===//
#ifndef NORMC_LIB_CONVERSION_NORMTOROW_KERNELBUILDER_H
#define NORMC_LIB_CONVERSION_NORMTOROW_KERNELBUILDER_H

#include "dialects/row/Row.h"

#include "mlir/IR/Builders.h"

namespace normc {

/// A scalar of a map's region, with the arithmetic that decompositions need, so that
/// they read like the formulas. Every operation is rounded once, to the scalar's type.
class Term {
public:
  Term(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value)
      : builder(&builder), loc(loc), value(value) {}

  mlir::Value getValue() const { return value; }
  /// A constant of this term's type.
  Term constant(double number) const;

  friend Term operator+(Term a, Term b);
  friend Term operator-(Term a, Term b);
  friend Term operator*(Term a, Term b);
  friend Term operator/(Term a, Term b);
  friend Term operator-(Term a);
  /// 1/a for an `a` that is neither denormal nor near overflow, as arith.divf with
  /// arcp: a target may take its hardware's.
  friend Term reciprocal(Term a);
  /// a * b + c with one rounding.
  friend Term fma(Term a, Term b, Term c);
  friend Term sqrt(Term a);
  friend Term abs(Term a);
  friend Term exp(Term a);
  friend Term erf(Term a);
  /// `hardware`: the target may use its own instruction instead of an accurate
  /// function.
  friend Term tanh(Term a, bool hardware);

private:
  template <typename OpTy, typename... Args> Term make(Args... operands) const;

  mlir::OpBuilder *builder;
  mlir::Location loc;
  mlir::Value value;
};

/// Builds the body of one row.kernel, and at the end the kernel around it. The kernel's
/// operands are the buffers that were loaded, then those that were written, in the
/// order of their first use.
class KernelBuilder {
public:
  using Function = llvm::function_ref<Term(llvm::ArrayRef<Term>)>;

  /// Values of the program are in `accumulator`.
  KernelBuilder(mlir::OpBuilder &builder, mlir::Location loc,
                mlir::FloatType accumulator);

  mlir::FloatType getAccumulator() const { return accumulator; }

  mlir::Value load(mlir::Value memref, row::Kind kind);
  void store(mlir::Value value, mlir::Value memref);
  void accumulate(mlir::Value value, mlir::Value memref, row::Sum to);

  mlir::Value map(llvm::ArrayRef<mlir::Value> inputs, Function function,
                  bool keep = false);
  mlir::Value round(mlir::Value value, mlir::Type to);
  /// The sum of each tile along its rows, in one exchange.
  llvm::SmallVector<mlir::Value> sums(llvm::ArrayRef<mlir::Value> tiles);
  row::MomentsOp moments(mlir::Value tile);
  /// 1 / cols, a scalar: a multiplication per row is cheaper than a division.
  mlir::Value inverseCols();

  /// value * (weight + offset) + bias, where weight and bias may be absent (null).
  mlir::Value affine(mlir::Value value, mlir::Value weight, mlir::Value bias);
  /// Loads a parameter of one value a column and adds `offset`; null where absent.
  mlir::Value parameter(mlir::Value memref, double offset = 0);

  row::KernelOp finish(llvm::StringRef name, int64_t normDims);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::FloatType accumulator;
  std::unique_ptr<mlir::Region> region;
  mlir::Block *body;
  mlir::OpBuilder inside;
  llvm::SmallVector<mlir::Value> inputs, outputs;
};

} // namespace normc

#endif // NORMC_LIB_CONVERSION_NORMTOROW_KERNELBUILDER_H
