//===- Session.h - A package loaded on a device, and one of its entries -----===//
#ifndef NORMC_TOOLS_NORMRUN_SESSION_H
#define NORMC_TOOLS_NORMRUN_SESSION_H

#include "Options.h"

#include "normc/Reference/Types.h"
#include "runtime/include/normrt.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace normc::run {

/// A parameter of the entry.
struct Param {
  std::string name;
  bool is_output;
  reference::Type type;
  /// -1 where the size is known at launch only.
  std::vector<int64_t> shape;
  std::vector<std::string> shape_text;
};

llvm::Error makeError(const llvm::Twine &message);
/// A status of the runtime with its message, or success.
llvm::Error check(normrt_status status);

class Session {
public:
  /// Opens the device, loads the package (or compiles the source) and finds the entry.
  static llvm::Expected<Session> open(const Options &options);

  /// A source of one entry, compiled for the target that runs here, on the same device.
  llvm::Expected<Session> openSource(llvm::StringRef text) const;

  llvm::ArrayRef<Param> params() const { return parameters; }
  /// The index of the parameter of that name; an error lists those that there are.
  llvm::Expected<size_t> find(llvm::StringRef name) const;
  normrt_entry *entry() const { return chosen; }
  normrt_device *device() const { return openDevice.get(); }
  std::string entryName() const { return normrt_entry_name(chosen); }
  /// The source that the package carries, as MLIR bytecode; empty where it has none.
  llvm::StringRef source() const;
  /// The target in the package that runs here.
  std::string targetName() const;

private:
  Session() = default;
  llvm::Error load(const Options &options);
  llvm::Error loadBytes(llvm::StringRef bytes);
  llvm::Error choose(const std::string &name);
  llvm::Error readParams();

  template <auto release> struct Releaser {
    template <typename T> void operator()(T *handle) const { release(handle); }
  };
  std::unique_ptr<normrt_device, Releaser<normrt_device_release>> openDevice;
  std::unique_ptr<normrt_package, Releaser<normrt_package_release>> package;
  normrt_entry *chosen = nullptr;
  std::vector<Param> parameters;
};

} // namespace normc::run

#endif // NORMC_TOOLS_NORMRUN_SESSION_H
