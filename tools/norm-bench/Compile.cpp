//===- Compile.cpp - Packages of what is measured ---------------------------===//
#include "Compile.h"

#include "Programs.h"

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace json = llvm::json;

namespace normc::bench {

static constexpr StringRef kMark = "norm_bench_packages";

std::string packageOf(StringRef folder, StringRef name) {
  return in(folder, (name + ".nrmk").str());
}

Error compileSource(const Normc &normc, StringRef source, StringRef target,
                    StringRef folder, StringRef name) {
  std::string file = in(folder, (name + ".mlir").str());
  if (Error error = writeFile(file, source))
    return error;
  Expected<std::string> done =
      normc.run({"compile", file, "--no-source", "--target=" + target.str(), "-o",
                 packageOf(folder, name)});
  return done ? Error::success() : done.takeError();
}

Error compileCells(const Normc &normc, llvm::ArrayRef<Cell> cells, StringRef target,
                   StringRef folder) {
  NamedList<std::string> sources;
  for (const Cell &cell : cells) {
    sources[cell.program()] = sourceOf(cell);
    sources[moverName(cell)] = moverOf(cell);
  }
  sources[kCopyName] = copySource();
  size_t done = 0;
  for (const auto &[name, source] : sources) {
    showProgress(++done, sources.size(), "compiling " + name);
    if (Error error = compileSource(normc, source, target, folder, name))
      return error;
  }
  json::Array list;
  for (const Cell &cell : cells)
    list.push_back(toJson(cell));
  return writeJson(in(folder, "cells.json"),
                   json::Object{{kMark, 1},
                                {"target", target},
                                {"compiler", "normc " NORMC_VERSION},
                                {"cells", std::move(list)}});
}

Expected<Compiled> readCompiled(StringRef folder) {
  std::string path = in(folder, "cells.json");
  Expected<json::Object> object = readJson(path, kMark);
  if (!object)
    return object.takeError();
  Compiled compiled;
  compiled.target = object->getString("target").value_or("").str();
  compiled.compiler = object->getString("compiler").value_or("").str();
  const json::Array *cells = object->getArray("cells");
  for (const json::Value &value : cells ? *cells : json::Array()) {
    const json::Object *cell = value.getAsObject();
    Expected<Cell> parsed = cell ? cellOf(*cell) : makeError("a cell is no object");
    if (!parsed)
      return makeError("\"" + path + "\": " + llvm::toString(parsed.takeError()));
    compiled.cells.push_back(std::move(*parsed));
  }
  if (compiled.cells.empty())
    return makeError("\"" + path + "\": expected cells, but got none");
  return compiled;
}

} // namespace normc::bench
