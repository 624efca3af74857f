//===- RowToHost.cpp - Row kernels to functions of the processor ------------===//
#include "HostEmitter.h"
#include "normc/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace normc {
#define GEN_PASS_DEF_CONVERTROWTOHOSTPASS
#include "normc/Conversion/Passes.h.inc"
} // namespace normc

using namespace mlir;
using namespace normc;

namespace {

/// Vectors lie across the rows, a lane a row. One lane is a vector along the columns.
bool isAcrossRows(const schedule::Tiling &tiling) {
  return tiling.lanes_per_row == 1 && tiling.vector_elems > 1;
}

bool isPowerOfTwo(int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

/// What this lowering needs of a tiling, whoever wrote it.
LogicalResult checkTiling(row::KernelOp kernel, const schedule::Tiling &tiling) {
  if (!isPowerOfTwo(tiling.vector_elems) || tiling.vector_elems > 64)
    return kernel.emitOpError("expected vector_elems to be a power of two at most 64, "
                              "because it counts the lanes of a vector, but got ")
           << tiling.vector_elems;
  if (!isPowerOfTwo(tiling.rows_per_tile) || tiling.rows_per_tile > 64)
    return kernel.emitOpError("expected rows_per_tile to be a power of two at most 64, "
                              "because rows are unrolled, but got ")
           << tiling.rows_per_tile;
  if (tiling.lanes_per_row != 1 && tiling.lanes_per_row != tiling.vector_elems)
    return kernel.emitOpError("expected lanes_per_row to be 1 or vector_elems, because "
                              "a row is one lane or all of a vector, but got ")
           << tiling.lanes_per_row;
  if (!isAcrossRows(tiling) && tiling.rows_per_tile > tiling.vector_elems &&
      !plan::isFinalize(kernel)) // its chains of sums are not reduced by lanes
    return kernel.emitOpError("expected rows_per_tile to be at most vector_elems, ")
           << tiling.vector_elems
           << ", because the rows of a tile are reduced together, but got "
           << tiling.rows_per_tile;
  if (tiling.vectors_in_flight < 1 || tiling.vectors_in_flight > 16)
    return kernel.emitOpError("expected vectors_in_flight to be from 1 to 16, because "
                              "they are unrolled, but got ")
           << tiling.vectors_in_flight;
  bool isUnrolled =
      isAcrossRows(tiling) || tiling.residency == schedule::Residency::Registers;
  int64_t cols = plan::staticCols(kernel);
  if (isUnrolled && !plan::isFinalize(kernel)) {
    int64_t width = isAcrossRows(tiling) ? 1 : tiling.vector_elems;
    if (ShapedType::isDynamic(cols) || cols > 64 * width)
      return kernel.emitOpError("expected at most ")
             << 64 * width
             << " static columns with this residency and lanes_per_row, because the "
                "columns are unrolled, but got "
             << (ShapedType::isDynamic(cols) ? std::string("dynamic columns")
                                             : std::to_string(cols));
  }
  return success();
}

/// A sum down the columns that lives in its output needs that output in its own type.
LogicalResult checkColumnSums(row::KernelOp kernel, const schedule::Tiling &tiling) {
  if (isAcrossRows(tiling) || tiling.residency == schedule::Residency::Registers)
    return success();
  for (auto op : kernel.getBodyBlock()->getOps<row::AccumulateOp>()) {
    Type sum = row::elementTypeOf(op.getValue().getType());
    Type element = cast<MemRefType>(op.getBuffer().getType()).getElementType();
    if (op.getTo() == row::Sum::cols && sum != element)
      return op.emitOpError(
                 "expected partials, or columns held in registers, because a "
                 "direct sum in ")
             << sum << " does not fit an output of " << element;
  }
  return success();
}

class ConvertRowToHost
    : public normc::impl::ConvertRowToHostPassBase<ConvertRowToHost> {
public:
  using ConvertRowToHostPassBase::ConvertRowToHostPassBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels;
    getOperation().walk([&](func::FuncOp op) {
      if (op->hasAttr(plan::kKernelAttr))
        kernels.push_back(op);
    });
    for (func::FuncOp op : kernels)
      if (failed(convert(op)))
        return signalPassFailure();
  }

private:
  LogicalResult convert(func::FuncOp function) {
    auto kernelOps = llvm::to_vector(function.getOps<row::KernelOp>());
    if (kernelOps.size() != 1)
      return function.emitOpError("expected one row.kernel in a kernel function, but "
                                  "got ")
             << kernelOps.size();
    row::KernelOp kernel = kernelOps.front();
    if (!kernel.getTiling())
      return kernel.emitOpError("expected a tiling, because row-select-tiling runs "
                                "before the kernel is lowered, but got none");
    const schedule::Tiling tiling = kernel.getTiling()->getValue();
    if (failed(checkTiling(kernel, tiling)) || failed(checkColumnSums(kernel, tiling)))
      return failure();
    emitFunction(function, kernel, tiling);
    function.erase();
    return success();
  }

  void emitFunction(func::FuncOp function, row::KernelOp kernel,
                    const schedule::Tiling &tiling) {
    MLIRContext *context = &getContext();
    ImplicitLocOpBuilder b(kernel.getLoc(), function);
    auto pointer = LLVM::LLVMPointerType::get(context);
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                            {pointer, b.getI64Type()});
    // The function takes the kernel's name before the kernel's own op goes.
    auto lowered = LLVM::LLVMFuncOp::create(b, function.getName(), type);
    Block *entry = lowered.addEntryBlock(b);
    b.setInsertionPointToStart(entry);
    host::HostEmitter emitter(b, kernel, tiling,
                              function->hasAttr(plan::kCollapsedAttr));
    emitter.emit(entry->getArgument(0), entry->getArgument(1));
    b.setInsertionPointToEnd(entry);
    LLVM::ReturnOp::create(b, ValueRange());
  }
};

} // namespace
