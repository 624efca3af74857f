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
// C++ Programming Guide 13.0, "Compute Capabilities", table "Technical Specifications
// per Compute Capability"; a workgroup has 1 KiB less than a multiprocessor (same
// guide, section on compute capability 8.x). Clusters: 8 is portable, 16 with the
// non-portable attribute (same guide, "Thread Block Clusters"). Combined cache: same
// guide, "Shared Memory" of each capability.
//   sm_80: A100 80 GB, 108 multiprocessors, 2,039 GB/s, 1.41 GHz (A100 datasheet and
//     GA100 whitepaper).
//   sm_90: H200, 132 multiprocessors; 4.27 TB/s read plus written by a large copy, 0.7
//   us
//     for an empty kernel in a graph, both measured there; 1.98 GHz (H200 datasheet has
//     4.8 TB/s).
//   sm_100: B200, 148 multiprocessors, 8 TB/s, 1.85 GHz (Blackwell architecture brief).
//   sm_120: RTX 5090, 170 multiprocessors, 1,792 GB/s, 2.41 GHz (RTX Blackwell
//     whitepaper).
// Instructions: four schedulers a multiprocessor, one each a cycle (same guide,
// "Compute Capability 8.x" and later). Latency: the time that bytes in flight over
// bandwidth gave for sm_90 where few loads are in flight; the others are taken to be
// alike.
//
// Intel. A Xe core has 8 vector engines of 8 threads, each with 128 registers of 64
// bytes: at 16 lanes a subgroup, 1,024 lanes and 128 registers of 32 bits a lane
// (oneAPI GPU Optimization Guide 2025, "Intel Xe GPU Architecture", tables of Xe-HPC
// and Xe2; 16 is the native width of both). Workgroup memory 128 KiB a Xe core, a
// workgroup may have all of it; workgroups of 1,024 (same guide, "Shared Local Memory"
// and "Thread Mapping and GPU Occupancy"). Workgroups a Xe core: as many as threads.
//   pvc: one stack of a Max 1550, 64 Xe cores, half of 3,276.8 GB/s, 1.6 GHz, 512 KiB
//   of
//     first-level cache (Data Center GPU Max Series Technical Overview).
//   bmg: Arc B580, 20 Xe cores, 456 GB/s, 2.67 GHz (product page), 256 KiB (Xe2
//     architecture overview).
//   spirv: any other. A quarter of a workgroup's memory and half of its lanes, which
//     every Intel GPU since Gen12 has (Level Zero specification, compute properties, as
//     Gen12 reports them), 64 registers a lane (Xe-LP: 128 of 32 bytes); speeds of a
//     small one (Arc A380: 8 Xe cores, 186 GB/s, 2 GHz).
// Launches and latency of Intel's chips were not measured: 4 us is what Level Zero's
// immediate command lists need at least (oneAPI GPU Optimization Guide, "Immediate
// Command Lists"), latency is taken to be NVIDIA's.
//
// bf16: PTX has conversions from capability 8.0 on (PTX ISA, "cvt"); core SPIR-V has
// none.
static constexpr GpuChip kChips[] = {
    {"cuda:sm_80", Backend::Cuda, 108, 32, 1024, 2048, 32, 65536, 255, 164, 163, 1,
     AsyncCopy::PerLane, 192, 2.039e12, 700, 450, 4 * 1.41e9, true},
    {"cuda:sm_90", Backend::Cuda, 132, 32, 1024, 2048, 32, 65536, 255, 228, 227, 16,
     AsyncCopy::Bulk, 256, 4.27e12, 700, 450, 4 * 1.98e9, true},
    {"cuda:sm_100", Backend::Cuda, 148, 32, 1024, 2048, 32, 65536, 255, 228, 227, 16,
     AsyncCopy::Bulk, 256, 8e12, 700, 450, 4 * 1.85e9, true},
    {"cuda:sm_120", Backend::Cuda, 170, 32, 1024, 1536, 24, 65536, 255, 100, 99, 8,
     AsyncCopy::Bulk, 128, 1.792e12, 700, 450, 4 * 2.41e9, true},
    {"spirv:pvc", Backend::LevelZero, 64, 16, 1024, 1024, 64, 131072, 128, 128, 128, 1,
     AsyncCopy::None, 512, 1.6384e12, 4000, 450, 8 * 1.6e9, false},
    {"spirv:bmg", Backend::LevelZero, 20, 16, 1024, 1024, 64, 131072, 128, 128, 128, 1,
     AsyncCopy::None, 256, 0.456e12, 4000, 450, 8 * 2.67e9, false},
    {"spirv", Backend::LevelZero, 8, 16, 512, 1024, 64, 65536, 64, 64, 32, 1,
     AsyncCopy::None, 64, 0.186e12, 4000, 450, 8 * 2e9, false},
};

std::span<const GpuChip> gpuChips() { return kChips; }

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
  facts.async_copy = chip.async_copy;
  facts.private_cache_bytes = chip.private_cache_kib * kKiB;
  facts.bytes_per_s = chip.bytes_per_s;
  facts.launch_ns = chip.launch_ns;
  facts.latency_ns = chip.latency_ns;
  facts.vector_ops_per_s = chip.vector_ops_per_s;
  facts.has_bf16 = chip.has_bf16;
  return facts;
}

} // namespace normc::schedule
