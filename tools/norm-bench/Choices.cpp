//===- Choices.cpp - Kernels to tune, and their candidates ------------------===//
#include "Choices.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace json = llvm::json;

namespace normc::bench {

static constexpr StringRef kMark = "norm_bench_candidates";

json::Object tuningOf(const Choice &choice, const Candidate &candidate) {
  return json::Object{{"target", choice.target},
                      {"kernel", choice.kernel},
                      {"facts", choice.facts},
                      {"strategy", candidate.strategy},
                      {"tiling", candidate.tiling}};
}

json::Object tableOf(json::Array tunings) {
  return json::Object{{"normc_tunings", 1}, {"tunings", std::move(tunings)}};
}

/// A string of an object, "" where there is none.
static std::string text(const json::Object &object, StringRef key) {
  return object.getString(key).value_or("").str();
}

/// What `normc explain --json` lists of one kernel in one variant.
static Choice choiceOf(const json::Object &object) {
  Choice choice;
  choice.entry = text(object, "entry");
  choice.kernel = text(object, "kernel");
  choice.target = text(object, "tuning_target");
  choice.facts = text(object, "facts");
  const json::Array *candidates = object.getArray("candidates");
  for (const json::Value &value : candidates ? *candidates : json::Array()) {
    const json::Object *one = value.getAsObject();
    const json::Array *kernels = one ? one->getArray("kernels") : nullptr;
    const json::Object *first =
        kernels && !kernels->empty() ? kernels->front().getAsObject() : nullptr;
    if (first)
      choice.candidates.push_back({text(*one, "decision"), text(*one, "strategy"),
                                   text(*first, "tiling"),
                                   one->getNumber("model_us").value_or(0), ""});
  }
  return choice;
}

/// The kernel of the first variant of the entry that takes so many rows.
static Expected<const json::Object *> find(const json::Array &listed, StringRef entry,
                                           int64_t rows) {
  const json::Object *found = nullptr;
  for (const json::Value &value : listed) {
    const json::Object *object = value.getAsObject();
    if (!object || object->getString("entry") != entry)
      continue;
    auto most = object->getInteger("max_rows");
    if (most && rows > *most)
      continue;
    if (!found) {
      found = object;
      continue;
    }
    if (object->getInteger("variant") != found->getInteger("variant"))
      break;
    return makeError("expected one kernel in \"" + entry +
                     "\", because its time is compared, but got more");
  }
  if (!found)
    return makeError("expected \"" + entry + "\" to have a kernel for " +
                     llvm::Twine(rows) + " rows, but got none");
  return found;
}

/// The kernels of a source that its numbers of rows take, each once.
static Expected<std::vector<Choice>> choicesOf(const TuneSource &source,
                                               const json::Array &listed) {
  std::vector<Choice> choices;
  llvm::StringMap<size_t> seen;
  std::vector<std::string> entries;
  for (const json::Value &value : listed)
    if (const json::Object *object = value.getAsObject())
      if (seen.try_emplace(text(*object, "entry"), 0).second)
        entries.push_back(text(*object, "entry"));
  for (const std::string &entry : entries) {
    const size_t begin = choices.size();
    for (int64_t rows : source.rows) {
      auto found = find(listed, entry, rows);
      if (!found)
        return found.takeError();
      Choice choice = choiceOf(**found);
      choice.source = source.name;
      auto same = std::find_if(
          choices.begin() + static_cast<ptrdiff_t>(begin), choices.end(),
          [&](const Choice &other) { return other.facts == choice.facts; });
      if (same == choices.end())
        same = choices.insert(choices.end(), std::move(choice));
      same->rows.push_back(rows);
    }
  }
  if (choices.empty())
    return makeError("expected entries of " + source.name +
                     " whose tilings are free to choose, because those are measured, "
                     "but got none");
  return choices;
}

/// Compiles a candidate, which becomes part of the choice unless another has its code.
static Error compileCandidate(const Normc &normc, const TuneSource &source,
                              StringRef target, StringRef folder, Choice &choice,
                              Candidate candidate, llvm::StringMap<bool> &codes) {
  const bool isFirst = choice.candidates.empty();
  if (!isFirst && candidate.strategy == "fission")
    return Error::success();
  const std::string file = in(folder, source.name + ".mlir"),
                    table = in(folder, "candidate.json"),
                    package = packageOf(folder, candidate.program);
  std::vector<std::string> words = {
      "compile", file, "--no-source", "--target=" + target.str(), "-o", package};
  // The model's own choice is what is compiled without a table.
  llvm::FileRemover remover(table);
  if (!isFirst) {
    if (Error error =
            writeJson(table, tableOf(json::Array{tuningOf(choice, candidate)})))
      return error;
    words.push_back("--tunings=" + table);
  }
  Expected<std::string> done =
      normc.run(std::vector<StringRef>(words.begin(), words.end()));
  if (!done) {
    if (isFirst)
      return done.takeError();
    llvm::errs() << "left out: " << candidate.decision << ": "
                 << llvm::toString(done.takeError()) << "\n";
    return Error::success();
  }
  Expected<std::string> code = readFile(package);
  if (!code)
    return code.takeError();
  if (!codes.try_emplace(*code, true).second) {
    llvm::FileRemover remover(package);
    return Error::success();
  }
  choice.candidates.push_back(std::move(candidate));
  return Error::success();
}

static json::Object toJson(const Choice &choice) {
  json::Array candidates;
  for (const Candidate &candidate : choice.candidates) {
    json::Object object = tuningOf(choice, candidate);
    object["decision"] = candidate.decision;
    object["model_us"] = candidate.model_us;
    object["program"] = candidate.program;
    candidates.push_back(std::move(object));
  }
  return json::Object{{"source", choice.source},
                      {"entry", choice.entry},
                      {"target", choice.target},
                      {"facts", choice.facts},
                      {"kernel", choice.kernel},
                      {"rows", json::Array(choice.rows)},
                      {"candidates", std::move(candidates)}};
}

Error compileChoices(const Normc &normc, llvm::ArrayRef<TuneSource> sources,
                     StringRef target, unsigned candidates, StringRef folder) {
  json::Array all;
  for (auto [index, source] : llvm::enumerate(sources)) {
    const std::string file = in(folder, source.name + ".mlir");
    if (Error error = writeFile(file, source.text))
      return error;
    Expected<std::string> listed =
        normc.run({"explain", file, "--target=" + target.str(), "--json",
                   "--candidates=" + std::to_string(candidates)});
    if (!listed)
      return listed.takeError();
    Expected<json::Value> value = json::parse(*listed);
    if (!value)
      return value.takeError();
    auto choices =
        choicesOf(source, value->getAsArray() ? *value->getAsArray() : json::Array());
    if (!choices)
      return choices.takeError();
    for (Choice &choice : *choices) {
      showProgress(index, sources.size(),
                   "compiling candidates of " + choice.entry + " in " + source.name);
      llvm::StringMap<bool> codes;
      std::vector<Candidate> ranked = std::move(choice.candidates);
      choice.candidates.clear();
      for (auto [number, candidate] : llvm::enumerate(ranked)) {
        candidate.program = source.name + "_" + std::to_string(all.size()) + "_" +
                            std::to_string(number);
        if (Error error = compileCandidate(normc, source, target, folder, choice,
                                           candidate, codes))
          return error;
      }
      all.push_back(toJson(choice));
    }
  }
  showProgress(sources.size(), sources.size(), "compiled");
  return writeJson(in(folder, "candidates.json"),
                   json::Object{{kMark, 1},
                                {"compiler", "normc " NORMC_VERSION},
                                {"choices", std::move(all)}});
}

static Expected<Choice> savedChoice(const json::Object &object) {
  Choice choice;
  choice.source = text(object, "source");
  choice.entry = text(object, "entry");
  choice.target = text(object, "target");
  choice.facts = text(object, "facts");
  choice.kernel = text(object, "kernel");
  const json::Array *rows = object.getArray("rows"),
                    *candidates = object.getArray("candidates");
  for (const json::Value &value : rows ? *rows : json::Array())
    choice.rows.push_back(value.getAsInteger().value_or(0));
  for (const json::Value &value : candidates ? *candidates : json::Array())
    if (const json::Object *one = value.getAsObject())
      choice.candidates.push_back(
          {text(*one, "decision"), text(*one, "strategy"), text(*one, "tiling"),
           one->getNumber("model_us").value_or(0), text(*one, "program")});
  if (choice.rows.empty() || choice.candidates.empty())
    return makeError("expected rows and candidates of \"" + choice.entry +
                     "\", but got none");
  return choice;
}

Expected<Choices> readChoices(StringRef folder) {
  std::string path = in(folder, "candidates.json");
  Expected<json::Object> object = readJson(path, kMark);
  if (!object)
    return object.takeError();
  Choices choices;
  choices.compiler = text(*object, "compiler");
  const json::Array *list = object->getArray("choices");
  for (const json::Value &value : list ? *list : json::Array()) {
    const json::Object *one = value.getAsObject();
    Expected<Choice> choice = one ? savedChoice(*one) : makeError("a choice is none");
    if (!choice)
      return makeError("\"" + path + "\": " + llvm::toString(choice.takeError()));
    choices.list.push_back(std::move(*choice));
  }
  return choices;
}

} // namespace normc::bench
