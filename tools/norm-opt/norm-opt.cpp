//===- norm-opt.cpp - mlir-opt with normc's dialects, passes and pipelines --===//
#include "normc/Analysis/TestPasses.h"
#include "normc/Compiler/Pipelines.h"
#include "normc/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"

static void printVersion(llvm::raw_ostream &os) {
  os << "norm-opt " NORMC_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
}

int main(int argc, char **argv) {
  llvm::cl::SetVersionPrinter(printVersion);
  mlir::registerAllPasses();
  normc::registerAllPasses();
  normc::registerNormcPipelines();
  normc::registerAnalysisTestPasses();

  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  normc::registerAllDialects(registry);
  normc::registerAllExtensions(registry);
  return mlir::failed(
      mlir::MlirOptMain(argc, argv, "normc's modular optimizer driver\n", registry));
}
