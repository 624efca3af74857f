//===- DecisionRemarks.h - Saying what was decided, and why ------------------===//
#ifndef NORMC_LIB_TRANSFORMS_DECISIONREMARKS_H
#define NORMC_LIB_TRANSFORMS_DECISIONREMARKS_H

#include "dialects/row/Row.h"
#include "normc/Schedule/Decision.h"

namespace normc {

/// The name of a kernel, or "kernel".
llvm::StringRef nameOf(row::KernelOp kernel);

/// A remark of category `row-split` at the kernel: strategy, partials, and the bound.
void remarkStrategy(row::KernelOp kernel, const schedule::Decision &decision);

/// A remark of category `row-tiling` at the kernel: its tiling, the workgroups of
/// `choice`, and the bound.
void remarkTiling(row::KernelOp kernel, const schedule::KernelChoice &choice,
                  llvm::StringRef bound);

/// A remark of category `row-tuning` at a kernel that a table of tunings has no line
/// for: the facts by which it was looked up.
void remarkUntuned(row::KernelOp kernel, const std::string &facts);

} // namespace normc

#endif // NORMC_LIB_TRANSFORMS_DECISIONREMARKS_H
