//===- Kernels.h - The facts of real kernels, for the tests ------------------===//
//
// As row::computeKernelFacts answers them for what convert-norm-to-row makes of an op;
// test/row-select-tiling compares the two.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_TEST_UNIT_SCHEDULE_KERNELS_H
#define NORMC_TEST_UNIT_SCHEDULE_KERNELS_H

#include "normc/Schedule/Decision.h"

#include <gtest/gtest.h>

namespace normc::schedule::test {

using Size = std::optional<int64_t>;
using enum ElementType;

inline ElementType accumulatorOf(ElementType x, ElementType parameters) {
  return x == F64 || parameters == F64 ? F64 : F32;
}

inline KernelFacts layerNorm(Size rows, Size cols, ElementType x, ElementType p) {
  KernelFacts kernel;
  kernel.rows = rows;
  kernel.cols = cols;
  kernel.accumulator = accumulatorOf(x, p);
  kernel.buffers = {{Extent::Tile, x, false},
                    {Extent::Cols, p, false},
                    {Extent::Cols, p, false},
                    {Extent::Tile, x, true},
                    {Extent::Rows, kernel.accumulator, true},
                    {Extent::Rows, kernel.accumulator, true}};
  kernel.phases = 2;
  kernel.row_reductions = 2;
  kernel.moments = 1;
  kernel.ops_per_element = 7;
  kernel.special_ops_per_row = 2;
  return kernel;
}

inline KernelFacts layerNormBackward(Size rows, Size cols, ElementType x,
                                     ElementType p) {
  KernelFacts kernel;
  kernel.rows = rows;
  kernel.cols = cols;
  kernel.accumulator = accumulatorOf(x, p);
  kernel.buffers = {{Extent::Tile, x, false},
                    {Extent::Tile, x, false},
                    {Extent::Rows, kernel.accumulator, false},
                    {Extent::Rows, kernel.accumulator, false},
                    {Extent::Cols, p, false},
                    {Extent::Tile, x, true},
                    {Extent::Cols, p, true},
                    {Extent::Cols, p, true}};
  kernel.phases = 2;
  kernel.row_reductions = 2;
  kernel.column_sums = 2;
  kernel.ops_per_element = 16;
  return kernel;
}

inline KernelFacts rmsNorm(Size rows, Size cols, ElementType x, ElementType p) {
  KernelFacts kernel;
  kernel.rows = rows;
  kernel.cols = cols;
  kernel.accumulator = accumulatorOf(x, p);
  kernel.buffers = {{Extent::Tile, x, false},
                    {Extent::Cols, p, false},
                    {Extent::Tile, x, true},
                    {Extent::Rows, kernel.accumulator, true}};
  kernel.phases = 2;
  kernel.row_reductions = 1;
  kernel.ops_per_element = 4;
  kernel.special_ops_per_row = 2;
  return kernel;
}

inline KernelFacts rmsNormBackward(Size rows, Size cols, ElementType x, ElementType p) {
  KernelFacts kernel;
  kernel.rows = rows;
  kernel.cols = cols;
  kernel.accumulator = accumulatorOf(x, p);
  kernel.buffers = {{Extent::Tile, x, false},
                    {Extent::Tile, x, false},
                    {Extent::Rows, kernel.accumulator, false},
                    {Extent::Cols, p, false},
                    {Extent::Tile, x, true},
                    {Extent::Cols, p, true}};
  kernel.phases = 2;
  kernel.row_reductions = 1;
  kernel.column_sums = 1;
  kernel.ops_per_element = 11;
  return kernel;
}

inline KernelFacts dyt(Size rows, Size cols, ElementType x, ElementType p) {
  KernelFacts kernel;
  kernel.rows = rows;
  kernel.cols = cols;
  kernel.accumulator = accumulatorOf(x, p);
  kernel.buffers = {{Extent::Tile, x, false},
                    {Extent::Scalar, p, false},
                    {Extent::Cols, p, false},
                    {Extent::Cols, p, false},
                    {Extent::Tile, x, true}};
  kernel.ops_per_element = 3;
  kernel.special_ops_per_element = 1;
  return kernel;
}

inline KernelFacts dytBackward(Size rows, Size cols, ElementType x, ElementType p) {
  KernelFacts kernel;
  kernel.rows = rows;
  kernel.cols = cols;
  kernel.accumulator = accumulatorOf(x, p);
  kernel.buffers = {{Extent::Tile, x, false},   {Extent::Tile, x, false},
                    {Extent::Scalar, p, false}, {Extent::Cols, p, false},
                    {Extent::Tile, x, true},    {Extent::Scalar, p, true},
                    {Extent::Cols, p, true},    {Extent::Cols, p, true}};
  kernel.phases = 1;
  kernel.column_sums = 2;
  kernel.scalar_sums = 1;
  kernel.ops_per_element = 27;
  kernel.special_ops_per_element = 2;
  return kernel;
}

inline KernelFacts biasGradient(Size rows, Size cols, ElementType x, ElementType p) {
  KernelFacts kernel;
  kernel.rows = rows;
  kernel.cols = cols;
  kernel.accumulator = accumulatorOf(x, p);
  kernel.buffers = {{Extent::Tile, x, false}, {Extent::Cols, p, true}};
  kernel.column_sums = 1;
  kernel.ops_per_element = 1;
  return kernel;
}

inline TargetFacts target(std::string_view name) {
  std::string error;
  std::optional<TargetFacts> facts = lookupTarget(name, error);
  EXPECT_TRUE(facts) << error;
  return facts.value_or(TargetFacts());
}
inline TargetFacts v4() { return target("host:x86-64-v4"); }
inline TargetFacts v3() { return target("host:x86-64-v3"); }

/// A decision in one line: for each kernel its vectors (lanes a row of lanes x vectors
/// in flight), rows of a tile, rows of a block, residency and partials.
inline std::string summary(const Decision &decision) {
  std::string text(toString(decision.strategy));
  for (const KernelChoice &kernel : decision.kernels) {
    const Tiling &t = kernel.tiling;
    text += kernel.role == "finalize" ? " + finalize" : " " + kernel.role;
    text += " " + std::to_string(t.lanes_per_row) + "/" +
            std::to_string(t.vector_elems) + "x" + std::to_string(t.vectors_in_flight) +
            " R" + std::to_string(t.rows_per_tile);
    if (t.rows_per_workgroup)
      text += " B" + std::to_string(t.rows_per_workgroup);
    if (t.col_blocks != 1)
      text += " C" + std::to_string(t.col_blocks);
    if (t.residency == Residency::Registers)
      text += " unrolled";
    if (kernel.cost.partials)
      text += " P" + std::to_string(*kernel.cost.partials);
  }
  return text;
}

} // namespace normc::schedule::test

#endif // NORMC_TEST_UNIT_SCHEDULE_KERNELS_H
