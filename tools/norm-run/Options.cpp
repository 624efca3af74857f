//===- Options.cpp - What norm-run was asked to do --------------------------===//
#include "Options.h"

#include "normc/Compiler/Compiler.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

#include <array>

using namespace llvm;

namespace normc::run {

static cl::OptionCategory category("norm-run options");

static cl::opt<std::string> file(cl::Positional, cl::Required, cl::cat(category),
                                 cl::desc("<package or MLIR source>"));
static cl::opt<std::string> entry(cl::Positional, cl::cat(category),
                                  cl::desc("[entry]"));
static cl::opt<std::string>
    device("device", cl::cat(category), cl::init("host"), cl::value_desc("name"),
           cl::desc("Where to run: host, host:N for N threads, or cuda:N for a GPU "
                    "(default: host)"));
static cl::opt<std::string> target("target", cl::cat(category), cl::value_desc("name"),
                                   cl::desc("What a source is compiled for (default: "
                                            "host, or cuda:native on a GPU)"));
static cl::list<std::string> inputs(
    "in", cl::cat(category), cl::value_desc("param=spec ..."),
    cl::desc(
        "Inputs. A spec is a file (.npy, or .bin with the elements as they "
        "are), normal:SEED, uniform:SEED, const:VALUE or ramp:START, each with :SHAPE "
        "(128x4096) behind it where nothing else says the shape"));
static cl::opt<std::string>
    defaultInput("in-default", cl::cat(category), cl::value_desc("spec"),
                 cl::desc("Spec of the inputs that --in does not name; without it each "
                          "has to be named"));
static cl::list<std::string> outputs(
    "out", cl::cat(category), cl::value_desc("param=file ..."),
    cl::desc("Outputs to write, to .npy (bf16 as f32) or .bin (elements as they "
             "are)"));
static cl::list<std::string>
    strides("stride", cl::cat(category), cl::value_desc("param=n,... ..."),
            cl::desc("Strides of a parameter in elements, one a dimension or for the "
                     "first dimensions alone (default: compact)"));
static cl::list<std::string>
    offsets("offset", cl::cat(category), cl::value_desc("param=n ..."),
            cl::desc("Elements between a 64-byte boundary and a parameter's first "
                     "element (default: 0)"));
static cl::opt<bool>
    check("check", cl::cat(category),
          cl::desc("Compare every result with the float64 reference, and see that no "
                   "byte around it was written; exit code 1 if either fails"));
static cl::opt<bool> bench("bench", cl::cat(category),
                           cl::desc("Measure time, and bandwidth against a copy's"));
static cl::opt<double> benchSeconds("bench-seconds", cl::cat(category), cl::init(1.0),
                                    cl::value_desc("s"),
                                    cl::desc("How long to measure (default: 1)"));
static cl::opt<int64_t>
    benchRepeats("bench-repeat", cl::cat(category), cl::init(0), cl::value_desc("n"),
                 cl::desc("How often to measure, instead of a time"));
static cl::opt<bool> json("json", cl::cat(category), cl::desc("Print JSON"));

static void printVersion(raw_ostream &os) {
  os << "norm-run " << NORMC_VERSION << " (LLVM " << LLVM_VERSION_STRING << ")\n";
}

/// `--in a=1 b=2` as `--in=a=1 --in=b=2`: words with an equals sign that follow one of
/// the lists belong to it.
static std::vector<std::string> spreadLists(int argc, char **argv) {
  static constexpr std::array<StringRef, 4> kLists = {"in", "out", "stride", "offset"};
  std::vector<std::string> words;
  StringRef list;
  for (int i = 0; i < argc; ++i) {
    StringRef word = argv[i];
    if (word.starts_with("-") && word != "-") {
      StringRef name = word.drop_front(word.starts_with("--") ? 2 : 1);
      bool isList = is_contained(kLists, name);
      list = is_contained(kLists, name.split('=').first) ? name.split('=').first : "";
      bool hasValue = i + 1 < argc && StringRef(argv[i + 1]).contains('=');
      if (isList && hasValue)
        continue;
    } else if (!list.empty() && word.contains('=')) {
      words.push_back(("--" + list + "=" + word).str());
      continue;
    }
    words.push_back(word.str());
  }
  return words;
}

static bool complain(const Twine &message) {
  errs() << "error: " << message << "\n";
  return false;
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// "name=value" words as pairs; each name at most once.
static bool split(const cl::list<std::string> &words, StringRef form, Pairs &pairs) {
  for (const std::string &word : words) {
    auto [name, value] = StringRef(word).split('=');
    if (name.empty() || value.empty())
      return complain("expected --" + words.ArgStr + " " + form + ", but got \"" +
                      word + "\"");
    for (const auto &pair : pairs)
      if (pair.first == name)
        return complain("expected --" + words.ArgStr + " once a parameter, but got \"" +
                        name + "\" twice");
    pairs.emplace_back(name.str(), value.str());
  }
  return true;
}

static bool parseStrides(Options &options) {
  Pairs pairs;
  if (!split(strides, "PARAM=N,...", pairs))
    return false;
  for (const auto &[name, value] : pairs) {
    for (StringRef number : llvm::split(value, ',')) {
      int64_t stride;
      if (number.getAsInteger(10, stride) || stride < 0)
        return complain("expected strides of \"" + name +
                        "\" to be numbers of elements, 0 or more, but got \"" + number +
                        "\"");
      options.strides[name].push_back(stride);
    }
  }
  return true;
}

static bool parseOffsets(Options &options) {
  Pairs pairs;
  if (!split(offsets, "PARAM=N", pairs))
    return false;
  for (const auto &[name, value] : pairs) {
    int64_t &offset = options.offsets[name];
    // More than a page tells nothing that less does not.
    if (StringRef(value).getAsInteger(10, offset) || offset < 0 || offset > 4096)
      return complain("expected the offset of \"" + name +
                      "\" to be a number of elements from 0 to 4096, but got \"" +
                      value + "\"");
  }
  return true;
}

std::optional<Options> parseOptions(int argc, char **argv) {
  cl::SetVersionPrinter(printVersion);
  cl::HideUnrelatedOptions(category);
  std::vector<std::string> words = spreadLists(argc, argv);
  std::vector<const char *> args;
  for (const std::string &word : words)
    args.push_back(word.c_str());
  if (!cl::ParseCommandLineOptions(args.size(), args.data(),
                                   "norm-run: runs an entry of a package\n", &errs()))
    return std::nullopt;
  Options options;
  options.file = file;
  options.entry = entry;
  options.device = device;
  if (target.getNumOccurrences()) {
    options.target = target;
    if (std::string why; !supportedTarget(target, why)) {
      complain(why);
      return std::nullopt;
    }
  }
  if (defaultInput.getNumOccurrences())
    options.default_input = defaultInput;
  options.check = check;
  options.bench = bench;
  options.json = json;
  options.bench_seconds = benchSeconds;
  if (!(benchSeconds > 0) || benchSeconds > 3600) {
    complain("expected --bench-seconds to be more than 0 and at most 3600");
    return std::nullopt;
  }
  options.bench_repeats = benchRepeats;
  if (benchRepeats < 0 || benchRepeats > 1000000 ||
      (benchRepeats == 0 && benchRepeats.getNumOccurrences())) {
    complain("expected --bench-repeat to be from 1 to 1000000");
    return std::nullopt;
  }
  if (!split(inputs, "PARAM=SPEC", options.inputs) ||
      !split(outputs, "PARAM=FILE", options.outputs) || !parseStrides(options) ||
      !parseOffsets(options))
    return std::nullopt;
  return options;
}

} // namespace normc::run
