//===- HostLinkTest.cpp - What kernels of the host may call -----------------===//
#include "normc/Schedule/Decision.h"
#include "normc/Target/Host.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Parallel.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace normc;

namespace {

/// What is said of an LLVM module that becomes a shared object, with its location;
/// empty where it does become one.
std::string link(const std::string &source) {
  MLIRContext context;
  context.loadDialect<LLVM::LLVMDialect>();
  std::string said;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    llvm::raw_string_ostream(said) << diagnostic.getLocation() << ": " << diagnostic;
  });
  std::string error;
  std::optional<schedule::TargetFacts> target = schedule::lookupTarget("host", error);
  EXPECT_TRUE(target) << error;
  auto module = parseSourceString<ModuleOp>(source, &context, "kernels.mlir");
  EXPECT_TRUE(module) << said;
  llvm::SmallVector<char> object;
  if (!target || !module ||
      succeeded(host::serializeToSharedObject(*module, *target, 1, object)))
    EXPECT_FALSE(object.empty());
  else
    EXPECT_NE(said, "");
  return said;
}

/// A kernel that calls a function of f64.
std::string calling(const std::string &function) {
  return "llvm.func @" + function + R"((f64) -> f64
llvm.func @kernel(%args: !llvm.ptr, %workgroup: i64) {
  %x = llvm.load %args : !llvm.ptr -> f64
  %y = llvm.call @)" +
         function + R"((%x) : (f64) -> f64
  llvm.store %y, %args : f64, !llvm.ptr
  llvm.return
})";
}

} // namespace

TEST(HostLink, FunctionsOfTheMathLibrary) {
  EXPECT_EQ(link(calling("tanh")), "");
  EXPECT_EQ(link(calling("lgamma")), "");
}

TEST(HostLink, FunctionsOfTheCLibrary) {
  // No length is known, so the back end calls memcpy.
  EXPECT_EQ(link(R"(
llvm.func @kernel(%args: !llvm.ptr, %workgroup: i64) {
  %to = llvm.load %args : !llvm.ptr -> !llvm.ptr
  "llvm.intr.memcpy"(%to, %args, %workgroup) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
  llvm.return
})"),
            "");
}

TEST(HostLink, AFunctionThatNobodyHas) {
  std::string said = link(calling("no_such_function"));
  EXPECT_NE(said.find("kernels.mlir\":4:"), std::string::npos) << said;
  EXPECT_NE(
      said.find("expected kernels to call functions of the C library alone, because "
                "a package is loaded with no other, but got a call of "
                "\"no_such_function\""),
      std::string::npos)
      << said;
}

TEST(HostLink, AFunctionThatThisProcessHasAlone) {
  EXPECT_NE(link(calling("LLVMContextCreate")).find("\"LLVMContextCreate\""),
            std::string::npos);
}

// The compiler's own support library is in no package's process.
TEST(HostLink, AFunctionThatTheBackEndCalls) {
  std::string said = link(R"(
llvm.func @kernel(%args: !llvm.ptr, %workgroup: i64) {
  %x = llvm.load %args : !llvm.ptr -> f128
  %y = llvm.fmul %x, %x : f128
  llvm.store %y, %args : f128, !llvm.ptr
  llvm.return
})");
  EXPECT_NE(said.find("\"__multf3\""), std::string::npos) << said;
}

TEST(HostLink, OptionsOfLlvmStayAsTheyWere) {
  static llvm::cl::opt<int> option("host-link-test", llvm::cl::init(1));
  const char *const arguments[] = {"test", "--host-link-test=2"};
  ASSERT_TRUE(llvm::cl::ParseCommandLineOptions(2, arguments));
  const unsigned threads = llvm::parallel::strategy.ThreadsRequested;
  EXPECT_EQ(link(calling("tanh")), "");
  EXPECT_EQ(option, 2);
  EXPECT_EQ(option.getNumOccurrences(), 1);
  EXPECT_EQ(llvm::parallel::strategy.ThreadsRequested, threads);
}
