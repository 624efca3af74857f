// What the processor that runs this process is: its architecture, and the
// microarchitecture levels that packages are compiled for.
#ifndef NORMRT_HOSTPROCESSOR_H
#define NORMRT_HOSTPROCESSOR_H

#include <string_view>

namespace normrt {

/// "x86_64", "aarch64", or "unknown".
std::string_view hostArchitecture();

/// The highest level that this processor has: "x86-64-v4". The levels are those of the
/// x86-64 psABI, section 3.1.1; other architectures have their baseline alone.
std::string_view hostFeatureLevel();

/// The place of a level among those of this architecture, higher for more features; 0
/// is the baseline, which is also what "" means. -1 for a name that is none, or for a
/// level that this processor does not have.
int hostFeatureRank(std::string_view level);

} // namespace normrt

#endif // NORMRT_HOSTPROCESSOR_H
