//===- Tiling.cpp - Spelling and hashing of the knobs ------------------------===//
#include "normc/Schedule/Tiling.h"

#include "Words.h"

namespace normc::schedule {

static constexpr Word<Loop> kLoops[] = {{"one_shot", Loop::OneShot},
                                        {"persistent", Loop::Persistent}};
static constexpr Word<Staging> kStagings[] = {{"direct", Staging::Direct},
                                              {"async", Staging::Async}};
static constexpr Word<Store> kStores[] = {{"direct", Store::Direct},
                                          {"from_stage", Store::FromStage},
                                          {"own_stage", Store::OwnStage}};
static constexpr Word<Residency> kResidencies[] = {{"registers", Residency::Registers},
                                                   {"shared", Residency::Shared},
                                                   {"reload", Residency::Reload}};

std::string_view toString(Loop value) { return wordOf(kLoops, value); }
std::string_view toString(Staging value) { return wordOf(kStagings, value); }
std::string_view toString(Store value) { return wordOf(kStores, value); }
std::string_view toString(Residency value) { return wordOf(kResidencies, value); }
std::optional<Loop> parseLoop(std::string_view word) { return parseWord(kLoops, word); }
std::optional<Staging> parseStaging(std::string_view word) {
  return parseWord(kStagings, word);
}
std::optional<Store> parseStore(std::string_view word) {
  return parseWord(kStores, word);
}
std::optional<Residency> parseResidency(std::string_view word) {
  return parseWord(kResidencies, word);
}

uint64_t hashValue(const Tiling &tiling) {
  // FNV-1a over the fields' values, 64-bit offset basis and prime of RFC 9923.
  uint64_t hash = 0xcbf29ce484222325u;
  for (const TilingField &field : kTilingFields) {
    uint64_t value =
        std::visit([&](auto member) { return static_cast<uint64_t>(tiling.*member); },
                   field.member);
    for (int byte = 0; byte < 8; ++byte)
      hash = (hash ^ ((value >> (8 * byte)) & 0xff)) * 0x100000001b3u;
  }
  return hash;
}

} // namespace normc::schedule
