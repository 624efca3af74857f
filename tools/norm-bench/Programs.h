//===- Programs.h - The sources of what is measured -------------------------===//
#ifndef NORMC_TOOLS_NORMBENCH_PROGRAMS_H
#define NORMC_TOOLS_NORMBENCH_PROGRAMS_H

#include "Cells.h"

namespace normc::bench {

/// A cell's op as a function on memrefs: rows are dynamic, columns static. Parameters
/// have the type of x, statistics are f32 (f64 of f64), and a backward makes every
/// gradient.
std::string sourceOf(const Cell &cell);

/// A kernel that only moves tiles: it reads one, or for a backward two, and writes one,
/// as all kernels of the cell do.
std::string moverOf(const Cell &cell);
/// Names the mover of a cell, and the entry in it.
std::string moverName(const Cell &cell);
inline constexpr const char *kMoverEntry = "mover";

/// A copy of f32 of 1024 columns, for the copy bandwidth.
std::string copySource();
inline constexpr const char *kCopyName = "copy_f32_1024";
inline constexpr int64_t kCopyCols = 1024;

} // namespace normc::bench

#endif // NORMC_TOOLS_NORMBENCH_PROGRAMS_H
