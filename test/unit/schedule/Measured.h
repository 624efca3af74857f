//===- Measured.h - Times of kernels on an H200 ------------------------------===//
//
// In bf16, in a graph with inputs rotated past the cache; for each kernel and shape the
// fastest of those that were measured, and others. From
// docs/benchmarks/h200_tilings.json as it was written then, not from what the
// decisions answer.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_TEST_UNIT_SCHEDULE_MEASURED_H
#define NORMC_TEST_UNIT_SCHEDULE_MEASURED_H

#include "Kernels.h"

#include <tuple>

namespace normc::schedule::test {

enum Op { LayerNorm, LayerNormBackward, RmsNorm, RmsNormBackward, Dyt, DytBackward };

/// The knobs that differ: workgroup_size, lanes_per_row, rows_per_tile, rows_in_flight,
/// min_workgroups_per_cu, stages, loop = persistent, residency = registers,
/// cluster_cols, cluster_partials, results through a stage, skew.
struct Mapping {
  int64_t workgroup_size, lanes_per_row, rows_per_tile, rows_in_flight, held, stages;
  bool persistent, registers;
  int64_t cluster_cols, cluster_partials;
  bool stored, skewed;

  /// Without a loop min_workgroups_per_cu bounds registers and nothing else.
  bool operator==(const Mapping &other) const {
    auto knobs = [](const Mapping &m) {
      return std::tuple(m.workgroup_size, m.lanes_per_row, m.rows_per_tile,
                        m.rows_in_flight, m.persistent ? m.held : 0, m.stages,
                        m.persistent, m.registers, m.cluster_cols, m.cluster_partials,
                        m.stored, m.skewed);
    };
    return knobs(*this) == knobs(other);
  }
};

struct Measured {
  Op op;
  int64_t rows, cols;
  Mapping mapping;
  double us;
};

inline constexpr Measured kMeasured[] = {
    // clang-format off
    {LayerNorm, 401408, 24, {64, 1, 64, 1, 10, 0, false, true, 1, 1, false, false}, 13.09},
    {LayerNorm, 401408, 24, {256, 1, 256, 1, 2, 3, true, true, 1, 1, true, false}, 13.24},
    {LayerNorm, 1048576, 64, {64, 8, 16, 2, 14, 0, false, true, 1, 1, false, false}, 72.23},
    {LayerNorm, 1048576, 64, {128, 8, 32, 2, 8, 0, false, true, 1, 1, false, false}, 72.70},
    {LayerNorm, 1048576, 128, {64, 8, 16, 2, 10, 0, false, true, 1, 1, false, false}, 134.89},
    {LayerNorm, 1048576, 128, {64, 4, 16, 1, 10, 0, false, true, 1, 1, false, false}, 135.43},
    {LayerNorm, 262144, 256, {64, 16, 8, 2, 10, 0, false, true, 1, 1, false, false}, 68.66},
    {LayerNorm, 262144, 256, {64, 8, 8, 1, 10, 0, false, true, 1, 1, false, false}, 69.40},
    {LayerNorm, 128, 768, {64, 32, 2, 1, 12, 0, false, true, 1, 1, false, false}, 1.51},
    {LayerNorm, 128, 768, {96, 96, 1, 1, 12, 0, false, true, 1, 1, false, false}, 1.51},
    {LayerNorm, 128, 768, {64, 16, 4, 1, 8, 0, false, true, 1, 1, false, false}, 1.70},
    {LayerNorm, 65536, 768, {64, 16, 4, 1, 8, 0, false, true, 1, 1, false, false}, 51.70},
    {LayerNorm, 65536, 768, {64, 32, 4, 2, 8, 0, false, true, 1, 1, false, false}, 51.95},
    {LayerNorm, 32768, 1024, {64, 64, 2, 2, 10, 0, false, true, 1, 1, false, false}, 35.14},
    {LayerNorm, 32768, 1024, {128, 64, 4, 2, 6, 0, false, true, 1, 1, false, false}, 35.73},
    {LayerNorm, 32768, 1024, {64, 32, 2, 1, 10, 0, false, true, 1, 1, false, false}, 36.56},
    {LayerNorm, 1, 4096, {128, 128, 1, 1, 5, 0, false, true, 1, 1, false, false}, 1.56},
    {LayerNorm, 1, 4096, {256, 256, 1, 1, 1, 0, false, true, 1, 1, false, false}, 1.57},
    {LayerNorm, 64, 4096, {256, 256, 1, 1, 1, 0, false, true, 1, 1, false, false}, 2.27},
    {LayerNorm, 64, 4096, {128, 128, 1, 1, 5, 0, false, true, 1, 1, false, false}, 2.29},
    {LayerNorm, 4096, 4096, {128, 128, 1, 1, 4, 0, false, true, 1, 1, false, false}, 19.82},
    {LayerNorm, 4096, 4096, {128, 128, 1, 1, 5, 0, false, true, 1, 1, false, false}, 19.93},
    {LayerNorm, 16384, 4096, {128, 128, 1, 1, 4, 0, false, true, 1, 1, false, false}, 69.95},
    {LayerNorm, 16384, 4096, {128, 128, 1, 1, 5, 0, false, true, 1, 1, false, false}, 70.30},
    {LayerNorm, 8192, 8192, {128, 128, 1, 1, 3, 0, false, true, 1, 1, false, false}, 70.11},
    {LayerNorm, 8192, 8192, {256, 256, 1, 1, 2, 3, true, false, 1, 1, false, true}, 74.12},
    {LayerNorm, 4096, 16384, {256, 256, 1, 1, 1, 3, true, false, 1, 1, false, true}, 71.19},
    {LayerNorm, 4096, 16384, {512, 512, 1, 1, 1, 3, true, false, 1, 1, false, true}, 71.80},
    {LayerNorm, 2048, 32768, {256, 256, 1, 1, 1, 3, true, false, 2, 1, false, true}, 72.35},
    {LayerNorm, 2048, 32768, {512, 512, 1, 1, 1, 3, true, false, 2, 1, false, true}, 72.97},
    {LayerNorm, 1024, 65536, {256, 256, 1, 1, 2, 3, true, false, 8, 1, false, true}, 72.30},
    {LayerNorm, 1024, 65536, {256, 256, 1, 1, 1, 3, true, false, 4, 1, false, true}, 74.36},
    {LayerNormBackward, 401408, 24, {256, 4, 128, 1, 3, 2, true, true, 1, 1, false, false}, 23.52},
    {LayerNormBackward, 401408, 24, {128, 1, 128, 1, 3, 3, true, true, 1, 1, true, false}, 23.64},
    {LayerNormBackward, 1048576, 64, {128, 8, 32, 2, 5, 2, true, true, 1, 1, false, false}, 104.53},
    {LayerNormBackward, 1048576, 64, {256, 8, 128, 1, 2, 3, true, true, 1, 1, true, false}, 104.79},
    {LayerNormBackward, 1048576, 128, {256, 16, 64, 1, 2, 3, true, true, 1, 1, true, false}, 200.14},
    {LayerNormBackward, 1048576, 128, {256, 16, 32, 1, 3, 3, true, true, 1, 1, true, false}, 201.30},
    {LayerNormBackward, 262144, 256, {128, 32, 8, 1, 4, 3, true, true, 1, 1, false, false}, 100.49},
    {LayerNormBackward, 262144, 256, {512, 16, 64, 1, 1, 2, true, true, 1, 1, false, false}, 102.11},
    {LayerNormBackward, 128, 768, {96, 96, 1, 1, 1, 2, true, true, 1, 1, false, false}, 4.07},
    {LayerNormBackward, 128, 768, {192, 96, 2, 1, 1, 0, true, true, 1, 1, false, false}, 4.22},
    {LayerNormBackward, 65536, 768, {128, 32, 4, 1, 3, 3, true, true, 1, 1, false, false}, 77.07},
    {LayerNormBackward, 65536, 768, {128, 32, 4, 1, 3, 4, true, true, 1, 1, false, false}, 77.97},
    {LayerNormBackward, 32768, 1024, {256, 32, 16, 2, 1, 2, true, true, 1, 2, false, false}, 56.61},
    {LayerNormBackward, 32768, 1024, {128, 32, 4, 1, 2, 3, true, true, 1, 1, false, false}, 58.01},
    {LayerNormBackward, 1, 4096, {256, 256, 1, 1, 0, 0, true, true, 2, 1, false, false}, 3.62},
    {LayerNormBackward, 1, 4096, {256, 256, 1, 1, 0, 0, true, true, 1, 1, false, false}, 4.17},
    {LayerNormBackward, 64, 4096, {256, 256, 1, 1, 1, 2, true, true, 1, 1, false, false}, 6.04},
    {LayerNormBackward, 64, 4096, {512, 512, 1, 1, 1, 2, true, true, 1, 1, false, false}, 6.21},
    {LayerNormBackward, 4096, 4096, {256, 256, 1, 1, 2, 2, true, true, 1, 2, false, false}, 33.12},
    {LayerNormBackward, 4096, 4096, {256, 128, 4, 1, 1, 2, true, true, 1, 1, false, false}, 33.26},
    {LayerNormBackward, 16384, 4096, {256, 256, 1, 1, 2, 2, true, true, 1, 2, false, false}, 100.15},
    {LayerNormBackward, 16384, 4096, {256, 256, 1, 1, 2, 3, true, true, 1, 2, false, false}, 101.19},
    {LayerNormBackward, 8192, 8192, {512, 512, 1, 1, 1, 4, true, false, 1, 2, false, true}, 105.19},
    {LayerNormBackward, 8192, 8192, {512, 512, 2, 1, 1, 2, true, true, 1, 2, false, false}, 106.57},
    {LayerNormBackward, 4096, 16384, {128, 128, 1, 1, 3, 3, true, false, 8, 1, false, true}, 120.68},
    {LayerNormBackward, 4096, 16384, {256, 256, 1, 1, 1, 4, true, false, 4, 1, false, true}, 125.20},
    {LayerNormBackward, 2048, 32768, {256, 256, 1, 1, 1, 4, true, false, 8, 1, false, true}, 130.71},
    {LayerNormBackward, 2048, 32768, {512, 512, 1, 1, 1, 4, true, false, 8, 1, false, true}, 144.66},
    {LayerNormBackward, 1024, 65536, {256, 256, 1, 1, 1, 4, true, false, 16, 1, false, true}, 139.73},
    {LayerNormBackward, 1024, 65536, {256, 256, 1, 1, 1, 3, true, false, 16, 1, false, true}, 162.65},
    {RmsNorm, 401408, 24, {256, 1, 512, 1, 3, 2, true, true, 1, 1, true, false}, 11.48},
    {RmsNorm, 401408, 24, {64, 4, 32, 2, 12, 0, false, true, 1, 1, false, false}, 11.69},
    {RmsNorm, 1048576, 64, {128, 8, 32, 2, 8, 0, false, true, 1, 1, false, false}, 67.14},
    {RmsNorm, 1048576, 64, {64, 8, 16, 2, 14, 0, false, true, 1, 1, false, false}, 67.51},
    {RmsNorm, 1048576, 64, {128, 8, 64, 4, 1, 0, false, true, 1, 1, false, false}, 68.51},
    {RmsNorm, 1048576, 128, {64, 4, 16, 1, 14, 0, false, true, 1, 1, false, false}, 129.82},
    {RmsNorm, 1048576, 128, {64, 8, 16, 2, 14, 0, false, true, 1, 1, false, false}, 131.77},
    {RmsNorm, 262144, 256, {64, 8, 8, 1, 14, 0, false, true, 1, 1, false, false}, 66.42},
    {RmsNorm, 262144, 256, {64, 8, 8, 1, 10, 0, false, true, 1, 1, false, false}, 66.45},
    {RmsNorm, 128, 768, {128, 128, 1, 1, 1, 0, false, true, 1, 1, false, false}, 1.34},
    {RmsNorm, 128, 768, {96, 96, 1, 1, 13, 0, false, true, 1, 1, false, false}, 1.39},
    {RmsNorm, 128, 768, {64, 16, 4, 1, 10, 0, false, true, 1, 1, false, false}, 1.41},
    {RmsNorm, 65536, 768, {96, 96, 4, 4, 6, 0, false, true, 1, 1, false, false}, 50.15},
    {RmsNorm, 65536, 768, {64, 16, 4, 1, 8, 0, false, true, 1, 1, false, false}, 50.63},
    {RmsNorm, 65536, 768, {64, 16, 4, 1, 10, 0, false, true, 1, 1, false, false}, 50.72},
    {RmsNorm, 32768, 1024, {64, 64, 2, 2, 10, 0, false, true, 1, 1, false, false}, 34.45},
    {RmsNorm, 32768, 1024, {128, 128, 4, 4, 5, 0, false, true, 1, 1, false, false}, 34.50},
    {RmsNorm, 32768, 1024, {256, 32, 8, 1, 3, 0, false, true, 1, 1, false, false}, 35.01},
    {RmsNorm, 1, 4096, {256, 256, 1, 1, 1, 0, false, true, 1, 1, false, false}, 1.37},
    {RmsNorm, 1, 4096, {128, 128, 1, 1, 5, 0, false, true, 1, 1, false, false}, 1.38},
    {RmsNorm, 64, 4096, {256, 256, 1, 1, 1, 0, false, true, 1, 1, false, false}, 2.06},
    {RmsNorm, 64, 4096, {128, 128, 1, 1, 5, 0, false, true, 1, 1, false, false}, 2.08},
    {RmsNorm, 4096, 4096, {256, 256, 1, 1, 1, 0, false, true, 1, 1, false, false}, 18.16},
    {RmsNorm, 4096, 4096, {256, 256, 1, 1, 3, 0, false, true, 1, 1, false, false}, 18.26},
    {RmsNorm, 4096, 4096, {128, 128, 1, 1, 5, 0, false, true, 1, 1, false, false}, 18.71},
    {RmsNorm, 16384, 4096, {96, 96, 1, 1, 5, 0, false, true, 1, 1, false, false}, 66.33},
    {RmsNorm, 16384, 4096, {256, 256, 1, 1, 3, 0, false, true, 1, 1, false, false}, 66.39},
    {RmsNorm, 16384, 4096, {128, 128, 1, 1, 5, 0, false, true, 1, 1, false, false}, 67.32},
    {RmsNorm, 8192, 8192, {256, 256, 1, 1, 2, 0, false, true, 1, 1, false, false}, 67.09},
    {RmsNorm, 8192, 8192, {128, 128, 1, 1, 3, 2, true, true, 1, 1, false, false}, 71.74},
    {RmsNorm, 4096, 16384, {512, 512, 1, 1, 1, 3, true, false, 1, 1, false, true}, 72.17},
    {RmsNorm, 4096, 16384, {256, 256, 1, 1, 2, 3, true, false, 1, 1, false, true}, 72.39},
    {RmsNorm, 2048, 32768, {512, 512, 1, 1, 1, 3, true, false, 2, 1, false, true}, 73.10},
    {RmsNorm, 2048, 32768, {256, 256, 1, 1, 2, 3, true, false, 2, 1, false, true}, 73.58},
    {RmsNorm, 1024, 65536, {512, 512, 1, 1, 1, 3, true, false, 4, 1, false, true}, 71.34},
    {RmsNorm, 1024, 65536, {512, 512, 1, 1, 1, 4, true, false, 4, 1, false, true}, 74.02},
    {RmsNormBackward, 401408, 24, {256, 4, 128, 1, 3, 2, true, true, 1, 1, false, false}, 19.69},
    {RmsNormBackward, 401408, 24, {128, 1, 128, 1, 3, 3, true, true, 1, 1, true, false}, 20.06},
    {RmsNormBackward, 1048576, 64, {256, 8, 64, 1, 2, 4, true, true, 1, 1, true, false}, 100.15},
    {RmsNormBackward, 1048576, 64, {256, 8, 128, 1, 2, 3, true, true, 1, 1, false, false}, 101.23},
    {RmsNormBackward, 1048576, 64, {128, 8, 32, 2, 5, 3, true, true, 1, 1, false, false}, 106.51},
    {RmsNormBackward, 1048576, 128, {128, 8, 32, 1, 5, 2, true, true, 1, 1, true, false}, 197.02},
    {RmsNormBackward, 1048576, 128, {256, 16, 16, 1, 3, 3, true, true, 1, 1, false, false}, 203.26},
    {RmsNormBackward, 262144, 256, {128, 32, 8, 1, 4, 3, true, true, 1, 1, false, false}, 97.38},
    {RmsNormBackward, 262144, 256, {128, 32, 8, 1, 4, 4, true, true, 1, 1, true, false}, 97.89},
    {RmsNormBackward, 128, 768, {192, 96, 2, 1, 1, 0, true, true, 1, 1, false, false}, 3.26},
    {RmsNormBackward, 128, 768, {128, 32, 4, 1, 1, 2, true, true, 1, 1, false, false}, 3.42},
    {RmsNormBackward, 65536, 768, {128, 32, 4, 1, 3, 3, true, true, 1, 1, false, false}, 75.11},
    {RmsNormBackward, 65536, 768, {128, 32, 4, 1, 3, 4, true, true, 1, 1, false, false}, 75.67},
    {RmsNormBackward, 32768, 1024, {128, 32, 4, 1, 2, 3, true, true, 1, 1, false, false}, 53.48},
    {RmsNormBackward, 32768, 1024, {256, 64, 4, 1, 2, 4, true, true, 1, 1, false, false}, 53.74},
    {RmsNormBackward, 1, 4096, {128, 128, 1, 1, 0, 0, true, true, 4, 1, false, false}, 2.35},
    {RmsNormBackward, 1, 4096, {256, 256, 1, 1, 0, 0, true, true, 2, 1, false, false}, 2.88},
    {RmsNormBackward, 64, 4096, {256, 256, 1, 1, 1, 2, true, true, 1, 1, false, false}, 4.66},
    {RmsNormBackward, 64, 4096, {512, 512, 1, 1, 1, 2, true, true, 1, 1, false, false}, 4.81},
    {RmsNormBackward, 4096, 4096, {256, 256, 1, 1, 2, 2, true, true, 1, 2, false, false}, 31.23},
    {RmsNormBackward, 4096, 4096, {512, 256, 4, 1, 1, 2, true, true, 1, 1, false, false}, 31.74},
    {RmsNormBackward, 16384, 4096, {256, 256, 1, 1, 2, 2, true, true, 1, 2, false, false}, 100.31},
    {RmsNormBackward, 16384, 4096, {256, 256, 1, 1, 2, 2, true, true, 1, 1, false, false}, 100.42},
    {RmsNormBackward, 8192, 8192, {512, 512, 1, 1, 1, 2, true, true, 1, 2, false, false}, 100.52},
    {RmsNormBackward, 8192, 8192, {512, 512, 1, 1, 1, 2, true, true, 1, 1, false, false}, 102.90},
    {RmsNormBackward, 4096, 16384, {512, 512, 1, 1, 1, 3, true, false, 2, 1, false, true}, 104.59},
    {RmsNormBackward, 4096, 16384, {512, 512, 1, 1, 1, 4, true, false, 2, 1, false, true}, 111.54},
    {RmsNormBackward, 2048, 32768, {512, 512, 1, 1, 1, 4, true, false, 4, 1, false, true}, 104.77},
    {RmsNormBackward, 2048, 32768, {256, 256, 1, 1, 2, 4, true, false, 8, 1, false, true}, 105.01},
    {RmsNormBackward, 1024, 65536, {256, 256, 1, 1, 2, 4, true, false, 16, 1, false, true}, 104.90},
    {RmsNormBackward, 1024, 65536, {256, 256, 1, 1, 1, 3, true, false, 8, 1, false, true}, 112.42},
    {Dyt, 401408, 24, {64, 4, 32, 2, 12, 0, false, true, 1, 1, false, false}, 11.00},
    {Dyt, 401408, 24, {64, 4, 64, 4, 12, 0, false, true, 1, 1, false, false}, 11.02},
    {Dyt, 1048576, 64, {128, 8, 16, 1, 8, 0, false, true, 1, 1, false, false}, 64.47},
    {Dyt, 1048576, 64, {128, 8, 32, 2, 8, 0, false, true, 1, 1, false, false}, 64.62},
    {Dyt, 1048576, 64, {128, 8, 64, 4, 1, 0, false, true, 1, 1, false, false}, 66.55},
    {Dyt, 1048576, 128, {128, 16, 16, 2, 8, 0, false, true, 1, 1, false, false}, 127.22},
    {Dyt, 1048576, 128, {64, 16, 8, 2, 14, 0, false, true, 1, 1, false, false}, 127.23},
    {Dyt, 1048576, 128, {64, 8, 32, 4, 10, 0, false, true, 1, 1, false, false}, 132.94},
    {Dyt, 262144, 256, {128, 32, 8, 2, 8, 0, false, true, 1, 1, false, false}, 64.83},
    {Dyt, 262144, 256, {64, 16, 8, 2, 14, 0, false, true, 1, 1, false, false}, 64.92},
    {Dyt, 128, 768, {96, 96, 1, 1, 13, 0, false, true, 1, 1, false, false}, 1.25},
    {Dyt, 128, 768, {128, 128, 1, 1, 1, 0, false, true, 1, 1, false, false}, 1.27},
    {Dyt, 128, 768, {64, 32, 2, 1, 16, 0, false, true, 1, 1, false, false}, 1.29},
    {Dyt, 65536, 768, {64, 32, 2, 1, 10, 0, false, true, 1, 1, false, false}, 49.36},
    {Dyt, 65536, 768, {128, 32, 4, 1, 6, 0, false, true, 1, 1, false, false}, 49.45},
    {Dyt, 65536, 768, {64, 32, 4, 2, 10, 0, false, true, 1, 1, false, false}, 49.77},
    {Dyt, 32768, 1024, {64, 32, 2, 1, 12, 0, false, true, 1, 1, false, false}, 33.58},
    {Dyt, 32768, 1024, {64, 64, 2, 2, 10, 0, false, true, 1, 1, false, false}, 33.62},
    {Dyt, 32768, 1024, {128, 64, 4, 2, 7, 0, false, true, 1, 1, false, false}, 34.04},
    {Dyt, 1, 4096, {512, 512, 1, 1, 2, 0, false, true, 1, 1, false, false}, 1.26},
    {Dyt, 1, 4096, {256, 256, 1, 1, 1, 0, false, true, 1, 1, false, false}, 1.33},
    {Dyt, 64, 4096, {512, 512, 1, 1, 2, 0, false, true, 1, 1, false, false}, 1.90},
    {Dyt, 64, 4096, {256, 256, 1, 1, 1, 0, false, true, 1, 1, false, false}, 1.93},
    {Dyt, 4096, 4096, {256, 256, 1, 1, 3, 0, false, true, 1, 1, false, false}, 17.72},
    {Dyt, 4096, 4096, {512, 512, 2, 2, 2, 0, false, true, 1, 1, false, false}, 17.78},
    {Dyt, 4096, 4096, {256, 256, 2, 2, 3, 0, false, true, 1, 1, false, false}, 18.04},
    {Dyt, 16384, 4096, {256, 256, 1, 1, 3, 0, false, true, 1, 1, false, false}, 65.32},
    {Dyt, 16384, 4096, {128, 128, 1, 1, 4, 0, false, true, 1, 1, false, false}, 66.29},
    {Dyt, 16384, 4096, {256, 256, 2, 2, 3, 0, false, true, 1, 1, false, false}, 66.49},
    {Dyt, 8192, 8192, {256, 256, 1, 1, 2, 0, false, true, 1, 1, false, false}, 65.60},
    {Dyt, 8192, 8192, {512, 512, 4, 4, 1, 0, false, true, 1, 1, false, false}, 65.89},
    {Dyt, 4096, 16384, {256, 256, 1, 1, 2, 0, false, true, 1, 1, false, false}, 67.55},
    {Dyt, 4096, 16384, {384, 384, 2, 2, 1, 0, false, true, 1, 1, false, false}, 70.59},
    {Dyt, 4096, 16384, {512, 512, 2, 2, 1, 0, false, true, 1, 1, false, false}, 70.69},
    {Dyt, 2048, 32768, {256, 256, 1, 1, 6, 0, false, false, 1, 1, false, false}, 70.45},
    {Dyt, 2048, 32768, {512, 512, 1, 1, 1, 0, false, true, 1, 1, false, false}, 70.56},
    {Dyt, 1024, 65536, {1024, 1024, 1, 1, 1, 0, false, false, 1, 1, false, false}, 68.85},
    {Dyt, 1024, 65536, {512, 512, 1, 1, 3, 0, true, false, 1, 1, false, false}, 70.76},
    {Dyt, 1024, 65536, {128, 128, 1, 1, 12, 0, false, false, 1, 1, false, false}, 77.21},
    {DytBackward, 401408, 24, {256, 1, 256, 1, 1, 3, true, true, 1, 1, false, false}, 22.40},
    {DytBackward, 401408, 24, {512, 4, 128, 1, 1, 3, true, true, 1, 1, false, false}, 31.07},
    {DytBackward, 1048576, 64, {512, 8, 64, 1, 1, 3, true, true, 1, 1, false, false}, 122.81},
    {DytBackward, 1048576, 64, {128, 8, 32, 2, 5, 0, true, true, 1, 1, false, false}, 129.91},
    {DytBackward, 1048576, 128, {128, 8, 16, 1, 3, 2, true, true, 1, 1, false, false}, 213.32},
    {DytBackward, 1048576, 128, {512, 16, 32, 1, 1, 3, true, true, 1, 1, false, false}, 235.63},
    {DytBackward, 262144, 256, {128, 16, 8, 1, 3, 2, true, true, 1, 1, false, false}, 109.66},
    {DytBackward, 262144, 256, {512, 32, 16, 1, 1, 3, true, true, 1, 1, false, false}, 121.15},
    {DytBackward, 128, 768, {192, 96, 2, 1, 1, 0, true, true, 1, 1, false, false}, 5.03},
    {DytBackward, 128, 768, {96, 96, 1, 1, 1, 2, true, true, 1, 1, false, false}, 5.09},
    {DytBackward, 65536, 768, {192, 96, 4, 2, 2, 2, true, true, 1, 1, false, false}, 89.65},
    {DytBackward, 65536, 768, {192, 96, 4, 2, 3, 0, true, true, 1, 1, false, false}, 106.04},
    {DytBackward, 32768, 1024, {128, 64, 2, 1, 3, 2, true, true, 1, 1, false, false}, 61.14},
    {DytBackward, 32768, 1024, {256, 128, 2, 1, 2, 3, true, true, 1, 1, false, false}, 63.25},
    {DytBackward, 1, 4096, {128, 128, 1, 1, 0, 0, true, true, 4, 1, false, false}, 3.17},
    {DytBackward, 1, 4096, {256, 256, 1, 1, 0, 0, true, true, 2, 1, false, false}, 3.72},
    {DytBackward, 64, 4096, {256, 256, 1, 1, 1, 2, true, true, 1, 1, false, false}, 6.68},
    {DytBackward, 64, 4096, {512, 512, 1, 1, 1, 2, true, true, 1, 1, false, false}, 6.78},
    {DytBackward, 64, 4096, {512, 512, 2, 2, 1, 0, true, true, 1, 1, false, false}, 6.98},
    {DytBackward, 4096, 4096, {512, 512, 1, 1, 1, 3, true, true, 1, 2, false, false}, 35.37},
    {DytBackward, 4096, 4096, {512, 512, 1, 1, 1, 3, true, true, 1, 1, false, false}, 36.55},
    {DytBackward, 16384, 4096, {512, 512, 1, 1, 1, 3, true, true, 1, 2, false, false}, 121.22},
    {DytBackward, 16384, 4096, {512, 512, 1, 1, 1, 3, true, true, 1, 1, false, false}, 124.75},
    {DytBackward, 8192, 8192, {512, 512, 1, 1, 1, 3, true, true, 2, 1, false, false}, 125.10},
    {DytBackward, 4096, 16384, {128, 128, 1, 1, 3, 2, true, true, 8, 1, false, false}, 118.65},
    {DytBackward, 4096, 16384, {256, 256, 1, 1, 2, 3, true, true, 8, 1, false, false}, 134.56},
    {DytBackward, 2048, 32768, {256, 256, 1, 1, 2, 3, true, true, 16, 1, false, false}, 138.93},
    {DytBackward, 2048, 32768, {512, 512, 1, 1, 1, 0, true, true, 4, 1, false, false}, 139.00},
    {DytBackward, 1024, 65536, {512, 512, 1, 1, 1, 0, true, true, 8, 1, false, false}, 140.98},
    {DytBackward, 1024, 65536, {512, 512, 1, 1, 1, 3, true, true, 16, 1, false, false}, 141.20},
    // clang-format on
};

inline KernelFacts factsOf(const Measured &cell) {
  switch (cell.op) {
  case LayerNorm:
    return layerNorm(cell.rows, cell.cols, BF16, BF16);
  case LayerNormBackward:
    return layerNormBackward(cell.rows, cell.cols, BF16, BF16);
  case RmsNorm:
    return rmsNorm(cell.rows, cell.cols, BF16, BF16);
  case RmsNormBackward:
    return rmsNormBackward(cell.rows, cell.cols, BF16, BF16);
  case Dyt:
    return dyt(cell.rows, cell.cols, BF16, BF16);
  case DytBackward:
    return dytBackward(cell.rows, cell.cols, BF16, BF16);
  }
  return {};
}

inline Mapping mappingOf(const Tiling &t) {
  return {t.workgroup_size,
          t.lanes_per_row,
          t.rows_per_tile,
          t.rows_in_flight,
          t.min_workgroups_per_cu,
          t.stages,
          t.loop == Loop::Persistent,
          t.residency == Residency::Registers,
          t.cluster_cols,
          t.cluster_partials,
          t.store != Store::Direct,
          t.skew != 0};
}

inline bool sameCell(const Measured &a, const Measured &b) {
  return a.op == b.op && a.rows == b.rows && a.cols == b.cols;
}

/// The time of a cell with the tiling, if that was measured.
inline std::optional<double> measuredTime(const Measured &cell, const Tiling &tiling) {
  for (const Measured &other : kMeasured)
    if (sameCell(cell, other) && other.mapping == mappingOf(tiling))
      return other.us;
  return std::nullopt;
}

} // namespace normc::schedule::test

#endif // NORMC_TEST_UNIT_SCHEDULE_MEASURED_H
