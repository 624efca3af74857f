//===- Compile.cpp - normc-device-cases: the archive of a device suite ------===//
#include "Archive.h"
#include "DeviceCases.h"

#include "dialects/row/Row.h"
#include "normc/Compiler/Compiler.h"
#include "normc/Compiler/Pipelines.h"
#include "normc/Compiler/Source.h"
#include "normc/Plan/KernelAbi.h"
#include "normc/Transforms/Passes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

using namespace mlir;

namespace normc::device {
namespace {

/// Compiles cases on one thread.
class Compiler {
public:
  Compiler(std::string target, nvvm::Toolkit toolkit, bool wrong)
      : target(std::move(target)), toolkit(std::move(toolkit)), wrong(wrong),
        stream(diagnostics), source(stream) {}

  /// The package's bytes, or nothing and what is wrong in `error`.
  std::optional<std::string> compile(const DeviceCase &one, std::string &error) {
    diagnostics.clear();
    CompileOptions options;
    options.targets = {target};
    options.toolkit = toolkit;
    options.embed_source = false;
    OwningOpRef<ModuleOp> module =
        source.readBytes(toIr(wrong ? wrongly(one.spec) : one.spec), "case");
    SmallVector<char> package;
    if (!module || failed(force(*module, one)) ||
        failed(normc::compile(*module, options, package))) {
      error = StringRef(diagnostics).split('\n').first;
      return std::nullopt;
    }
    return std::string(package.data(), package.size());
  }

private:
  /// The op with a weight, or an epsilon, that is a little off.
  static Spec wrongly(Spec spec) {
    spec.epsilon *= 1000;
    if (spec.present.count("weight"))
      spec.weightOffset += 0.0625;
    return spec;
  }

  /// Writes the strategy and the tilings that the case names.
  LogicalResult force(ModuleOp module, const DeviceCase &one) {
    if (!isForced(one))
      return success();
    PassManager rows(module.getContext(), ModuleOp::getOperationName());
    buildNormToRowPipeline(rows);
    AttachTargetPassOptions attach;
    attach.target = target;
    rows.addPass(createAttachTargetPass(attach));
    if (failed(rows.run(module)))
      return failure();
    if (auto strategy = row::symbolizeStrategy(one.strategy))
      module.walk([&](row::KernelOp kernel) { kernel.setStrategy(*strategy); });
    PassManager split(module.getContext(), ModuleOp::getOperationName());
    split.addPass(createSplitColumnReductionPass());
    if (failed(split.run(module)))
      return failure();
    LogicalResult result = success();
    module.walk([&](row::KernelOp kernel) {
      const std::string &text = plan::isFinalize(kernel) ? one.finalize : one.tiling;
      if (text.empty())
        return;
      Attribute attr = parseAttribute("#row.tiling<" + text + ">", module.getContext());
      if (auto tiling = dyn_cast_or_null<row::TilingAttr>(attr))
        kernel.setTilingAttr(tiling);
      else
        result = failure();
    });
    return result;
  }

  std::string target;
  nvvm::Toolkit toolkit;
  bool wrong;
  std::string diagnostics;
  llvm::raw_string_ostream stream;
  SourceContext source;
};

/// All cases, on several threads.
class Builder {
public:
  Builder(std::string target, nvvm::Toolkit toolkit, const std::string &filter,
          bool wrong)
      : target(std::move(target)), toolkit(std::move(toolkit)), wrong(wrong) {
    std::set<std::string> seen;
    for (DeviceCase &one : allCases())
      if (one.name.find(filter) != std::string::npos &&
          seen.insert(programOf(one)).second)
        cases.push_back(std::move(one));
  }

  int build(unsigned jobs, const std::string &path) {
    llvm::outs() << cases.size() << " programs for " << target << "\n";
    llvm::outs().flush();
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < jobs; ++i)
      threads.emplace_back([this] { work(); });
    for (std::thread &thread : threads)
      thread.join();
    if (std::string error = archive.write(path); !error.empty()) {
      llvm::errs() << "error: " << error << "\n";
      return 1;
    }
    llvm::outs() << archive.size() << " compiled, " << failures << " failed\n";
    return failures ? 1 : 0;
  }

private:
  void work() {
    Compiler compiler(target, toolkit, wrong);
    for (size_t i = next++; i < cases.size(); i = next++) {
      std::string error;
      std::optional<std::string> package = compiler.compile(cases[i], error);
      const std::lock_guard lock(mutex);
      if (package) {
        archive.add(programOf(cases[i]), std::move(*package));
      } else {
        ++failures;
        llvm::errs() << "FAIL " << cases[i].name << ": " << error << "\n";
      }
      if (++done % 100 == 0) {
        llvm::outs() << "    " << done << " of " << cases.size() << "\n";
        llvm::outs().flush();
      }
    }
  }

  std::string target;
  nvvm::Toolkit toolkit;
  bool wrong;
  std::vector<DeviceCase> cases;
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  Archive archive;
  size_t done = 0, failures = 0;
};

} // namespace
} // namespace normc::device

int main(int argc, char **argv) {
  using namespace llvm;
  static cl::OptionCategory category("normc-device-cases");
  static cl::opt<std::string> output(cl::Positional, cl::Required, cl::cat(category),
                                     cl::desc("<archive>"));
  static cl::opt<std::string> target("target", cl::init("cuda:sm_90"),
                                     cl::cat(category), cl::value_desc("name"),
                                     cl::desc("What is compiled for"));
  static cl::opt<std::string> filter("filter", cl::cat(category),
                                     cl::value_desc("text"),
                                     cl::desc("Only cases whose name contains it"));
  static cl::opt<std::string> ptxas("ptxas", cl::cat(category), cl::value_desc("path"),
                                    cl::desc("The ptxas to take, or off"));
  static cl::opt<bool> jit("jit", cl::cat(category),
                           cl::desc("PTX alone, which the driver compiles"));
  static cl::opt<unsigned> jobs(
      "jobs", cl::init(std::max(1U, std::thread::hardware_concurrency())),
      cl::cat(category), cl::value_desc("n"),
      cl::desc("Programs compiled at the same time"));
  static cl::opt<bool> wrong("wrong", cl::cat(category),
                             cl::desc("Programs that compute something else, which the "
                                      "suite must notice"));
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "normc-device-cases: compiles the cases of the device "
                              "suite to one archive\n");
  std::string error;
  auto toolkit = normc::nvvm::findToolkit(ptxas, error);
  if (!toolkit) {
    errs() << "error: " << error << "\n";
    return 2;
  }
  if (jit)
    toolkit->ptxas.clear();
  // The linker of the host's code resets the options of a process.
  const std::string path = output;
  const unsigned threads = jobs;
  return normc::device::Builder(target, *toolkit, filter, wrong).build(threads, path);
}
