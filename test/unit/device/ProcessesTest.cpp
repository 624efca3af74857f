// Cases in processes of their own: what a case that ends its process does to the
// others. The tests start this program again, for a share of the cases.
#include "test/device/Processes.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace normc::device;

namespace {

const std::vector<std::string> kNames = {"a/right", "a/crashes", "b/wrong", "b/faults",
                                         "b/right"};

Outcome runCase(size_t i) {
  if (kNames[i] == "a/crashes")
    std::abort();
  if (kNames[i] == "b/wrong")
    return {.failure = "a wrong\nvalue", .launches = 3};
  if (kNames[i] == "b/faults")
    return {.failure = "an address that is none", .lost = true, .launches = 1};
  return {.launches = 2, .notes = {"1.5 ulp"}};
}

int runChild(const std::vector<std::string> &arguments) {
  Share share;
  for (const std::string &word : arguments) {
    if (word == "--broken") {
      sayError("no device");
      return 1;
    }
    if (word.starts_with("--first="))
      parseNumber(word.substr(8), 0, share.first);
    if (word.starts_with("--step="))
      parseNumber(word.substr(7), 1, share.step);
  }
  if (share.first == 0)
    sayLeftOut("two devices");
  return runShare(kNames, share, runCase);
}

std::string run(const std::vector<std::string> &arguments, unsigned jobs, int status) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(runInProcesses(kNames, arguments, jobs), status);
  return testing::internal::GetCapturedStdout();
}

void expectLine(const std::string &output, const std::string &line) {
  EXPECT_NE(("\n" + output).find("\n" + line), std::string::npos) << line << " in\n"
                                                                  << output;
}

TEST(Processes, ACaseThatEndsItsProcessFailsAndTheOthersRun) {
  for (unsigned jobs : {1, 2, 7}) {
    const std::string output = run({}, jobs, 1);
    expectLine(output, "FAIL a/crashes: the process ended with ");
    expectLine(output, "FAIL b/wrong: a wrong value\n");
    expectLine(output, "FAIL b/faults: an address that is none\n");
    expectLine(output, "    left out: two devices\n");
    expectLine(output, "    b/right: 1.5 ulp\n");
    expectLine(output, "8 launches\n2 passed, 3 failed, 0 skipped\n");
  }
}

TEST(Processes, WithoutADeviceAllIsLeftOutAndSaidWhy) {
  const std::string output = run({"--broken"}, 2, 1);
  expectLine(output, "left out: error no device\n");
  expectLine(output, "0 passed, 0 failed, 5 skipped\n");
}

TEST(Processes, Numbers) {
  int64_t number = -5;
  EXPECT_TRUE(parseNumber("17", 1, number));
  EXPECT_EQ(number, 17);
  for (const char *word : {"", "x", "1x", "0", "-1", "99999999999999999999"})
    EXPECT_FALSE(parseNumber(word, 1, number)) << word;
}

} // namespace

int main(int argc, char **argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  for (const std::string &word : arguments)
    if (word.starts_with("--first="))
      return runChild(arguments);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
