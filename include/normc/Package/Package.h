//===- Package.h - Writing and printing package files -----------------------===//
#ifndef NORMC_PACKAGE_PACKAGE_H
#define NORMC_PACKAGE_PACKAGE_H

#include "normc/Schedule/Facts.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace normc::package {

/// What a blob's bytes are.
enum class BlobFormat : uint8_t { ElfSharedObject, Ptx, Cubin, Spirv, Native };

/// Machine code of some kernels of a target.
struct Blob {
  BlobFormat format = BlobFormat::ElfSharedObject;
  /// What it is made for: "x86_64", "sm_90a". May be empty where the target says it.
  std::string architecture;
  /// Not owned.
  llvm::ArrayRef<char> bytes;
  /// The kernels that the blob exports; none: all of the target's that no blob before
  /// it exports.
  std::vector<std::string> kernels;
  /// Index of a blob after this one that has the same kernels for other devices, as the
  /// PTX beside a cubin; -1 for none.
  int alternative = -1;
};

/// Everything for one target.
struct TargetModule {
  /// As given to --target: "host".
  std::string name;
  schedule::Backend backend = schedule::Backend::Host;
  /// The machine ("x86_64"), and what code needs beyond it ("x86-64-v3").
  std::string architecture;
  std::string features;
  /// Holds the plan.entry ops, with their launches.
  mlir::ModuleOp module;
  std::vector<Blob> blobs;
};

struct PackageOptions {
  /// Who wrote the package: "normc 0.1.0".
  std::string producer;
  /// MLIR bytecode of the entries as the user wrote them (writeSource); may be empty.
  llvm::ArrayRef<char> source;
};

/// Writes a package file to `out`. The bytes depend on the arguments alone, and the
/// runtime's reader has accepted them. Errors are diagnostics at the entries; no target
/// at all fails without one.
mlir::LogicalResult buildPackage(llvm::ArrayRef<TargetModule> targets,
                                 const PackageOptions &options,
                                 llvm::SmallVectorImpl<char> &out);

/// MLIR bytecode of `module` without its locations, which would name files of this
/// machine.
mlir::LogicalResult writeSource(mlir::ModuleOp module,
                                llvm::SmallVectorImpl<char> &bytecode);

/// Prints all that a package holds but for code: as text to read, or as JSON. False,
/// with what is wrong in `error`, for bytes that are no valid package; nothing is
/// printed then.
bool printManifest(llvm::raw_ostream &os, llvm::ArrayRef<char> package, bool json,
                   std::string &error);

/// Writes a package of one CUDA target as C for the driver API: a header with a typed
/// launch function for each entry, and a source that includes it as NAME.h and has the
/// kernels in it. Identifiers begin with `name`. False, with what is wrong in `error`,
/// for bytes that are no such package.
bool printCSource(llvm::StringRef name, llvm::ArrayRef<char> package,
                  std::string &header, std::string &source, std::string &error);

} // namespace normc::package

#endif // NORMC_PACKAGE_PACKAGE_H
