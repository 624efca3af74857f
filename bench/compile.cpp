//===- compile.cpp - How long a norm takes to compile, and where the time goes
//------===//
//
// Compiles entries in process, warm, again and again, and prints for each the median
// and the 99th percentile of the whole, and the median of each step on the way.
// Without an assembler: packages for CUDA hold PTX.
//
//===----------------------------------------------------------------------===//
#include "normc/Compiler/Compiler.h"
#include "normc/Compiler/Source.h"

#include "dialects/plan/Plan.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace normc;
namespace cl = llvm::cl;

static cl::opt<unsigned> turns("turns", cl::desc("Compilations of each (200)"),
                               cl::init(200));
static cl::opt<unsigned> threads("compile-threads",
                                 cl::desc("Threads of one compilation (1; 0: all)"),
                                 cl::init(1));
static cl::list<std::string> targets("target", cl::CommaSeparated,
                                     cl::desc("Targets (host,cuda:sm_90)"));

namespace {

/// A source in which COLS stands for the columns.
struct Case {
  StringRef name;
  std::vector<StringRef> columns;
  StringRef source;
};

const std::vector<StringRef> kForwardColumns = {"1024", "1023", "?"};

// What a framework asks for: rows known at launch, columns now or at launch. A row of
// 1023 columns is at no aligned address, so that there is one kernel for a GPU as well.
const Case kCases[] = {
    {"layer_norm", kForwardColumns, R"(
func.func @f(%x: memref<?xCOLSxbf16>, %w: memref<COLSxf32>, %b: memref<COLSxf32>,
             %y: memref<?xCOLSxbf16>, %mean: memref<?xf32>, %rstd: memref<?xf32>) {
  norm.layer_norm x(%x : memref<?xCOLSxbf16>) weight(%w : memref<COLSxf32>)
      bias(%b : memref<COLSxf32>) outs y(%y : memref<?xCOLSxbf16>)
      mean(%mean : memref<?xf32>) rstd(%rstd : memref<?xf32>) epsilon = 1.0e-5
  return
})"},
    {"rms_norm", kForwardColumns, R"(
func.func @f(%x: memref<?xCOLSxbf16>, %w: memref<COLSxbf16>, %y: memref<?xCOLSxbf16>) {
  norm.rms_norm x(%x : memref<?xCOLSxbf16>) weight(%w : memref<COLSxbf16>)
      outs y(%y : memref<?xCOLSxbf16>) epsilon = 1.0e-6
  return
})"},
    {"dyt", kForwardColumns, R"(
func.func @f(%x: memref<?xCOLSxbf16>, %alpha: memref<1xf32>, %w: memref<COLSxf32>,
             %b: memref<COLSxf32>, %y: memref<?xCOLSxbf16>) {
  norm.dyt x(%x : memref<?xCOLSxbf16>) alpha(%alpha : memref<1xf32>)
      weight(%w : memref<COLSxf32>) bias(%b : memref<COLSxf32>)
      outs y(%y : memref<?xCOLSxbf16>)
  return
})"},
    {"row.kernel", kForwardColumns, R"(
func.func @f(%x: memref<?xCOLSxbf16>, %y: memref<?xCOLSxbf16>) {
  row.kernel ins(%x : memref<?xCOLSxbf16>) outs(%y : memref<?xCOLSxbf16>)
      norm_dims = 1 attributes {kernel_name = "subtract_largest"} {
  ^bb0(%in: memref<?xCOLSxbf16>, %out: memref<?xCOLSxbf16>):
    %t = row.load %in : memref<?xCOLSxbf16> -> !row.tile<f32>
    %largest = row.reduce ins(%t : !row.tile<f32>) identities = [0xFF800000 : f32]
        -> !row.vec<rows, f32> {
    ^bb0(%a: f32, %b: f32):
      %m = arith.maximumf %a, %b : f32
      row.yield %m : f32
    }
    %r = row.map ins(%t, %largest : !row.tile<f32>, !row.vec<rows, f32>)
        -> !row.tile<f32> {
    ^bb0(%e: f32, %m: f32):
      %d = arith.subf %e, %m : f32
      row.yield %d : f32
    }
    row.store %r, %out : !row.tile<f32>, memref<?xCOLSxbf16>
  }
  return
})"},
    {"layer_norm_backward", {"1024"}, R"(
func.func @f(%dy: memref<?xCOLSxbf16>, %x: memref<?xCOLSxbf16>, %mean: memref<?xf32>,
             %rstd: memref<?xf32>, %w: memref<COLSxf32>, %dx: memref<?xCOLSxbf16>,
             %dw: memref<COLSxf32>, %db: memref<COLSxf32>) {
  norm.layer_norm_backward dy(%dy : memref<?xCOLSxbf16>) x(%x : memref<?xCOLSxbf16>)
      mean(%mean : memref<?xf32>) rstd(%rstd : memref<?xf32>)
      weight(%w : memref<COLSxf32>) outs dx(%dx : memref<?xCOLSxbf16>)
      dweight(%dw : memref<COLSxf32>) dbias(%db : memref<COLSxf32>)
  return
})"},
};

std::string sourceOf(const Case &each, StringRef columns) {
  std::string text;
  for (StringRef rest = each.source; !rest.empty();) {
    auto [before, behind] = rest.split("COLS");
    text += before;
    if (before.size() != rest.size())
      text += columns;
    rest = behind;
  }
  return text;
}

/// What one compilation goes through, in order; each ends where the next one begins.
enum Step : unsigned { Parse, ToRow, Schedule, Lower, Code, Package, StepCount };

/// Milliseconds of one step, or of all, in every turn.
struct Times {
  /// The least one that at least that part of all does not pass.
  double quantile(double q) {
    std::sort(all.begin(), all.end());
    return all[std::max(1.0, std::ceil(q * double(all.size()))) - 1];
  }
  std::vector<double> all;
};

/// Reads and compiles once. The compiler says when it begins a step.
bool compileOnce(SourceContext &context, StringRef source, const CompileOptions &given,
                 SmallVectorImpl<double> &steps) {
  using Clock = std::chrono::steady_clock;
  SmallVector<Clock::time_point> begins;
  CompileOptions options = given;
  options.progress = [&](StringRef, size_t, size_t) { begins.push_back(Clock::now()); };
  begins.push_back(Clock::now());
  OwningOpRef<ModuleOp> module = context.readBytes(source, "norm");
  llvm::SmallVector<char> package;
  if (!module || failed(compile(*module, options, package)))
    return false;
  for (unsigned step = 0; step < StepCount; ++step)
    steps.push_back(
        std::chrono::duration<double, std::milli>(begins[step + 1] - begins[step])
            .count());
  return true;
}

/// Kernels that the entry launches, in any of its variants.
size_t countKernels(SourceContext &context, StringRef source, StringRef target) {
  OwningOpRef<ModuleOp> module = context.readBytes(source, "norm");
  llvm::StringSet<> kernels;
  if (module && succeeded(lowerToStage(*module, target, Stage::Llvm)))
    module->walk([&](plan::LaunchOp launch) { kernels.insert(launch.getKernel()); });
  return kernels.size();
}

bool measure(const Case &each, StringRef columns, StringRef target) {
  const std::string source = sourceOf(each, columns);
  SourceContext context(llvm::errs());
  CompileOptions options;
  options.targets = {target.str()};
  options.threads = threads;
  options.embed_source = false;
  Times whole, parts[StepCount];
  // The first loads dialects and back ends: it is not one of them.
  for (unsigned i = 0; i <= turns; ++i) {
    SmallVector<double> steps;
    if (!compileOnce(context, source, options, steps))
      return false;
    if (i == 0)
      continue;
    whole.all.push_back(std::accumulate(steps.begin(), steps.end(), 0.0));
    for (unsigned step = 0; step < StepCount; ++step)
      parts[step].all.push_back(steps[step]);
  }
  llvm::outs() << llvm::formatv("| {0} | {1} | {2} | {3} | ", each.name, columns,
                                target, countKernels(context, source, target))
               << llvm::format("%.1f | %.1f", whole.quantile(0.5),
                               whole.quantile(0.99));
  for (Times &part : parts)
    llvm::outs() << llvm::format(" | %.1f", part.quantile(0.5));
  llvm::outs() << " |\n";
  llvm::outs().flush();
  return true;
}

} // namespace

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "How long norms take to compile, in ms.\n");
  if (turns == 0) {
    llvm::errs() << "error: expected --turns to be at least 1, but got 0\n";
    return 2;
  }
  std::vector<std::string> names(targets.begin(), targets.end());
  if (names.empty())
    names = {"host", "cuda:sm_90"};
  // Of fewer turns the 99th percentile is the largest.
  llvm::outs() << "| op | cols | target | kernels | p50 | "
               << (turns > 100 ? "p99" : "max")
               << " | parse | to rows | schedule | lower | code | package |\n"
                  "|---|---|---|---|---|---|---|---|---|---|---|---|\n";
  bool ok = true;
  for (const std::string &target : names)
    for (const Case &each : kCases)
      for (StringRef columns : each.columns)
        ok &= measure(each, columns, target);
  return ok ? 0 : 1;
}
