//===- Parts.cpp - The kernels that a rewrite makes of one -------------------===//
#include "Gpu.h"

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

std::optional<int64_t> rowWorkgroups(const KernelFacts &kernel,
                                     const TargetFacts &target, const Tiling &tiling) {
  if (target.backend != Backend::Host)
    return gpu::rowWorkgroups(kernel, target, tiling);
  if (tiling.rows_per_workgroup <= 0)
    return 1;
  if (!kernel.rows)
    return std::nullopt;
  return host::ceilDiv(*kernel.rows, tiling.rows_per_workgroup);
}

std::optional<int64_t> workgroups(const KernelFacts &kernel, const TargetFacts &target,
                                  const Tiling &tiling) {
  if (target.backend != Backend::Host)
    return gpu::workgroups(kernel, target, tiling);
  std::optional<int64_t> rows = rowWorkgroups(kernel, target, tiling);
  return rows ? std::optional(*rows * tiling.col_blocks) : std::nullopt;
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

KernelFacts partialsPart(const KernelFacts &kernel) {
  KernelFacts facts = kernel;
  std::erase_if(facts.buffers, isSumOutput);
  facts.buffers.push_back({Extent::Partials, kernel.accumulator, true});
  return facts;
}

KernelFacts rowsPart(const KernelFacts &kernel, bool scalars_with_rows) {
  KernelFacts facts = kernel;
  std::erase_if(facts.buffers, [&](const BufferFacts &buffer) {
    return isSumOutput(buffer) &&
           !(scalars_with_rows && buffer.extent == Extent::Scalar);
  });
  facts.column_sums = 0;
  facts.sums_wait = false;
  if (!scalars_with_rows)
    facts.scalar_sums = 0;
  return facts;
}

KernelFacts columnsPart(const KernelFacts &kernel, bool scalars_with_rows) {
  KernelFacts facts = kernel;
  std::erase_if(facts.buffers, [&](const BufferFacts &buffer) {
    return buffer.is_output && (!isSumOutput(buffer) ||
                                (scalars_with_rows && buffer.extent == Extent::Scalar));
  });
  if (scalars_with_rows)
    facts.scalar_sums = 0;
  if (!kernel.sums_wait) {
    facts.phases = 1;
    facts.row_reductions = facts.moments = 0;
  }
  return facts;
}

} // namespace normc::schedule
