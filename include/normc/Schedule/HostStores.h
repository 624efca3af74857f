//===- HostStores.h - Which tiles the host stores past its caches -----------===//
#ifndef NORMC_SCHEDULE_HOSTSTORES_H
#define NORMC_SCHEDULE_HOSTSTORES_H

#include "normc/Schedule/Tiling.h"

#include <cstdint>
#include <optional>

namespace normc::schedule::host {

/// Bytes of a line of the caches: of x86-64 and of nearly all of aarch64.
inline constexpr int64_t kLineBytes = 64;

/// Whether a kernel with this tiling may store a tile of elements of `element_bytes`
/// past the caches, in launches that move much: its rows are whole lines, and what is
/// stored at a time leaves few of them begun. Absent `cols` are dynamic.
bool mayStorePastCaches(const Tiling &tiling, int64_t element_bytes,
                        std::optional<int64_t> cols, bool has_sums);

} // namespace normc::schedule::host

#endif // NORMC_SCHEDULE_HOSTSTORES_H
