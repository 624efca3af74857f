//===- main.cpp - norm-run: runs an entry of a package ----------------------===//
#include "Bench.h"
#include "Options.h"
#include "Report.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <new>

using namespace normc::run;

/// On a terminal, says what takes its time, until something else is printed there.
static void showProgress(llvm::StringRef what) {
  if (llvm::sys::Process::StandardErrIsDisplayed())
    llvm::errs() << "\033[K" << what << "\r";
}

static llvm::Expected<ExitCode> execute(const Options &options) {
  showProgress("loading");
  llvm::Expected<Session> session = Session::open(options);
  if (!session)
    return session.takeError();
  showProgress("making the inputs");
  llvm::Expected<Buffers> buffers = makeBuffers(*session, options);
  if (!buffers)
    return buffers.takeError();
  llvm::Expected<Launcher> launcher = Launcher::make(*session, *buffers);
  if (!launcher)
    return launcher.takeError();
  Report report;
  showProgress(options.check ? "checking" : "running");
  if (options.check) {
    auto check = runChecked(*session, *buffers, *launcher);
    if (!check)
      return check.takeError();
    report.check = std::move(*check);
  } else {
    if (llvm::Error error = launcher->launch())
      return error;
    if (llvm::Error error = launcher->fetch())
      return error;
  }
  // What --check found wrong is worth keeping: outputs are written all the same.
  if (llvm::Error error = writeOutputs(*session, options, *buffers))
    return error;
  if (options.bench) {
    showProgress("measuring");
    auto bench = runBench(*session, *buffers, *launcher,
                          {options.bench_seconds, options.bench_repeats});
    if (!bench)
      return bench.takeError();
    report.bench = *bench;
  }
  showProgress("");
  print(*session, *buffers, report, options.json);
  return report.check && !report.check->pass() ? Failure : Success;
}

/// Tensors are as large as the user says; what does not fit is no fault of the program.
[[noreturn]] static void reportOutOfMemory() {
  llvm::errs()
      << "error: out of memory: expected tensors that fit into this machine's "
         "memory, because inputs, outputs and what checks them are held in it\n";
  _Exit(Failure);
}

int main(int argc, char **argv) {
  std::set_new_handler(reportOutOfMemory);
  std::optional<Options> options = parseOptions(argc, argv);
  if (!options)
    return UsageError;
  llvm::Expected<ExitCode> code = execute(*options);
  if (code)
    return *code;
  showProgress("");
  llvm::errs() << "error: " << llvm::toString(code.takeError()) << "\n";
  return Failure;
}
