//===- Tune.cpp - Times the candidates of entries ---------------------------===//
#include "Tune.h"

#include "Choices.h"
#include "Programs.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace json = llvm::json;

namespace normc::bench {

/// What is compiled for where no device is asked: --target, or what --device names.
static Expected<std::string> targetWithoutDevice(const Options &options) {
  if (!options.target.empty())
    return options.target;
  StringRef device = options.device;
  if (device.starts_with("level_zero"))
    return makeError("expected --target, because what level_zero devices run is not "
                     "known before one is opened");
  return device.starts_with("cuda") ? "cuda:native" : "host";
}

/// The file that was named, or the programs of the sweep.
static Expected<std::vector<TuneSource>> sourcesOf(const Options &options) {
  std::vector<TuneSource> sources;
  if (!options.file.empty()) {
    Expected<std::string> text = readFile(options.file);
    if (!text)
      return text.takeError();
    std::vector<int64_t> rows = options.rows;
    if (rows.empty())
      rows.push_back(0);
    sources.push_back({llvm::sys::path::stem(options.file).str(), *text, rows});
    return sources;
  }
  Expected<std::vector<Cell>> cells = cellsOf(options.sweep);
  if (!cells)
    return cells.takeError();
  NamedList<TuneSource> programs;
  for (const Cell &cell : *cells) {
    TuneSource &source = programs[cell.program()];
    source.name = cell.program();
    source.text = sourceOf(cell);
    source.rows.push_back(cell.rows);
  }
  for (auto &[name, source] : programs)
    sources.push_back(std::move(source));
  return sources;
}

namespace {

/// The times of a choice's candidates on one number of rows.
struct Timed {
  int64_t rows = 0;
  /// By candidate, in seconds; 0 where it failed.
  std::vector<double> seconds;

  double fastest() const {
    double best = 0;
    for (double time : seconds)
      if (time > 0 && (best == 0 || time < best))
        best = time;
    return best;
  }
  /// By how much more than the fastest a candidate takes.
  double lossOf(size_t candidate) const { return seconds[candidate] / fastest() - 1; }
};

/// What the choices lose to the fastest of their candidates.
class Losses {
public:
  void add(double loss) {
    sum += std::log1p(loss);
    most = std::max(most, loss);
    ++count;
  }
  void print(llvm::raw_ostream &os) const {
    if (count > 0)
      os << llvm::format("the model's choices lose %.1f%% in the mean and %.1f%% at "
                         "most to the fastest that were measured, of %zu\n",
                         100 * std::expm1(sum / static_cast<double>(count)), 100 * most,
                         count);
  }

private:
  double sum = 0, most = 0;
  size_t count = 0;
};

} // namespace

static Expected<Timed> timeChoice(const Device &device, StringRef folder,
                                  const Choice &choice, int64_t rows,
                                  const measure::Effort &effort) {
  Timed timed{rows, {}};
  std::unique_ptr<measure::TensorSets> sets;
  for (const Candidate &candidate : choice.candidates) {
    auto package = device.load(packageOf(folder, candidate.program));
    if (!package)
      return package.takeError();
    auto entry = entryOf(package->get(), choice.entry);
    if (!entry)
      return entry.takeError();
    std::string error;
    if (!sets)
      sets = measure::TensorSets::make(device.get(), *entry,
                                       rows == 0 ? int64_t{-1} : rows, error);
    if (!sets)
      return makeError(choice.entry + ": " + error);
    auto times = sets->time(*entry, effort, error);
    if (!times)
      llvm::errs() << "not measured: " << candidate.decision << ": " << error << "\n";
    timed.seconds.push_back(times ? times->median_s : 0);
  }
  if (timed.fastest() == 0)
    return makeError("no candidate of " + choice.entry + " could be measured");
  return timed;
}

/// The candidates in the order of their times.
static void print(const Choice &choice, const Timed &timed) {
  llvm::outs() << choice.entry << " of " << choice.source;
  if (timed.rows != 0)
    llvm::outs() << ", " << timed.rows << " rows";
  llvm::outs() << "\n";
  std::vector<size_t> order;
  for (size_t i = 0; i < choice.candidates.size(); ++i)
    if (timed.seconds[i] > 0)
      order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return timed.seconds[a] < timed.seconds[b]; });
  for (size_t i : order)
    llvm::outs() << llvm::format("  %9.2f us %+6.1f%%  model %9.2f us  ",
                                 timed.seconds[i] * 1e6, 100 * timed.lossOf(i),
                                 choice.candidates[i].model_us)
                 << (i == 0 ? "the model's choice: " : "")
                 << choice.candidates[i].decision << "\n";
}

/// The candidate that loses least over all numbers of rows, in the geometric mean.
static size_t bestOf(const Choice &choice, llvm::ArrayRef<Timed> all) {
  size_t best = 0;
  double least = HUGE_VAL;
  for (size_t i = 0; i < choice.candidates.size(); ++i) {
    double sum = 0;
    for (const Timed &timed : all)
      sum += timed.seconds[i] > 0 ? std::log1p(timed.lossOf(i)) : HUGE_VAL;
    // A fission is no line of a table.
    if (sum < least && choice.candidates[i].strategy != "fission") {
      least = sum;
      best = i;
    }
  }
  return best;
}

static json::Object lineOf(const Device &device, const Choice &choice,
                           llvm::ArrayRef<Timed> all, size_t best) {
  json::Object line = tuningOf(choice, choice.candidates[best]);
  line["device"] = device.info().name;
  json::Array measured;
  for (const Timed &timed : all)
    measured.push_back(json::Object{{"rows", timed.rows},
                                    {"us", timed.seconds[best] * 1e6},
                                    {"model_choice_us", timed.seconds[0] * 1e6}});
  line["measured"] = std::move(measured);
  return line;
}

static void addResults(json::Array &results, const Choice &choice, const Timed &timed) {
  for (auto [candidate, seconds] : llvm::zip(choice.candidates, timed.seconds)) {
    json::Object object = tuningOf(choice, candidate);
    object["entry"] = choice.entry;
    object["source"] = choice.source;
    object["rows"] = timed.rows;
    object["decision"] = candidate.decision;
    object["model_us"] = candidate.model_us;
    object["model_choice"] = &candidate == &choice.candidates.front();
    if (seconds > 0)
      object["us"] = seconds * 1e6;
    results.push_back(std::move(object));
  }
}

static Error measureChoices(const Options &options, const Device &device,
                            StringRef folder) {
  Expected<Choices> choices = readChoices(folder);
  if (!choices)
    return choices.takeError();
  Losses losses;
  json::Array table, results;
  for (auto [index, choice] : llvm::enumerate(choices->list)) {
    std::vector<Timed> all;
    for (int64_t rows : choice.rows) {
      showProgress(index, choices->list.size(), "measuring " + choice.source);
      auto timed = timeChoice(device, folder, choice, rows, options.effort);
      if (!timed)
        return timed.takeError();
      print(choice, *timed);
      if (timed->seconds[0] > 0)
        losses.add(timed->lossOf(0));
      addResults(results, choice, *timed);
      all.push_back(std::move(*timed));
    }
    size_t best = bestOf(choice, all);
    if (choice.candidates[best].strategy != "fission")
      table.push_back(lineOf(device, choice, all, best));
  }
  losses.print(llvm::outs());
  if (!options.output.empty())
    if (Error error = writeJson(options.output, tableOf(std::move(table))))
      return error;
  if (options.json.empty())
    return Error::success();
  return writeJson(options.json, json::Object{{"norm_tune", 1},
                                              {"device", device.info().name},
                                              {"compiler", choices->compiler},
                                              {"measured", std::move(results)}});
}

static Error compileTo(const Options &options, const std::string &target,
                       StringRef folder) {
  Expected<Normc> normc = Normc::find(options.normc, options.self);
  if (!normc)
    return normc.takeError();
  Expected<std::vector<TuneSource>> sources = sourcesOf(options);
  if (!sources)
    return sources.takeError();
  return compileChoices(*normc, *sources, target, options.candidates, folder);
}

Error compileOnly(const Options &options, CompileTo compileTo) {
  Expected<std::string> target = targetWithoutDevice(options);
  if (!target)
    return target.takeError();
  Expected<Folder> folder = Folder::make(options.output);
  if (!folder)
    return folder.takeError();
  return compileTo(options, *target, folder->path());
}

Expected<ExitCode> tune(const Options &options) {
  if (options.compile_only) {
    if (Error error = compileOnly(options, compileTo))
      return error;
    return Success;
  }
  Expected<Device> device = Device::open(options.device);
  if (!device)
    return device.takeError();
  Expected<Folder> folder =
      options.packages.empty() ? Folder::temporary() : Folder::make(options.packages);
  if (!folder)
    return folder.takeError();
  if (options.packages.empty())
    if (Error error = compileTo(
            options, options.target.empty() ? device->target() : options.target,
            folder->path()))
      return error;
  if (Error error = measureChoices(options, *device, folder->path()))
    return error;
  return Success;
}

} // namespace normc::bench
