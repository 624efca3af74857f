//===- IsolatedTest.cpp - Functions in processes of their own -----------------===//
#include "normc/Process/Isolated.h"

#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace normc;

namespace {

using Bytes = llvm::SmallVector<char>;

struct Result {
  bool isDone;
  Bytes bytes;
  std::string error;
};

Result run(llvm::function_ref<bool(llvm::SmallVectorImpl<char> &)> body,
           IsolationLimits limits = {}) {
  Result result;
  result.isDone = runIsolated(limits, body, result.bytes, result.error);
  EXPECT_EQ(result.isDone, result.error.empty()) << result.error;
  return result;
}

/// Of bytes that do not repeat after the size of a pipe.
void appendSteps(llvm::SmallVectorImpl<char> &bytes, size_t size) {
  for (size_t i = 0; i < size; ++i)
    bytes.push_back(static_cast<char>(i * 2654435761u >> 13));
}

// Both are read again each time, so that no compiler knows what becomes of them.
volatile int *volatile nowhere = nullptr;
volatile bool forever = true;

TEST(Isolated, GivesWhatTheFunctionMade) {
  for (const size_t size : {size_t(0), size_t(1), size_t(3) << 20}) {
    Bytes expected;
    appendSteps(expected, size);
    const Result result = run([&](llvm::SmallVectorImpl<char> &bytes) {
      appendSteps(bytes, size);
      return true;
    });
    EXPECT_TRUE(result.isDone);
    EXPECT_TRUE(result.bytes == expected) << size;
  }
}

TEST(Isolated, ChangesNothingHere) {
  int value = 1;
  EXPECT_TRUE(run([&](auto &) {
                value = 2;
                return true;
              }).isDone);
  EXPECT_EQ(value, 1);
}

TEST(Isolated, AFunctionThatFailsSaysWhy) {
  EXPECT_EQ(run([](auto &) {
              std::fputs("  the reason\n", stderr);
              return false;
            }).error,
            "the reason");
  EXPECT_EQ(run([](auto &) { return false; }).error, "an end without a result");
}

TEST(Isolated, ACrashIsAnError) {
  EXPECT_EQ(run([](auto &) {
              *nowhere = 1;
              return true;
            }).error,
            "signal 11 (Segmentation fault)");
  EXPECT_EQ(run([](auto &) -> bool { std::abort(); }).error, "signal 6 (Aborted)");
  EXPECT_EQ(run([](auto &) -> bool {
              llvm::report_fatal_error("of LLVM's", /*gen_crash_diag=*/false);
            }).error,
            "of LLVM's");
  EXPECT_EQ(run([](auto &bytes) -> bool {
              appendSteps(bytes, 1000);
              _exit(0);
            }).error,
            "an end without a result");
}

TEST(Isolated, AnExceptionDoesNotLeaveIt) {
  int times = 0;
  try {
    ++times;
    // As of operator new in a library that is compiled with exceptions.
    EXPECT_EQ(run([](auto &) -> bool { throw std::bad_alloc(); }).error,
              "signal 6 (Aborted)");
  } catch (const std::bad_alloc &) {
    FAIL() << "expected no copy of this program to go on";
  }
  EXPECT_EQ(times, 1);
}

TEST(Isolated, ACrashRunsNoHandlerOfTheProgram) {
  const auto before = std::signal(SIGSEGV, [](int) { _exit(0); });
  EXPECT_EQ(run([](auto &) {
              *nowhere = 1;
              return true;
            }).error,
            "signal 11 (Segmentation fault)");
  std::signal(SIGSEGV, before);
}

TEST(Isolated, ACrashIsSeenWhereTheProgramTakesNoNoteOfItsProcesses) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(run([](auto &) -> bool { std::abort(); }).error, "an end without a result");
  EXPECT_TRUE(run([](auto &) { return true; }).isDone);
  std::signal(SIGCHLD, before);
}

TEST(Isolated, TimeIsLimited) {
  EXPECT_EQ(run(
                [](auto &) {
                  while (forever)
                    ;
                  return true;
                },
                {.cpu_seconds = 1})
                .error,
            "signal 24 (CPU time limit exceeded)");
  EXPECT_EQ(run(
                [](auto &) {
                  pause();
                  return true;
                },
                {.seconds = 1})
                .error,
            "no end after 1 seconds");
}

TEST(Isolated, MemoryIsLimited) {
  auto takeMuch = [](llvm::SmallVectorImpl<char> &bytes) {
    llvm::SmallVector<char, 0> much(size_t(256) << 20);
    bytes.push_back(much.back());
    return true;
  };
  const Result result = run(takeMuch, {.memory_bytes = uint64_t(64) << 20});
  EXPECT_FALSE(result.isDone);
  EXPECT_TRUE(run(takeMuch, {.memory_bytes = uint64_t(1) << 30}).isDone);
}

// A process that another thread starts meanwhile, and that lives on, has the pipes too.
TEST(Isolated, OtherProcessesDoNotDelayTheEnd) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(run([](auto &) {
                if (fork() == 0) {
                  close(STDOUT_FILENO);
                  sleep(30);
                  _exit(0);
                }
                return true;
              }).isDone);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
}

TEST(Isolated, ThreadsDoNotDisturbEachOther) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(8);
  for (size_t i = 0; i < wrong.size(); ++i)
    threads.emplace_back([&, i] {
      for (int turn = 0; turn < 50; ++turn) {
        Bytes bytes;
        std::string error;
        const bool isDone = runIsolated(
            {},
            [&](llvm::SmallVectorImpl<char> &out) {
              out.assign(10000, static_cast<char>(i));
              return turn % 2 == 0;
            },
            bytes, error);
        const bool isRight = turn % 2 ? !isDone && error == "an end without a result"
                                      : isDone && bytes.size() == 10000 &&
                                            std::count(bytes.begin(), bytes.end(),
                                                       static_cast<char>(i)) == 10000;
        wrong[i] += !isRight;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, std::vector<int>(8));
}

} // namespace
