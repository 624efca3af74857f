//===- KernelAbi.h - The flat argument list of a kernel ---------------------===//
//
// The one place that says which arguments a lowered kernel takes, in which order. The
// plan fills them in at launch, the lowerings read them.
//
//===----------------------------------------------------------------------===//
#ifndef NORMC_PLAN_KERNELABI_H
#define NORMC_PLAN_KERNELABI_H

#include "dialects/row/Row.h"
#include "normc/Schedule/Facts.h"

namespace normc::plan {

/// On a kernel function: its buffers' outer dimensions walk with one stride each.
inline constexpr llvm::StringLiteral kCollapsedAttr = "plan.collapsed";
/// On a kernel function of a GPU: the bases of its buffers of tiles and columns, and
/// the rows of its tiles, lie at multiples of kAlignedBytes.
inline constexpr llvm::StringLiteral kAlignedAttr = "plan.aligned";
/// The widest access of a lane.
inline constexpr int64_t kAlignedBytes = 16;
/// Marks a function that holds exactly one row.kernel, over its own arguments.
inline constexpr llvm::StringLiteral kKernelAttr = "plan.kernel";

struct KernelArg {
  enum class Kind {
    /// Address of the first element of buffer `buffer`.
    Pointer,
    /// Elements between two rows of `buffer`; collapsed kernels.
    RowStride,
    /// Stride in elements of outer dimension `dim` of `buffer`; other kernels.
    OuterStride,
    /// Size of outer dimension `dim`; other kernels, for dim >= 1.
    OuterSize,
    /// Number of rows: the product of the outer dimensions; for a kernel of finalizes,
    /// the number of partials.
    Rows,
    /// Number of columns, where it is not static.
    Cols,
  };
  Kind kind;
  unsigned buffer = 0;
  unsigned dim = 0;
};

/// Outer dimensions of the kernel's tiles (0: a single row).
unsigned outerRank(row::KernelOp kernel);

/// The arguments in order: every buffer's pointer; then for every buffer that is
/// indexed by row, if there are outer dimensions, its RowStride or its OuterStrides;
/// then, unless collapsed, the OuterSizes 1..rank-1; then Rows; then Cols unless
/// static.
llvm::SmallVector<KernelArg> kernelArgs(row::KernelOp kernel, bool collapsed);

/// Number of columns of the kernel, or kDynamic; the outer size's product likewise. 1
/// where no buffer has columns (or rows). A kernel of finalizes has kDynamic rows.
int64_t staticCols(row::KernelOp kernel);
int64_t staticRows(row::KernelOp kernel);

/// Whether the kernel adds partials and does nothing else.
bool isFinalize(row::KernelOp kernel);

/// Whether a finalize may start before the kernel that writes its partials has ended
/// and waits itself: its lowering and its launch must agree. Programmatic dependent
/// launch came with clusters, in compute capability 9.0 (CUDA C++ Programming Guide,
/// "Programmatic Dependent Launch and Synchronization").
bool hasDependentLaunches(const schedule::TargetFacts &target);

/// What the buffer (region argument `index`) is indexed by. Scalar for an unused one.
schedule::Extent bufferExtent(row::KernelOp kernel, unsigned index);

/// The outer dimensions of a buffer that is indexed by row, the inner ones of a tile or
/// a buffer of columns; otherwise none.
llvm::ArrayRef<int64_t> outerShape(row::KernelOp kernel, unsigned index);
llvm::ArrayRef<int64_t> innerShape(row::KernelOp kernel, unsigned index);

/// Whether lanes access the buffer (region argument `index`) by column, several at
/// once: loaded or stored as a tile or per column. Sums are stored one by one.
bool isIndexedByColumn(row::KernelOp kernel, unsigned index);

/// Whether the buffer (region argument `index`) is indexed by row: used as a tile or
/// per row, partials not among them.
bool isIndexedByRow(row::KernelOp kernel, unsigned index);

} // namespace normc::plan

#endif // NORMC_PLAN_KERNELABI_H
