//===- Carried.cpp - The sums that a loop over tiles carries ----------------===//
#include "Carried.h"

using namespace mlir;
using namespace normc;

SmallVector<Value> Carried::flatten() const {
  SmallVector<Value> flat;
  for (const SmallVector<Value> &sum : columns)
    llvm::append_range(flat, sum);
  for (Value sum : scalars)
    if (sum)
      flat.push_back(sum);
  return flat;
}

void Carried::assign(ValueRange flat) {
  auto next = flat.begin();
  for (SmallVector<Value> &sum : columns)
    for (Value &value : sum)
      value = *next++;
  for (Value &sum : scalars)
    if (sum)
      sum = *next++;
}
