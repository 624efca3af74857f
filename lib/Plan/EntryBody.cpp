//===- EntryBody.cpp - What an entry's body may hold ------------------------===//
#include "lib/Plan/EntryBody.h"

#include "normc/Plan/KernelAbi.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace normc;
using namespace normc::plan;

Root normc::plan::rootOf(Value memref) {
  Root root{memref};
  while (Operation *op = root.base.getDefiningOp()) {
    if (!isa<memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp>(op))
      break;
    root.reshaped |= !isa<memref::CastOp>(op);
    root.base = op->getOperand(0);
  }
  return root;
}

/// Sizes of allocations and reshapes.
static bool isIndexArithmetic(Operation &op) {
  return isa<memref::DimOp, affine::AffineApplyOp>(op) ||
         (isa<arith::ArithDialect>(op.getDialect()) && op.getNumResults() == 1 &&
          op.getResult(0).getType().isIndex());
}

static LogicalResult checkOp(Operation &op) {
  if (isa<memref::AllocOp, memref::AllocaOp, memref::DeallocOp, memref::CastOp,
          memref::ExpandShapeOp, memref::CollapseShapeOp, row::KernelOp,
          row::PartialsOp>(op) ||
      isIndexArithmetic(op) || op.hasTrait<OpTrait::IsTerminator>())
    return success();
  StringRef dialect = op.getName().getDialectNamespace();
  if (dialect == "norm")
    return op.emitOpError("expected a row.kernel, because norm ops become kernels "
                          "before entries are made (convert-norm-to-row)");
  if (isa<memref::CopyOp>(op))
    return op.emitOpError("expected no copy, because an entry's kernels write its "
                          "outputs themselves, but got one");
  return op.emitOpError(
             "expected norm ops and row.kernels among allocations, casts and "
             "reshapes, because an entry holds nothing else, but got ")
         << op.getName();
}

namespace {
/// Follows what has been read and written from kernel to kernel.
class AccessChecker {
public:
  LogicalResult check(row::KernelOp kernel) {
    for (auto [i, input] : llvm::enumerate(kernel.getInputs()))
      if (failed(read(kernel, i, rootOf(input).base)))
        return failure();
    llvm::SmallPtrSet<Value, 4> outputs;
    for (auto [i, output] : llvm::enumerate(kernel.getOutputs())) {
      Value root = rootOf(output).base;
      if (!outputs.insert(root).second ||
          llvm::any_of(kernel.getInputs(),
                       [&](Value input) { return rootOf(input).base == root; }))
        return kernel.emitOpError("expected output ")
               << i
               << " in a buffer of its own, because a kernel's rows run in any order, "
                  "but it overlaps another operand";
      if (failed(write(kernel, i, root)))
        return failure();
    }
    return success();
  }

private:
  static std::string describe(Value root) {
    if (auto argument = dyn_cast<BlockArgument>(root))
      return "parameter " + std::to_string(argument.getArgNumber());
    return "a buffer";
  }

  LogicalResult read(row::KernelOp kernel, unsigned index, Value root) {
    is_read.insert(root);
    if (isa<BlockArgument>(root) || written.contains(root))
      return success();
    return kernel.emitOpError("expected input ")
           << index
           << " to be a parameter or written by a kernel before, because its "
              "contents are undefined otherwise";
  }

  LogicalResult write(row::KernelOp kernel, unsigned index, Value root) {
    // An allocation may be used again for a later value; a parameter is one result.
    bool once = isa<BlockArgument>(root) || root.getDefiningOp<row::PartialsOp>();
    bool isNew = written.insert(root).second;
    if (once && !isNew)
      return kernel.emitOpError("expected output ")
             << index << " to be written once, but " << describe(root)
             << " is written by a kernel before";
    if (isa<BlockArgument>(root) && is_read.contains(root))
      return kernel.emitOpError("expected output ")
             << index
             << " not to be an input, because no output overlaps an input, but "
             << describe(root) << " is read by a kernel before";
    return success();
  }

  llvm::DenseSet<Value> is_read, written;
};
} // namespace

LogicalResult normc::plan::checkBody(Block &body) {
  AccessChecker accesses;
  for (Operation &op : body) {
    if (failed(checkOp(op)))
      return failure();
    if (auto kernel = dyn_cast<row::KernelOp>(op))
      if (failed(accesses.check(kernel)))
        return failure();
  }
  return success();
}

llvm::DenseSet<Value> normc::plan::writtenRoots(Block &body) {
  llvm::DenseSet<Value> roots;
  for (auto kernel : body.getOps<row::KernelOp>())
    for (Value output : kernel.getOutputs())
      roots.insert(rootOf(output).base);
  return roots;
}
