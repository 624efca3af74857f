//===- Machine.h - The state of one evaluation ------------------------------===//
#ifndef NORMC_LIB_ORACLE_MACHINE_H
#define NORMC_LIB_ORACLE_MACHINE_H

#include "dialects/norm/Norm.h"
#include "dialects/row/Row.h"
#include "normc/Interpreter/Interpreter.h"
#include "normc/Oracle/Oracle.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>

namespace normc::oracle {

/// The elements of a buffer, which several views may share.
struct Storage {
  reference::Type type;
  /// What a later op reads: `owned`, or the caller's array.
  llvm::ArrayRef<double> values;
  std::vector<double> owned;
  /// How far the compiled entry's element may be from `values`; empty: it is the same.
  std::vector<double> errors;
  /// What an op wrote, before it was rounded.
  reference::Result exact;
  bool is_written = false;
};

/// A tensor or memref: elements in row-major order under some shape.
struct View {
  std::shared_ptr<Storage> storage;
  llvm::SmallVector<int64_t> shape;

  int64_t size() const;
  /// The compiled entry has the same values there.
  bool isExact() const;
};

/// f16, bf16, f32 or f64.
reference::Type typeOf(mlir::Type elementType);

using NamedViews = llvm::StringMap<View>;
using NamedResults = llvm::StringMap<reference::Result>;

/// Runs one norm op. `operands` has a view for each present operand, by name.
/// Answers a result for each init, by name.
llvm::FailureOr<NamedResults> evaluateNorm(mlir::Operation *op,
                                           const NamedViews &operands, int64_t rows,
                                           int64_t cols,
                                           const reference::Arithmetic &arithmetic);

class Machine {
public:
  Machine(mlir::func::FuncOp function, const Options &options)
      : function(function), options(options) {}

  llvm::LogicalResult bindArguments(const llvm::StringMap<Argument> &arguments);
  llvm::LogicalResult run();
  std::vector<Output> takeOutputs();

private:
  llvm::LogicalResult bindArgument(unsigned index, const Argument &argument);
  llvm::LogicalResult runOp(mlir::Operation *op);

  // Shapes.cpp: what moves no data.
  llvm::LogicalResult runShapeOp(mlir::Operation *op);
  llvm::FailureOr<llvm::SmallVector<int64_t>> sizesOf(mlir::Operation *op,
                                                      mlir::ValueRange dynamicSizes);
  llvm::LogicalResult makeBuffer(mlir::Operation *op, mlir::ValueRange dynamicSizes);
  llvm::LogicalResult reshape(mlir::Operation *op, llvm::ArrayRef<int64_t> sizes);
  llvm::LogicalResult foldIntegers(mlir::Operation *op);

  // Propagate.cpp: raises the bounds of a norm op's results by its inputs' errors.
  llvm::LogicalResult propagateErrors(norm::NormOpInterface op, int64_t rows,
                                      int64_t cols, NamedResults &results);

  // Compute.cpp
  llvm::LogicalResult runNorm(norm::NormOpInterface op);
  llvm::LogicalResult runKernel(row::KernelOp op);
  interpreter::Options interpreterOptions() const;
  /// The values of an operand; fails where nothing was written there yet.
  llvm::FailureOr<View> read(mlir::Operation *op, mlir::Value value);
  /// Writes what an op computed for an init (and the tensor result tied to it).
  void write(mlir::Value init, mlir::Value result, reference::Result computed);

  mlir::func::FuncOp function;
  Options options;
  llvm::DenseMap<mlir::Value, View> views;
  llvm::DenseMap<mlir::Value, int64_t> integers;
};

} // namespace normc::oracle

#endif // NORMC_LIB_ORACLE_MACHINE_H
