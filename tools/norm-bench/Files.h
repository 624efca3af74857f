//===- Files.h - Files, folders and the compiler's process ------------------===//
#ifndef NORMC_TOOLS_NORMBENCH_FILES_H
#define NORMC_TOOLS_NORMBENCH_FILES_H

#include "Cells.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringRef.h"

#include <map>

namespace normc::bench {

/// Values by name, in the order in which they came.
template <typename T>
using NamedList = llvm::MapVector<std::string, T, std::map<std::string, unsigned>>;

/// Writes a file whole, or not at all.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef text);
llvm::Error writeJson(llvm::StringRef path, llvm::json::Value value);
llvm::Expected<std::string> readFile(llvm::StringRef path);
/// The JSON object in a file that has `key` at its top: the mark of its kind.
llvm::Expected<llvm::json::Object> readJson(llvm::StringRef path, llvm::StringRef key);

/// "FOLDER/NAME".
std::string in(llvm::StringRef folder, llvm::StringRef name);

/// A folder that is there: one of a name, or one of its own that goes in the end.
class Folder {
public:
  static llvm::Expected<Folder> make(llvm::StringRef path);
  static llvm::Expected<Folder> temporary();
  Folder(Folder &&other) noexcept;
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  ~Folder();

  llvm::StringRef path() const { return name; }

private:
  explicit Folder(std::string name, bool goes) : name(std::move(name)), goes(goes) {}
  std::string name;
  bool goes;
};

/// The compiler, as a program.
class Normc {
public:
  /// That of `path`, or if that is empty the one beside this program or in PATH.
  static llvm::Expected<Normc> find(llvm::StringRef path, const char *self);

  /// What it prints. Its errors are printed as they come.
  llvm::Expected<std::string> run(llvm::ArrayRef<llvm::StringRef> arguments) const;

private:
  explicit Normc(std::string program) : program(std::move(program)) {}
  std::string program;
};

/// Says on stderr how far the work is: "[3/15] what", one line on a terminal.
void showProgress(size_t done, size_t all, const llvm::Twine &what);

} // namespace normc::bench

#endif // NORMC_TOOLS_NORMBENCH_FILES_H
