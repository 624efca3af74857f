//===- main.cpp - norm-bench: times normalizations on a device --------------===//
#include "Options.h"
#include "Report.h"
#include "Run.h"
#include "Tune.h"

#include "llvm/Support/raw_ostream.h"

#include <chrono>

using llvm::Error;
using llvm::Expected;

namespace normc::bench {

/// The table, and what else was asked for of it.
static Error report(const Options &options, const Results &results) {
  printTable(llvm::outs(), results);
  if (!options.compare.empty()) {
    Expected<Results> older = load(options.compare);
    if (!older)
      return older.takeError();
    printComparison(llvm::outs(), results, *older);
  }
  return options.plot.empty() ? Error::success()
                              : writeFile(options.plot, plot(results));
}

static Error compileTo(const Options &options, const std::string &target,
                       llvm::StringRef folder) {
  Expected<std::vector<Cell>> cells = cellsOf(options.sweep);
  if (!cells)
    return cells.takeError();
  Expected<Normc> normc = Normc::find(options.normc, options.self);
  if (!normc)
    return normc.takeError();
  return compileCells(*normc, *cells, target, folder);
}

/// Times what is in a folder; writes as it goes what there is so far.
static Expected<ExitCode> measure(const Options &options, const Device &device,
                                  llvm::StringRef folder) {
  Expected<Compiled> compiled = readCompiled(folder);
  if (!compiled)
    return compiled.takeError();
  Results results;
  device.describe(results);
  results.target = compiled->target;
  results.compiler = compiled->compiler;
  using Clock = std::chrono::steady_clock;
  auto saved = Clock::now();
  auto saveNowAndThen = [&]() -> Error {
    const bool isLast = results.cells.size() == compiled->cells.size();
    if (options.json.empty() ||
        (!isLast && Clock::now() - saved < std::chrono::seconds(5)))
      return Error::success();
    saved = Clock::now();
    return save(options.json, results);
  };
  if (Error error = runCells(device, folder, compiled->cells, options.effort, results,
                             saveNowAndThen))
    return error;
  if (Error error = report(options, results))
    return error;
  for (const Measured &measured : results.cells)
    if (!measured.error.empty())
      return Failure;
  return Success;
}

static Expected<ExitCode> run(const Options &options) {
  if (options.compile_only) {
    if (Error error = compileOnly(options, compileTo))
      return error;
    return Success;
  }
  // What is missing or wrong is said before anything takes time.
  if (!options.compare.empty())
    if (Expected<Results> older = load(options.compare); !older)
      return older.takeError();
  Expected<Device> device = Device::open(options.device);
  if (!device)
    return device.takeError();
  if (!options.packages.empty())
    return measure(options, *device, options.packages);
  Expected<Folder> folder = Folder::temporary();
  if (!folder)
    return folder.takeError();
  if (Error error =
          compileTo(options, options.target.empty() ? device->target() : options.target,
                    folder->path()))
    return error;
  return measure(options, *device, folder->path());
}

static Expected<ExitCode> execute(const Options &options) {
  switch (options.command) {
  case Command::Run:
    return run(options);
  case Command::Tune:
    return tune(options);
  case Command::Report:
    break;
  }
  Expected<Results> results = load(options.file);
  if (!results)
    return results.takeError();
  if (Error error = report(options, *results))
    return error;
  return Success;
}

} // namespace normc::bench

int main(int argc, char **argv) {
  using namespace normc::bench;
  std::optional<Options> options = parseOptions(argc, argv);
  if (!options)
    return UsageError;
  Expected<ExitCode> code = execute(*options);
  if (code)
    return *code;
  llvm::outs().flush();
  llvm::errs() << "error: " << llvm::toString(code.takeError()) << "\n";
  return Failure;
}
