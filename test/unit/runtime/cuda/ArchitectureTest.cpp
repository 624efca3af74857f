// Which code runs on which device: names, and the order of preference.
#include "runtime/src/cuda/Architecture.h"

#include <gtest/gtest.h>

using namespace normrt::cuda;
using normrt::schema::BlobFormat;

namespace {

TEST(CudaArchitecture, NamesAreRead) {
  struct Case {
    const char *name;
    int major, minor;
    char suffix;
  };
  for (const Case &c : {Case{"sm_80", 8, 0, 0}, Case{"sm_86", 8, 6, 0},
                        Case{"sm_90a", 9, 0, 'a'}, Case{"sm_100f", 10, 0, 'f'},
                        Case{"sm_121", 12, 1, 0}, Case{"compute_90", 9, 0, 0}}) {
    const auto read = parseArchitecture(c.name);
    ASSERT_TRUE(read) << c.name;
    EXPECT_EQ(read->capability, (Capability{c.major, c.minor})) << c.name;
    EXPECT_EQ(read->suffix, c.suffix) << c.name;
  }
  EXPECT_EQ((Capability{9, 0}).name(), "sm_90");
}

TEST(CudaArchitecture, OtherNamesAreNot) {
  for (const char *name : {"", "sm_", "sm_9", "sm90", "sm_90b", "sm_90aa", "sm_-90",
                           "sm_99999", "gfx90a", "SM_90", "sm_90 "})
    EXPECT_FALSE(parseArchitecture(name)) << name;
}

int fit(BlobFormat format, const char *code, Capability device) {
  return fitOf(format, *parseArchitecture(code), device);
}

TEST(CudaArchitecture, WhatRuns) {
  struct Case {
    BlobFormat format;
    const char *code;
    Capability device;
    bool runs;
  };
  constexpr auto cubin = BlobFormat::cubin, ptx = BlobFormat::ptx;
  const Case cases[] = {
      {cubin, "sm_90", {9, 0}, true},     {cubin, "sm_80", {8, 6}, true},
      {cubin, "sm_86", {8, 0}, false},    {cubin, "sm_80", {9, 0}, false},
      {cubin, "sm_90", {10, 0}, false},   {cubin, "sm_90a", {9, 0}, true},
      {cubin, "sm_100a", {10, 3}, false}, {cubin, "sm_100f", {10, 3}, true},
      {ptx, "sm_80", {9, 0}, true},       {ptx, "sm_90", {9, 0}, true},
      {ptx, "sm_100", {9, 0}, false},     {ptx, "sm_90", {12, 0}, true},
      {ptx, "sm_90a", {12, 0}, false},    {ptx, "sm_100f", {12, 0}, false},
      {ptx, "sm_100f", {10, 3}, true},    {BlobFormat::spirv, "sm_90", {9, 0}, false},
  };
  for (const Case &c : cases)
    EXPECT_EQ(fit(c.format, c.code, c.device) >= 0, c.runs)
        << c.code << " on " << c.device.name();
}

TEST(CudaArchitecture, TheOrderOfPreference) {
  const Capability device{8, 9};
  // Best first.
  const int order[] = {
      fit(BlobFormat::cubin, "sm_89a", device), fit(BlobFormat::cubin, "sm_89", device),
      fit(BlobFormat::cubin, "sm_86", device),  fit(BlobFormat::cubin, "sm_80", device),
      fit(BlobFormat::ptx, "sm_89", device),    fit(BlobFormat::ptx, "sm_75", device)};
  for (size_t i = 1; i < std::size(order); ++i)
    EXPECT_GT(order[i - 1], order[i]) << i;
}

} // namespace
