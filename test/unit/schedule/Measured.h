//===- Measured.h - Times of kernels on an H200 ------------------------------===//
//
// In bf16, in a graph with inputs rotated past the cache; for each kernel and shape the
// fastest of those that were measured, and others. Typed in from the measurement, not
// from what the decisions answer.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_TEST_UNIT_SCHEDULE_MEASURED_H
#define NORMC_TEST_UNIT_SCHEDULE_MEASURED_H

#include "Kernels.h"

namespace normc::schedule::test {

enum Op { LayerNorm, LayerNormBackward, Dyt, DytBackward };

/// The knobs that differ: workgroup_size, lanes_per_row, rows_per_tile, rows_in_flight,
/// min_workgroups_per_cu, stages, loop = persistent, residency = registers.
struct Mapping {
  int64_t workgroup_size, lanes_per_row, rows_per_tile, rows_in_flight, held, stages;
  bool persistent, registers;

  /// Without a loop min_workgroups_per_cu bounds registers and nothing else.
  bool operator==(const Mapping &other) const {
    Mapping a = *this, b = other;
    if (!persistent)
      a.held = b.held = 0;
    return a.workgroup_size == b.workgroup_size && a.lanes_per_row == b.lanes_per_row &&
           a.rows_per_tile == b.rows_per_tile && a.rows_in_flight == b.rows_in_flight &&
           a.held == b.held && a.stages == b.stages && a.persistent == b.persistent &&
           a.registers == b.registers;
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
    {LayerNorm, 1024, 65536, {1024, 1024, 1, 1, 1, 0, false, false}, 133.6},
    {LayerNorm, 1024, 65536, {128, 128, 1, 1, 10, 0, false, false}, 135.6},
    {LayerNorm, 1024, 65536, {128, 128, 1, 1, 12, 0, false, false}, 140.0},
    {LayerNorm, 2048, 32768, {128, 64, 2, 1, 12, 0, false, false}, 142.6},
    {LayerNorm, 2048, 32768, {128, 64, 2, 1, 12, 0, true, false}, 143.9},
    {LayerNorm, 2048, 32768, {512, 32, 16, 1, 3, 0, false, false}, 160.4},
    {LayerNorm, 4096, 4096, {128, 128, 1, 1, 4, 0, true, true}, 19.4},
    {LayerNorm, 4096, 4096, {128, 128, 1, 1, 4, 0, false, true}, 19.4},
    {LayerNorm, 4096, 4096, {256, 256, 1, 1, 1, 0, false, true}, 21.1},
    {LayerNorm, 4096, 16384, {512, 512, 2, 1, 1, 2, true, true}, 79.3},
    {LayerNorm, 4096, 16384, {512, 512, 1, 1, 1, 0, false, true}, 100.7},
    {LayerNorm, 4096, 16384, {512, 512, 1, 1, 1, 0, true, true}, 103.3},
    {LayerNorm, 8192, 8192, {256, 256, 2, 1, 2, 2, true, true}, 77.5},
    {LayerNorm, 8192, 8192, {512, 256, 2, 1, 1, 4, true, true}, 78.6},
    {LayerNorm, 8192, 8192, {192, 192, 2, 1, 2, 3, true, true}, 78.9},
    {LayerNorm, 16384, 4096, {128, 128, 1, 1, 4, 0, false, true}, 68.5},
    {LayerNorm, 16384, 4096, {128, 128, 1, 1, 4, 0, true, true}, 70.6},
    {LayerNorm, 16384, 4096, {128, 128, 2, 2, 3, 0, false, true}, 72.1},
    {LayerNorm, 32768, 1024, {64, 32, 2, 1, 10, 0, false, true}, 35.3},
    {LayerNorm, 32768, 1024, {64, 32, 2, 1, 10, 0, true, true}, 35.6},
    {LayerNorm, 32768, 1024, {128, 32, 4, 1, 5, 0, true, true}, 35.6},
    {LayerNorm, 32768, 2048, {64, 32, 2, 1, 6, 0, false, true}, 68.0},
    {LayerNorm, 32768, 2048, {128, 32, 4, 1, 3, 0, false, true}, 68.8},
    {LayerNorm, 32768, 2048, {64, 32, 2, 1, 6, 0, true, true}, 71.0},
    {LayerNorm, 65536, 768, {64, 16, 4, 1, 8, 0, false, true}, 51.4},
    {LayerNorm, 65536, 768, {64, 16, 4, 1, 8, 0, true, true}, 53.7},
    {LayerNorm, 65536, 768, {64, 16, 8, 2, 4, 0, true, true}, 54.4},
    {LayerNorm, 262144, 256, {64, 8, 8, 1, 10, 0, false, true}, 67.9},
    {LayerNorm, 262144, 256, {64, 8, 16, 2, 6, 0, false, true}, 68.2},
    {LayerNorm, 262144, 256, {64, 16, 8, 2, 10, 0, false, true}, 68.3},
    {LayerNorm, 401408, 24, {64, 1, 64, 1, 10, 0, false, true}, 12.4},
    {LayerNorm, 401408, 24, {64, 1, 64, 1, 10, 0, true, true}, 12.6},
    {LayerNorm, 401408, 24, {256, 1, 256, 1, 2, 0, true, true}, 13.2},
    {LayerNorm, 1048576, 64, {64, 8, 16, 2, 16, 0, false, true}, 70.5},
    {LayerNorm, 1048576, 64, {128, 8, 64, 4, 1, 0, false, true}, 70.8},
    {LayerNorm, 1048576, 64, {128, 8, 64, 4, 5, 0, false, true}, 70.8},
    {LayerNorm, 1048576, 128, {64, 8, 16, 2, 10, 0, false, true}, 134.7},
    {LayerNorm, 1048576, 128, {64, 8, 32, 4, 8, 0, false, true}, 135.7},
    {LayerNorm, 1048576, 128, {64, 8, 8, 1, 14, 0, false, true}, 136.1},
    {LayerNormBackward, 4096, 4096, {256, 128, 4, 1, 1, 2, true, true}, 33.0},
    {LayerNormBackward, 4096, 4096, {512, 256, 4, 1, 1, 2, true, true}, 33.4},
    {LayerNormBackward, 4096, 4096, {384, 192, 4, 1, 1, 2, true, true}, 35.8},
    {LayerNormBackward, 8192, 8192, {256, 256, 2, 1, 1, 2, true, true}, 124.7},
    {LayerNormBackward, 8192, 8192, {256, 256, 2, 1, 1, 3, true, true}, 125.3},
    {LayerNormBackward, 8192, 8192, {384, 384, 2, 1, 1, 2, true, true}, 126.0},
    {LayerNormBackward, 8192, 8192, {512, 512, 2, 1, 1, 2, true, true}, 126.3},
    {LayerNormBackward, 16384, 4096, {512, 256, 4, 1, 1, 2, true, true}, 103.9},
    {LayerNormBackward, 16384, 4096, {512, 256, 4, 1, 1, 3, true, true}, 105.3},
    {LayerNormBackward, 16384, 4096, {256, 128, 4, 1, 1, 2, true, true}, 106.0},
    {LayerNormBackward, 32768, 1024, {128, 64, 4, 2, 3, 2, true, true}, 55.1},
    {LayerNormBackward, 32768, 1024, {256, 32, 16, 2, 1, 2, true, true}, 55.8},
    {LayerNormBackward, 32768, 1024, {256, 128, 8, 2, 2, 2, true, true}, 56.0},
    {LayerNormBackward, 32768, 2048, {256, 128, 2, 1, 2, 2, true, true}, 102.8},
    {LayerNormBackward, 32768, 2048, {256, 128, 8, 2, 1, 2, true, true}, 105.5},
    {LayerNormBackward, 32768, 2048, {512, 256, 8, 2, 1, 2, true, true}, 108.4},
    {LayerNormBackward, 65536, 768, {256, 32, 32, 2, 1, 2, true, true}, 79.9},
    {LayerNormBackward, 65536, 768, {256, 32, 16, 2, 1, 3, true, true}, 80.2},
    {LayerNormBackward, 65536, 768, {192, 96, 8, 1, 3, 2, true, true}, 80.5},
    {LayerNormBackward, 65536, 768, {128, 32, 8, 1, 3, 2, true, true}, 84.6},
    {LayerNormBackward, 262144, 256, {128, 32, 8, 2, 5, 2, true, true}, 103.0},
    {LayerNormBackward, 262144, 256, {256, 8, 64, 2, 1, 2, true, true}, 103.2},
    {LayerNormBackward, 262144, 256, {256, 8, 64, 2, 1, 3, true, true}, 104.3},
    {LayerNormBackward, 262144, 256, {512, 16, 64, 1, 1, 2, true, true}, 104.9},
    {LayerNormBackward, 401408, 24, {256, 4, 128, 1, 3, 2, true, true}, 23.5},
    {LayerNormBackward, 401408, 24, {64, 1, 64, 1, 5, 3, true, true}, 23.6},
    {LayerNormBackward, 401408, 24, {128, 4, 128, 4, 3, 0, true, true}, 23.6},
    {LayerNormBackward, 1048576, 64, {256, 2, 256, 2, 1, 2, true, true}, 102.7},
    {LayerNormBackward, 1048576, 64, {256, 2, 256, 2, 1, 3, true, true}, 103.5},
    {LayerNormBackward, 1048576, 64, {128, 8, 32, 2, 5, 2, true, true}, 105.1},
    {LayerNormBackward, 1048576, 128, {64, 16, 8, 2, 6, 3, true, true}, 202.7},
    {LayerNormBackward, 1048576, 128, {256, 8, 32, 1, 2, 3, true, true}, 207.3},
    {LayerNormBackward, 1048576, 128, {512, 16, 128, 2, 1, 2, true, true}, 209.6},
    {LayerNormBackward, 1048576, 128, {512, 8, 64, 1, 1, 2, true, true}, 216.5},
    {Dyt, 1024, 65536, {512, 512, 1, 1, 3, 0, true, false}, 70.4},
    {Dyt, 1024, 65536, {512, 512, 1, 1, 3, 0, false, false}, 70.9},
    {Dyt, 1024, 65536, {256, 128, 2, 1, 6, 0, false, false}, 76.3},
    {Dyt, 1024, 65536, {128, 128, 1, 1, 12, 0, false, false}, 76.4},
    {Dyt, 2048, 32768, {1024, 1024, 1, 1, 1, 0, false, false}, 65.4},
    {Dyt, 2048, 32768, {512, 512, 1, 1, 3, 0, false, false}, 70.4},
    {Dyt, 2048, 32768, {512, 512, 1, 1, 3, 0, true, false}, 71.9},
    {Dyt, 4096, 4096, {512, 512, 2, 2, 2, 0, false, true}, 17.6},
    {Dyt, 4096, 4096, {256, 256, 2, 2, 3, 0, false, true}, 17.9},
    {Dyt, 4096, 4096, {512, 512, 4, 4, 2, 0, false, true}, 17.9},
    {Dyt, 4096, 16384, {256, 256, 1, 1, 1, 0, false, true}, 67.2},
    {Dyt, 4096, 16384, {512, 512, 1, 1, 1, 0, true, true}, 67.6},
    {Dyt, 4096, 16384, {512, 512, 2, 2, 1, 0, false, true}, 70.2},
    {Dyt, 8192, 8192, {1024, 1024, 4, 4, 1, 0, false, true}, 65.1},
    {Dyt, 8192, 8192, {512, 512, 4, 4, 1, 0, false, true}, 65.5},
    {Dyt, 8192, 8192, {512, 512, 8, 8, 1, 0, false, true}, 66.7},
    {Dyt, 16384, 4096, {512, 512, 2, 2, 2, 0, false, true}, 64.9},
    {Dyt, 16384, 4096, {512, 512, 4, 4, 2, 0, false, true}, 65.4},
    {Dyt, 16384, 4096, {256, 256, 2, 2, 3, 0, false, true}, 66.0},
    {Dyt, 32768, 1024, {128, 64, 2, 1, 8, 0, false, true}, 33.2},
    {Dyt, 32768, 1024, {128, 64, 4, 2, 7, 0, false, true}, 33.5},
    {Dyt, 32768, 1024, {128, 64, 8, 4, 5, 0, false, true}, 34.2},
    {Dyt, 32768, 2048, {128, 128, 2, 2, 7, 0, false, true}, 66.0},
    {Dyt, 32768, 2048, {128, 128, 4, 4, 5, 0, false, true}, 66.4},
    {Dyt, 32768, 2048, {256, 128, 8, 4, 2, 0, false, true}, 67.2},
    {Dyt, 65536, 768, {64, 32, 2, 1, 14, 0, false, true}, 49.0},
    {Dyt, 65536, 768, {96, 96, 4, 4, 10, 0, false, true}, 49.3},
    {Dyt, 65536, 768, {64, 32, 4, 2, 10, 0, false, true}, 49.5},
    {Dyt, 262144, 256, {256, 32, 16, 2, 4, 0, false, true}, 64.5},
    {Dyt, 262144, 256, {64, 16, 8, 2, 14, 0, false, true}, 64.6},
    {Dyt, 262144, 256, {64, 16, 16, 4, 10, 0, false, true}, 65.5},
    {Dyt, 401408, 24, {128, 4, 128, 4, 1, 0, false, true}, 11.0},
    {Dyt, 401408, 24, {64, 4, 64, 4, 16, 0, true, true}, 11.4},
    {Dyt, 401408, 24, {256, 4, 128, 2, 4, 0, true, true}, 11.6},
    {Dyt, 1048576, 64, {64, 8, 16, 2, 18, 0, false, true}, 64.4},
    {Dyt, 1048576, 64, {64, 8, 64, 8, 10, 0, false, true}, 65.2},
    {Dyt, 1048576, 64, {128, 8, 64, 4, 1, 0, false, true}, 65.4},
    {Dyt, 1048576, 128, {64, 8, 16, 2, 14, 0, false, true}, 128.2},
    {Dyt, 1048576, 128, {64, 8, 32, 4, 10, 0, false, true}, 131.5},
    {Dyt, 1048576, 128, {64, 8, 64, 8, 8, 0, false, true}, 132.2},
    {DytBackward, 4096, 4096, {512, 256, 2, 1, 1, 0, true, true}, 39.8},
    {DytBackward, 4096, 4096, {512, 512, 1, 1, 1, 3, true, true}, 44.5},
    {DytBackward, 4096, 4096, {512, 256, 4, 2, 1, 0, true, true}, 44.9},
    {DytBackward, 8192, 8192, {512, 512, 2, 2, 1, 0, true, true}, 142.2},
    {DytBackward, 8192, 8192, {512, 512, 1, 1, 1, 0, true, true}, 148.1},
    {DytBackward, 8192, 8192, {256, 256, 1, 1, 1, 0, true, true}, 178.4},
    {DytBackward, 16384, 4096, {512, 256, 2, 1, 1, 0, true, true}, 129.1},
    {DytBackward, 16384, 4096, {512, 512, 1, 1, 1, 3, true, true}, 137.4},
    {DytBackward, 16384, 4096, {512, 512, 4, 4, 1, 0, true, true}, 138.9},
    {DytBackward, 32768, 1024, {128, 64, 2, 1, 3, 2, true, true}, 59.2},
    {DytBackward, 32768, 1024, {128, 128, 2, 2, 3, 2, true, true}, 61.6},
    {DytBackward, 32768, 1024, {256, 128, 2, 1, 2, 3, true, true}, 62.9},
    {DytBackward, 32768, 2048, {128, 128, 1, 1, 3, 2, true, true}, 115.4},
    {DytBackward, 32768, 2048, {512, 256, 2, 1, 1, 3, true, true}, 119.3},
    {DytBackward, 32768, 2048, {512, 256, 8, 4, 1, 0, true, true}, 121.0},
    {DytBackward, 65536, 768, {192, 96, 4, 2, 2, 2, true, true}, 88.0},
    {DytBackward, 65536, 768, {192, 96, 4, 1, 2, 2, true, true}, 89.1},
    {DytBackward, 65536, 768, {192, 96, 16, 8, 2, 0, true, true}, 101.5},
    {DytBackward, 262144, 256, {128, 16, 8, 1, 3, 2, true, true}, 108.6},
    {DytBackward, 262144, 256, {128, 32, 8, 2, 3, 2, true, true}, 112.0},
    {DytBackward, 262144, 256, {512, 32, 64, 4, 1, 0, true, true}, 119.4},
    {DytBackward, 401408, 24, {512, 1, 512, 1, 1, 0, true, true}, 25.3},
    {DytBackward, 401408, 24, {128, 1, 256, 2, 3, 0, true, true}, 27.5},
    {DytBackward, 401408, 24, {256, 1, 1024, 4, 1, 0, true, true}, 30.1},
    {DytBackward, 401408, 24, {512, 4, 128, 1, 1, 3, true, true}, 30.8},
    {DytBackward, 1048576, 64, {128, 8, 32, 2, 3, 2, true, true}, 111.9},
    {DytBackward, 1048576, 64, {512, 8, 256, 4, 1, 0, true, true}, 120.8},
    {DytBackward, 1048576, 64, {512, 8, 64, 1, 1, 3, true, true}, 121.9},
    {DytBackward, 1048576, 128, {128, 8, 16, 1, 3, 2, true, true}, 212.3},
    {DytBackward, 1048576, 128, {128, 16, 16, 2, 3, 2, true, true}, 217.0},
    {DytBackward, 1048576, 128, {512, 16, 32, 1, 1, 3, true, true}, 234.2},
    // clang-format on
};

inline KernelFacts factsOf(const Measured &cell) {
  switch (cell.op) {
  case LayerNorm:
    return layerNorm(cell.rows, cell.cols, BF16, BF16);
  case LayerNormBackward:
    return layerNormBackward(cell.rows, cell.cols, BF16, BF16);
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
          t.residency == Residency::Registers};
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
