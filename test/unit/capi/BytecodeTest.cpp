//===- BytecodeTest.cpp - Sources in bytecode, sound and not ------------------===//
#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <normc-c/normc.hpp>
#include <thread>

namespace {

std::string readFile(const char *path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

class Bytecode : public testing::Test {
protected:
  /// The bytes of the package; "" after an error, which `error` has.
  std::string compile(const std::string &source, std::string &error) const {
    try {
      const normc::Package package = compiler.compile(source, {"cuda:sm_90"});
      return {static_cast<const char *>(package.data()), package.size()};
    } catch (const normc::Error &caught) {
      error = caught.what();
      return "";
    }
  }

  static normc::Compiler makeCompiler() {
    normc_compiler_options options = NORMC_COMPILER_OPTIONS_INIT;
    options.cache_disabled = 1;
    options.ptxas = "off";
    return normc::Compiler(options);
  }

  const normc::Compiler compiler = makeCompiler();
  const std::string sound = readFile(NORM_BYTECODE);
};

TEST_F(Bytecode, MakesThePackageThatItsTextMakes) {
  std::string error;
  const std::string package = compile(sound, error);
  EXPECT_EQ(error, "");
  EXPECT_TRUE(package == compile(readFile(NORM_TEXT), error)) << error;
}

TEST_F(Bytecode, ThatIsDamagedIsAnErrorAndTheProgramGoesOn) {
  std::string error;
  for (size_t size = 4; size < sound.size(); size += 31)
    EXPECT_EQ(compile(sound.substr(0, size), error), "") << size;
  EXPECT_NE(error.find("expected bytecode as MLIR's writer makes it"),
            std::string::npos)
      << error;
  EXPECT_NE(compile(sound, error = ""), "") << error;
}

TEST_F(Bytecode, IsReadByThreadsAndWhereTheProgramIgnoresItsProcesses) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  std::vector<int> right(4);
  std::vector<std::thread> threads;
  for (int &count : right)
    threads.emplace_back([&] {
      for (int turn = 0; turn < 3; ++turn) {
        std::string error;
        count += !compile(sound, error).empty() &&
                 compile(sound.substr(0, sound.size() / 2), error).empty();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  std::signal(SIGCHLD, before);
  EXPECT_EQ(right, std::vector<int>(4, 3));
}

} // namespace
