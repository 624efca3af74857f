//===- ScalarOps.h - The ops of the regions of maps and reduces -------------===//
#ifndef NORMC_DIALECTS_ROW_SCALAROPS_H
#define NORMC_DIALECTS_ROW_SCALAROPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace normc::row {

/// An op that a region may hold beside constants.
struct ScalarOp {
  llvm::StringLiteral name;
  /// Whether it takes f16 and bf16 as well, to convert them.
  bool converts;
};

/// All of them: the verifier admits nothing else, every lowering takes each, and the
/// interpreter evaluates each.
///
/// Not among them are integer divisions and remainders, which end the process where the
/// divisor is zero.
llvm::ArrayRef<ScalarOp> scalarOps();

/// The one of that name, or null.
const ScalarOp *findScalarOp(llvm::StringRef name);

} // namespace normc::row

#endif // NORMC_DIALECTS_ROW_SCALAROPS_H
