//===- Cases.h - What the suites are made of --------------------------------===//
#ifndef NORMC_TEST_NUMERICS_CASES_H
#define NORMC_TEST_NUMERICS_CASES_H

#include "Inputs.h"
#include "Spec.h"
#include "Worker.h"

#include <functional>

namespace normc::numerics {

/// What a case runs with: the worker, and where its failures go.
class Bench {
public:
  Bench(Worker &worker, std::string name, std::string keep)
      : worker(worker), name(std::move(name)), keep(std::move(keep)) {}

  Worker &worker;

  /// Compiles; null after a failure, which is noted.
  std::unique_ptr<Program> compile(const std::string &ir);
  std::unique_ptr<Program> compile(const std::string &ir, const std::string &target);
  std::unique_ptr<Program> compile(const Spec &spec) { return compile(toIr(spec)); }
  /// A module of the worker's context; a failure is noted with `what`.
  std::unique_ptr<Program> compile(mlir::OwningOpRef<mlir::ModuleOp> module,
                                   const std::string &target, const std::string &what);

  /// Launches and compares with the oracle; nothing after a failure, which is noted
  /// with `what` and with a command that repeats it.
  std::optional<Arrays> check(Program &program, const Run &run, const std::string &what,
                              int threads = 3);
  /// Launches without a comparison.
  std::optional<Arrays> launch(Program &program, const Run &run,
                               const std::string &what, int threads = 3);
  /// Notes a failure where two sets of outputs differ.
  void expectSame(const Arrays &a, const Arrays &b, const std::string &what);
  /// The same for tensors at other addresses. CUDA takes another variant there, whose
  /// sums down the columns are of other blocks of rows: only what is forward is the
  /// same.
  void expectSameElsewhere(const Arrays &a, const Arrays &b, const std::string &what);
  /// Notes a failure, but where programs are only compiled: results are of none there.
  void fail(const std::string &what);
  /// Something measured, which is printed.
  void note(const std::string &what) { measured.push_back(what); }

  const std::vector<std::string> &failures() const { return failed; }
  const std::vector<std::string> &notes() const { return measured; }

private:
  std::string reproduction(Program &program, const Run &run);

  std::string name, keep;
  std::vector<std::string> failed, measured;
};

struct Case {
  std::string name;
  std::function<void(Bench &)> body;
};

/// What the suites may depend on.
struct Settings {
  uint64_t seed = 0;
  int64_t samples = 0;
  /// Targets that this processor, or the device, runs, the best one first.
  std::vector<std::string> targets;
  /// What is launched on; empty: the host.
  std::string device;
  /// A selection, for devices that are slow to compile for: the sets of operands, types
  /// in pairs, sizes, layouts, inputs, strategies and tilings, each once.
  bool selection = false;
  /// Whether the target has f64; without, no case has it.
  bool has_f64 = true;
};

using Cases = std::vector<Case>;

/// Every case of every suite that the settings ask for.
Cases allCases(const Settings &settings);

void addMaskCases(Cases &cases, const Settings &settings);
void addTypeCases(Cases &cases, const Settings &settings);
void addEdgeCases(Cases &cases, const Settings &settings);
void addLayoutCases(Cases &cases, const Settings &settings);
void addTilingCases(Cases &cases, const Settings &settings);
void addInputCases(Cases &cases, const Settings &settings);
void addChainCases(Cases &cases);
void addSampleCases(Cases &cases, const Settings &settings);
void addRealUseCases(Cases &cases, const Settings &settings);
void addLargeCases(Cases &cases);
void addFaultCases(Cases &cases);
void addAccuracyCases(Cases &cases, const Settings &settings);

} // namespace normc::numerics

#endif // NORMC_TEST_NUMERICS_CASES_H
