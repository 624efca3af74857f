//===- Errors.h - Errors as objects of the C API -----------------------------===//
#ifndef NORMC_LIB_CAPI_ERRORS_H
#define NORMC_LIB_CAPI_ERRORS_H

#include "normc-c/normc.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/Twine.h"

#include <string>
#include <vector>

/// An error and the places that it is about.
struct normc_error {
  struct Place {
    std::string file;
    uint32_t line = 0, column = 0;
    std::string message;
  };
  normc_error_code code;
  std::string message;
  std::vector<Place> places;
};

namespace normc::capi {

normc_error *makeError(normc_error_code code, const llvm::Twine &message);

/// Collects what a context says while it lives, so that nothing is printed.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext &context);

  /// The first error said, with every error and note as places; `otherwise` where none
  /// was.
  normc_error *takeError(normc_error_code code, llvm::StringRef otherwise);

private:
  void add(const mlir::Diagnostic &diagnostic);

  std::string message;
  std::vector<normc_error::Place> places;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace normc::capi

#endif // NORMC_LIB_CAPI_ERRORS_H
