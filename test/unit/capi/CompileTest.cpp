//===- CompileTest.cpp - Sources in, packages or errors out -------------------===//
#include <csignal>
#include <gtest/gtest.h>
#include <normc-c/normc.hpp>
#include <thread>

namespace {

using namespace std::string_literals;

/// A norm over rows of `cols` f32, as text.
std::string sourceOf(int cols) {
  const std::string x = "memref<?x" + std::to_string(cols) + "xf32>";
  return "func.func @f(%x: " + x + ", %y: " + x + ") {\n  norm.rms_norm x(%x : " + x +
         ") outs y(%y : " + x + ") epsilon = 1.0e-6\n  return\n}\n";
}

normc_compiler_options uncached() {
  normc_compiler_options options = NORMC_COMPILER_OPTIONS_INIT;
  options.cache_disabled = 1;
  options.ptxas = "off";
  return options;
}

/// An error that must be there, and goes.
struct Failure {
  explicit Failure(normc_error *error) : error(error) {
    EXPECT_NE(error, nullptr) << "expected an error";
  }
  ~Failure() { normc_error_release(error); }
  normc_error_code code() const { return normc_error_get_code(error); }
  std::string message() const { return normc_error_get_message(error); }
  normc_error *error;
};

normc_error *create(const normc_compiler_options &options) {
  normc_compiler *compiler = nullptr;
  normc_error *error = normc_compiler_create(&options, &compiler);
  EXPECT_EQ(compiler == nullptr, error != nullptr);
  normc_compiler_release(compiler);
  return error;
}

class Compile : public testing::Test {
protected:
  void SetUp() override {
    const normc_compiler_options options = uncached();
    ASSERT_EQ(normc_compiler_create(&options, &compiler), nullptr);
  }
  void TearDown() override { normc_compiler_release(compiler); }

  normc_error *compile(const std::string &source, std::vector<const char *> targets) {
    return normc_compiler_compile(compiler, source.data(), source.size(), "norm.mlir",
                                  targets.data(), targets.size(), &package);
  }

  normc_compiler *compiler = nullptr;
  normc_package *package = nullptr;
};

TEST(Version, TheHeadersAndTheLibrarysAgree) {
  EXPECT_EQ(normc_version(), unsigned(NORMC_VERSION));
}

TEST(Options, AnotherVersionIsRefused) {
  normc_compiler_options options = uncached();
  options.version = NORMC_VERSION + 1000;
  Failure newer(create(options));
  EXPECT_EQ(newer.code(), NORMC_ERROR_VERSION_MISMATCH);
  EXPECT_NE(newer.message().find("but got 1.1"), std::string::npos) << newer.message();
  options.version = NORMC_VERSION + 1;
  EXPECT_EQ(Failure(create(options)).code(), NORMC_ERROR_VERSION_MISMATCH);
  options.version = 0;
  Failure unset(create(options));
  EXPECT_EQ(unset.code(), NORMC_ERROR_VERSION_MISMATCH);
  EXPECT_NE(unset.message().find("version: expected 0.1"), std::string::npos)
      << unset.message();
}

TEST(Options, AStructureOfAnotherSizeIsRefused) {
  normc_compiler_options options = uncached();
  options.struct_size = sizeof(options) - 1;
  EXPECT_EQ(Failure(create(options)).code(), NORMC_ERROR_INVALID_ARGUMENT);
  options.struct_size = 0;
  EXPECT_EQ(Failure(create(options)).code(), NORMC_ERROR_INVALID_ARGUMENT);
  options.struct_size = sizeof(options) + 8;
  EXPECT_EQ(Failure(create(options)).code(), NORMC_ERROR_VERSION_MISMATCH);
}

TEST(Options, NumbersOutOfRangeAreRefused) {
  normc_compiler_options options = uncached();
  for (int threads : {-1, 1025}) {
    options.threads = threads;
    Failure failure(create(options));
    EXPECT_EQ(failure.code(), NORMC_ERROR_INVALID_ARGUMENT);
    EXPECT_NE(failure.message().find("threads: expected 0 to 1024"), std::string::npos);
  }
}

TEST(Options, AnAssemblerThatIsNoneIsRefused) {
  normc_compiler_options options = uncached();
  options.ptxas = "/nowhere/ptxas";
  Failure failure(create(options));
  EXPECT_EQ(failure.code(), NORMC_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(failure.message().find("/nowhere/ptxas"), std::string::npos);
}

TEST(Null, EveryHandleIsChecked) {
  EXPECT_EQ(Failure(normc_compiler_create(nullptr, nullptr)).code(),
            NORMC_ERROR_INVALID_ARGUMENT);
  const char *target = "host";
  normc_package *package = nullptr;
  Failure compiler(
      normc_compiler_compile(nullptr, "", 0, nullptr, &target, 1, &package));
  EXPECT_NE(compiler.message().find("a compiler"), std::string::npos);
  EXPECT_EQ(Failure(normc_compiler_compile_norm(nullptr, nullptr, &target, 1, &package))
                .code(),
            NORMC_ERROR_INVALID_ARGUMENT);
  // Getters and releases take null.
  normc_error_release(nullptr);
  normc_compiler_release(nullptr);
  normc_package_release(nullptr);
  EXPECT_EQ(normc_package_get_data(nullptr), nullptr);
  EXPECT_EQ(normc_package_get_size(nullptr), 0u);
  EXPECT_STREQ(normc_package_get_cache_message(nullptr), "");
  EXPECT_EQ(normc_error_get_location_count(nullptr), 0u);
  EXPECT_EQ(package, nullptr);
}

TEST_F(Compile, TargetsAreChecked) {
  const std::string source = sourceOf(64);
  EXPECT_EQ(Failure(compile(source, {})).code(), NORMC_ERROR_INVALID_ARGUMENT);
  Failure unknown(compile(source, {"host", "cuda:sm_1"}));
  EXPECT_EQ(unknown.code(), NORMC_ERROR_UNKNOWN_TARGET);
  EXPECT_NE(unknown.message().find("cuda:sm_1"), std::string::npos);
  EXPECT_EQ(Failure(compile(source, {"host", nullptr})).code(),
            NORMC_ERROR_INVALID_ARGUMENT);
  Failure twice(compile(source, {"host", "cuda:sm_90", "host"}));
  EXPECT_EQ(twice.code(), NORMC_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(package, nullptr);
}

TEST_F(Compile, AParseErrorHasItsPlace) {
  Failure failure(compile("func.func @f() {\n  return %none\n}\n", {"host"}));
  EXPECT_EQ(failure.code(), NORMC_ERROR_INVALID_SOURCE);
  ASSERT_GE(normc_error_get_location_count(failure.error), 1u);
  const normc_location place = normc_error_get_location(failure.error, 0);
  EXPECT_STREQ(place.file, "norm.mlir");
  EXPECT_EQ(place.line, 2u);
  EXPECT_GT(place.column, 0u);
  EXPECT_EQ(failure.message(), place.message);
  EXPECT_STREQ(normc_error_get_location(failure.error, 99).file, "");
}

/// What a call throws.
template <typename Call> normc::Error thrownBy(Call call) {
  try {
    call();
  } catch (const normc::Error &error) {
    return error;
  }
  ADD_FAILURE() << "expected an error";
  return {"", NORMRT_STATUS_OK};
}

TEST(Exceptions, HaveTheCompilersCodeAndPlaces) {
  const std::string source = "func.func @f(%x: memref<2xf32>) {\n"
                             "  norm.none x(%x : memref<3xf32>)\n  return\n}\n";
  const normc::Error error = thrownBy(
      [&] { normc::Compiler(uncached()).compile(source, {"host"}, "a.mlir"); });
  EXPECT_EQ(error.code(), NORMC_ERROR_INVALID_SOURCE);
  EXPECT_FALSE(error.status());
  ASSERT_EQ(error.locations().size(), 1u);
  const normc::Location &place = error.locations()[0];
  EXPECT_EQ(place.file, "a.mlir");
  EXPECT_EQ(place.line, 2u);
  EXPECT_EQ(place.column, 3u);
  EXPECT_EQ(error.what(), "a.mlir:2:3: " + place.message);
}

TEST(Exceptions, WithoutASourceHaveNoPlace) {
  const normc::Error error =
      thrownBy([] { normc::Compiler(uncached()).compile(sourceOf(64), {"none"}); });
  EXPECT_EQ(error.code(), NORMC_ERROR_UNKNOWN_TARGET);
  EXPECT_TRUE(error.locations().empty());
}

TEST(Exceptions, HaveTheRuntimesStatus) {
  const normc::Error error = thrownBy([] { normc::Device("none"); });
  EXPECT_EQ(error.status(), NORMRT_STATUS_NOT_FOUND);
  EXPECT_FALSE(error.code());
  EXPECT_TRUE(error.locations().empty());
}

TEST_F(Compile, AnOpThatCannotBeCompiledHasItsPlace) {
  std::string source = sourceOf(64);
  source.insert(source.find("  norm"),
                "  %i = arith.constant 0 : index\n"
                "  %v = arith.constant 1.0 : f32\n"
                "  memref.store %v, %y[%i, %i] : memref<?x64xf32>\n");
  Failure failure(compile(source, {"host"}));
  EXPECT_EQ(failure.code(), NORMC_ERROR_COMPILATION_FAILED);
  ASSERT_GE(normc_error_get_location_count(failure.error), 1u);
  EXPECT_EQ(normc_error_get_location(failure.error, 0).line, 3u) << failure.message();
}

TEST_F(Compile, ASourceThatIsCutIsAnError) {
  EXPECT_EQ(Failure(compile("ML\xefR\x06"s, {"host"})).code(),
            NORMC_ERROR_INVALID_SOURCE);
  EXPECT_EQ(Failure(compile("func.func @f(\0"s, {"host"})).code(),
            NORMC_ERROR_INVALID_SOURCE);
}

TEST_F(Compile, ASourceThatIsNestedTooDeepIsAnError) {
  std::string source;
  for (const char *open : {"module {\n", "module attributes {a = [", "tuple<"}) {
    source.clear();
    for (int i = 0; i < 20000; ++i)
      source += open;
    const Failure failure(compile(source, {"host"}));
    EXPECT_EQ(failure.code(), NORMC_ERROR_INVALID_SOURCE);
    EXPECT_NE(failure.message().find("at most 256 deep"), std::string::npos);
  }
}

TEST_F(Compile, ASourceWithoutEntriesIsAnError) {
  EXPECT_EQ(Failure(compile("", {"host"})).code(), NORMC_ERROR_COMPILATION_FAILED);
}

TEST_F(Compile, ACompilerGoesOnAfterAnError) {
  for (int i = 0; i < 3; ++i)
    const Failure failure(compile("nothing", {"host"}));
  ASSERT_EQ(compile(sourceOf(64), {"host", "cuda:sm_90"}), nullptr);
  EXPECT_GT(normc_package_get_size(package), 0u);
  normc_package_release(package);
}

TEST_F(Compile, APackageIsTheSameEveryTimeAndForEveryNumberOfThreads) {
  std::string first;
  for (int threads : {1, 1, 4, 0}) {
    normc_compiler_options options = uncached();
    options.threads = threads;
    const normc::Package package =
        normc::Compiler(options).compile(sourceOf(96), {"host", "cuda:sm_90"});
    const std::string bytes(static_cast<const char *>(package.data()), package.size());
    if (first.empty())
      first = bytes;
    EXPECT_TRUE(first == bytes);
  }
}

struct SignalHandlers {
  SignalHandlers() {
    for (int number = 1; number < NSIG; ++number) {
      struct sigaction found = {};
      sigaction(number, nullptr, &found);
      handlers.push_back(found.sa_handler);
    }
    sigaltstack(nullptr, &stack);
  }
  std::vector<void (*)(int)> handlers;
  stack_t stack;
};

TEST_F(Compile, SignalsAreTheEmbedders) {
  const SignalHandlers before;
  for (const char *target : {"cuda:sm_90", "host"}) {
    ASSERT_EQ(compile(sourceOf(64), {target}), nullptr);
    normc_package_release(package);
    const Failure failure(compile("nothing", {target}));
    const SignalHandlers after;
    EXPECT_EQ(after.handlers, before.handlers) << target;
    EXPECT_EQ(after.stack.ss_sp, before.stack.ss_sp) << target;
  }
}

TEST(Threads, OneCompilerServesMany) {
  normc_compiler_options options = uncached();
  options.cache_disabled = 0;
  options.cache_directory = "";
  const normc::Compiler compiler(options);
  std::vector<std::string> failures(8);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      try {
        for (int turn = 0; turn < 3; ++turn) {
          const normc::Package package =
              compiler.compile(sourceOf(32 + (i + turn) % 4), {"host"});
          normc::Function(normc::Device("host:1"), package, "f");
        }
        // Errors of other threads do not end up here.
        compiler.compile("func.func @bad" + std::to_string(i), {"host"});
        failures[size_t(i)] = "expected an error";
      } catch (const normc::Error &error) {
        const std::string said = error.what();
        if (said.find("source:1:") == std::string::npos)
          failures[size_t(i)] = said;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &failure : failures)
    EXPECT_EQ(failure, "");
}

} // namespace
