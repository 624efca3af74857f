//===- ScalarOps.h - Regions of arith and math ops on arrays ----------------===//
#ifndef NORMC_LIB_INTERPRETER_SCALAROPS_H
#define NORMC_LIB_INTERPRETER_SCALAROPS_H

#include "Values.h"

namespace normc::interpreter {

/// Evaluates the region for each element of its arguments, which have `size` elements
/// or one. Answers what the region yields. Fails with a diagnostic at an op that is not
/// known.
llvm::FailureOr<std::vector<Array>> evaluate(mlir::Block &block,
                                             llvm::ArrayRef<const Array *> arguments,
                                             size_t size, const Model &model);

/// Whether ops of that name, beside constants, can be evaluated.
bool isKnown(llvm::StringRef opName);

} // namespace normc::interpreter

#endif // NORMC_LIB_INTERPRETER_SCALAROPS_H
