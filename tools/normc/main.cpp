//===- main.cpp - The command line of normc ---------------------------------===//
#include "Tool.h"

#include "normc/Compiler/Explain.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace normc::tool;

static cl::SubCommand compileCommand("compile",
                                     "Compile norm IR to a package, or print "
                                     "a stage of the way there");
static cl::SubCommand explainCommand("explain",
                                     "Print what was decided for each kernel "
                                     "and target, and which limit bound it");
static cl::SubCommand inspectCommand("inspect", "Print what a package holds");
static cl::SubCommand targetsCommand("targets", "List the known targets");

static cl::opt<std::string>
    inputPath(cl::Positional, cl::desc("<input: MLIR text or bytecode, - for stdin>"),
              cl::Required, cl::sub(compileCommand), cl::sub(explainCommand));
static cl::opt<std::string> packagePath(cl::Positional, cl::desc("<package>"),
                                        cl::Required, cl::sub(inspectCommand));
static cl::list<std::string> targetNames(
    "target",
    cl::desc("Targets to compile for, as listed by `normc targets` (default: "
             "host)"),
    cl::value_desc("name,..."), cl::CommaSeparated, cl::sub(compileCommand),
    cl::sub(explainCommand));
static cl::opt<std::string>
    outputPath("o",
               cl::desc("Output file, - for stdout; a text goes "
                        "to stdout by default"),
               cl::value_desc("file"), cl::sub(compileCommand));
static cl::opt<std::string>
    emitStage("emit",
              cl::desc("What to write: package (default), norm, row, scheduled, llvm, "
                       "asm, spirv, manifest, header"),
              cl::value_desc("stage"), cl::init("package"), cl::sub(compileCommand));
static cl::opt<std::string>
    ptxasPath("ptxas",
              cl::desc("The ptxas that makes machine code of PTX, or off (default: the "
                       "first in PATH, CUDA_HOME and /usr/local/cuda)"),
              cl::value_desc("path"), cl::sub(compileCommand), cl::sub(explainCommand));
static cl::opt<std::string>
    oclocPath("ocloc",
              cl::desc("The ocloc that makes machine code of SPIR-V, or off (default: "
                       "the first in PATH)"),
              cl::value_desc("path"), cl::sub(compileCommand));
static cl::opt<std::string>
    tuningTable("tunings",
                cl::desc("A table of decisions that were measured, as `norm-bench "
                         "tune` writes it; kernels that are not in it are the model's "
                         "to decide"),
                cl::value_desc("file"), cl::sub(compileCommand),
                cl::sub(explainCommand));
static cl::opt<bool> showRemarks("remarks",
                                 cl::desc("Print what the passes chose, as remarks"),
                                 cl::sub(compileCommand));
static cl::opt<bool> omitSource(
    "no-source",
    cl::desc("Leave the source out of the package; norm-run --check then has "
             "nothing to check it against"),
    cl::sub(compileCommand));
static cl::opt<unsigned> candidateCount(
    "candidates",
    cl::desc("How many candidates to list for each kernel, the chosen one first "
             "(default: 6)"),
    cl::init(normc::kExplainedCandidates), cl::value_desc("count"),
    cl::sub(explainCommand));
static cl::opt<bool> asJson("json", cl::desc("Print JSON"), cl::sub(inspectCommand),
                            cl::sub(explainCommand));

static void printVersion(raw_ostream &os) {
  os << "normc " << NORMC_VERSION << " (LLVM " << LLVM_VERSION_STRING << ")\n";
}

static std::vector<std::string> targetsOrDefault() {
  if (targetNames.empty())
    return {"host"};
  return std::vector<std::string>(targetNames.begin(), targetNames.end());
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::SetVersionPrinter(printVersion);
  // Without a subcommand LLVM's own options would be listed too.
  static cl::OptionCategory none("normc");
  cl::HideUnrelatedOptions(none);
  if (!cl::ParseCommandLineOptions(
          argc, argv, "normc: a compiler for normalization kernels\n", &errs()))
    return UsageError;
  if (compileCommand)
    return runCompile({inputPath, outputPath, targetsOrDefault(), emitStage, ptxasPath,
                       oclocPath, tuningTable, showRemarks, !omitSource});
  if (explainCommand)
    return runExplain({inputPath, targetsOrDefault(), ptxasPath, candidateCount,
                       tuningTable, asJson});
  if (inspectCommand)
    return runInspect(packagePath, asJson);
  if (targetsCommand)
    return runTargets();
  return fail("expected a subcommand: compile, explain, inspect or targets; see normc "
              "--help",
              UsageError);
}
