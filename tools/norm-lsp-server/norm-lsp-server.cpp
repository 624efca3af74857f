//===- norm-lsp-server.cpp - Language server for files with normc's dialects -===//
#include "normc/Registration.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"

static void printVersion(llvm::raw_ostream &os) {
  os << "norm-lsp-server " NORMC_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
}

int main(int argc, char **argv) {
  llvm::cl::SetVersionPrinter(printVersion);
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  normc::registerAllDialects(registry);
  normc::registerAllExtensions(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
