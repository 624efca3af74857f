//===- Numerics.cpp - norm-device-numerics: the cases of normc-numerics -----===//
//
// On a device, with packages that `normc-numerics --record` made elsewhere: linked
// without the compiler, and with all of LLVM and MLIR that the cases and the reference
// take. The options are those of normc-numerics, and must be those that the packages
// were made with.
//
//===----------------------------------------------------------------------===//
#include "Processes.h"

#include "test/numerics/Options.h"

#include "llvm/Support/CommandLine.h"

#include <cstdio>

namespace normc::device {
namespace {

using numerics::Bench;
using numerics::Cases;
using numerics::Worker;

/// In a process that was started.
int runCases(const numerics::Options &options, const Cases &cases,
             const std::vector<std::string> &names, Share share) {
  Archive archive;
  std::string error = archive.read(options.packages);
  const std::string &name = options.settings.device;
  normrt_device *device = nullptr;
  if (error.empty())
    error = test::statusText(normrt_device_open(name.c_str(), &device));
  const numerics::DeviceHandle held(device);
  if (!error.empty()) {
    sayError(error);
    return 1;
  }
  auto packages = numerics::storedPackages(std::move(archive));
  Worker worker(options.settings.targets.front(), name, *packages);
  return runShare(names, share, [&](size_t i) {
    const int64_t before = worker.counts.launches;
    Bench bench(worker, cases[i].name, options.keep);
    cases[i].body(bench);
    Outcome outcome{.failure = bench.failures().empty() ? "" : bench.failures().front(),
                    .notes = bench.notes()};
    if (bench.failures().size() > 1)
      outcome.failure +=
          " and " + std::to_string(bench.failures().size() - 1) + " more";
    outcome.lost = worker.lost();
    outcome.launches = worker.counts.launches - before;
    return outcome;
  });
}

} // namespace
} // namespace normc::device

int main(int argc, char **argv) {
  using namespace normc::device;
  namespace cl = llvm::cl;
  static cl::opt<int64_t> first("first", cl::init(-1), cl::Hidden);
  static cl::opt<int64_t> step("step", cl::init(1), cl::Hidden);
  const auto options = normc::numerics::parseOptions(argc, argv);
  if (options.packages.empty()) {
    std::fputs("error: expected --packages, because there is no compiler here\n",
               stderr);
    return 2;
  }
  const normc::numerics::Selection selection = normc::numerics::select(options);
  std::vector<std::string> names;
  for (const auto &one : selection.cases)
    names.push_back(one.name);
  if (first >= 0)
    return runCases(options, selection.cases, names,
                    {first, std::max<int64_t>(step, 1)});
  std::printf("%zu cases of normc-numerics on %s in %d processes\n", names.size(),
              options.settings.device.c_str(), options.threads);
  std::printf(
      "    left out: large/, faults/ and strides of gigabytes, which are the host's; "
      "large/ of the kernels' cases has more rows\n");
  if (selection.withF64 > 0)
    std::printf("    left out: %lld cases with f64, which the target has not\n",
                static_cast<long long>(selection.withF64));
  std::fflush(stdout);
  return runInProcesses(names, {argv + 1, argv + argc},
                        static_cast<unsigned>(options.threads));
}
