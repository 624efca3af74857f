//===- Packages.h - Where the packages of programs come from ----------------===//
//
// Compiled in this process, or on another machine before: the program that runs the
// cases there has no compiler.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_TEST_NUMERICS_PACKAGES_H
#define NORMC_TEST_NUMERICS_PACKAGES_H

#include "test/device/Archive.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <optional>
#include <string>

namespace normc::nvvm {
struct Toolkit;
} // namespace normc::nvvm

namespace normc::numerics {

/// One object serves all threads.
class Packages {
public:
  virtual ~Packages() = default;
  /// The package of a module, whose attributes may name strategies and tilings, for a
  /// target. Without one, what is wrong: a diagnostic of the module's context, or in
  /// `error`.
  virtual std::optional<std::string>
  get(mlir::ModuleOp module, const std::string &target, std::string &error) = 0;
  /// Whether packages are made for later, and nothing is launched.
  virtual bool forLater() const { return false; }
};

/// Compiles each.
std::unique_ptr<Packages> compiledPackages(nvvm::Toolkit toolkit);
/// Compiles each for another machine, and adds it to the archive, which must outlive
/// the object.
std::unique_ptr<Packages> recordedPackages(nvvm::Toolkit toolkit,
                                           device::Archive &archive);
/// Those of an archive.
std::unique_ptr<Packages> storedPackages(device::Archive archive);

/// What an archive has a package by.
std::string packageKey(mlir::ModuleOp module, const std::string &target);

} // namespace normc::numerics

#endif // NORMC_TEST_NUMERICS_PACKAGES_H
