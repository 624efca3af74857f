//===- SplitKernel.cpp - The rewrites of a kernel with column sums -----------===//
#include "SplitKernel.h"

#include "DecisionRemarks.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace normc;

/// Segment of each sum within a partial: sums to columns and to scalars count apart.
static int64_t assignSlots(ArrayRef<row::AccumulateOp> sums) {
  int64_t cols = 0, scalars = 0;
  for (row::AccumulateOp sum : sums)
    sum.setSlot(sum.getTo() == row::Sum::cols ? cols++ : scalars++);
  return cols;
}

/// The kernel with other outputs, its program moved over.
static row::KernelOp withOutputs(row::KernelOp kernel, ValueRange outputs) {
  OpBuilder builder(kernel);
  auto result = row::KernelOp::create(
      builder, kernel.getLoc(), kernel.getInputs(), outputs, kernel.getNormDimsAttr(),
      kernel.getKernelNameAttr(), kernel.getTilingAttr(), kernel.getStrategyAttr(),
      kernel.getMaxRowsAttr());
  result->setDiscardableAttrs(kernel->getDiscardableAttrDictionary());
  result.getBody().takeBody(kernel.getBody());
  kernel.erase();
  return result;
}

/// A kernel that adds `partials` into `outputs`, one finalize a sum.
static row::KernelOp createFinalize(row::KernelOp kernel, Value partials,
                                    ArrayRef<Value> outputs,
                                    ArrayRef<row::AccumulateOp> sums,
                                    int64_t numColsSlots) {
  OpBuilder builder(kernel);
  builder.setInsertionPointAfter(kernel);
  Location loc = kernel.getLoc();
  auto finalize = row::KernelOp::create(
      builder, loc, partials, ValueRange(outputs), kernel.getNormDimsAttr(),
      builder.getStringAttr(nameOf(kernel) + "_finalize"), row::TilingAttr(),
      row::StrategyAttr(), IntegerAttr());
  Block *body = builder.createBlock(&finalize.getBody());
  BlockArgument in = body->addArgument(partials.getType(), loc);
  for (auto [output, op] : llvm::zip_equal(outputs, sums)) {
    row::AccumulateOp sum = op;
    BlockArgument out = body->addArgument(output.getType(), loc);
    row::FinalizeOp::create(builder, sum.getLoc(), in, out, sum.getTo(), *sum.getSlot(),
                            numColsSlots);
  }
  return finalize;
}

std::pair<row::KernelOp, row::KernelOp>
normc::splitToPartials(row::KernelOp kernel, ArrayRef<row::AccumulateOp> sums) {
  OpBuilder builder(kernel);
  auto partialsType = MemRefType::get({ShapedType::kDynamic, ShapedType::kDynamic},
                                      kernel.getAccumulatorType());
  Value partials =
      row::PartialsOp::create(builder, kernel.getLoc(), partialsType).getResult();
  int64_t numColsSlots = assignSlots(sums);

  // The outputs of the sums leave the kernel, the partials come last.
  Block *body = kernel.getBodyBlock();
  unsigned firstOutput = kernel.getInputs().size();
  BlockArgument buffer = body->addArgument(partialsType, kernel.getLoc());
  llvm::BitVector leaving(body->getNumArguments());
  SmallVector<Value> sumOutputs;
  for (row::AccumulateOp sum : sums) {
    unsigned index = cast<BlockArgument>(sum.getBuffer()).getArgNumber();
    leaving.set(index);
    sumOutputs.push_back(kernel.getOutputs()[index - firstOutput]);
    sum.getBufferMutable().assign(buffer);
  }
  SmallVector<Value> outputs;
  for (auto [index, output] : llvm::enumerate(kernel.getOutputs()))
    if (!leaving.test(firstOutput + index))
      outputs.push_back(output);
  outputs.push_back(partials);
  body->eraseArguments(leaving);

  row::KernelOp fused = withOutputs(kernel, outputs);
  fused.setStrategy(row::Strategy::partials);
  return {fused, createFinalize(fused, partials, sumOutputs, sums, numColsSlots)};
}

/// Erases what nothing needs any more, the buffers too.
static row::KernelOp withoutDeadCode(row::KernelOp kernel) {
  Block *body = kernel.getBodyBlock();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  llvm::BitVector dead(kernel->getNumOperands());
  for (BlockArgument buffer : body->getArguments())
    if (buffer.use_empty())
      dead.set(buffer.getArgNumber());
  body->eraseArguments(dead);
  SmallVector<Value> inputs, outputs;
  for (auto [index, operand] : llvm::enumerate(kernel->getOperands()))
    if (!dead.test(index))
      (kernel.isOutputBuffer(index) ? outputs : inputs).push_back(operand);
  kernel.getInputsMutable().assign(inputs);
  kernel.getOutputsMutable().assign(outputs);
  return kernel;
}

std::pair<row::KernelOp, row::KernelOp> normc::splitByFission(row::KernelOp kernel,
                                                              bool scalars_with_rows) {
  OpBuilder builder(kernel);
  std::string name = nameOf(kernel).str();
  auto rows = cast<row::KernelOp>(builder.clone(*kernel));
  auto columns = cast<row::KernelOp>(builder.clone(*kernel));
  auto eraseAll = [](auto ops) {
    for (Operation *op : llvm::make_early_inc_range(ops))
      op->erase();
  };
  auto collect = [](row::KernelOp part, auto isOne) {
    SmallVector<Operation *> ops;
    for (Operation &op : *part.getBodyBlock())
      if (isOne(&op))
        ops.push_back(&op);
    return ops;
  };
  auto staysWithRows = [&](row::AccumulateOp sum) {
    return scalars_with_rows && sum.getTo() == row::Sum::scalar;
  };
  eraseAll(collect(rows, [&](Operation *op) {
    auto sum = dyn_cast<row::AccumulateOp>(op);
    return sum && !staysWithRows(sum);
  }));
  eraseAll(collect(columns, [&](Operation *op) {
    auto sum = dyn_cast<row::AccumulateOp>(op);
    return isa<row::StoreOp>(op) || (sum && staysWithRows(sum));
  }));
  for (row::KernelOp part : {rows, columns}) {
    withoutDeadCode(part);
    part.removeStrategyAttr();
  }
  rows.setKernelName(name + "_rows");
  columns.setKernelName(name + "_columns");
  kernel.erase();
  return {rows, columns};
}
