//===- TestPasses.cpp - Passes that print an analysis, for tests ------------===//
#include "normc/Analysis/TestPasses.h"
#include "normc/Analysis/KernelFacts.h"
#include "normc/Analysis/Phases.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace normc;
using namespace normc::row;

namespace {

struct TestPrintPhases : PassWrapper<TestPrintPhases, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPrintPhases)
  StringRef getArgument() const override { return "test-print-phases"; }
  StringRef getDescription() const override {
    return "emit the phases of each row.kernel as remarks";
  }
  void runOnOperation() override {
    getOperation()->walk([](KernelOp kernel) { print(kernel); });
  }

  static void print(KernelOp kernel) {
    PhaseAnalysis analysis(kernel);
    kernel.emitRemark() << analysis.getNumPhases() << " phases";
    for (auto [number, phase] : llvm::enumerate(analysis.getPhases())) {
      for (Operation *op : phase.ops) {
        bool root = llvm::is_contained(phase.roots, op);
        op->emitRemark() << "phase " << number << (root ? ", root" : "");
      }
      for (Operation *op : phase.evaluated)
        if (analysis.getPhase(op) != number)
          op->emitRemark() << "computed again in phase " << number;
      for (Value value : phase.crossing)
        value.getDefiningOp()->emitRemark()
            << "result " << cast<OpResult>(value).getResultNumber()
            << " crosses into phase " << number;
    }
  }
};

struct TestPrintKernelFacts : PassWrapper<TestPrintKernelFacts, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPrintKernelFacts)
  StringRef getArgument() const override { return "test-print-kernel-facts"; }
  StringRef getDescription() const override {
    return "emit the facts of each row.kernel as a remark";
  }
  void runOnOperation() override {
    getOperation()->walk([](KernelOp kernel) { print(kernel); });
  }

  static void print(KernelOp kernel) {
    constexpr StringLiteral extents[] = {"tile", "rows", "cols", "scalar", "partials"};
    constexpr StringLiteral types[] = {"f16", "bf16", "f32", "f64"};
    schedule::KernelFacts facts = computeKernelFacts(kernel);
    auto size = [](std::optional<int64_t> value) {
      return value ? std::to_string(*value) : std::string("?");
    };
    InFlightDiagnostic diag = kernel.emitRemark();
    diag << "rows " << size(facts.rows) << ", cols " << size(facts.cols)
         << ", accumulator " << types[size_t(facts.accumulator)] << ", phases "
         << facts.phases << ", row reductions " << facts.row_reductions
         << ", column sums " << facts.column_sums << ", scalar sums "
         << facts.scalar_sums << ", ops " << facts.ops_per_element << ", special "
         << facts.special_ops_per_element << (facts.is_finalize ? ", finalize" : "")
         << ", buffers";
    for (const schedule::BufferFacts &buffer : facts.buffers)
      diag << " " << extents[size_t(buffer.extent)] << ":" << types[size_t(buffer.type)]
           << (buffer.is_output ? ":out" : "");
    diag << ", moments " << facts.moments << ", special per row "
         << facts.special_ops_per_row;
  }
};

} // namespace

void normc::registerAnalysisTestPasses() {
  PassRegistration<TestPrintPhases>();
  PassRegistration<TestPrintKernelFacts>();
}
