//===- Phases.cpp - The phases of a row program -----------------------------===//
#include "normc/Analysis/Phases.h"

using namespace mlir;
using namespace normc::row;

static bool isExchange(Operation *op) { return isa<ReduceOp, MomentsOp>(op); }

PhaseAnalysis::PhaseAnalysis(KernelOp kernel) {
  assign(kernel);
  findRoots(kernel);
  for (unsigned number = 0; number < phases.size(); ++number)
    findEvaluated(kernel, number);
}

unsigned PhaseAnalysis::getPhase(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op)
    return 0;
  return phaseOfOp.lookup(op) + (isExchange(op) ? 1 : 0);
}

void PhaseAnalysis::assign(KernelOp kernel) {
  phases.resize(1);
  for (Operation &op : *kernel.getBodyBlock()) {
    unsigned number = 0;
    for (Value operand : op.getOperands())
      number = std::max(number, getPhase(operand));
    phaseOfOp[&op] = number;
    // A reduction makes a phase after it only where something reads its result.
    if (phases.size() <= number)
      phases.resize(number + 1);
    phases[number].ops.push_back(&op);
    if (isExchange(&op))
      phases[number].exchanges.push_back(&op);
  }
}

/// Whether the value is handed from phase to phase instead of computed again.
static bool crosses(Value value) {
  Operation *op = value.getDefiningOp();
  switch (kindOf(value.getType())) {
  case Kind::Scalar:
  case Kind::Cols:
    return false;
  case Kind::Rows:
    return true;
  case Kind::Tile:
    if (auto map = dyn_cast<MapOp>(op))
      return map.getKeep();
    return isa<LoadOp>(op);
  }
  llvm_unreachable("all kinds are handled");
}

void PhaseAnalysis::findRoots(KernelOp kernel) {
  // From the last op on, so that what an op needs is known before the op is seen:
  // `readIn` holds the last phase that evaluates a value.
  DenseMap<Operation *, unsigned> lastRead;
  for (Operation &op : llvm::reverse(*kernel.getBodyBlock())) {
    unsigned own = phaseOfOp[&op];
    bool sink = op.getNumResults() == 0 || isExchange(&op);
    auto read = lastRead.find(&op);
    if (!sink && read == lastRead.end())
      continue;
    unsigned last = sink ? own : read->second;
    bool leaves = sink || (last > own && crosses(op.getResult(0)) && !isa<LoadOp>(op));
    if (leaves)
      phases[own].roots.insert(phases[own].roots.begin(), &op);
    // What is handed on is evaluated in its own phase only.
    if (leaves || isa<LoadOp>(op))
      last = own;
    for (Value operand : op.getOperands())
      if (Operation *definition = operand.getDefiningOp()) {
        unsigned &entry = lastRead.try_emplace(definition, 0).first->second;
        entry = std::max(entry, last);
      }
  }
}

void PhaseAnalysis::findEvaluated(KernelOp kernel, unsigned number) {
  Phase &phase = phases[number];
  llvm::SmallPtrSet<Operation *, 16> evaluated(phase.roots.begin(), phase.roots.end());
  llvm::SetVector<Value> crossing;
  for (Operation &op : llvm::reverse(*kernel.getBodyBlock())) {
    if (!evaluated.contains(&op))
      continue;
    for (Value operand : op.getOperands()) {
      Operation *definition = operand.getDefiningOp();
      if (!definition)
        continue;
      bool earlier = isExchange(definition) || phaseOfOp[definition] < number;
      if (earlier && crosses(operand))
        crossing.insert(operand);
      else
        evaluated.insert(definition);
    }
  }
  for (Operation &op : *kernel.getBodyBlock()) {
    if (evaluated.contains(&op))
      phase.evaluated.push_back(&op);
    for (Value result : op.getResults())
      if (crossing.contains(result))
        phase.crossing.push_back(result);
  }
}
