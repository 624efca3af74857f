//===- Tunings.cpp - A table of decisions that were measured ----------------===//
#include "normc/Tunings/Tunings.h"

#include "dialects/row/Row.h"
#include "normc/Schedule/Tuned.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace normc;
namespace json = llvm::json;

static constexpr StringLiteral kMark = "normc_tunings";

std::optional<Tunings::Line> Tunings::readLine(const json::Object *tuning,
                                               MLIRContext *context,
                                               std::string &error) {
  auto text = [&](StringRef key) -> StringRef {
    std::optional<StringRef> found = tuning ? tuning->getString(key) : std::nullopt;
    if (!found)
      error = ("expected a text \"" + key + "\", but got none").str();
    return found.value_or("");
  };
  Line line;
  line.target = text("target").str();
  line.facts = text("facts").str();
  const StringRef strategy = text("strategy"), tiling = text("tiling");
  if (!error.empty())
    return std::nullopt;
  auto parsed = schedule::parseStrategy({strategy.data(), strategy.size()});
  if (!parsed) {
    error = ("expected strategy rows, direct, partials or cluster, but got \"" +
             strategy + "\"")
                .str();
    return std::nullopt;
  }
  // What is wrong with it in detail is a diagnostic of the parser.
  auto attribute = dyn_cast_or_null<row::TilingAttr>(parseAttribute(tiling, context));
  if (!attribute) {
    error = ("expected a tiling as #row.tiling<...>, but got \"" + tiling + "\"").str();
    return std::nullopt;
  }
  line.strategy = *parsed;
  line.tiling = attribute.getValue();
  return line;
}

LogicalResult Tunings::read(StringRef file, MLIRContext *context) {
  path = file.str();
  lines.clear();
  if (path.empty())
    return success();
  auto fail = [&](const Twine &what) -> LogicalResult {
    return emitError(UnknownLoc::get(context))
           << "table of tunings \"" << path << "\": " << what.str();
  };
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (std::error_code code = buffer.getError())
    return fail("cannot be read: " + code.message());
  llvm::Expected<json::Value> value = json::parse((*buffer)->getBuffer());
  if (!value)
    return fail(llvm::toString(value.takeError()));
  const json::Object *object = value->getAsObject();
  std::optional<int64_t> version = object ? object->getInteger(kMark) : std::nullopt;
  if (version != 1)
    return fail("expected \"normc_tunings\": 1, but got " +
                (version ? std::to_string(*version) : "none"));
  const json::Array *tunings = object->getArray("tunings");
  if (!tunings || tunings->empty())
    return fail("expected a list \"tunings\" of one or more, but got none");
  for (auto [index, each] : llvm::enumerate(*tunings)) {
    std::string error;
    std::optional<Line> line = readLine(each.getAsObject(), context, error);
    if (!line)
      return fail("tuning " + Twine(index) + ": " + error);
    lines.push_back(std::move(*line));
  }
  return success();
}

std::optional<schedule::Decision>
Tunings::find(const schedule::KernelFacts &kernel, const schedule::TargetFacts &target,
              std::string &error, std::optional<schedule::Strategy> strategy) const {
  if (empty())
    return std::nullopt;
  const Line *found = nullptr;
  const std::string name = schedule::tuningTarget(target),
                    key = schedule::factsKey(kernel, target);
  bool anyOfTarget = false;
  for (const Line &line : lines) {
    if (line.target != name)
      continue;
    anyOfTarget = true;
    if (line.facts == key && (!strategy || line.strategy == *strategy)) {
      found = &line;
      break;
    }
  }
  const std::string prefix = "the table of tunings \"" + path + "\": ";
  if (!anyOfTarget)
    error = prefix + "expected tunings for " + name +
            ", because that is what is compiled for, but got some for " +
            lines.front().target;
  if (!found)
    return std::nullopt;
  std::string reason;
  auto decision =
      schedule::tunedDecision(kernel, target, found->strategy, found->tiling, reason);
  if (!decision) {
    error = prefix + reason;
    return std::nullopt;
  }
  decision->bound = "from a tuning table, \"" + path + "\"";
  return decision;
}
