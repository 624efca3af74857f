//===- Stored.cpp - Packages that were compiled before ----------------------===//
#include "Packages.h"

#include "llvm/Support/raw_ostream.h"

namespace normc::numerics {
namespace {

class Stored : public Packages {
public:
  explicit Stored(device::Archive archive) : archive(std::move(archive)) {}

  std::optional<std::string> get(mlir::ModuleOp module, const std::string &target,
                                 std::string &error) override {
    if (const std::string *package = archive.find(packageKey(module, target)))
      return *package;
    error = "expected its package in the archive, but there is none";
    return std::nullopt;
  }

private:
  const device::Archive archive;
};

} // namespace

std::unique_ptr<Packages> storedPackages(device::Archive archive) {
  return std::make_unique<Stored>(std::move(archive));
}

std::string packageKey(mlir::ModuleOp module, const std::string &target) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text + "// " + target + "\n";
}

} // namespace normc::numerics
