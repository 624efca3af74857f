//===- TilingTest.cpp - Words and hashes of the knobs ------------------------===//
#include "Kernels.h"

#include <set>

using namespace normc::schedule;

TEST(Tiling, EveryWordParsesBack) {
  for (Loop value : {Loop::OneShot, Loop::Persistent})
    EXPECT_EQ(parseLoop(toString(value)), value);
  for (Staging value : {Staging::Direct, Staging::Async})
    EXPECT_EQ(parseStaging(toString(value)), value);
  for (Store value : {Store::Direct, Store::FromStage, Store::OwnStage})
    EXPECT_EQ(parseStore(toString(value)), value);
  for (Residency value : {Residency::Registers, Residency::Shared, Residency::Reload})
    EXPECT_EQ(parseResidency(toString(value)), value);
  for (Backend value : {Backend::Host, Backend::Cuda, Backend::LevelZero})
    EXPECT_EQ(parseBackend(toString(value)), value);
  for (AsyncCopy value : {AsyncCopy::None, AsyncCopy::PerLane, AsyncCopy::Bulk})
    EXPECT_EQ(parseAsyncCopy(toString(value)), value);
}

TEST(Tiling, UnknownWordsDoNotParse) {
  EXPECT_FALSE(parseLoop("persistant"));
  EXPECT_FALSE(parseLoop(""));
  EXPECT_FALSE(parseStaging("Direct"));
  EXPECT_FALSE(parseStore("stage"));
  EXPECT_FALSE(parseResidency("register"));
  EXPECT_FALSE(parseBackend("gpu"));
  EXPECT_FALSE(parseAsyncCopy("tma"));
}

TEST(Tiling, HashSeesEveryField) {
  std::set<uint64_t> hashes = {hashValue(Tiling())};
  for (const TilingField &field : kTilingFields) {
    Tiling changed;
    std::visit(
        [&](auto member) {
          using Type = std::remove_reference_t<decltype(changed.*member)>;
          changed.*member =
              static_cast<Type>(static_cast<int64_t>(changed.*member) + 1);
        },
        field.member);
    EXPECT_NE(changed, Tiling()) << field.name;
    EXPECT_TRUE(hashes.insert(hashValue(changed)).second) << field.name;
  }
  // A field that the list lacks would be lost in the attribute. The enumerators leave
  // less than two words of padding.
  size_t listed = 0;
  for (const TilingField &field : kTilingFields)
    listed +=
        std::visit([](auto member) { return sizeof(Tiling().*member); }, field.member);
  EXPECT_GT(listed + 2 * sizeof(int64_t), sizeof(Tiling));
}

TEST(Facts, SizesOfTypes) {
  EXPECT_EQ(sizeInBytes(ElementType::F16), 2);
  EXPECT_EQ(sizeInBytes(ElementType::BF16), 2);
  EXPECT_EQ(sizeInBytes(ElementType::F32), 4);
  EXPECT_EQ(sizeInBytes(ElementType::F64), 8);
}
