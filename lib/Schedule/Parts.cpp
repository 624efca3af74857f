//===- Parts.cpp - The kernels that a rewrite makes of one -------------------===//
#include "Host.h"

#include <algorithm>

namespace normc::schedule {

static bool isSumOutput(const BufferFacts &buffer) {
  return buffer.is_output && buffer.extent != Extent::Tile &&
         buffer.extent != Extent::Rows;
}

std::optional<int64_t> partialElems(const KernelFacts &kernel) {
  if (!kernel.cols && kernel.column_sums > 0)
    return std::nullopt;
  int64_t elems = kernel.column_sums * kernel.cols.value_or(0) + kernel.scalar_sums;
  int64_t unit = 16 / sizeInBytes(kernel.accumulator);
  return host::ceilDiv(elems, unit) * unit;
}

std::optional<int64_t> workgroups(const KernelFacts &kernel, const Tiling &tiling) {
  if (tiling.rows_per_workgroup <= 0)
    return tiling.col_blocks;
  if (!kernel.rows)
    return std::nullopt;
  return host::ceilDiv(*kernel.rows, tiling.rows_per_workgroup) * tiling.col_blocks;
}

KernelFacts finalizeFacts(const KernelFacts &kernel, std::optional<int64_t> partials) {
  KernelFacts facts;
  facts.rows = partials;
  facts.cols = kernel.cols;
  facts.accumulator = kernel.accumulator;
  facts.buffers.push_back({Extent::Partials, kernel.accumulator, false});
  for (const BufferFacts &buffer : kernel.buffers)
    if (isSumOutput(buffer) && buffer.extent != Extent::Partials)
      facts.buffers.push_back(buffer);
  facts.column_sums = kernel.column_sums;
  facts.scalar_sums = kernel.scalar_sums;
  facts.ops_per_element = 1;
  facts.is_finalize = true;
  return facts;
}

KernelFacts rowsPart(const KernelFacts &kernel) {
  KernelFacts facts = kernel;
  std::erase_if(facts.buffers, isSumOutput);
  facts.column_sums = facts.scalar_sums = 0;
  return facts;
}

KernelFacts columnsPart(const KernelFacts &kernel) {
  KernelFacts facts = kernel;
  std::erase_if(facts.buffers, [](const BufferFacts &buffer) {
    return buffer.is_output && !isSumOutput(buffer);
  });
  return facts;
}

} // namespace normc::schedule
