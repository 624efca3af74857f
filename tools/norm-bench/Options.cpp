//===- Options.cpp - What norm-bench was asked to do ------------------------===//
#include "Options.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace normc::bench {

static cl::OptionCategory category("norm-bench options");
static cl::SubCommand tuneCommand("tune", "Time the candidates of entries, beside what "
                                          "the model chooses");
static cl::SubCommand reportCommand("report", "Print what was measured before");

// What runs and what tunes measure, and how.
#define NORMC_MEASURED                                                                 \
  cl::cat(category), cl::sub(cl::SubCommand::getTopLevel()), cl::sub(tuneCommand)
#define NORMC_REPORTED                                                                 \
  cl::cat(category), cl::sub(cl::SubCommand::getTopLevel()), cl::sub(reportCommand)

static cl::opt<std::string>
    device("device", NORMC_MEASURED, cl::init("host"), cl::value_desc("name"),
           cl::desc("Where to measure: host, host:N for N threads, cuda:N or "
                    "level_zero:N (default: host)"));
static cl::opt<std::string>
    target("target", NORMC_MEASURED, cl::value_desc("name"),
           cl::desc("What to compile for, as listed by `normc targets` (default: what "
                    "the device runs)"));
static cl::opt<std::string>
    normc("normc", NORMC_MEASURED, cl::value_desc("path"),
          cl::desc("The compiler (default: normc beside this program, or in PATH)"));
static cl::list<std::string>
    ops("ops", NORMC_MEASURED, cl::CommaSeparated, cl::value_desc("op,..."),
        cl::desc("layer_norm, rms_norm, dyt, softmax (default: the first three)"));
static cl::list<std::string> directions("directions", NORMC_MEASURED,
                                        cl::CommaSeparated,
                                        cl::value_desc("direction,..."),
                                        cl::desc("forward, backward (default: both)"));
static cl::list<std::string> types("types", NORMC_MEASURED, cl::CommaSeparated,
                                   cl::value_desc("type,..."),
                                   cl::desc("f16, bf16, f32, f64 (default: bf16)"));
static cl::list<std::string>
    shapes("shapes", NORMC_MEASURED, cl::CommaSeparated, cl::value_desc("RxC,..."),
           cl::desc("Rows and columns (default: 15 shapes from 401408x24 to "
                    "1024x65536, and small ones)"));
static cl::list<std::string>
    statistics("statistics", NORMC_MEASURED, cl::CommaSeparated,
               cl::value_desc("with|without,..."),
               cl::desc("Forwards with and without mean and rstd (default: with)"));
static cl::opt<double> seconds("seconds", NORMC_MEASURED, cl::init(0.1),
                               cl::value_desc("s"),
                               cl::desc("How long to measure each (default: 0.1)"));
static cl::opt<int64_t> repeats("repeat", NORMC_MEASURED, cl::init(0),
                                cl::value_desc("n"),
                                cl::desc("How often to measure, instead of a time"));
static cl::opt<bool> compileOnly("compile-only", NORMC_MEASURED,
                                 cl::desc("Compile into the folder -o and measure "
                                          "nothing"));
static cl::opt<std::string>
    packages("packages", NORMC_MEASURED, cl::value_desc("folder"),
             cl::desc("Measure what --compile-only put there; needs no compiler"));
static cl::opt<std::string>
    output("o", NORMC_MEASURED, cl::value_desc("path"),
           cl::desc("The folder of --compile-only; of tune otherwise the table"));
static cl::opt<std::string> jsonFile("json", NORMC_MEASURED, cl::value_desc("file"),
                                     cl::desc("Write all figures to a file"));
static cl::opt<std::string>
    plotFile("plot", NORMC_REPORTED, cl::value_desc("file.svg"),
             cl::desc("Draw the percents of the copy bandwidth"));
static cl::opt<std::string>
    compareFile("compare", NORMC_REPORTED, cl::value_desc("old.json"),
                cl::desc("Compare with what --json wrote in an older run"));
static cl::opt<std::string> tuned(cl::Positional, cl::cat(category),
                                  cl::sub(tuneCommand), cl::desc("[source]"));
static cl::list<int64_t>
    rows("rows", cl::cat(category), cl::sub(tuneCommand), cl::CommaSeparated,
         cl::value_desc("n,..."),
         cl::desc("Rows to measure a source's entries on where theirs are dynamic"));
static cl::opt<unsigned> candidates(
    "candidates", cl::cat(category), cl::sub(tuneCommand), cl::init(8),
    cl::value_desc("n"),
    cl::desc("Candidates of each kernel, the chosen one first (default: 8)"));
static cl::opt<std::string> reported(cl::Positional, cl::Required, cl::cat(category),
                                     cl::sub(reportCommand), cl::desc("<results>"));

static void printVersion(raw_ostream &os) {
  os << "norm-bench " << NORMC_VERSION << " (LLVM " << LLVM_VERSION_STRING << ")\n";
}

static void take(const cl::list<std::string> &list, std::vector<std::string> &words) {
  if (list.getNumOccurrences())
    words.assign(list.begin(), list.end());
}

/// What does not go together, or "".
static std::string conflict(const Options &options) {
  if (!(options.effort.seconds > 0) || options.effort.seconds > 3600)
    return "expected --seconds to be more than 0 and at most 3600";
  if (repeats.getNumOccurrences() && (repeats < 1 || repeats > 1000000))
    return "expected --repeat to be from 1 to 1000000, but got " +
           std::to_string(repeats);
  if (options.compile_only && !options.packages.empty())
    return "expected --compile-only or --packages, because the one makes what the "
           "other takes, but got both";
  if (options.compile_only && options.output.empty())
    return "expected -o FOLDER, because --compile-only puts packages there";
  if (options.command == Command::Run && !options.compile_only &&
      !options.output.empty())
    return "expected -o beside --compile-only alone, because results go to --json, but "
           "got \"" +
           options.output + "\"";
  for (int64_t count : options.rows)
    if (count < 1)
      return "expected --rows to be at least 1, but got " + std::to_string(count);
  if (options.candidates < 1)
    return "expected --candidates to be at least 1, because the chosen one is "
           "measured, but got 0";
  return "";
}

std::optional<Options> parseOptions(int argc, char **argv) {
  cl::SetVersionPrinter(printVersion);
  cl::HideUnrelatedOptions(category);
  if (!cl::ParseCommandLineOptions(
          argc, argv, "norm-bench: times normalizations on a device\n", &errs()))
    return std::nullopt;
  Options options;
  options.self = argv[0];
  options.command = tuneCommand     ? Command::Tune
                    : reportCommand ? Command::Report
                                    : Command::Run;
  options.file = options.command == Command::Report ? reported : tuned;
  options.device = device;
  options.target = target;
  options.normc = normc;
  take(ops, options.sweep.ops);
  take(directions, options.sweep.directions);
  take(types, options.sweep.types);
  take(shapes, options.sweep.shapes);
  take(statistics, options.sweep.statistics);
  options.effort = {seconds, repeats};
  options.json = jsonFile;
  options.plot = plotFile;
  options.compare = compareFile;
  options.output = output;
  options.packages = packages;
  options.compile_only = compileOnly;
  options.rows.assign(rows.begin(), rows.end());
  options.candidates = candidates;
  if (std::string wrong = conflict(options); !wrong.empty()) {
    errs() << "error: " << wrong << "\n";
    return std::nullopt;
  }
  return options;
}

} // namespace normc::bench
