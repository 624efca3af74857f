// Limits of a package. Each is checked when a package is loaded, so that launches can
// use arrays of fixed size on the stack. They are far above what the compiler emits,
// and low enough that a package cannot make loading take long.
#ifndef NORMRT_LIMITS_H
#define NORMRT_LIMITS_H

namespace normrt {

inline constexpr int kMaxNameLength = 1024;
inline constexpr int kMaxTargets = 256;
inline constexpr int kMaxKernels = 16384;
inline constexpr int kMaxBlobs = 4096;
inline constexpr int kMaxEntries = 4096;
inline constexpr int kMaxParams = 64;
inline constexpr int kMaxRank = 32;
/// Dimensions of all parameters of an entry together.
inline constexpr int kMaxEntryDims = 512;
inline constexpr int kMaxSymbols = 128;
inline constexpr int kMaxRequirements = 256;
inline constexpr int kMaxVariants = 256;
inline constexpr int kMaxGuards = 256;
inline constexpr int kMaxWorkspaces = 64;
inline constexpr int kMaxLaunches = 64;
/// Arguments of all launches of a variant together.
inline constexpr int kMaxVariantArgs = 1024;
inline constexpr int kMaxExprTerms = 512;
/// Values on the stack of an expression.
inline constexpr int kMaxExprDepth = 32;

} // namespace normrt

#endif // NORMRT_LIMITS_H
