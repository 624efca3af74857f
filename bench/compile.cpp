//===- compile.cpp - How long a norm takes to compile, and where the time goes
//------===//
//
// Compiles entries in process, warm, again and again, and prints for each the median
// and the 99th percentile of the whole, and medians of the steps on the way. Without an
// assembler: packages for CUDA hold PTX.
//
//===----------------------------------------------------------------------===//
#include "normc/Compiler/Compiler.h"
#include "normc/Compiler/Source.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>

using namespace mlir;
using namespace normc;
namespace cl = llvm::cl;

static cl::opt<unsigned> turns("turns", cl::desc("Compilations of each (30)"),
                               cl::init(30));
static cl::opt<unsigned> threads("compile-threads",
                                 cl::desc("Threads of one compilation (1; 0: all)"),
                                 cl::init(1));
static cl::list<std::string> targets("target", cl::CommaSeparated,
                                     cl::desc("Targets (host,cuda:sm_90)"));

namespace {

struct Case {
  StringRef name;
  StringRef source;
};

// What a framework asks for: rows known at launch, columns now.
constexpr Case kCases[] = {
    {"rms_norm", R"(
func.func @f(%x: memref<?x4096xbf16>, %w: memref<4096xbf16>, %y: memref<?x4096xbf16>) {
  norm.rms_norm x(%x : memref<?x4096xbf16>) weight(%w : memref<4096xbf16>)
      outs y(%y : memref<?x4096xbf16>) epsilon = 1.0e-6
  return
})"},
    {"layer_norm", R"(
func.func @f(%x: memref<?x1024xbf16>, %w: memref<1024xf32>, %b: memref<1024xf32>,
             %y: memref<?x1024xbf16>, %mean: memref<?xf32>, %rstd: memref<?xf32>) {
  norm.layer_norm x(%x : memref<?x1024xbf16>) weight(%w : memref<1024xf32>)
      bias(%b : memref<1024xf32>) outs y(%y : memref<?x1024xbf16>)
      mean(%mean : memref<?xf32>) rstd(%rstd : memref<?xf32>) epsilon = 1.0e-5
  return
})"},
    {"layer_norm_backward", R"(
func.func @f(%dy: memref<?x1024xbf16>, %x: memref<?x1024xbf16>, %mean: memref<?xf32>,
             %rstd: memref<?xf32>, %w: memref<1024xf32>, %dx: memref<?x1024xbf16>,
             %dw: memref<1024xf32>, %db: memref<1024xf32>) {
  norm.layer_norm_backward dy(%dy : memref<?x1024xbf16>) x(%x : memref<?x1024xbf16>)
      mean(%mean : memref<?xf32>) rstd(%rstd : memref<?xf32>)
      weight(%w : memref<1024xf32>) outs dx(%dx : memref<?x1024xbf16>)
      dweight(%dw : memref<1024xf32>) dbias(%db : memref<1024xf32>)
  return
})"},
};

/// Milliseconds of one call each, sorted.
class Times {
public:
  template <typename Work> void take(Work work) {
    auto begin = std::chrono::steady_clock::now();
    work();
    std::chrono::duration<double, std::milli> time =
        std::chrono::steady_clock::now() - begin;
    all.push_back(time.count());
  }
  double quantile(double q) {
    std::sort(all.begin(), all.end());
    return all[std::min(all.size() - 1, static_cast<size_t>(q * double(all.size())))];
  }
  double median() { return quantile(0.5); }

private:
  std::vector<double> all;
};

/// Takes a copy of the module to a stage.
bool lower(ModuleOp module, StringRef target, Stage stage) {
  OwningOpRef<ModuleOp> copy(module.clone());
  return succeeded(lowerToStage(*copy, target, stage));
}

} // namespace

static bool measure(const Case &each, StringRef target) {
  SourceContext context(llvm::errs());
  Times parse, row, scheduled, lowered, whole;
  CompileOptions options;
  options.targets = {target.str()};
  options.threads = threads;
  options.embed_source = false;
  bool ok = true;
  // The first loads dialects and back ends: it is not one of them.
  for (unsigned i = 0; i <= turns && ok; ++i) {
    if (i == 1)
      parse = row = scheduled = lowered = whole = Times();
    OwningOpRef<ModuleOp> module;
    parse.take([&] { module = context.readBytes(each.source, each.name); });
    if (!module)
      return false;
    row.take([&] { ok &= lower(*module, target, Stage::Row); });
    scheduled.take([&] { ok &= lower(*module, target, Stage::Scheduled); });
    lowered.take([&] { ok &= lower(*module, target, Stage::Llvm); });
    whole.take([&] {
      llvm::SmallVector<char> package;
      ok &= succeeded(compile(*module, options, package));
    });
  }
  double to_row = row.median(), to_scheduled = scheduled.median(),
         to_llvm = lowered.median();
  double all = whole.median() + parse.median();
  llvm::outs() << llvm::formatv("{0,-20} {1,-11} ", each.name, target)
               << llvm::format("%7.1f %7.1f   %6.1f %6.1f %6.1f %6.1f %8.1f\n", all,
                               whole.quantile(0.99) + parse.median(), parse.median(),
                               to_row, to_scheduled - to_row, to_llvm - to_scheduled,
                               all - parse.median() - to_llvm);
  llvm::outs().flush();
  return ok;
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "How long norms take to compile, in ms.\n");
  if (turns == 0) {
    llvm::errs() << "error: expected --turns to be at least 1, but got 0\n";
    return 2;
  }
  std::vector<std::string> names(targets.begin(), targets.end());
  if (names.empty())
    names = {"host", "cuda:sm_90"};
  llvm::outs() << "milliseconds              target         p50     p99    parse  "
                  "to row schedule lower  code generation\n";
  bool ok = true;
  for (const std::string &target : names)
    for (const Case &each : kCases)
      ok &= measure(each, target);
  return ok ? 0 : 1;
}
