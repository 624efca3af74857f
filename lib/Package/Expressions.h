//===- Expressions.h - Affine maps to postfix expressions and back ----------===//
#ifndef NORMC_LIB_PACKAGE_EXPRESSIONS_H
#define NORMC_LIB_PACKAGE_EXPRESSIONS_H

#include "runtime/schema/package_generated.h"

#include "mlir/IR/AffineMap.h"

#include <string>
#include <vector>

namespace normc::package {

/// The least of the map's results in postfix form. `numSymbols` are the entry's own;
/// the three behind them are compute_units, resident and resident_clusters.
std::unique_ptr<normrt::schema::ExprT> makeExpr(mlir::AffineMap map,
                                                unsigned numSymbols);
std::unique_ptr<normrt::schema::ExprT> makeExpr(mlir::AffineExpr expr,
                                                unsigned numSymbols);
std::unique_ptr<normrt::schema::ExprT> makeExpr(int64_t value);

/// The expression as people write it: "ceildiv(s0, 64) * 4".
std::string exprText(const normrt::schema::Expr &expr);

} // namespace normc::package

#endif // NORMC_LIB_PACKAGE_EXPRESSIONS_H
