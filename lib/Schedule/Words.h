//===- Words.h - Enumerators and their spelling ------------------------------===//
#ifndef NORMC_LIB_SCHEDULE_WORDS_H
#define NORMC_LIB_SCHEDULE_WORDS_H

#include <cstddef>
#include <optional>
#include <string_view>

namespace normc::schedule {

template <typename Enum> struct Word {
  std::string_view word;
  Enum value;
};

template <typename Enum, size_t N>
std::string_view wordOf(const Word<Enum> (&words)[N], Enum value) {
  for (const Word<Enum> &entry : words)
    if (entry.value == value)
      return entry.word;
  return "?";
}

template <typename Enum, size_t N>
std::optional<Enum> parseWord(const Word<Enum> (&words)[N], std::string_view word) {
  for (const Word<Enum> &entry : words)
    if (entry.word == word)
      return entry.value;
  return std::nullopt;
}

} // namespace normc::schedule

#endif // NORMC_LIB_SCHEDULE_WORDS_H
