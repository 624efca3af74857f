//===- ColumnPasses.cpp - Which work belongs to which pass ------------------===//
#include "ColumnPasses.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace normc;
using namespace normc::host;

unsigned ColumnPasses::passOf(Operation *op) const {
  unsigned pass = 0;
  for (Value operand : op->getOperands())
    if (auto it = valuePass.find(operand); it != valuePass.end())
      pass = std::max(pass, it->second);
  return pass;
}

ColumnPass &ColumnPasses::at(unsigned number) {
  while (passes.size() <= number) {
    passes.emplace_back();
    passes.back().number = passes.size() - 1;
  }
  return passes[number];
}

ColumnPasses::ColumnPasses(row::KernelOp kernel) {
  for (Operation &op : *kernel.getBodyBlock()) {
    unsigned pass = passOf(&op), resultPass = pass;
    llvm::TypeSwitch<Operation *>(&op)
        .Case([&](row::ReduceOp reduce) {
          at(pass).reduces.push_back(reduce);
          resultPass = pass + 1;
        })
        .Case([&](row::MomentsOp moments) {
          at(pass).moments.push_back({moments, false});
          at(pass + 1).moments.push_back({moments, true});
          resultPass = pass + 2;
        })
        .Case([&](row::StoreOp store) {
          bool tile = row::kindOf(store.getValue().getType()) == row::Kind::Tile;
          (tile ? at(pass).stores : at(pass).rowStores).push_back(store);
        })
        .Case([&](row::AccumulateOp sum) {
          bool tile = row::kindOf(sum.getValue().getType()) == row::Kind::Tile;
          (tile ? at(pass).sums : at(pass).rowSums).push_back(sums.size());
          sums.push_back(sum);
        });
    for (Value result : op.getResults())
      valuePass[result] = resultPass;
  }
}
