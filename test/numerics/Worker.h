//===- Worker.h - Compiles, launches and compares, on one thread ------------===//
#ifndef NORMC_TEST_NUMERICS_WORKER_H
#define NORMC_TEST_NUMERICS_WORKER_H

#include "Packages.h"
#include "Run.h"

#include "normc/Compiler/Source.h"
#include "normc/Testing/Mirror.h"
#include "runtime/include/normrt.h"

#include "llvm/Support/raw_ostream.h"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace normc::numerics {

template <auto release> struct Releaser {
  template <typename T> void operator()(T *handle) const { release(handle); }
};
using DeviceHandle = std::unique_ptr<normrt_device, Releaser<normrt_device_release>>;
using PackageHandle = std::unique_ptr<normrt_package, Releaser<normrt_package_release>>;

class Worker;

/// A compiled module with one entry.
class Program {
public:
  mlir::ModuleOp source() const { return *module; }
  std::string text() const;

private:
  friend class Worker;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::string bytes;
  std::map<int, PackageHandle> loaded;
};

/// What one thread compiles and runs with. Calls that fail leave what was wrong in
/// error().
class Worker {
public:
  /// For the device of that name, or the host for an empty one. `packages` must outlive
  /// the worker.
  Worker(std::string target, std::string device, Packages &packages);

  std::unique_ptr<Program> compile(const std::string &ir);
  std::unique_ptr<Program> compile(const std::string &ir, const std::string &target);
  /// Compiles a module of this worker's context, and keeps it.
  std::unique_ptr<Program> compile(mlir::OwningOpRef<mlir::ModuleOp> module,
                                   const std::string &target);
  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &ir);

  /// Launches on that many threads, twice: over outputs and a workspace of NaN, then
  /// of 2.9e-15 or so, and demands the same bits, untouched inputs and guards. Answers
  /// the outputs.
  std::optional<Arrays> launch(Program &program, const Run &run, int threads = 3);

  /// Launches once, over outputs of NaN, on a workspace as it was left.
  std::optional<Arrays> launchOn(test::Workspace &workspace, Program &program,
                                 const Run &run, int threads = 3);
  /// What a launch of the run needs at the most.
  std::optional<size_t> workspaceBytes(Program &program, const Run &run);

  /// Launches and compares every output with the oracle. Answers the outputs.
  std::optional<Arrays> check(Program &program, const Run &run, int threads = 3);

  /// Whether outputs are what the program's source means for the inputs of the run.
  bool agrees(Program &program, const Run &run, const Arrays &outputs);

  /// The variant that a launch takes, -1 after an error.
  int32_t variantOf(Program &program, const Run &run);

  /// The kernels that the entry's last variant launches, -1 after an error.
  int32_t launchesOf(Program &program);

  const std::string &error() const { return message; }
  /// What the compiler said since it was asked last, on one line.
  std::string takeDiagnostics();
  const std::string &target() const { return targetName; }
  /// Whether programs are compiled for later, and no launch has results.
  bool onlyCompiles() const { return packages.forLater(); }
  /// Whether no device of this worker answers any more, after a kernel that faulted.
  bool lost();
  mlir::MLIRContext *context() { return source.get(); }

  /// Since the worker was made.
  struct Counts {
    int64_t programs = 0, launches = 0, elements = 0, excluded = 0;
  };
  Counts counts;

private:
  struct Bound;

  std::nullopt_t fail(std::string text);
  normrt_entry *load(Program &program, int threads);
  bool bind(Program &program, const Run &run, int threads, Bound &bound);
  bool bindParam(int32_t index, const Run &run, Bound &bound);
  bool bringOver(Bound &bound, test::Workspace &workspace);
  bool bringBack(Bound &bound, test::Workspace &workspace);
  bool launchOnce(Bound &bound, test::Workspace &workspace, std::byte poison);
  std::optional<size_t> sizeOf(const Bound &bound);

  Packages &packages;
  std::string targetName, deviceName, diagnostics, message;
  llvm::raw_string_ostream stream;
  SourceContext source;
  std::map<int, DeviceHandle> devices;
};

/// The first difference of two arrays of one type and shape, empty where they have the
/// same bits.
std::string difference(const Array &a, const Array &b);
/// Rows [0, rows) of an array whose first dimension is rows.
Array firstRows(const Array &array, int64_t rows);

} // namespace normc::numerics

#endif // NORMC_TEST_NUMERICS_WORKER_H
