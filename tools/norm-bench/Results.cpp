//===- Results.cpp - What was measured, and the file that keeps it ----------===//
#include "Results.h"

#include "Files.h"

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace json = llvm::json;

namespace normc::bench {

static constexpr StringRef kMark = "norm_bench";

static double percent(const Measured &measured, double of) {
  return of > 0 && measured.times.median_s > 0 ? 100 * measured.bytesPerSecond() / of
                                               : 0;
}
double Measured::percentOfCopy() const { return percent(*this, copy_bytes_per_s); }
double Measured::percentOfMover() const { return percent(*this, mover_bytes_per_s); }

static json::Object toJson(const Measured &measured) {
  json::Object object = toJson(measured.cell);
  if (!measured.error.empty()) {
    object["error"] = measured.error;
    return object;
  }
  object["us"] = measured.times.median_s * 1e6;
  object["min_us"] = measured.times.min_s * 1e6;
  object["launches"] = static_cast<int64_t>(measured.times.repeats);
  object["bytes"] = static_cast<int64_t>(measured.bytes);
  object["bytes_per_s"] = measured.bytesPerSecond();
  if (measured.copy_bytes_per_s > 0)
    object["copy_bytes_per_s"] = measured.copy_bytes_per_s;
  if (measured.mover_bytes_per_s > 0)
    object["mover_bytes_per_s"] = measured.mover_bytes_per_s;
  return object;
}

Error save(StringRef path, const Results &results) {
  json::Array cells;
  for (const Measured &measured : results.cells)
    cells.push_back(toJson(measured));
  return writeJson(path, json::Object{{kMark, 1},
                                      {"device", results.device},
                                      {"architecture", results.architecture},
                                      {"description", results.description},
                                      {"target", results.target},
                                      {"compiler", results.compiler},
                                      {"runtime", results.runtime},
                                      {"cells", std::move(cells)}});
}

static Expected<Measured> measuredOf(const json::Object &object) {
  Expected<Cell> cell = cellOf(object);
  if (!cell)
    return cell.takeError();
  Measured measured;
  measured.cell = *cell;
  if (auto error = object.getString("error")) {
    measured.error = error->str();
    return measured;
  }
  auto us = object.getNumber("us");
  auto bytes = object.getInteger("bytes");
  if (!us || *us <= 0 || !bytes || *bytes < 0)
    return makeError("expected us and bytes of " + cell->title() + ", but got none");
  measured.times.median_s = *us / 1e6;
  measured.times.min_s = object.getNumber("min_us").value_or(*us) / 1e6;
  measured.times.repeats =
      static_cast<size_t>(object.getInteger("launches").value_or(0));
  measured.bytes = static_cast<size_t>(*bytes);
  measured.copy_bytes_per_s = object.getNumber("copy_bytes_per_s").value_or(0);
  measured.mover_bytes_per_s = object.getNumber("mover_bytes_per_s").value_or(0);
  return measured;
}

Expected<Results> load(StringRef path) {
  Expected<json::Object> object = readJson(path, kMark);
  if (!object)
    return object.takeError();
  Results results;
  auto text = [&](StringRef key) { return object->getString(key).value_or("").str(); };
  results.device = text("device");
  results.architecture = text("architecture");
  results.description = text("description");
  results.target = text("target");
  results.compiler = text("compiler");
  results.runtime = text("runtime");
  const json::Array *cells = object->getArray("cells");
  if (!cells)
    return makeError("\"" + path + "\": expected a list of cells, but got none");
  for (const json::Value &value : *cells) {
    const json::Object *cell = value.getAsObject();
    Expected<Measured> measured =
        cell ? measuredOf(*cell) : makeError("a cell is none");
    if (!measured)
      return makeError("\"" + path + "\": " + llvm::toString(measured.takeError()));
    results.cells.push_back(std::move(*measured));
  }
  return results;
}

} // namespace normc::bench
