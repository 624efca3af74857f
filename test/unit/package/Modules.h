//===- Modules.h - Plans that the package tests write -----------------------===//
#ifndef NORMC_TEST_UNIT_PACKAGE_MODULES_H
#define NORMC_TEST_UNIT_PACKAGE_MODULES_H

#include "normc/Package/Package.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace normc::test {

/// A context with the dialects of plans, which remembers its last error.
class PlanContext {
public:
  PlanContext();
  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text);

  mlir::MLIRContext context;
  std::string error;
};

/// One entry with everything that a plan can say: two variants, guards of each kind,
/// a workspace, two launches, a requirement.
extern const char *const kWholePlan;

/// A host target over `module` with one blob that holds `bytes`.
package::TargetModule hostTarget(mlir::ModuleOp module, llvm::ArrayRef<char> bytes);

/// The package of one target; empty if it cannot be written.
std::vector<char> build(llvm::ArrayRef<package::TargetModule> targets,
                        llvm::ArrayRef<char> source = {});

} // namespace normc::test

#endif // NORMC_TEST_UNIT_PACKAGE_MODULES_H
