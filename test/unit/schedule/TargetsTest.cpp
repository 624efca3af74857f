//===- TargetsTest.cpp - The table of targets --------------------------------===//
#include "Kernels.h"

#include <set>

using namespace normc::schedule;

TEST(Targets, LevelsOfTheHost) {
  TargetFacts v4 = test::v4(), v3 = test::v3(), arm = test::target("host:aarch64");
  EXPECT_EQ(v4.subgroup_size, 16);
  EXPECT_EQ(v4.registers_per_cu, 32);
  EXPECT_EQ(v4.max_access_bytes, 64);
  EXPECT_EQ(v4.features, "x86-64-v4");
  EXPECT_EQ(v3.subgroup_size, 8);
  EXPECT_EQ(v3.registers_per_cu, 16);
  EXPECT_EQ(v3.max_access_bytes, 32);
  EXPECT_EQ(arm.subgroup_size, 4);
  EXPECT_EQ(arm.registers_per_cu, 32);
  for (const TargetFacts &facts : {v4, v3, arm}) {
    EXPECT_EQ(facts.backend, Backend::Host);
    // Blocks must not depend on the number of workers.
    EXPECT_EQ(facts.compute_units, 0);
    EXPECT_EQ(facts.max_cluster_size, 1);
    EXPECT_EQ(facts.shared_bytes_per_workgroup, 0);
    EXPECT_LT(facts.l1_bytes, facts.private_cache_bytes);
  }
}

TEST(Targets, HostIsOneOfTheLevels) {
  TargetFacts host = test::target("host");
  EXPECT_EQ(host.name, "host");
  host.name = "host:" + host.features;
  EXPECT_EQ(host, test::target(host.name));
}

TEST(Targets, UnknownNamesListTheKnownOnes) {
  for (std::string_view name : {"", "cpu", "host:x86-64-v5", "Host", "host "}) {
    std::string error;
    EXPECT_FALSE(lookupTarget(name, error));
    for (std::string_view known : knownTargets())
      EXPECT_NE(error.find(known), std::string::npos) << error;
    EXPECT_NE(error.find(name.empty() ? "but got an empty name" : name),
              std::string::npos)
        << error;
  }
}

TEST(Targets, FieldsCoverTheFacts) {
  // Changing any listed field changes the facts, and names are unique.
  std::set<std::string_view> names;
  for (const TargetField &field : kTargetFields) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    TargetFacts changed;
    std::visit(
        [&](auto member) {
          using Type = std::remove_reference_t<decltype(changed.*member)>;
          if constexpr (std::is_same_v<Type, std::string>)
            changed.*member += "x";
          else if constexpr (std::is_same_v<Type, bool>)
            changed.*member = !(changed.*member);
          else if constexpr (std::is_enum_v<Type>)
            changed.*member = static_cast<Type>(1);
          else
            changed.*member += 1;
        },
        field.member);
    EXPECT_FALSE(changed == TargetFacts()) << field.name;
  }
}
