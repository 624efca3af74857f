//===- Files.cpp - Files, folders and the compiler's process ----------------===//
#include "Files.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <utility>

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace json = llvm::json;

namespace normc::bench {

Error writeFile(StringRef path, StringRef text) {
  if (Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
        os << text;
        return Error::success();
      }))
    return makeError("cannot write \"" + path +
                     "\": " + llvm::toString(std::move(error)));
  return Error::success();
}

Error writeJson(StringRef path, json::Value value) {
  return writeFile(path, llvm::formatv("{0:1}\n", value).str());
}

Expected<std::string> readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (std::error_code code = buffer.getError())
    return makeError("cannot read \"" + path + "\": " + code.message());
  return (*buffer)->getBuffer().str();
}

Expected<json::Object> readJson(StringRef path, StringRef key) {
  Expected<std::string> text = readFile(path);
  if (!text)
    return text.takeError();
  Expected<json::Value> value = json::parse(*text);
  if (!value)
    return makeError("\"" + path + "\": " + llvm::toString(value.takeError()));
  json::Object *object = value->getAsObject();
  std::optional<int64_t> version = object ? object->getInteger(key) : std::nullopt;
  if (version != 1)
    return makeError("\"" + path + "\": expected \"" + key + "\": 1, but got " +
                     (version ? std::to_string(*version) : "none"));
  return std::move(*object);
}

std::string in(StringRef folder, StringRef name) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

Expected<Folder> Folder::make(StringRef path) {
  if (std::error_code code = fs::create_directories(path))
    return makeError("cannot make the folder \"" + path + "\": " + code.message());
  return Folder(path.str(), /*goes=*/false);
}

Expected<Folder> Folder::temporary() {
  llvm::SmallString<128> path;
  if (std::error_code code = fs::createUniqueDirectory("norm-bench", path))
    return makeError("cannot make a folder for what is compiled: " + code.message());
  return Folder(path.str().str(), /*goes=*/true);
}

Folder::Folder(Folder &&other) noexcept
    : name(std::move(other.name)), goes(std::exchange(other.goes, false)) {}

Folder::~Folder() {
  if (!goes)
    return;
  if (std::error_code code = fs::remove_directories(name))
    llvm::errs() << "cannot remove \"" << name << "\": " << code.message() << "\n";
}

Expected<Normc> Normc::find(StringRef path, const char *self) {
  if (!path.empty())
    return fs::can_execute(path) ? Expected<Normc>(Normc(path.str()))
                                 : makeError("expected --normc to be a program, but "
                                             "got \"" +
                                             path + "\"");
  static int here;
  const std::string program = fs::getMainExecutable(self, &here);
  std::string beside = in(llvm::sys::path::parent_path(program), "normc");
  if (fs::can_execute(beside))
    return Normc(beside);
  auto found = llvm::sys::findProgramByName("normc");
  if (!found)
    return makeError("expected normc beside norm-bench or in PATH, because it compiles "
                     "what is measured, but found none; --normc names it, and "
                     "--packages takes what was compiled before");
  return Normc(*found);
}

Expected<std::string> Normc::run(llvm::ArrayRef<StringRef> arguments) const {
  llvm::SmallString<128> output;
  if (std::error_code code = fs::createTemporaryFile("norm-bench", "out", output))
    return makeError("cannot make a temporary file: " + code.message());
  llvm::FileRemover remover(output);
  llvm::SmallVector<StringRef> words = {program};
  llvm::append_range(words, arguments);
  std::string message;
  int code = llvm::sys::ExecuteAndWait(program, words, std::nullopt,
                                       {StringRef(""), output.str(), std::nullopt}, 0,
                                       0, &message);
  if (code != 0)
    return makeError("`" + llvm::join(words, " ") + "` failed" +
                     (message.empty() ? "" : ": " + message));
  return readFile(output);
}

void showProgress(size_t done, size_t all, const llvm::Twine &what) {
  const bool line = llvm::sys::Process::StandardErrIsDisplayed();
  llvm::errs() << (line ? "\033[K" : "") << "[" << done << "/" << all << "] " << what
               << (line && done != all ? "\r" : "\n");
}

} // namespace normc::bench
