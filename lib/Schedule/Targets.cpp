//===- Targets.cpp - The table of known targets -------------------------------===//
//
// Every number of a chip, each with where it is from. Nothing else in normc holds one.
//
//===----------------------------------------------------------------------===//
#include "GpuTargets.h"

namespace normc::schedule {

/// What one instruction-set level of a host guarantees or, for caches and speeds, what
/// its slowest common machine has. A level is a set of machines: nothing is detected,
/// so that the same level gives the same blocks of rows, and the same bits, everywhere.
struct HostLevel {
  std::string_view name;
  std::string_view features;
  int64_t vector_bytes;
  int64_t vector_registers;
  int64_t l1_bytes;
  int64_t l2_bytes;
  double vector_ops_per_s;
};

static constexpr int64_t kKiB = 1024;

// Vector width and registers: x86-64 psABI 1.0, section 3.1.1 "Processor architecture"
// (v3 adds AVX2, v4 adds AVX-512 F, BW, CD, DQ, VL) and Intel's Software Developer's
// Manual, volume 1, sections 14.1 (16 registers of 256 bits) and 15.1 (32 of 512);
// aarch64: Arm's Architecture Reference Manual, section B1.2.1 (32 registers of 128).
// L1 and L2: v3 Haswell 32 KiB and 256 KiB (Intel's Optimization Manual, Haswell cache
// parameters); v4 Skylake server 32 KiB and 1 MiB (same, Skylake Server cache
// parameters), Zen 4 the same (AMD's Software Optimization Guide for Zen 4,
// section 2.6); aarch64 Neoverse N1 64 KiB and 512 KiB at least (Arm's Neoverse N1
// technical reference manual, L1 and L2 memory systems). Speed: two vector instructions
// a cycle on each of the three families (the guides above), at a sustained 2.5 GHz,
// half of it lost to dependences.
static constexpr HostLevel kHostLevels[] = {
    {"host:x86-64-v4", "x86-64-v4", 64, 32, 32 * kKiB, 1024 * kKiB, 5e9},
    {"host:x86-64-v3", "x86-64-v3", 32, 16, 32 * kKiB, 256 * kKiB, 5e9},
    {"host:aarch64", "aarch64", 16, 32, 64 * kKiB, 512 * kKiB, 5e9},
};

static TargetFacts factsOf(const HostLevel &level) {
  TargetFacts facts;
  facts.name = level.name;
  facts.backend = Backend::Host;
  facts.subgroup_size = level.vector_bytes / sizeInBytes(ElementType::F32);
  // A workgroup is one vector's lanes; a core runs one at a time.
  facts.max_workgroup_size = facts.subgroup_size;
  facts.max_lanes_per_cu = facts.subgroup_size;
  facts.max_workgroups_per_cu = 1;
  facts.registers_per_cu = level.vector_registers;
  facts.max_registers_per_lane = level.vector_registers;
  facts.max_access_bytes = level.vector_bytes;
  facts.private_cache_bytes = level.l2_bytes;
  facts.l1_bytes = level.l1_bytes;
  // One channel of DDR4-3200: 25.6 GB/s (JEDEC JESD79-4).
  facts.bytes_per_s = 25.6e9;
  // Waking the workers of the pool: one futex wake and one context switch, about 2 us.
  facts.launch_ns = 2000;
  facts.vector_ops_per_s = level.vector_ops_per_s;
  facts.features = level.features;
  return facts;
}

/// The best level that this machine runs, or null.
static const HostLevel *detectHostLevel() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4"))
    return &kHostLevels[0];
  if (__builtin_cpu_supports("x86-64-v3"))
    return &kHostLevels[1];
#elif defined(__aarch64__)
  return &kHostLevels[2];
#endif
  return nullptr;
}

std::vector<std::string_view> knownTargets() {
  std::vector<std::string_view> names = {"host"};
  for (const HostLevel &level : kHostLevels)
    names.push_back(level.name);
  for (const GpuChip &chip : gpuChips())
    names.push_back(chip.name);
  return names;
}

std::optional<TargetFacts> lookupTarget(std::string_view name, std::string &error) {
  if (name == "host") {
    if (const HostLevel *level = detectHostLevel()) {
      TargetFacts facts = factsOf(*level);
      facts.name = name;
      return facts;
    }
    error = "expected a machine of x86-64-v3, x86-64-v4 or aarch64, because `host` is "
            "the level of this machine, but it is none of them";
    return std::nullopt;
  }
  for (const HostLevel &level : kHostLevels)
    if (name == level.name)
      return factsOf(level);
  for (const GpuChip &chip : gpuChips())
    if (name == chip.name)
      return factsOf(chip);
  error = "expected a target that is known (";
  for (std::string_view known : knownTargets())
    error.append(known == "host" ? "" : ", ").append(known);
  error.append("), but got ").append(name.empty() ? "an empty name" : name);
  return std::nullopt;
}

} // namespace normc::schedule
