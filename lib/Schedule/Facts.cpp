//===- Facts.cpp - Sizes and spellings of the facts --------------------------===//
#include "normc/Schedule/Decision.h"

#include "Words.h"

namespace normc::schedule {

static constexpr Word<ElementType> kElementTypes[] = {{"f16", ElementType::F16},
                                                      {"bf16", ElementType::BF16},
                                                      {"f32", ElementType::F32},
                                                      {"f64", ElementType::F64}};
static constexpr Word<Backend> kBackends[] = {{"host", Backend::Host},
                                              {"cuda", Backend::Cuda},
                                              {"level_zero", Backend::LevelZero}};
static constexpr Word<AsyncCopy> kAsyncCopies[] = {{"none", AsyncCopy::None},
                                                   {"per_lane", AsyncCopy::PerLane},
                                                   {"bulk", AsyncCopy::Bulk}};

bool KernelFacts::writesPartials() const {
  for (const BufferFacts &buffer : buffers)
    if (buffer.extent == Extent::Partials && buffer.is_output)
      return true;
  return false;
}

static constexpr Word<Strategy> kStrategies[] = {{"rows", Strategy::Rows},
                                                 {"direct", Strategy::Direct},
                                                 {"partials", Strategy::Partials},
                                                 {"fission", Strategy::Fission},
                                                 {"cluster", Strategy::Cluster}};
std::string_view toString(Strategy strategy) { return wordOf(kStrategies, strategy); }
std::optional<Strategy> parseStrategy(std::string_view word) {
  return parseWord(kStrategies, word);
}

std::string_view toString(ElementType type) { return wordOf(kElementTypes, type); }
std::string_view toString(Backend value) { return wordOf(kBackends, value); }
std::string_view toString(AsyncCopy value) { return wordOf(kAsyncCopies, value); }
std::optional<Backend> parseBackend(std::string_view word) {
  return parseWord(kBackends, word);
}
std::optional<AsyncCopy> parseAsyncCopy(std::string_view word) {
  return parseWord(kAsyncCopies, word);
}

} // namespace normc::schedule
