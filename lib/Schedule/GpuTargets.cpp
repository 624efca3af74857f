//===- GpuTargets.cpp - The table of GPUs ------------------------------------===//
//
// One row a chip. A name that covers several chips has the numbers of one: grids ask
// the device for its compute units at launch, everything else is the same for all of
// the name or only ranks choices.
//
//===----------------------------------------------------------------------===//
#include "GpuTargets.h"

namespace normc::schedule {

// NVIDIA. Lanes, workgroups, registers and workgroup memory of a multiprocessor: CUDA
// Programming Guide 13, "Compute Capabilities", tables of technical specifications; a
// workgroup has 1 KiB less than a multiprocessor (same page). Clusters: 8 is portable,
// 16 with the non-portable attribute on Hopper and Blackwell (Hopper and Blackwell
// Tuning Guides, "Thread Block Clusters"). Combined cache: the same guides and,
// for 8.0, the Ampere one, "Unified Shared Memory/L1/Texture Cache".
//   sm_80: A100 80 GB, 108 multiprocessors, 2,039 GB/s, 1.41 GHz (A100 datasheet and
//     GA100 whitepaper).
//   sm_90: H200, 132 multiprocessors. Measured there: 4.27 TB/s read plus written by a
//     large copy (4.8 TB/s in the datasheet), 0.7 us for an empty kernel in a graph.
//     Clusters at once by cuOccupancyMaxActiveClusters, 256 lanes, one to four
//     workgroups a unit: of 2 66, 132, 198, 264; of 4 30, 62, 92, 124; of 8 15, 30, 45,
//     62; of 16 7, 14, 21, 28. Groups of 18 units make 29, 58, 87, 116 of 4, 14, 28,
//     42, 56 of 8 and the same of 16: never more than fit. 1.98 GHz (66.9 TFLOPS of f32
//     in the datasheet: 132 x 128 fused multiply-adds).
//   sm_100: B200, 148 multiprocessors (two dies of 74), 8 TB/s; 1.98 GHz (75 TFLOPS of
//     f32: 148 x 128 fused multiply-adds). Clusters of 16 need groups of 16 units; how
//     many there are was not measured.
//   sm_120: RTX 5090, 170 multiprocessors, 1,792 GB/s, 2.41 GHz; 16 multiprocessors in
//     each of 12 clusters of the whole chip (RTX Blackwell whitepaper). Only the
//     portable size of clusters is taken to be there.
// Instructions: four schedulers a multiprocessor, one each a cycle (Programming Guide,
// "Compute Capabilities", architecture of each). Latency: what bytes in flight over
// bandwidth gave on the H200 where few loads are in flight; the others are taken to be
// alike. Launches of the others: taken to be the H200's.
//
// Intel. A Xe core has 8 vector engines of 8 threads, 64 workgroups, workgroups of
// 1,024 lanes and 128 KiB of workgroup memory, all of which one workgroup may have
// (Intel GPU Occupancy Calculator, oneAPI-samples, device "Data Center Max"; Xe2 is
// taken to be the same, of which Intel publishes 8 vector engines of 16 lanes and 256
// KiB of first-level cache). A thread has 128 registers of 64 bytes: at 16 lanes a
// subgroup, 128 registers of 32 bits a lane (oneAPI GPU Optimization Guide, "Small
// Register Mode vs. Large Register Mode").
//   pvc: one stack of a Max 1550, 64 Xe cores, half of 3,276.8 GB/s, 1.6 GHz, 512 KiB
//   of
//     first-level cache (product page; Data Center GPU Max Series Technical Overview).
//   bmg: Arc B580, 20 Xe cores, 456 GB/s, 2.67 GHz (product page).
//   spirv: any other, with what the least of them has: a quarter of the workgroup
//   memory,
//     half of the lanes, 64 registers a lane (Xe-LP's are half as wide); speeds of a
//     small one (Arc A380 product page: 8 Xe cores, 186 GB/s, 2 GHz).
// Launches and latency of Intel's chips were not measured and no page has them: 4 us a
// launch is assumed, latency is taken to be NVIDIA's.
//
// bf16: PTX has conversions from capability 8.0 on (PTX ISA, "cvt"); core SPIR-V has
// none. f64: Xe-HPC and Xe2 have it (oneAPI GPU Optimization Guide 2025, "Intel Xe GPU
// Architecture"); Gen12 and Arc A do not, so `spirv` has none.
//
// clang-format off
// In the order of GpuChip: name, backend; units, lanes of a subgroup, of a workgroup and of
// a unit, workgroups a unit; registers of a unit and most of a lane; KiB of workgroup
// memory of a unit and of a workgroup; cluster's size and units; copies ahead, KiB of
// cache; bytes/s, ns of a launch, of a load; instructions/s; bf16, f64; registers
// kept.
static constexpr GpuChip kChips[] = {
    {"cuda:sm_80", Backend::Cuda, 108, 32, 1024, 2048, 32, 65536, 255, 164, 163,
     1, 0, AsyncCopy::PerLane, 192, 2.039e12, 700, 450, 4 * 1.41e9, true, true,
     {.of_sums = 16, .of_rows = 2, .of_reloads = 4}},
    {"cuda:sm_90", Backend::Cuda, 132, 32, 1024, 2048, 32, 65536, 255, 228, 227,
     16, 18, AsyncCopy::Bulk, 256, 4.27e12, 700, 450, 4 * 1.98e9, true},
    {"cuda:sm_100", Backend::Cuda, 148, 32, 1024, 2048, 32, 65536, 255, 228, 227,
     16, 16, AsyncCopy::Bulk, 256, 8e12, 700, 450, 4 * 1.98e9, true, true,
     {.of_rows = 3}},
    {"cuda:sm_120", Backend::Cuda, 170, 32, 1024, 1536, 24, 65536, 255, 100, 99,
     8, 16, AsyncCopy::Bulk, 128, 1.792e12, 700, 450, 4 * 2.41e9, true, true,
     {.of_sums = 32, .of_rows = 2}},
    {"spirv:pvc", Backend::LevelZero, 64, 16, 1024, 1024, 64, 131072, 128, 128, 128,
     1, 0, AsyncCopy::None, 512, 1.6384e12, 4000, 450, 8 * 1.6e9, false},
    {"spirv:bmg", Backend::LevelZero, 20, 16, 1024, 1024, 64, 131072, 128, 128, 128,
     1, 0, AsyncCopy::None, 256, 0.456e12, 4000, 450, 8 * 2.67e9, false},
    {"spirv", Backend::LevelZero, 8, 16, 512, 1024, 64, 65536, 64, 64, 32,
     1, 0, AsyncCopy::None, 64, 0.186e12, 4000, 450, 8 * 2e9, false, false},
};
// clang-format on

std::span<const GpuChip> gpuChips() { return kChips; }

KeptRegisters keptRegistersOf(const TargetFacts &target) {
  for (const GpuChip &chip : kChips)
    if (chip.name == target.name)
      return chip.kept;
  return {};
}

TargetFacts factsOf(const GpuChip &chip) {
  constexpr int64_t kKiB = 1024;
  TargetFacts facts;
  facts.name = chip.name;
  facts.backend = chip.backend;
  facts.compute_units = chip.compute_units;
  facts.subgroup_size = chip.subgroup_size;
  facts.max_workgroup_size = chip.max_workgroup_size;
  facts.max_lanes_per_cu = chip.max_lanes_per_cu;
  facts.max_workgroups_per_cu = chip.max_workgroups_per_cu;
  facts.registers_per_cu = chip.registers_per_cu;
  facts.max_registers_per_lane = chip.max_registers_per_lane;
  facts.shared_bytes_per_cu = chip.shared_kib_per_cu * kKiB;
  facts.shared_bytes_per_workgroup = chip.shared_kib_per_workgroup * kKiB;
  facts.max_cluster_size = chip.max_cluster_size;
  facts.cluster_units = chip.cluster_units;
  facts.async_copy = chip.async_copy;
  facts.private_cache_bytes = chip.private_cache_kib * kKiB;
  facts.bytes_per_s = chip.bytes_per_s;
  facts.launch_ns = chip.launch_ns;
  facts.latency_ns = chip.latency_ns;
  facts.vector_ops_per_s = chip.vector_ops_per_s;
  facts.has_bf16 = chip.has_bf16;
  facts.has_f64 = chip.has_f64;
  return facts;
}

} // namespace normc::schedule
