//===- VariantsTest.cpp - Which variants an entry has ------------------------===//
#include "lib/Plan/Variants.h"

#include <gtest/gtest.h>

using namespace normc::plan;

namespace {

/// What a launch may have, one bit each.
struct Launch {
  bool is_aligned, is_collapsible, has_few_rows, has_units;
};

Launch launchOf(unsigned bits) {
  return {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
}

/// Whether all guards of the variant hold. Where nothing is to be collapsed every
/// launch walks with one stride.
bool fits(const VariantPlan &variant, const VariantNeeds &needs, const Launch &launch) {
  bool strides = !needs.collapses || !variant.collapsed || launch.is_collapsible;
  return strides && (!variant.aligned || launch.is_aligned) &&
         (!variant.few_rows || launch.has_few_rows) &&
         (!variant.clusters || launch.has_units);
}

bool hasGuard(const VariantPlan &variant, const VariantNeeds &needs) {
  return variant.aligned || variant.few_rows || variant.clusters ||
         (needs.collapses && variant.collapsed);
}

template <typename Function> void forEachNeed(Function function) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    auto bit = [&](unsigned i) { return (bits >> i & 1) != 0; };
    VariantNeeds needs{bit(0), bit(1), bit(2), bit(3), bit(4), bit(5), bit(6), bit(7)};
    // Few rows at any address have a variant of their own beside one for aligned ones.
    if ((needs.few_anywhere && !needs.aligns) ||
        (needs.few_clusters_anywhere && !needs.few_anywhere) ||
        (needs.few_clusters && !needs.few_rows) ||
        (needs.rows_in_clusters && !needs.clusters))
      continue;
    SCOPED_TRACE(bits);
    function(needs);
  }
}

} // namespace

TEST(Variants, TheLastOneAloneHasNoGuardAndNoCluster) {
  forEachNeed([](const VariantNeeds &needs) {
    std::vector<VariantPlan> variants = planVariants(needs);
    ASSERT_FALSE(variants.empty());
    for (const VariantPlan &variant : variants) {
      bool last = &variant == &variants.back();
      EXPECT_EQ(variant.last, last);
      EXPECT_EQ(hasGuard(variant, needs), !last);
    }
    EXPECT_FALSE(variants.back().clusters);
  });
}

// The first that fits is taken: one for every launch, and each for some launch.
TEST(Variants, EachIsTakenBySomeLaunch) {
  forEachNeed([](const VariantNeeds &needs) {
    std::vector<VariantPlan> variants = planVariants(needs);
    std::vector<int> taken(variants.size());
    for (unsigned bits = 0; bits < 16; ++bits) {
      size_t first = 0;
      while (first < variants.size() && !fits(variants[first], needs, launchOf(bits)))
        ++first;
      ASSERT_LT(first, variants.size());
      ++taken[first];
    }
    for (size_t i = 0; i < taken.size(); ++i)
      EXPECT_GT(taken[i], 0) << "variant " << i << " of " << taken.size();
  });
}

TEST(Variants, NoMoreThanDecisionsDiffer) {
  EXPECT_EQ(planVariants({}).size(), 1u);
  EXPECT_EQ(planVariants({.aligns = true}).size(), 2u);
  EXPECT_EQ(planVariants({.aligns = true, .collapses = true}).size(), 3u);
  EXPECT_EQ(planVariants({.aligns = true, .few_rows = true}).size(), 3u);
  EXPECT_EQ(
      planVariants({.aligns = true, .few_rows = true, .few_anywhere = true}).size(),
      4u);
  // Sums of wide rows need no cluster where tensors are not aligned; a row's own do.
  EXPECT_EQ(planVariants({.aligns = true, .clusters = true}).size(), 2u);
  EXPECT_EQ(
      planVariants({.aligns = true, .clusters = true, .rows_in_clusters = true}).size(),
      3u);
}
