#include "runtime/src/HostProcessor.h"

namespace normrt {
namespace {

struct Level {
  std::string_view name;
  bool present;
};

// The builtin looks at the operating system's support (XCR0) as well as at CPUID. Its
// argument must be a literal.
#if defined(__x86_64__)
constexpr std::string_view kArchitecture = "x86_64";
const Level kLevels[] = {
    {"x86-64", true},
    {"x86-64-v2", bool(__builtin_cpu_supports("x86-64-v2"))},
    {"x86-64-v3", bool(__builtin_cpu_supports("x86-64-v3"))},
    {"x86-64-v4", bool(__builtin_cpu_supports("x86-64-v4"))},
};
#elif defined(__aarch64__)
constexpr std::string_view kArchitecture = "aarch64";
const Level kLevels[] = {{"armv8-a", true}};
#else
constexpr std::string_view kArchitecture = "unknown";
const Level kLevels[] = {{"generic", true}};
#endif

} // namespace

std::string_view hostArchitecture() { return kArchitecture; }

std::string_view hostFeatureLevel() {
  std::string_view best;
  for (const Level &level : kLevels)
    if (level.present)
      best = level.name;
  return best;
}

int hostFeatureRank(std::string_view name) {
  if (name.empty())
    return 0;
  int rank = 0;
  for (const Level &level : kLevels) {
    if (level.name == name)
      return level.present ? rank : -1;
    ++rank;
  }
  return -1;
}

} // namespace normrt
