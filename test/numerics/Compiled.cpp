//===- Compiled.cpp - Packages that are compiled here -----------------------===//
#include "Packages.h"

#include "normc/Compiler/Compiler.h"

#include <mutex>

namespace normc::numerics {
namespace {

class Compiled : public Packages {
public:
  explicit Compiled(nvvm::Toolkit toolkit) : toolkit(std::move(toolkit)) {}

  std::optional<std::string> get(mlir::ModuleOp module, const std::string &target,
                                 std::string &) override {
    CompileOptions options;
    options.targets = {target};
    options.toolkit = toolkit;
    options.embed_source = false;
    llvm::SmallVector<char, 0> bytes;
    if (failed(normc::compile(module, options, bytes)))
      return std::nullopt;
    return std::string(bytes.data(), bytes.size());
  }

private:
  nvvm::Toolkit toolkit;
};

class Recorded : public Compiled {
public:
  Recorded(nvvm::Toolkit toolkit, device::Archive &archive)
      : Compiled(std::move(toolkit)), archive(archive) {}

  std::optional<std::string> get(mlir::ModuleOp module, const std::string &target,
                                 std::string &error) override {
    std::string key = packageKey(module, target);
    {
      const std::lock_guard lock(mutex);
      if (const std::string *known = archive.find(key))
        return *known;
    }
    std::optional<std::string> package = Compiled::get(module, target, error);
    const std::lock_guard lock(mutex);
    if (package)
      archive.add(std::move(key), *package);
    return package;
  }

  bool forLater() const override { return true; }

private:
  std::mutex mutex;
  device::Archive &archive;
};

} // namespace

std::unique_ptr<Packages> compiledPackages(nvvm::Toolkit toolkit) {
  return std::make_unique<Compiled>(std::move(toolkit));
}

std::unique_ptr<Packages> recordedPackages(nvvm::Toolkit toolkit,
                                           device::Archive &archive) {
  return std::make_unique<Recorded>(std::move(toolkit), archive);
}

} // namespace normc::numerics
