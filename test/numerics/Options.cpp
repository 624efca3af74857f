//===- Options.cpp - The command line of normc-numerics ---------------------===//
#include "Options.h"

#include "normc/Schedule/Facts.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/xxhash.h"
#include "llvm/TargetParser/Host.h"

#include <cstdlib>
#include <ctime>
#include <thread>

namespace cl = llvm::cl;

namespace normc::numerics {

/// The host targets whose instructions this processor has, the best one first.
static std::vector<std::string> runnableTargets() {
  std::vector<std::string> targets;
  auto features = llvm::sys::getHostCPUFeatures();
  if (features.lookup("avx512f") && features.lookup("avx512bw") &&
      features.lookup("avx512cd") && features.lookup("avx512dq") &&
      features.lookup("avx512vl"))
    targets.emplace_back("host:x86-64-v4");
  targets.emplace_back("host:x86-64-v3");
  std::string error;
  std::erase_if(targets, [&](const std::string &target) {
    return !schedule::lookupTarget(target, error);
  });
  return targets;
}

[[noreturn]] static void reject(const std::string &message) {
  llvm::errs() << "error: " << message << "\n";
  std::exit(2);
}

static void parseShard(const std::string &text, Options &options) {
  long long shard = 0, shards = 0;
  if (std::sscanf(text.c_str(), "%lld/%lld", &shard, &shards) != 2 || shard < 0 ||
      shard >= shards)
    reject("expected --shard=I/N with 0 <= I < N, but got \"" + text + "\"");
  options.shard = static_cast<uint64_t>(shard);
  options.shards = static_cast<uint64_t>(shards);
}

Options parseOptions(int argc, char **argv) {
  // The parser keeps pointers to them, which the linker walks over later.
  static cl::OptionCategory category("normc-numerics options");
  auto cores = std::max(1u, std::thread::hardware_concurrency());
  static cl::opt<std::string> filter("filter", cl::cat(category),
                                     cl::value_desc("text"),
                                     cl::desc("Only cases whose name contains it"));
  static cl::opt<uint64_t> seed(
      "seed", cl::cat(category), cl::value_desc("n"),
      cl::desc("Of the random sample; without it another one each run"));
  static cl::opt<int64_t> samples("samples", cl::init(400), cl::cat(category),
                                  cl::value_desc("n"),
                                  cl::desc("Cases of the random sample"));
  static cl::opt<std::string> target(
      "target", cl::cat(category), cl::value_desc("name"),
      cl::desc("What is compiled for; without it the best that this processor runs"));
  static cl::opt<std::string> device(
      "device", cl::cat(category), cl::value_desc("name"),
      cl::desc("What is launched on, as for normrt_device_open (default: the host), "
               "with a target for it"));
  static cl::opt<bool> selection(
      "selection", cl::cat(category),
      cl::desc("Types in pairs, each size, layout and input once, two tilings"));
  static cl::opt<unsigned> threads("jobs", cl::init(cores), cl::cat(category),
                                   cl::value_desc("n"),
                                   cl::desc("Cases at the same time"));
  static cl::opt<std::string> shard("shard", cl::init("0/1"), cl::cat(category),
                                    cl::value_desc("i/n"),
                                    cl::desc("A part of the cases"));
  static cl::opt<std::string> keep(
      "keep", cl::cat(category), cl::value_desc("folder"),
      cl::desc("Where programs and inputs of failures are written, with a norm-run "
               "command that repeats each"));
  static cl::opt<std::string> packages(
      "packages", cl::cat(category), cl::value_desc("archive"),
      cl::desc("Programs that were compiled before, by --record"));
  static cl::opt<std::string> record(
      "record", cl::cat(category), cl::value_desc("archive"),
      cl::desc("Only compile the cases' programs, for another run with the same "
               "seed, samples and target"));
  static cl::opt<std::string> ptxas("ptxas", cl::cat(category), cl::value_desc("path"),
                                    cl::desc("For CUDA targets: the ptxas, or off"));
  static cl::opt<bool> list("list", cl::cat(category),
                            cl::desc("Print the names of cases"));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "normc-numerics: every op on the host against the "
                              "float64 reference\n");

  Options options;
  options.settings.seed =
      seed.getNumOccurrences() ? seed : static_cast<uint64_t>(std::time(nullptr));
  options.settings.samples = samples;
  options.settings.targets = runnableTargets();
  if (!target.empty()) {
    std::string error;
    auto facts = schedule::lookupTarget(target.getValue(), error);
    if (!facts)
      reject(error);
    options.settings.targets = {target};
    options.settings.has_f64 = facts->has_f64;
  }
  if (!device.empty() && target.empty())
    reject("expected --target with --device, because only the host's are known here");
  options.settings.device = device;
  options.settings.selection = selection;
  options.filter = filter;
  options.keep = keep;
  options.threads = static_cast<int>(std::max(1u, threads.getValue()));
  options.list = list;
  options.packages = packages;
  options.record = record;
  options.ptxas = ptxas;
  parseShard(shard, options);
  return options;
}

Selection select(const Options &options) {
  Selection selection;
  for (Case &one : allCases(options.settings)) {
    // Neighbors are alike in cost by twos and fours; the hashes of their names are not.
    bool inShard = llvm::xxh3_64bits(one.name) % options.shards == options.shard;
    bool wanted = one.name.find(options.filter) != std::string::npos;
    bool runs = options.settings.has_f64 || one.name.find("f64") == std::string::npos;
    selection.withF64 += inShard && wanted && !runs;
    if (inShard && wanted && runs)
      selection.cases.push_back(std::move(one));
  }
  return selection;
}

} // namespace normc::numerics
