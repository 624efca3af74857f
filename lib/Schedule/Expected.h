//===- Expected.h - The one form of what a limit says -------------------------===//
#ifndef NORMC_LIB_SCHEDULE_EXPECTED_H
#define NORMC_LIB_SCHEDULE_EXPECTED_H

#include <cstdint>
#include <string>
#include <string_view>

namespace normc::schedule {

/// "expected WHAT, because WHY, but got VALUE".
inline std::string expected(std::string_view what, std::string_view why,
                            std::string_view got) {
  std::string text = "expected ";
  return text.append(what)
      .append(", because ")
      .append(why)
      .append(", but got ")
      .append(got);
}
inline std::string expected(std::string_view what, std::string_view why, int64_t got) {
  return expected(what, why, std::to_string(got));
}
inline std::string num(int64_t value) { return std::to_string(value); }

} // namespace normc::schedule

#endif // NORMC_LIB_SCHEDULE_EXPECTED_H
